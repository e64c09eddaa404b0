/* Trains on one CSV file and scores another, encoded like the first.
 *
 *     cc score_file.c $(pkg-config --cflags --libs puad) -o score_file
 *     ./score_file train.csv new.csv      train.csv has a column "label": 1 for a known anomaly, else 0
 *     ./score_file                        makes two files first */
#include <math.h>
#include <puad/advanced.h>
#include <stdio.h>
#include <stdlib.h>

static void stop(void)
{
    fprintf(stderr, "score_file: %s\n", puad_last_error());
    exit(1);
}

/* Payments: most are small and at home; one in ten is large and abroad, half of which are labeled. */
static void make_file(const char *path, int rows, int labeled)
{
    FILE *file = fopen(path, "w");
    if (!file) exit(1);
    fputs(labeled ? "amount,country,label\n" : "country,amount\n", file);
    for (int i = 0; i < rows; i++) {
        int odd = i % 10 == 0;
        double amount = (odd ? 400 : 20) + (i * 37 % 100) / 5.0;
        const char *country = odd || i % 7 == 0 ? "abroad" : "home";
        if (labeled)
            fprintf(file, "%.2f,%s,%d\n", amount, country, i % 20 == 0);
        else
            fprintf(file, "%s,%.2f\n", country, amount);
    }
    if (fclose(file) != 0) exit(1);
}

int main(int argc, char **argv)
{
    const char *train_path = argc > 2 ? argv[1] : "train.csv", *new_path = argc > 2 ? argv[2] : "new.csv";
    if (argc < 3) {
        make_file(train_path, 600, 1);
        make_file(new_path, 40, 0);
    }
    puad_dataset *train = NULL, *fresh = NULL;
    puad_options *options = NULL;
    if (puad_options_new(&options) != PUAD_OK) stop();
    if (puad_options_set(options, "label_column", "label") != PUAD_OK) stop();
    if (puad_options_set(options, "epochs", "30") != PUAD_OK) stop();
    if (puad_dataset_open(&train, train_path, NULL, options) != PUAD_OK) stop();

    puad_detector *model = NULL;
    if (puad_detector_fit(&model, train, options) != PUAD_OK) stop();
    if (puad_dataset_open(&fresh, new_path, model, NULL) != PUAD_OK) stop();
    const char *note;
    for (size_t i = 0; (note = puad_dataset_note(fresh, i)); i++) fprintf(stderr, "note: %s\n", note);

    size_t rows = puad_dataset_rows(fresh);
    float *scores = malloc((rows ? rows : 1) * sizeof *scores);
    puad_scorer *scorer = NULL;
    if (!scores || puad_scorer_new(&scorer, model, options) != PUAD_OK) stop();
    if (puad_scorer_run(scorer, scores, rows, fresh) != PUAD_OK) stop();
    for (size_t i = 0; i < rows; i++) printf("%zu,%g\n", i, (double)scores[i]);

    int wrong =
        argc < 3 && !(scores[0] > scores[1] && scores[10] > scores[11]); /* rows 0 and 10 are anomalies */
    free(scores);
    puad_scorer_free(scorer);
    puad_options_free(options);
    puad_dataset_free(fresh);
    puad_dataset_free(train);
    puad_detector_free(model);
    return wrong;
}
