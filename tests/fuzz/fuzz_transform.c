/* Any bytes as the JSON of an encoding in a model file: rejected, or encodes to finite numbers and is
 * equal after a round trip. */
#include "table/encoding/transform.h"

#include <math.h>
#include <stdlib.h>

static void require(bool condition)
{
    if (!condition) abort();
}

static void encode(const transform *encoding)
{
    static const double numbers[] = {0, -1e300, 1e300, NAN, 1e-300, 12345.678};
    if (encoding->image || encoding->encoded > 100000) return;
    float *row = malloc(encoding->encoded * sizeof *row);
    require(row != NULL);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        for (size_t i = 0; i < encoding->column_count; i++) {
            if (encoding->columns[i].type == COLUMN_NUMBER)
                transform_number(row, &encoding->columns[i], numbers[k]);
            if (encoding->columns[i].type == COLUMN_CATEGORY)
                transform_text(row, &encoding->columns[i], (text_view){"abc", k % 4});
        }
        for (size_t i = 0; i < encoding->encoded; i++) require(isfinite(row[i]));
    }
    free(row);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cJSON *object = cJSON_ParseWithLength((const char *)bytes, size);
    transform *encoding = NULL, *again = NULL;
    if (object && transform_from_json(&encoding, object, NULL) == PUAD_OK) {
        encode(encoding);
        cJSON *copy = transform_to_json(encoding);
        require(copy && transform_from_json(&again, copy, NULL) == PUAD_OK &&
                again->encoded == encoding->encoded);
        cJSON_Delete(copy);
    }
    transform_free(encoding);
    transform_free(again);
    cJSON_Delete(object);
    return 0;
}
