/* An own loss pair and an own objective for puad, and a tiny training with them.
 *
 *     cc own_objective.c $(pkg-config --cflags --libs puad) -lm -o own_objective && ./own_objective
 *
 * The scorer is one number, s(x) = (x - c)^2, and training moves c. Unlabeled rows lie around 1, but one in
 * ten of them is an anomaly around 3; a few anomalies are labeled. An objective that takes all unlabeled rows
 * for normal is drawn towards the hidden anomalies; positive-unlabeled learning takes their share out again,
 * with the built-in losses and with own ones. */
#include <math.h>
#include <puad/puad.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNLABELED = 500, LABELED = 20, ROWS = UNLABELED + LABELED };

/* An own loss pair: linear as a normal, falling to 0 as an anomaly like exp(-s / scale). */
static void bell_losses(void *context, puad_losses *out, double score)
{
    double scale = *(const double *)context;
    out->neg = score;
    out->neg_slope = 1;
    out->pos = exp(-score / scale);
    out->pos_slope = -out->pos / scale;
}

/* An own objective: the unlabeled rows' mean with the few dearest rows left out of it, plus the labeled
 * anomalies' mean. It says what it thinks of each row by weights on the row's two losses; the chain rule is
 * done for it. */
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

static double noise(void) /* roughly normal with sd 0.5, the same on every run */
{
    static unsigned state = 1;
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)((state = state * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5;
    return 0.5 * sum;
}

/* Gradient descent on c; returns where it ends. */
static double train(const puad_criterion *criterion, const double *x, const int8_t *labels)
{
    double centre = 0, loss = 0;
    static double scores[ROWS], gradient[ROWS];
    void *workspace = malloc(puad_objective_workspace(criterion->objective, ROWS));
    for (int step = 0; workspace && step < 500; step++) {
        for (int i = 0; i < ROWS; i++) scores[i] = (x[i] - centre) * (x[i] - centre);
        if (puad_objective_evaluate(&loss, gradient, criterion, scores, labels, ROWS, workspace) != PUAD_OK) {
            fprintf(stderr, "%s\n", puad_last_error());
            exit(1);
        }
        double slope = 0;
        for (int i = 0; i < ROWS; i++) slope += gradient[i] * -2 * (x[i] - centre);
        centre -= 0.05 * slope;
    }
    free(workspace);
    printf("%-16s with %-10s losses: centre %.3f, loss %.3f\n", criterion->objective->name,
           criterion->losses->name, centre, loss);
    return centre;
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
           better ? "each of them is nearer to the normals' centre, 1, than plain training" : "no gain");
    return !better;
}
