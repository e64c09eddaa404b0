/* Any bytes as the JSON of an encoding in a model file: rejected, or encodes to finite numbers and is
 * equal after a round trip. */
#include "table/encoding/transform.h"

#include <math.h>
#include <stdlib.h>

static void require(bool condition)
{
    if (!condition) abort();
}

static void encode(const transform *how)
{
    static const double numbers[] = {0, -1e300, 1e300, NAN, 1e-300, 12345.678};
    if (how->image || how->encoded > 100000) return;
    float *row = malloc(how->encoded * sizeof *row);
    require(row != NULL);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        for (size_t i = 0; i < how->column_count; i++) {
            if (how->columns[i].type == COLUMN_NUMBER) transform_number(row, &how->columns[i], numbers[k]);
            if (how->columns[i].type == COLUMN_CATEGORY)
                transform_text(row, &how->columns[i], (text_view){"abc", k % 4});
        }
        for (size_t i = 0; i < how->encoded; i++) require(isfinite(row[i]));
    }
    free(row);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cJSON *object = cJSON_ParseWithLength((const char *)bytes, size);
    transform *how = NULL, *again = NULL;
    if (object && transform_from_json(&how, object, NULL) == PUAD_OK) {
        encode(how);
        cJSON *copy = transform_to_json(how);
        require(copy && transform_from_json(&again, copy, NULL) == PUAD_OK && again->encoded == how->encoded);
        cJSON_Delete(copy);
    }
    transform_free(how);
    transform_free(again);
    cJSON_Delete(object);
    return 0;
}
