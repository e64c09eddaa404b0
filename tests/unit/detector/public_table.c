/* Rows of a table are scored block by block, with the bits that an encoded dataset of them would have. */
#include "cli/library_values.h"
#include "test.h"

#include <puad/advanced.h>

enum { N = 5000, TRAINING = 400 };
static double sizes[N];
static const char *colors[N];
static int8_t labels[N];
static float whole[N], blocks[N];
static int notes;
static char last_note[300];

static void count_note(void *context, puad_note_kind kind, const char *text)
{
    (void)context;
    (void)kind;
    notes++;
    snprintf(last_note, sizeof last_note, "%s", text);
}

static void make_rows(void)
{
    for (int i = 0; i < N; i++) {
        sizes[i] = i % 31 == 0 ? (double)NAN : (double)((i % 10 == 0 ? 90 : 20) + i * 7 % 13);
        colors[i] = i % 10 == 0 ? "red" : i % 3 ? "blue" : "green";
        labels[i] = i % 20 == 0;
    }
}

static puad_table *table_of(size_t rows, const char *second)
{
    puad_table *table = NULL;
    if (puad_table_new(&table, rows) != PUAD_OK ||
        puad_table_add_doubles(table, "size", sizes, 0) != PUAD_OK ||
        puad_table_add_texts(table, second, colors, 0) != PUAD_OK ||
        puad_table_set_labels(table, labels) != PUAD_OK)
        abort();
    return table;
}

static puad_options *options_of(const char *method)
{
    puad_options *options = NULL;
    if (puad_options_new(&options) != PUAD_OK || puad_options_set(options, "method", method) != PUAD_OK ||
        puad_options_set(options, "steps", "20") != PUAD_OK ||
        puad_options_set(options, "alpha", "0.05") != PUAD_OK ||
        puad_options_set(options, "force", "yes") != PUAD_OK)
        abort();
    puad_options_set_note(options, count_note, NULL);
    return options;
}

static void score_both_ways(const char *method)
{
    puad_options *options = options_of(method);
    puad_table *first = table_of(TRAINING, "color"), *all = table_of(N, "color"),
               *other = table_of(N, "shade");
    puad_dataset *train = NULL, *encoded = NULL;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    CHECK_OK(puad_dataset_from_table(&train, first, NULL, options));
    CHECK_OK(puad_detector_fit(&model, train, options));
    CHECK_OK(puad_dataset_from_table(&encoded, all, model, NULL));
    CHECK_OK(puad_scorer_new(&scorer, model, options));
    CHECK_OK(puad_scorer_run(scorer, whole, N, encoded));
    notes = 0;
    CHECK_OK(puad_scorer_run_table(scorer, blocks, N, all, options));
    CHECK(memcmp(whole, blocks, sizeof whole) == 0);
    CHECK_INT(notes, 0);
    CHECK_FAILS(puad_scorer_run_table(scorer, blocks, N - 1, all, options), PUAD_INVALID, "4999", "5000");
    CHECK_OK(puad_scorer_run_table(scorer, blocks, N, other, options));
    CHECK_INT(notes, 2); /* a column is missing, and one is new */
    CHECK(strstr(last_note, "column '") != NULL);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(encoded);
    puad_dataset_free(train);
    puad_table_free(other);
    puad_table_free(all);
    puad_table_free(first);
    puad_options_free(options);
}

TEST(a_network_scores_blocks_of_a_table_as_it_scores_the_whole)
{
    make_rows();
    score_both_ways("puae");
}

TEST(the_committee_scores_blocks_of_a_table_as_it_scores_the_whole)
{
    make_rows();
    score_both_ways("committee");
}

TEST(a_missing_date_column_is_noted_once)
{
    make_rows();
    static char dates[TRAINING][32];
    static const char *texts[TRAINING];
    for (int i = 0; i < TRAINING; i++) {
        snprintf(dates[i], sizeof dates[i], "2024-%02d-%02d %02d:15:00", 1 + i % 12, 1 + i % 28, i * 7 % 24);
        texts[i] = dates[i];
    }
    puad_options *options = NULL;
    puad_table *first = NULL, *other = NULL;
    puad_dataset *train = NULL;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_options_set(options, "method", "if"));
    CHECK_OK(puad_table_new(&first, TRAINING));
    CHECK_OK(puad_table_add_doubles(first, "size", sizes, 0));
    CHECK_OK(puad_table_add_texts(first, "when", texts, 0));
    CHECK_OK(puad_dataset_from_table(&train, first, NULL, options));
    CHECK_OK(puad_detector_fit(&model, train, options));
    CHECK(info_of(model).column_count > 2); /* more than one part of the date */
    CHECK_OK(puad_scorer_new(&scorer, model, options));
    CHECK_OK(puad_table_new(&other, TRAINING));
    CHECK_OK(puad_table_add_doubles(other, "size", sizes, 0));
    puad_options_set_note(options, count_note, NULL);
    notes = 0;
    CHECK_OK(puad_scorer_run_table(scorer, blocks, N, other, options));
    CHECK_INT(notes, 1);
    CHECK(strstr(last_note, "when") != NULL);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(train);
    puad_table_free(first);
    puad_table_free(other);
    puad_options_free(options);
}
