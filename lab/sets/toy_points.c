/* The paper's toy set: normal points around a sine curve, seen anomalies in two blobs next to it, unseen
 * ones far away in two corners. The training part is exactly the paper's; the test part is drawn from the
 * same distributions. */
#include "base/rng.h"
#include "lab/sets/set_readers.h"

#include <math.h>

enum { UNSEEN = 0, NORMAL = 1, SEEN = 2 };
static const double PI = 3.14159265358979323846;

static const size_t rows_of[PART_COUNT][3] = {[PART_TRAIN] = {0, 900, 100}, [PART_TEST] = {500, 1000, 500}};

/* A point around one of two opposite centers, variance 0.1 in each coordinate. */
static void around(float *out, rng *state, double x, double y, size_t index)
{
    double sign = index % 2 ? -1 : 1, deviation = sqrt(0.1);
    out[0] = (float)(sign * x + deviation * rng_normal(state));
    out[1] = (float)(sign * y + deviation * rng_normal(state));
}

static void draw(const raw_set *set, void *out, set_part part, size_t row)
{
    float *point = out;
    rng state = rng_make(set->seed, rng_stream(part == PART_TRAIN ? "toy train" : "toy test", row));
    size_t normals = rows_of[part][NORMAL];
    if (row < normals) {
        double x = -PI + 2 * PI * (double)row / (double)(normals - 1);
        point[0] = (float)(x + 0.1 * rng_normal(&state));
        point[1] = (float)(3 * (sin(x) + 0.2 * rng_normal(&state)));
    } else if (set->parts[part].classes[row] == SEEN) {
        around(point, &state, -PI / 2, PI / 2, row);
    } else {
        around(point, &state, -5, -5, row);
    }
}

static puad_status read_all(raw_set *out, const set_row *about, const char *folder)
{
    (void)folder;
    static const int order[] = {NORMAL, SEEN, UNSEEN};
    out->height = out->width = 1;
    out->channels = 2;
    out->draw = draw;
    for (int part = 0; part < PART_COUNT; part++) {
        raw_part *to = &out->parts[part];
        TRY(memory_new(&to->classes, rows_of[part][0] + rows_of[part][1] + rows_of[part][2], sizeof(int32_t),
                       about->name));
        for (int i = 0; i < 3; i++)
            for (size_t k = 0; k < rows_of[part][order[i]]; k++) to->classes[to->rows++] = order[i];
    }
    return PUAD_OK;
}

const set_reader set_reader_toy = {
    .generated = true, .seeded = true, .normal = 900, .hidden = 80, .labeled = 20, .read = read_all};
