/* Train on rows in memory, save, load, score, decide and explain, using only puad.h.
 *
 *     cc first.c $(pkg-config --cflags --libs puad) -o first */
#include <puad/puad.h>
#include <stdio.h>
#include <stdlib.h>

#define DO(call)                                                                                             \
    do {                                                                                                     \
        if ((call) != PUAD_OK) {                                                                             \
            fprintf(stderr, "%s\n", puad_last_error());                                                      \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

enum { ROWS = 1000, COLUMNS = 3 };
static double values[ROWS][COLUMNS];
static int8_t labels[ROWS]; /* every tenth row is an anomaly; half of these are labeled */
static float scores[ROWS];
static puad_decision decisions[ROWS];

int main(void)
{
    static const char *const names[COLUMNS] = {"amount", "hour", "balance"};
    puad_options *options = NULL;
    puad_dataset *train = NULL, *fresh = NULL;
    puad_detector *model = NULL;
    puad_array array = {sizeof array, &values[0][0], ROWS, COLUMNS, names, labels};
    puad_reason reasons[2];
    char text[200];
    size_t count, flagged = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < COLUMNS; c++) values[i][c] = 20 + rand() % 1000 / 100.0 + (i % 10 ? 0 : 15);
        labels[i] = i % 20 ? PUAD_LABEL_UNLABELED : PUAD_LABEL_ANOMALY;
    }
    DO(puad_options_new(&options));
    DO(puad_options_set(options, "calibrate", "0.3")); /* hold out rows, for decisions */
    DO(puad_dataset_from_array(&train, &array, NULL, NULL));
    DO(puad_detector_fit(&model, train, options));
    DO(puad_detector_save(model, "first.safetensors"));
    puad_detector_free(model);
    DO(puad_detector_load(&model, "first.safetensors"));
    DO(puad_dataset_from_array(&fresh, &array, model, NULL)); /* encode as in training */
    DO(puad_detector_score(model, scores, ROWS, fresh));
    DO(puad_options_set(options, "flag_rate", "0.1"));
    decisions[0].struct_size = sizeof decisions[0];
    DO(puad_detector_decide(model, decisions, scores, ROWS, options));
    for (int i = 0; i < ROWS; i++) flagged += (size_t)decisions[i].flagged;
    reasons[0].struct_size = sizeof reasons[0];
    DO(puad_detector_explain(model, reasons, 2, &count, fresh, 0));
    DO(puad_reason_text(&reasons[0], text, sizeof text, PUAD_REASON_ALL));
    printf("%d of %d rows flagged; row 0: score %g, %s\n", (int)flagged, ROWS, (double)scores[0], text);
    puad_dataset_free(train);
    puad_dataset_free(fresh);
    puad_detector_free(model);
    puad_options_free(options);
    return count == 0 || flagged < ROWS / 20;
}
