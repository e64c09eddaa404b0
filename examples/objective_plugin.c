/* A custom objective for 'puad lab run --objective-plugin': a shared library with one function.
 *
 *     cc -shared -fPIC objective_plugin.c $(pkg-config --cflags puad) -o objective_plugin.so
 *     puad lab run --datasets toy --methods puae --seeds 1 --epochs 20 --objective-plugin
 *     objective_plugin.so
 *
 * The mean loss of unlabeled rows as normal ones, plus twice the mean loss of labeled anomalies as
 * anomalies. The method provides the network and the score; its objective is replaced. */
#include <puad/objective.h>

static double doubled(void *context, const puad_objective_batch *batch)
{
    (void)context;
    double loss = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        if (batch->labels[i] == PUAD_LABEL_UNLABELED) {
            batch->weights[i].neg = 1 / (double)batch->unlabeled;
            loss += batch->weights[i].neg * batch->losses[i].neg;
        } else if (batch->labels[i] == PUAD_LABEL_ANOMALY) {
            batch->weights[i].pos = 2 / (double)batch->anomalies;
            loss += batch->weights[i].pos * batch->losses[i].pos;
        }
    }
    return loss;
}

const puad_objective *puad_objective_plugin(void);
const char *puad_objective_plugin_version(void);

const puad_objective *puad_objective_plugin(void)
{
    static const puad_objective made = {.name = "doubled",
                                        .title = "labeled anomalies count twice",
                                        .labels = PUAD_USES_UNLABELED | PUAD_USES_ANOMALIES,
                                        .options = "",
                                        .evaluate = doubled};
    return &made;
}

const char *puad_objective_plugin_version(void)
{
    return "1.0";
}
