/* Explanations by the columns of the file: the value, typical values, and the contribution. */
#include "detector/model/typical_values.h"
#include "cli/library_values.h"

#include "base/rng.h"
#include "test.h"

#include <puad/advanced.h>

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
    CHECK_OK(puad_dataset_from_table(out, table, NULL, NULL));
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
    puad_column column = {.struct_size = sizeof column};
    CHECK_OK(puad_detector_column(model, &column, 0));
    CHECK_TEXT(column.name, "amount");
    CHECK_INT(column.kind, PUAD_COLUMN_NUMBER);
    CHECK_NEAR(column.typical.median, 100, 2);
    CHECK_NEAR(column.typical.low, 100 - 16.4, 3);
    CHECK_NEAR(column.typical.high, 100 + 16.4, 3);
    CHECK_OK(puad_detector_column(model, &column, 1));
    CHECK_NEAR(column.typical.median, 40, 1); /* of those that are there */
    CHECK_INT(column.optional, 1);
    CHECK_OK(puad_detector_column(model, &column, 2));
    CHECK(isnan(column.typical.median));
    CHECK_INT(column.typical.count, 2);
    CHECK_TEXT(column.typical.categories[0].name, "home");
    CHECK_NEAR(column.typical.categories[0].fraction, 0.75, 0.01);
    CHECK_OK(puad_column_text(&column, text, sizeof text, PUAD_COLUMN_TYPICAL));
    CHECK_TEXT(text, "home 75%, office 25%");
    CHECK(puad_detector_category(model, 2, 0) && !puad_detector_category(model, 2, column.category_count));
    CHECK_FAILS(puad_detector_column(model, &column, 3), PUAD_INVALID, "3");
    column.struct_size = 0;
    CHECK_FAILS(puad_detector_column(model, &column, 2), PUAD_INVALID, "struct_size");
}

TEST(typical_values_are_in_file_units_with_and_without_holdout)
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
        puad_free(bytes);
        puad_detector_free(again);
        puad_detector_free(model);
    }
    puad_dataset_free(data);
}

TEST(a_row_is_explained_by_columns_values_and_typical_values)
{
    puad_dataset *data = NULL;
    make(&data);
    puad_detector *model = NULL;
    fit(&model, data, NULL);
    puad_scorer *scorer = NULL;
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    const float *row = dataset_of(data).values;
    size_t columns = dataset_of(data).columns;
    float shares[3];
    char text[400];
    CHECK_OK(puad_scorer_explain_columns(scorer, shares, 3, row, columns));
    CHECK_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-5);
    CHECK(shares[0] > 0.2F && shares[2] > 0.2F && shares[1] < 0.2F);
    puad_reason reasons[3] = {{.struct_size = sizeof *reasons}};
    size_t count;
    CHECK_OK(puad_scorer_reasons(scorer, reasons, 3, &count, row, columns));
    REQUIRE(count >= 2);
    CHECK(reasons[0].contribution >= reasons[1].contribution);
    for (size_t i = 0; i < count; i++) {
        const puad_reason *one = &reasons[i];
        CHECK_NEAR(one->contribution, shares[one->index], 1e-6);
        if (one->index == 0) CHECK(one->value > 150 && one->beyond == 1 && one->typical.low > 80);
        if (one->index == 1) CHECK(one->missing && isnan(one->value));
        if (one->index == 2) CHECK_TEXT(one->category, "abroad");
    }
    CHECK_OK(puad_reasons_text(reasons, 2, text, sizeof text));
    CHECK(strstr(text, "country=abroad (usual home 75%, office 25%) 0."));
    CHECK(strstr(text, "amount=2") && strstr(text, " or more (usual 8"));
    char tight[12];
    CHECK_OK(puad_reasons_text(reasons, 2, tight, sizeof tight));
    CHECK_TEXT(tight, ""); /* reasons are complete or omitted */
    CHECK_OK(puad_scorer_reasons(scorer, reasons, 3, &count, row + LABELED * columns, columns));
    for (size_t i = 0; i < count; i++)
        if (reasons[i].index == 0) CHECK_NEAR(reasons[i].value, amounts[LABELED], 0.01);
    puad_reason cell = {.struct_size = sizeof cell};
    CHECK_OK(puad_detector_cell(model, &cell, 1, row, columns));
    CHECK(cell.missing && isnan(cell.contribution));
    CHECK_FAILS(puad_detector_cell(model, &cell, 3, row, columns), PUAD_INVALID, "3");
    CHECK_OK(puad_detector_explain(model, reasons, 1, &count, data, 0));
    CHECK(count == 1 && reasons[0].contribution > 0.2);
    CHECK_OK(puad_reason_text(&reasons[0], text, sizeof text, PUAD_REASON_VALUE));
    CHECK(strcmp(text, "abroad") == 0 || strstr(text, " or more"));
    CHECK_FAILS(puad_scorer_explain_columns(scorer, shares, 2, row, columns), PUAD_INVALID, "2", "3");
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(data);
}

TEST(a_file_with_nan_typical_values_is_rejected)
{
    AUTO_ARENA arena memory = {0};
    float bad[USUAL_FIGURES * 2] = {0, 1, NAN}, *read = NULL;
    AUTO_SAFETENSORS safetensors file = {0};
    CHECK_OK(usual_write(&file, "usual", bad, 2));
    CHECK_FAILS(usual_read(&read, &memory, &file, "usual", 2), PUAD_FORMAT, "usual", "value 2");
    CHECK_FAILS(usual_read(&read, &memory, &file, "usual", 3), PUAD_FORMAT, "'usual'", "F32 [4, 2]",
                "F32 [4, 3]");
}
