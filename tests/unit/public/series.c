/* <puad/series.h>: intervals of flagged rows, and a model's input for a row. */
#include "cli/library_values.h"
#include "test.h"

#include <puad/advanced.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400 };

static void fit_series(puad_detector **out, puad_dataset **out_rows)
{
    static double values[ROWS];
    puad_options *options = NULL;
    puad_table *table = NULL;
    puad_dataset *train = NULL;
    for (size_t i = 0; i < ROWS; i++) values[i] = (i / 10 % 2 ? 3.0 : 1.0) + (double)(i % 7) / 10;
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_options_set(options, "window", "8"));
    CHECK_OK(puad_options_set(options, "method", "if"));
    CHECK_OK(puad_table_new(&table, ROWS));
    CHECK_OK(puad_table_add_doubles(table, "heat", values, 0));
    CHECK_OK(puad_dataset_from_table(&train, table, NULL, options));
    CHECK_OK(puad_detector_fit(out, train, options));
    CHECK_OK(puad_dataset_from_table(out_rows, table, *out, NULL));
    puad_dataset_free(train);
    puad_table_free(table);
    puad_options_free(options);
}

TEST(flagged_rows_with_few_others_between_them_are_one_interval)
{
    puad_dataset *rows = NULL;
    puad_detector *model = NULL;
    fit_series(&model, &rows);
    puad_interval *found = NULL;
    size_t count = 0;
    float scores[ROWS] = {0};
    scores[5] = scores[6] = 2;
    scores[9] = 3; /* two rows between */
    scores[20] = 1;
    CHECK_OK(puad_intervals_find(&found, &count, rows, scores, 1, 3));
    CHECK_INT(count, 2);
    CHECK_INT(found[0].first, 5);
    CHECK_INT(found[0].last, 9);
    CHECK_INT(found[0].flagged, 3);
    CHECK_INT(found[0].peak, 9);
    CHECK_INT(found[1].first, 20);
    puad_intervals_free(found);
    CHECK_OK(puad_intervals_find(&found, &count, rows, scores, 1, 0));
    CHECK_INT(count, 3);
    puad_intervals_free(found);
    CHECK_OK(puad_intervals_find(&found, &count, rows, scores, 9, 0));
    CHECK_INT(count, 0);
    puad_intervals_free(found);
    puad_dataset_free(rows);
    puad_detector_free(model);
}

TEST(a_stream_takes_the_windows_that_the_whole_series_has)
{
    puad_dataset *rows = NULL;
    puad_detector *model = NULL;
    puad_stream *stream = NULL;
    puad_scorer *scorer = NULL;
    float streamed[10], whole[10];
    fit_series(&model, &rows);
    FILE *file = fopen("series-test.csv", "w");
    CHECK(file != NULL);
    fprintf(file, "heat\n");
    for (size_t i = 0; i < ROWS; i++)
        fprintf(file, "%.1f\n", (i / 10 % 2 ? 3.0 : 1.0) + (double)(i % 7) / 10);
    fclose(file);
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    CHECK_OK(puad_stream_open(&stream, model, "series-test.csv", NULL));
    size_t seen = 0;
    for (;;) {
        CHECK_OK(puad_stream_next(stream));
        if (block_of(stream).rows == 0) break;
        for (size_t i = 0; i < block_of(stream).rows; i++, seen++) {
            CHECK_OK(puad_stream_take(stream, streamed, 10, i));
            CHECK_OK(puad_scorer_take(scorer, whole, 10, rows, seen));
            CHECK(memcmp(streamed, whole, sizeof whole) == 0);
        }
    }
    CHECK_INT(seen, ROWS);
    CHECK_FAILS(puad_stream_take(stream, streamed, 9, 0), PUAD_INVALID, "9", "10");
    remove("series-test.csv");
    puad_stream_free(stream);
    puad_scorer_free(scorer);
    puad_dataset_free(rows);
    puad_detector_free(model);
}

TEST(a_row_of_a_series_is_explained_by_the_window_around_it)
{
    puad_dataset *rows = NULL;
    puad_detector *model = NULL;
    fit_series(&model, &rows);
    puad_scorer *scorer = NULL;
    float window[10], share;
    double number[2];
    char text[200];
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    CHECK_OK(puad_scorer_take(scorer, window, 10, rows, 100));
    CHECK_OK(puad_scorer_explain_columns(scorer, &share, 1, window, 10));
    CHECK_NEAR(share, 1, 1e-4);
    CHECK_OK(puad_detector_numbers(model, 0, number, 11, 2, rows));
    CHECK_NEAR(number[0], 3.4, 1e-5);
    puad_reason reason = {.struct_size = sizeof reason};
    size_t count;
    CHECK_OK(puad_scorer_reasons(scorer, &reason, 1, &count, window, 10));
    CHECK_INT(count, 1);
    CHECK_TEXT(reason.column, "heat");
    CHECK_INT(reason.steps, 8);
    double mean = 0;
    for (size_t i = 96; i < 104; i++) mean += ((i / 10 % 2 ? 3.0 : 1.0) + (double)(i % 7) / 10) / 8;
    if (reason.aspect == PUAD_ASPECT_LEVEL) CHECK_NEAR(reason.value, mean, 1e-4);
    if (reason.aspect == PUAD_ASPECT_SHAPE) CHECK(reason.step < 8);
    CHECK_OK(puad_detector_value_name(model, text, sizeof text, 8));
    CHECK(strcmp(text, "heat level") == 0);
    CHECK_OK(puad_detector_value_name(model, text, sizeof text, 2));
    CHECK(strcmp(text, "heat step 3") == 0);
    size_t first, last;
    CHECK_OK(puad_detector_window(model, rows, 100, &first, &last));
    CHECK_INT(first, 96);
    CHECK_INT(last, 103);
    CHECK_FAILS(puad_scorer_take(scorer, window, 10, rows, ROWS), PUAD_INVALID, "400");
    CHECK_FAILS(puad_scorer_take(scorer, window, 9, rows, 0), PUAD_INVALID, "9", "10");
    CHECK(!dataset_of(rows).segment_starts && !info_of(model).series_column);
    CHECK_OK(puad_detector_time_text(model, text, sizeof text, 12.5));
    CHECK(strcmp(text, "12.5") == 0);
    CHECK(!dataset_of(rows).times && !info_of(model).time_column && !info_of(model).time_is_date);
    puad_scorer_free(scorer);
    puad_dataset_free(rows);
    puad_detector_free(model);
}
