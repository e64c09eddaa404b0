/* Public scorers: options, and datasets, whose encoding must be the model's. */
#include "detector/model_series.h"
#include "input/dataset_api.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_ROWS = 1024 };

puad_status puad_scorer_run_encoded(puad_scorer *scorer, float *scores, const float *values, size_t rows,
                                    size_t columns)
{
    NEED(scorer);
    if (rows == 0) return PUAD_OK;
    NEED(scores);
    NEED(values);
    size_t wanted = shape_size(scorer_model(scorer)->in);
    if (columns != wanted) FAIL(PUAD_INVALID, "rows of %zu values, the model takes %zu", columns, wanted);
    return scorer_run(scorer, scores, values, rows);
}

/* Scores rows encoded before some were held out: the model's encoding has one more step. */
static puad_status run_with_second_step(puad_scorer *scorer, float *scores, const dataset *data)
{
    const transform *encoding = scorer_model(scorer)->table;
    AUTO_FREE float *values = NULL;
    TRY(memory_new(&values, STEP_ROWS * data->columns, sizeof *values, "rows"));
    for (size_t first = 0; first < data->rows; first += STEP_ROWS) {
        size_t rows = data->rows - first < STEP_ROWS ? data->rows - first : STEP_ROWS;
        memcpy(values, data->values + first * data->columns, rows * data->columns * sizeof *values);
        for (size_t i = 0; i < rows; i++) transform_second_step(values + i * data->columns, encoding);
        TRY(scorer_run(scorer, scores + first, values, rows));
    }
    return PUAD_OK;
}

puad_status puad_scorer_run(puad_scorer *scorer, float *scores, size_t capacity, const puad_dataset *data)
{
    uint64_t whole, first;
    NEED(scorer);
    NEED(data);
    const puad_detector *model = scorer_model(scorer);
    const dataset *rows = &data->data;
    if (rows->rows == 0) return PUAD_OK;
    NEED(scores);
    if (capacity < rows->rows)
        FAIL(PUAD_INVALID, "capacity for %zu scores, the dataset has %zu rows", capacity, rows->rows);
    if (!model->table)
        FAIL(PUAD_INVALID, "the model was trained on float rows and has no encoding; use "
                           "puad_scorer_run_encoded");
    TRY(scorer_encoding(&whole, scorer, false));
    if (model_is_series(model)) {
        if (data->encoding != whole || rows->columns != model_windows(model).channels)
            FAIL(PUAD_INVALID, "the rows are not encoded like those of the model's series: pass the model "
                               "to puad_dataset_open");
        return series_run(scorer, scores, rows->values, rows->breaks, rows->rows);
    }
    if (data->encoding == whole) return scorer_run(scorer, scores, rows->values, rows->rows);
    TRY(scorer_encoding(&first, scorer, true));
    if (data->encoding == first) return run_with_second_step(scorer, scores, rows);
    FAIL(PUAD_INVALID, "the rows have a separately learned encoding, not the model's: pass the model to "
                       "puad_dataset_open");
}
