/* Scores rows of a time series with a model of windows: each row by the windows that contain it. */
#ifndef DETECTOR_MODEL_SERIES_H
#define DETECTOR_MODEL_SERIES_H

#include "detector/model/model.h"
#include "input/input.h"
#include "series/row_scores.h"
#include "series/time_axis.h"

static inline bool model_is_series(const puad_detector *model)
{
    return model->config.window > 0;
}
window_plan model_windows(const puad_detector *model);

/* PUAD_INVALID for such a model: "what" does not support it; the message names the alternative. */
puad_status model_refuse_series(const puad_detector *model, const char *what, const char *instead);

/* Scores rows of a series in memory; `breaks` (or NULL) marks where segments begin. */
puad_status series_run(puad_scorer *scorer, float *scores, const float *rows, const uint8_t *breaks,
                       size_t count);

/* Rows that wait for the windows that contain them, with their ids and cells. */
typedef struct series_input series_input;
puad_status series_input_new(series_input **out, puad_scorer *scorer, row_source *rows, size_t rows_most);
/* The next rows whose scores are known, at most rows_most; none at the end. */
puad_status series_input_next(row_block *out, float *scores, series_input *input);
/* The window around one of the last delivered rows (window_around). */
puad_status series_input_window(float *out, series_input *input, size_t row);
puad_status series_input_tell(notes *out, const series_input *input, const char *name);
const axis_clock *series_input_clock(const series_input *input);
void series_input_free(series_input *owner); /* NULL is fine */

#endif
