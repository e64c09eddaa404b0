/* Scores one row at a time, as a service does: prints the columns that the model wants, then prepares a row whose
 * buffers are rewritten for each request. A call allocates nothing.
 *
 *     cc score_row.c $(pkg-config --cflags --libs puad) -o score_row && ./score_row */
#include <puad/detector.h>
#include <puad/explain.h>
#include <stdio.h>
#include <stdlib.h>

#define DO(call)                                                                                             \
    do {                                                                                                     \
        if ((call) != PUAD_OK) {                                                                             \
            fprintf(stderr, "score_row: %s\n", puad_last_error());                                           \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
enum { ROWS = 600 };

static void train(puad_detector **model)
{
    static double amounts[ROWS];
    static const char *countries[ROWS];
    static int8_t labels[ROWS];
    puad_table *table = NULL;
    puad_dataset *data = NULL;
    for (int i = 0; i < ROWS; i++) {
        amounts[i] = i * 37 % 100 + (i % 20 == 0 ? 400 : 20);
        countries[i] = i % 7 ? "home" : "abroad";
        labels[i] = i % 40 == 0 ? PUAD_LABEL_ANOMALY : PUAD_LABEL_UNLABELED;
    }
    DO(puad_table_new(&table, ROWS));
    DO(puad_table_add_doubles(table, "amount", amounts, 0));
    DO(puad_table_add_texts(table, "country", countries, 0));
    DO(puad_table_set_labels(table, labels));
    DO(puad_dataset_from_table(&data, table, NULL, NULL));
    DO(puad_detector_fit(model, data, NULL));
    puad_dataset_free(data);
    puad_table_free(table);
}

static void print_schema(const puad_detector *model)
{
    static const char *const kinds[] = {"unused", "number", "category"};
    puad_model_info info = {.struct_size = sizeof info};
    DO(puad_detector_info(model, &info));
    for (size_t i = 0; i < info.column_count; i++) {
        puad_column column = {.struct_size = sizeof column};
        DO(puad_detector_column(model, &column, i));
        if (column.kind == PUAD_COLUMN_UNUSED || column.origin == PUAD_ORIGIN_DERIVED) continue;
        printf("%s: %s%s%s", column.input, kinds[column.kind], *column.format ? ", " : "", column.format);
        for (size_t k = 0; k < column.category_count; k++)
            printf("%s%s", k ? ", " : ": ", puad_detector_category(model, i, k));
        printf("\n");
    }
}

int main(void)
{
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    puad_table *row = NULL;
    double amount;
    const char *country;
    float score;
    train(&model);
    print_schema(model);
    DO(puad_scorer_new(&scorer, model, NULL));
    DO(puad_table_new(&row, 1)); /* the table borrows the addresses of the buffers */
    DO(puad_table_add_doubles(row, "amount", &amount, 0));
    DO(puad_table_add_texts(row, "country", &country, 0));
    for (int i = 0; i < 3; i++) {
        amount = 60 + 200 * i;
        country = i ? "abroad" : "home";
        DO(puad_scorer_run_table(scorer, &score, 1, row, NULL));
        printf("%g, %s: score %.4g\n", amount, country, (double)score);
    }
    puad_table_free(row);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    return 0;
}
