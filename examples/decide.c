/* From rows in memory, an array of doubles with NaN and a column of strings, to decisions: train,
 * calibrate, explain, flag at a false discovery rate, save.
 *
 *     cc decide.c $(pkg-config --cflags --libs puad) -lm -o decide
 *     ./decide                writes payments.safetensors and the rows as payments.csv, and prints row,score:
 *     puad score payments.safetensors payments.csv       prints the same scores */
#include <math.h>
#include <puad/advanced.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1200, COLUMNS = 2 };
static double numbers[ROWS][COLUMNS]; /* amount, hour */
static const char *country[ROWS];
static int8_t labels[ROWS];
static float scores[ROWS];
static puad_decision decisions[ROWS];

/* One payment in ten is large and abroad; of these every other one is labeled. */
static void make_rows(void)
{
    unsigned state = 1;
    for (int i = 0; i < ROWS; i++) {
        int odd = i % 10 == 0;
        state = state * 1664525u + 1013904223u;
        numbers[i][0] = (odd ? 90 : 20) + (state >> 8) % 1000 / 100.0;
        numbers[i][1] = i % 13 == 0 ? NAN : (state >> 20) % 24;
        country[i] = odd || i % 7 == 0 ? "abroad" : i % 11 == 0 ? NULL : "home";
        labels[i] = i % 20 == 0 ? PUAD_LABEL_ANOMALY : PUAD_LABEL_UNLABELED;
    }
}

static void write_rows(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) exit(1);
    fputs("amount,hour,country\n", file);
    for (int i = 0; i < ROWS; i++) {
        fprintf(file, "%.17g,", numbers[i][0]);
        if (!isnan(numbers[i][1])) fprintf(file, "%.17g", numbers[i][1]);
        fprintf(file, ",%s\n", country[i] ? country[i] : "");
    }
    if (fclose(file) != 0) exit(1);
}

#define DO(call)                                                                                             \
    do {                                                                                                     \
        if ((call) != PUAD_OK) {                                                                             \
            fprintf(stderr, "decide: %s\n", puad_last_error());                                              \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

int main(void)
{
    static const char *const names[COLUMNS] = {"amount", "hour"};
    puad_table *table = NULL;
    puad_options *options = NULL;
    puad_dataset *train = NULL, *rows = NULL;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    char reasons_text[400];
    make_rows();
    DO(puad_table_new(&table, ROWS));
    DO(puad_table_add_double_matrix(table, names, &numbers[0][0], COLUMNS, 0, 0));
    DO(puad_table_add_texts(table, "country", country, 0));
    DO(puad_table_set_labels(table, labels));
    DO(puad_options_new(&options));
    DO(puad_options_set(options, "method", "puae"));
    DO(puad_options_set_number(options, "epochs", 60));
    DO(puad_options_set_number(options, "calibrate", 0.3)); /* hold rows out, for decisions */
    DO(puad_options_set(options, "alpha", "0.05"));
    DO(puad_options_set(options, "fdr", "0.2"));
    DO(puad_dataset_from_table(&train, table, NULL, options));
    DO(puad_detector_fit(&model, train, options));
    DO(puad_detector_save(model, "payments.safetensors"));

    DO(puad_dataset_from_table(&rows, table, model, options)); /* encode new rows for the model */
    DO(puad_scorer_new(&scorer, model, options));
    DO(puad_scorer_run(scorer, scores, ROWS, rows));
    decisions->struct_size = sizeof *decisions;
    DO(puad_detector_decide(model, decisions, scores, ROWS, options));
    int flagged = 0, right = 0, first = -1;
    for (int i = 0; i < ROWS; i++) {
        printf("%d,%.9g\n", i, (double)scores[i]);
        flagged += decisions[i].flagged;
        right += decisions[i].flagged && i % 10 == 0;
        if (first < 0 && decisions[i].flagged) first = i;
    }
    if (first >= 0) {
        puad_reason reasons[2] = {{.struct_size = sizeof *reasons}};
        size_t count;
        DO(puad_detector_explain(model, reasons, 2, &count, rows, (size_t)first));
        DO(puad_reasons_text(reasons, count, reasons_text, sizeof reasons_text));
    }
    fprintf(stderr, "%d of %d rows are flagged, %d of them anomalies; row %d because of %s\n", flagged, ROWS,
            right, first, first >= 0 ? reasons_text : "");
    write_rows("payments.csv");
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(rows);
    puad_dataset_free(train);
    puad_options_free(options);
    puad_table_free(table);
    return !(flagged > 60 && right > flagged * 7 / 10);
}
