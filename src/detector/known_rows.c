/* Finds the rows of a model in a file. */
#include "detector/known_rows.h"

#include "dataset/row_keys.h"
#include "detector/scored_rows.h"

#include <stdlib.h>
#include <string.h>

puad_status known_rows_add(known_rows *to, const float *values, size_t columns, size_t rows)
{
    if (to->rows + rows > to->capacity) {
        size_t capacity = 2 * (to->rows + rows);
        TRY(memory_grow(&to->keys, capacity, sizeof *to->keys, "rows"));
        to->capacity = capacity;
    }
    for (size_t i = 0; i < rows; i++) to->keys[to->rows++] = row_key(values + i * columns, columns);
    return PUAD_OK;
}

puad_status known_rows_read(known_rows *to, const puad_detector *model, const char *input,
                            const data_options *options)
{
    AUTO_MODEL_INPUT model_input source = {0};
    TRY(model_input_open(&source, model, input, options));
    size_t columns = shape_size(model->in);
    do {
        TRY(row_source_next(&source.block, source.rows, source.capacity));
        TRY(known_rows_add(to, source.block.values, columns, source.block.rows));
    } while (source.block.rows);
    return PUAD_OK;
}

void known_rows_free(known_rows *owner)
{
    free(owner->keys);
    *owner = (known_rows){0};
}

puad_status known_rows_held(size_t *places, size_t *out_found, const known_rows *in, const calibration *held,
                            const uint8_t *asked)
{
    AUTO_FINDER row_finder finder = {0};
    TRY(row_finder_new(&finder, in->keys, in->rows));
    for (size_t i = 0; asked && i < in->rows; i++) finder.taken[i] = asked[i] != 0;
    *out_found =
        row_finder_find(places, &finder, held->keys, held->rows, held->unlabeled_count + held->anomaly_count);
    return PUAD_OK;
}

puad_status known_rows_answers(size_t *out_missing, size_t *out_gone, uint8_t *open, const known_rows *in,
                               const puad_detector *model, const uint8_t *covered)
{
    AUTO_FINDER row_finder known = {0}, others = {0};
    AUTO_FREE size_t *places = NULL;
    *out_missing = *out_gone = 0;
    TRY(memory_new(&places, model->answer_count + 1, sizeof *places, "answers"));
    TRY(row_finder_new(&known, in->keys, in->rows));
    TRY(row_finder_new(&others, in->keys, in->rows));
    for (size_t i = 0; i < in->rows; i++) {
        known.taken[i] = covered[i] == 0;
        others.taken[i] = covered[i] != 0;
    }
    row_finder_find(places, &known, model->answer_keys, model->answer_rows, model->answer_count);
    for (size_t i = 0; i < model->answer_count; i++) {
        size_t place;
        if (places[i] != SIZE_MAX) continue;
        if (!row_finder_find(&place, &others, &model->answer_keys[i], &model->answer_rows[i], 1)) {
            ++*out_gone;
            continue;
        }
        ++*out_missing;
        if (open) open[place] = 1;
    }
    return PUAD_OK;
}
