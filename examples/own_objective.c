/* A custom loss pair, a custom objective and a custom score head for puad, and trainings with them.
 *
 *     cc own_objective.c $(pkg-config --cflags --libs puad) -lm -o own_objective && ./own_objective
 *
 * In the first half the model is one number c with the score s(x) = (x - c)^2. Unlabeled rows lie around
 * 1, but one in ten of them is an anomaly around 3; a few anomalies are labeled. An objective that treats
 * all unlabeled rows as normal moves c toward the hidden anomalies; positive-unlabeled learning corrects
 * for their fraction, with the built-in losses and with custom ones.
 *
 * The second half passes all three to puad_detector_fit, which trains a network with them. */
#include <math.h>
#include <puad/advanced.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNLABELED = 500, LABELED = 20, ROWS = UNLABELED + LABELED };

/* A custom loss pair: linear as a normal, falling to 0 as an anomaly like exp(-s / scale). */
static void bell_losses(void *context, puad_losses *out, double score)
{
    double scale = *(const double *)context;
    out->neg = score;
    out->neg_slope = 1;
    out->pos = exp(-score / scale);
    out->pos_slope = -out->pos / scale;
}

/* A custom objective: the mean over the unlabeled rows without those with the largest losses, plus the
 * labeled anomalies' mean. It sets weights for the two losses of each row; the library applies the chain
 * rule. */
static double trimmed(void *context, const puad_objective_batch *batch)
{
    (void)context;
    double *limit = batch->scratch, loss = 0, kept = 0;
    *limit = 0;
    for (size_t i = 0; i < batch->rows; i++)
        if (batch->labels[i] == PUAD_LABEL_UNLABELED)
            *limit += 2 * batch->losses[i].neg / (double)batch->unlabeled;
    for (size_t i = 0; i < batch->rows; i++)
        kept += batch->labels[i] == PUAD_LABEL_UNLABELED && batch->losses[i].neg <= *limit;
    for (size_t i = 0; i < batch->rows; i++) {
        if (batch->labels[i] == PUAD_LABEL_UNLABELED && batch->losses[i].neg <= *limit) {
            batch->weights[i].neg = 1 / kept;
            loss += batch->losses[i].neg / kept;
        }
        if (batch->labels[i] == PUAD_LABEL_ANOMALY) {
            batch->weights[i].pos = 1 / (double)batch->anomalies;
            loss += batch->losses[i].pos / (double)batch->anomalies;
        }
    }
    return loss;
}

/* A custom head: the mean absolute error of the network's reconstruction, instead of its length. */
static double mean_error(void *context, float *slopes, const float *values, size_t count, const float *row,
                         size_t columns)
{
    (void)context;
    double sum = 0;
    for (size_t i = 0; i < count; i++) { /* for gray images count is 3 x columns */
        double error = (double)values[i] - row[i * columns / count];
        sum += fabs(error) / (double)count;
        if (slopes) slopes[i] = (float)((error > 0) - (error < 0)) / (float)count;
    }
    return sum;
}

static double noise(void) /* approximately normal with standard deviation 0.5, the same on every run */
{
    static unsigned state = 1;
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)((state = state * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5;
    return 0.5 * sum;
}

/* Gradient descent on c; returns the final c. */
static double train(const puad_criterion *criterion, const double *x, const int8_t *labels)
{
    double center = 0, loss = 0;
    static double scores[ROWS], gradient[ROWS];
    void *workspace = malloc(puad_objective_workspace(criterion->objective, ROWS));
    for (int step = 0; workspace && step < 500; step++) {
        for (int i = 0; i < ROWS; i++) scores[i] = (x[i] - center) * (x[i] - center);
        if (puad_objective_evaluate(criterion, &loss, gradient, scores, labels, ROWS, workspace) != PUAD_OK) {
            fprintf(stderr, "%s\n", puad_last_error());
            exit(1);
        }
        double slope = 0;
        for (int i = 0; i < ROWS; i++) slope += gradient[i] * -2 * (x[i] - center);
        center -= 0.05 * slope;
    }
    free(workspace);
    printf("%-16s with %-10s losses: center %.3f, loss %.3f\n", criterion->objective->name,
           criterion->losses->name, center, loss);
    return center;
}

/* Rows (x, x^2), and anomalies away from the curve. A network with the custom head and objective must rank
 * the hidden anomalies above the normal rows. Returns the fraction of pairs in the right order. */
static double train_network(const puad_objective *objective, const puad_own_head *head)
{
    static float values[2 * ROWS], scores[ROWS];
    static int8_t labels[ROWS];
    for (int i = 0; i < ROWS; i++) {
        int anomaly = i >= UNLABELED || i % 10 == 0;
        labels[i] = i < UNLABELED ? PUAD_LABEL_UNLABELED : PUAD_LABEL_ANOMALY;
        double x = 2 * noise();
        values[2 * i] = (float)x;
        values[2 * i + 1] = (float)(anomaly ? 4 + noise() : x * x + 0.1 * noise());
    }
    puad_table *table = NULL;
    puad_options *options = NULL;
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    if (puad_options_new(&options) != PUAD_OK || puad_table_new(&table, ROWS) != PUAD_OK ||
        puad_table_add_float_matrix(table, NULL, values, 2, 0, 0) != PUAD_OK ||
        puad_table_set_labels(table, labels) != PUAD_OK ||
        puad_options_set(options, "method", "abc") !=
            PUAD_OK || /* the head and the objective replace those of the method */
        puad_options_set(options, "epochs", "60") != PUAD_OK ||
        puad_options_set(options, "lr", "1e-3") != PUAD_OK ||
        puad_options_set(options, "latent", "1") != PUAD_OK ||
        puad_options_set(options, "threads", "1") != PUAD_OK) {
        fprintf(stderr, "%s\n", puad_last_error());
        exit(1);
    }
    puad_options_set_objective(options, objective);
    puad_options_set_head(options, head);
    if (puad_dataset_from_table(&data, table, NULL, options) != PUAD_OK ||
        puad_detector_fit(&model, data, options) != PUAD_OK ||
        puad_scorer_new(&scorer, model, options) != PUAD_OK ||
        puad_scorer_run(scorer, scores, ROWS, data) != PUAD_OK) {
        fprintf(stderr, "%s\n", puad_last_error());
        exit(1);
    }
    puad_dataset_free(data);
    puad_table_free(table);
    puad_options_free(options);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    /* hidden anomalies against normal rows, whose labels training did not know */
    double right = 0, pairs = 0;
    for (int i = 0; i < UNLABELED; i += 10)
        for (int k = 0; k < UNLABELED; k++)
            if (k % 10) {
                pairs++;
                right += scores[i] > scores[k];
            }
    return right / pairs;
}

int main(void)
{
    static double x[ROWS];
    static int8_t labels[ROWS];
    for (int i = 0; i < ROWS; i++) {
        labels[i] = i < UNLABELED ? PUAD_LABEL_UNLABELED : PUAD_LABEL_ANOMALY;
        x[i] = (labels[i] == PUAD_LABEL_ANOMALY || i % 10 == 0 ? 3 : 1) + noise();
    }

    double scale = 2;
    puad_loss_pair bell = {"bell", "s and exp(-s / scale)", bell_losses, &scale};
    puad_objective own = {"trimmed",
                          "without the dearest rows",
                          PUAD_USES_UNLABELED | PUAD_USES_ANOMALIES,
                          "",
                          sizeof(double),
                          trimmed,
                          NULL};

    const puad_loss_pair *distance = puad_loss_pair_find("distance");
    puad_objective_options options = puad_objective_options_standard();
    options.alpha = 0.1;

    puad_criterion plain = {puad_objective_find("unsupervised"), distance, options};
    puad_criterion paper = {puad_objective_find("pu_abs"), distance, options};
    puad_criterion own_losses = {puad_objective_find("pu_abs"), &bell, options};
    puad_criterion own_objective = {&own, &bell, options};

    double drawn = train(&plain, x, labels);
    int better = fabs(train(&paper, x, labels) - 1) < fabs(drawn - 1);
    better &= fabs(train(&own_losses, x, labels) - 1) < fabs(drawn - 1);
    better &= fabs(train(&own_objective, x, labels) - 1) < fabs(drawn - 1);
    printf("%s\n",
           better ? "each of them is nearer to the normals' center, 1, than plain training" : "no gain");
    puad_own_head head = {"mean error", 0, mean_error, &bell, NULL};
    double share = train_network(&own, &head);
    printf("a network with the own head, losses and objective ranks %.1f%% of the pairs right\n",
           100 * share);
    return !better || share < 0.8;
}
