/* Glyphs are neither trivial nor impossible: an isolation forest finds some of the anomalies on the
 * paper's split. */
#include "decide/metrics.h"
#include "detector/forest/isolation_forest.h"
#include "lab/sets/split.h"
#include "test.h"

static double forest_auroc(const split *parts)
{
    AUTO_FOREST isolation_forest forest = {0};
    AUTO_FREE float *values = NULL, *scores = NULL;
    const dataset *train = &parts->train;
    double auroc = NAN;
    size_t rows = 0, bytes = train->columns * sizeof(float);
    if (memory_new(&values, train->rows, bytes, "rows") != PUAD_OK) return NAN;
    if (memory_new(&scores, parts->test.rows, sizeof(float), "scores") != PUAD_OK) return NAN;
    for (size_t i = 0; i < train->rows; i++)
        if (train->labels[i] == PUAD_LABEL_UNLABELED)
            memcpy(values + rows++ * train->columns, train->values + i * train->columns, bytes);
    if (isolation_forest_fit(&forest, values, rows, train->columns, FOREST_TREES, FOREST_SAMPLE, 0, NULL) !=
        PUAD_OK)
        return NAN;
    isolation_forest_score(scores, &forest, parts->test.values, parts->test.rows, NULL);
    if (metrics_auroc(&auroc, scores, parts->test.labels, parts->test.rows) != PUAD_OK) return NAN;
    return auroc;
}

TEST(an_isolation_forest_reaches_070_to_095_on_glyphs)
{
    AUTO_RAW_SET raw_set set = {0};
    const set_row *about = NULL;
    set_cell cells[SET_CELLS_MAX];
    CHECK_OK(set_find(&about, "glyphs"));
    CHECK_OK(set_read(&set, about, "/nowhere", 0));
    size_t count = set_cells(cells, about);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        AUTO_SPLIT split parts = {0};
        split_request request = split_standard(about, cells[i].normal, 0);
        CHECK_OK(split_make(&parts, &set, &request));
        double auroc = forest_auroc(&parts);
        printf("normal class %s: AUROC %.3f\n", cells[i].name, auroc);
        CHECK(auroc > 0.65 && auroc < 0.97);
        sum += auroc;
    }
    printf("mean %.3f\n", sum / (double)count);
    CHECK(sum / (double)count >= 0.70 && sum / (double)count <= 0.95);
}
