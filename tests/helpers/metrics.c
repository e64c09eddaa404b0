/* For scripts: reads "score truth" lines on standard input and prints AUROC, average precision, and the TPR
 * at each FPR named as an argument; "curve" as the only argument prints the points instead. */
#include "decide/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    float *scores = NULL;
    int8_t *truth = NULL;
    size_t rows = 0;
    double score;
    for (int label; scanf("%lf %d", &score, &label) == 2; rows++) {
        if ((rows & (rows - 1)) == 0) {
            scores = realloc(scores, (rows ? 2 * rows : 1) * sizeof *scores);
            truth = realloc(truth, rows ? 2 * rows : 1);
        }
        scores[rows] = (float)score;
        truth[rows] = (int8_t)label;
    }
    roc curve = {0};
    if (roc_new(&curve, scores, truth, rows) != PUAD_OK) {
        fprintf(stderr, "%s\n", puad_last_error());
        return 1;
    }
    if (argc == 2 && strcmp(argv[1], "curve") == 0) {
        for (size_t i = 0; i < curve.points; i++)
            printf("%.17g %.17g %.17g\n", roc_fpr(&curve, i), roc_tpr(&curve, i), (double)curve.threshold[i]);
    } else {
        printf("%.17g %.17g", roc_auroc(&curve), roc_average_precision(&curve));
        for (int i = 1; i < argc; i++) printf(" %.17g", roc_tpr_at_fpr(&curve, atof(argv[i])));
        printf("\n");
    }
    roc_free(&curve);
    free(scores);
    free(truth);
    return 0;
}
