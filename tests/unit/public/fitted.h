/* A file of payments, of which some anomalies are labeled and others hidden, and models trained on it, for
 * the tests of the public headers. Rows i with i % 10 == 0 are anomalies; every second of them is labeled. */
#ifndef TESTS_FITTED_H
#define TESTS_FITTED_H

#include "base/rng.h"
#include "written.h"

#include <puad/advanced.h>

enum { FITTED_ROWS = 1200 };

static inline const char *payments(const char *name, size_t rows, uint64_t seed, bool truth)
{
    rng draws = rng_make(seed, 1);
    size_t capacity = 64 * (rows + 1), used;
    char *text = malloc(capacity);
    if (!text) abort();
    used = (size_t)snprintf(text, capacity, "account,amount,hour,country,label\n");
    for (size_t i = 0; i < rows; i++) {
        bool odd = i % 10 == 0;
        int label = truth ? odd : odd && i % 20 == 0;
        used += (size_t)snprintf(text + used, capacity - used, "p%zu,%.3f,%.2f,%s,%d\n", i,
                                 (odd ? 90 : 20) + 5 * rng_normal(&draws), 12 + 4 * rng_normal(&draws),
                                 odd || i % 7 == 0 ? "abroad" : "home", label);
    }
    const char *path = write_text(name, text);
    free(text);
    return path;
}

/* Options from pairs of names and values that end with NULL. */
static inline puad_options *options_of(const char *const *pairs)
{
    puad_options *made = NULL;
    if (puad_options_new(&made) != PUAD_OK) abort();
    for (; pairs[0]; pairs += 2)
        if (puad_options_set(made, pairs[0], pairs[1]) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
    return made;
}
#define OPTIONS(...)                                                                                         \
    options_of((const char *const[]){"label_column", "label", "id_column", "account", "threads", "1",        \
                                     __VA_ARGS__, NULL})

static inline puad_detector *fitted(puad_dataset **data, const puad_options *options)
{
    puad_detector *model = NULL;
    if (puad_dataset_open(data, payments("train.csv", FITTED_ROWS, 1, false), NULL, options) != PUAD_OK ||
        puad_detector_fit(&model, *data, options) != PUAD_OK)
        TEST_FAIL("%s", puad_last_error());
    return model;
}

#endif
