/* Explanations by the columns of the file: the value, what is usual, and the share. */
#include "detector/model/typical_values.h"

#include "base/rng.h"
#include "test.h"

#include <puad/puad.h>

enum { ROWS = 1200, LABELED = 20 };
static double amounts[ROWS], ages[ROWS];
static const char *countries[ROWS];
static int8_t labels[ROWS];

/* Amounts around 100, ages around 40 of which a tenth is missing, and three countries; a labeled anomaly has
 * a large amount from abroad. */
static void make(puad_dataset **out)
{
    rng draws = rng_make(1, rng_stream("usual", 0));
    static const char *const names[] = {"home", "home", "home", "office"};
    for (int i = 0; i < ROWS; i++) {
        labels[i] = i < LABELED;
        amounts[i] = labels[i] ? 900 + rng_normal(&draws) : 100 + 10 * rng_normal(&draws);
        ages[i] = i % 10 == 0 ? NAN : 40 + 5 * rng_normal(&draws);
        countries[i] = labels[i] ? "abroad" : names[i % 4];
    }
    puad_table *table = NULL;
    CHECK_OK(puad_table_new(&table, ROWS));
    CHECK_OK(puad_table_add_doubles(table, "amount", amounts, 0));
    CHECK_OK(puad_table_add_doubles(table, "age", ages, 0));
    CHECK_OK(puad_table_add_texts(table, "country", countries, 0));
    CHECK_OK(puad_table_set_labels(table, labels));
    CHECK_OK(puad_dataset_from_table(out, table, NULL));
    puad_table_free(table);
}

static void fit(puad_detector **out, const puad_dataset *data, const char *calibrate)
{
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    if (calibrate) CHECK_OK(puad_options_set(options, "calibrate", calibrate));
    CHECK_OK(puad_detector_fit(out, data, options));
    puad_options_free(options);
}

static void check_usual(const puad_detector *model)
{
    char text[120];
    CHECK_NEAR(puad_detector_usual_number(model, 0, PUAD_USUAL_MEDIAN), 100, 2);
    CHECK_NEAR(puad_detector_usual_number(model, 0, PUAD_USUAL_LOW), 100 - 16.4, 3);
    CHECK_NEAR(puad_detector_usual_number(model, 0, PUAD_USUAL_HIGH), 100 + 16.4, 3);
    CHECK_NEAR(puad_detector_usual_number(model, 1, PUAD_USUAL_MEDIAN), 40, 1); /* of those that are there */
    CHECK(isnan(puad_detector_usual_number(model, 2, PUAD_USUAL_MEDIAN)));
    CHECK_OK(puad_detector_usual(text, sizeof text, model, 2));
    CHECK_TEXT(text, "home 75%, office 25%");
}

TEST(the_usual_values_are_in_the_units_of_the_file_with_rows_held_out_or_not)
{
    puad_dataset *data = NULL;
    make(&data);
    const char *const shares[] = {NULL, "0.3"};
    for (int i = 0; i < 2; i++) {
        puad_detector *model = NULL, *again = NULL;
        fit(&model, data, shares[i]);
        unsigned char *bytes = NULL;
        size_t size = 0;
        check_usual(model);
        CHECK_OK(puad_detector_save_memory(&bytes, &size, model));
        CHECK_OK(puad_detector_load_memory(&again, bytes, size));
        check_usual(again);
        puad_bytes_free(bytes);
        puad_detector_free(again);
        puad_detector_free(model);
    }
    puad_dataset_free(data);
}

TEST(a_row_is_explained_by_its_columns_values_and_what_is_usual)
{
    puad_dataset *data = NULL;
    make(&data);
    puad_detector *model = NULL;
    fit(&model, data, NULL);
    puad_scorer *scorer = NULL;
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    const float *row = puad_dataset_values(data);
    size_t columns = puad_dataset_columns(data);
    float shares[3];
    char text[400];
    CHECK_OK(puad_scorer_explain_columns(scorer, shares, 3, row, columns));
    CHECK_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-5);
    CHECK(shares[0] > 0.2F && shares[2] > 0.2F && shares[1] < 0.2F);
    CHECK_OK(puad_detector_cell(text, sizeof text, model, 0, row, columns));
    CHECK(strtod(text, NULL) > 150 &&
          strstr(text, " or more")); /* far beyond what the encoding tells apart */
    CHECK_OK(puad_detector_cell(text, sizeof text, model, 0, row + LABELED * columns, columns));
    CHECK_NEAR(strtod(text, NULL), amounts[LABELED], 0.01);
    CHECK_OK(puad_detector_cell(text, sizeof text, model, 1, row, columns));
    CHECK_TEXT(text, "(missing)");
    CHECK_OK(puad_detector_cell(text, sizeof text, model, 2, row, columns));
    CHECK_TEXT(text, "abroad");
    CHECK_OK(puad_scorer_because(scorer, text, sizeof text, 2, row, columns));
    CHECK(strstr(text, "country=abroad (usual home 75%, office 25%) 0."));
    CHECK(strstr(text, "amount=2") && strstr(text, " (usual 8"));
    CHECK_FAILS(puad_scorer_explain_columns(scorer, shares, 2, row, columns), PUAD_INVALID, "2", "3");
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(data);
}

TEST(a_file_whose_usual_values_are_no_numbers_is_refused)
{
    AUTO_ARENA arena memory = {0};
    float bad[USUAL_FIGURES * 2] = {0, 1, NAN}, *read = NULL;
    AUTO_SAFETENSORS safetensors file = {0};
    CHECK_OK(usual_write(&file, "usual", bad, 2));
    CHECK_FAILS(usual_read(&read, &memory, &file, "usual", 2), PUAD_FORMAT, "usual", "value 2");
    CHECK_FAILS(usual_read(&read, &memory, &file, "usual", 3), PUAD_FORMAT, "'usual'", "F32 [4, 2]",
                "F32 [4, 3]");
}
