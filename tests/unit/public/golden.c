/* The models of tests/golden give the scores stored with them on every processor, within 1e-4. */
#include "test.h"

#include <puad/detector.h>

enum { GOLDEN_ROWS = 32 };

/* The second column of a CSV file with the header "row,score...". */
static size_t read_scores(const char *path, double *scores, size_t capacity)
{
    FILE *file = fopen(path, "re");
    char line[256];
    size_t count = 0;
    if (!file) return 0;
    if (!fgets(line, sizeof line, file)) line[0] = '\0';
    while (count < capacity && fgets(line, sizeof line, file)) {
        const char *comma = strchr(line, ',');
        if (comma) scores[count++] = strtod(comma + 1, NULL);
    }
    fclose(file);
    return count;
}

static void check_model(const char *name)
{
    char path[128];
    double expected[GOLDEN_ROWS];
    float scores[GOLDEN_ROWS];
    puad_detector *model = NULL;
    puad_dataset *rows = NULL;
    puad_scorer *scorer = NULL;
    snprintf(path, sizeof path, "tests/golden/%s.csv", name);
    REQUIRE(read_scores(path, expected, GOLDEN_ROWS) == GOLDEN_ROWS);
    snprintf(path, sizeof path, "tests/golden/%s.safetensors", name);
    CHECK_OK(puad_detector_load(&model, path));
    CHECK_OK(puad_dataset_open(&rows, "tests/golden/rows.csv", model, NULL));
    CHECK_OK(puad_scorer_new(&scorer, model, NULL));
    CHECK_OK(puad_scorer_run(scorer, scores, GOLDEN_ROWS, rows));
    for (size_t i = 0; i < GOLDEN_ROWS; i++)
        CHECK_NEAR((double)scores[i], expected[i], 1e-4 * fmax(1, fabs(expected[i])));
    puad_scorer_free(scorer);
    puad_dataset_free(rows);
    puad_detector_free(model);
}

TEST(forests_and_ensembles_score_as_stored)
{
    for (const char *const *name =
             (const char *const[]){"if", "puforest", "committee", "nearest", "pca", NULL};
         *name; name++)
        check_model(*name);
}

TEST(networks_score_as_stored)
{
    for (const char *const *name = (const char *const[]){"distance", "logit", "reconstruction", NULL}; *name;
         name++)
        check_model(*name);
}
