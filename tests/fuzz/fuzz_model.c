/* Any bytes as a model file: rejected, or a model that describes itself, scores rows with finite numbers
 * and has the same scores after a round trip through its bytes. The seeds have no checksum, which would
 * reject every mutation. */
#include "cli/library_values.h"
#include "detector/model/model.h"

#include <math.h>
#include <puad/calibration.h>
#include <puad/detector.h>
#include <puad/explain.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, COLUMNS_MAX = 4096 };

static void require(bool condition)
{
    if (!condition) abort();
}

static bool score(float scores[ROWS], const puad_detector *model)
{
    static float rows[ROWS * COLUMNS_MAX];
    size_t columns = shape_size(model->in);
    puad_scorer *scorer = NULL;
    if (columns > COLUMNS_MAX || puad_scorer_new(&scorer, model, NULL) != PUAD_OK) return false;
    for (size_t i = 0; i < ROWS * columns; i++) rows[i] = (float)((double)(i * 7 % 13) / 6 - 1);
    bool good = scorer_run(scorer, scores, rows, ROWS) == PUAD_OK;
    for (size_t i = 0; good && i < ROWS; i++) require(isfinite(scores[i]));
    puad_scorer_free(scorer);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    puad_detector *model = NULL, *again = NULL;
    unsigned char *saved = NULL;
    size_t saved_size = 0;
    char *json = NULL;
    float scores[2][ROWS];
    if (puad_detector_load_memory(&model, bytes, size) != PUAD_OK) return 0;
    require(puad_detector_to_json(&json, model) == PUAD_OK && json[0] == '{');
    for (size_t i = 0; i < calibration_of(model).unlabeled_count; i++)
        require(isfinite(calibration_of(model).unlabeled[i]));
    if (score(scores[0], model)) {
        require(puad_detector_save_memory(&saved, &saved_size, model) == PUAD_OK);
        require(puad_detector_load_memory(&again, saved, saved_size) == PUAD_OK);
        require(score(scores[1], again) && memcmp(scores[0], scores[1], sizeof scores[0]) == 0);
    }
    puad_free(saved);
    puad_free(json);
    puad_detector_free(model);
    puad_detector_free(again);
    return 0;
}
