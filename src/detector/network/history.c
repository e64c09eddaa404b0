/* The rows of a training's history, and their JSON form. */
#include "detector/network/history.h"

#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The columns: HISTORY_COLUMN(field, type). */
#define HISTORY_COLUMNS                                                                                      \
    HISTORY_COLUMN(epoch, int)                                                                               \
    HISTORY_COLUMN(train_loss, double)                                                                       \
    HISTORY_COLUMN(valid_loss, double)

puad_status history_add(history *owner, const history_row *row)
{
    if (owner->count && row->epoch <= owner->rows[owner->count - 1].epoch)
        FAIL(PUAD_INVALID, "history: epoch %d follows epoch %d", row->epoch,
             owner->rows[owner->count - 1].epoch);
    if (owner->count == HISTORY_ROWS_MAX)
        FAIL(PUAD_INVALID, "history: more than %d epochs", HISTORY_ROWS_MAX);
    if (owner->count == owner->capacity) {
        size_t capacity = owner->capacity ? 2 * owner->capacity : 256;
        TRY(memory_grow(&owner->rows, capacity, sizeof *owner->rows, "history"));
        owner->capacity = capacity;
    }
    owner->rows[owner->count++] = *row;
    return PUAD_OK;
}

double history_seconds(const history *owner)
{
    double sum = 0;
    for (size_t i = 0; i < owner->count; i++) sum += owner->rows[i].seconds;
    return sum;
}

puad_status history_to_json(cJSON **out, const history *source, bool times)
{
    AUTO_JSON cJSON *json = cJSON_CreateObject();
    bool fine = json != NULL;
#define HISTORY_COLUMN(field, type)                                                                          \
    cJSON *field = cJSON_AddArrayToObject(json, #field);                                                     \
    for (size_t i = 0; fine && i < source->count; i++)                                                       \
        fine = cJSON_AddItemToArray(field, json_exact_number((double)source->rows[i].field));
    HISTORY_COLUMNS
    if (times) {
        HISTORY_COLUMN(seconds, double)
    }
#undef HISTORY_COLUMN
    if (!fine || !valid_loss) FAIL(PUAD_MEMORY, "history: no memory");
    *out = json;
    json = NULL;
    return PUAD_OK;
}

/* The next number of a column; null becomes NaN. */
static bool take(double *out, const cJSON **item)
{
    const cJSON *here = *item;
    if (!here || !(cJSON_IsNumber(here) || cJSON_IsNull(here))) return false;
    *out = cJSON_IsNull(here) ? NAN : here->valuedouble;
    *item = here->next;
    return true;
}

puad_status history_from_json(history *out, const cJSON *json)
{
    *out = (history){0};
    AUTO_HISTORY history made = {0};
#define HISTORY_COLUMN(field, type)                                                                          \
    const cJSON *field##_column = cJSON_GetObjectItemCaseSensitive(json, #field);                            \
    if (!cJSON_IsArray(field##_column)) FAIL(PUAD_FORMAT, "history: no list '%s'", #field);                  \
    const cJSON *field = field##_column->child;
    HISTORY_COLUMNS
#undef HISTORY_COLUMN
    const cJSON *seconds_column = cJSON_GetObjectItemCaseSensitive(json, "seconds"),
                *seconds = seconds_column ? seconds_column->child : NULL;
    while (epoch) {
        double number;
        history_row row = {0};
#define HISTORY_COLUMN(field, type)                                                                          \
    if (!take(&number, &field))                                                                              \
        FAIL(PUAD_FORMAT, "history: '%s' ends or is not a number in row %zu", #field, made.count);           \
    if (sizeof(type) == sizeof(int) && !(number >= 0 && number < HISTORY_ROWS_MAX))                          \
        FAIL(PUAD_FORMAT, "history: '%s' of row %zu is invalid", #field, made.count);                        \
    row.field = (type)number;
        HISTORY_COLUMNS
#undef HISTORY_COLUMN
        row.seconds = NAN;
        if (seconds_column && !take(&row.seconds, &seconds))
            FAIL(PUAD_FORMAT, "history: 'seconds' ends or is not a number in row %zu", made.count);
        TRY(history_add(&made, &row));
    }
    if (train_loss || valid_loss || seconds) FAIL(PUAD_FORMAT, "history: lists of different lengths");
    *out = made;
    made = (history){0};
    return PUAD_OK;
}

void history_free(history *owner)
{
    free(owner->rows);
    *owner = (history){0};
}
