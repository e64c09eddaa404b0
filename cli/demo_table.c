/* Payments drawn from a seed: most are ordinary, some are made with stolen cards at night, and the new
 * rows contain a kind of fraud without labels. */
#include "cli/demo_table.h"

#include "base/file.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRAIN_ROWS = 3000, NEW_ROWS = 1500, STOLEN_OF = 25, TESTS_OF = 90 };

typedef enum kind { ORDINARY, STOLEN, CARD_TEST } kind;

static const char *one_of(rng *draws, const char *const *texts, size_t count)
{
    return texts[rng_below(draws, count)];
}

static void put_payment(FILE *to, rng *draws, kind category, size_t number, const char *label)
{
    static const char *const places[] = {"groceries", "groceries", "fuel", "travel", "clothes", "restaurant"},
                             *const stolen[] = {"electronics", "jewellery", "travel"},
                             *const homes[] = {"DE", "DE", "DE", "FR", "NL"},
                             *const far[] = {"BR", "US", "DE"};
    double amount =
        exp(rng_normal(draws) * (category == CARD_TEST ? 0.2 : 0.7) + (category == STOLEN      ? 6.2
                                                                       : category == CARD_TEST ? 0
                                                                                               : 3.4));
    double pause = exp(rng_normal(draws) * 0.8 + (category == CARD_TEST ? -2 : 6.5));
    double hour = category == STOLEN ? 3 + 1.6 * rng_normal(draws) : 14 + 4 * rng_normal(draws);
    double distance =
        fabs(rng_normal(draws)) * (category == STOLEN ? 900 : 12) + (category == CARD_TEST ? 6000 : 0);
    unsigned attempts =
        (unsigned)rng_below(draws, 2) + (category == CARD_TEST ? 14 + (unsigned)rng_below(draws, 9) : 1);
    const char *place = category == STOLEN      ? one_of(draws, stolen, 3)
                        : category == CARD_TEST ? "donation"
                                                : one_of(draws, places, 6);
    const char *country = category == STOLEN      ? one_of(draws, far, 3)
                          : category == CARD_TEST ? "US"
                                                  : one_of(draws, homes, 5);
    hour = fmod(hour + 48, 24);
    fprintf(to, "P%05zu,%.2f,%.1f,%.1f,", number, amount, hour, pause);
    if (rng_below(draws, 20)) fprintf(to, "%.1f", distance); /* some values are missing */
    fprintf(to, ",%u,%s,%s%s%s\n", attempts, place, country, label ? "," : "", label ? label : "");
}

static puad_status write_table(const char *path, bool train, uint64_t seed)
{
    AUTO_OUTPUT file_output out = {0};
    rng draws = rng_make(seed, rng_stream("payments", train));
    TRY(file_create(&out, path));
    fprintf(out.stream, "payment,amount,hour,minutes_since_last,km_from_home,attempts_today,shop,country%s\n",
            train ? ",label" : "");
    for (size_t i = 0; i < (train ? TRAIN_ROWS : NEW_ROWS); i++) {
        kind category = i % STOLEN_OF == 7 ? STOLEN : !train && i % TESTS_OF == 11 ? CARD_TEST : ORDINARY;
        bool known = category == STOLEN && i / STOLEN_OF % 2; /* half of the frauds have been found */
        put_payment(out.stream, &draws, category, train ? i : TRAIN_ROWS + i,
                    !train  ? NULL
                    : known ? "1"
                            : "");
    }
    return file_commit(&out);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static puad_status settle(report *self, const invocation *call)
{
    TRY(puad_options_new(&self->options));
    TRY(puad_options_set(self->options, "label_column", "label"));
    TRY(puad_options_set(self->options, "id_column", "payment"));
    TRY(puad_options_set(self->options, "calibrate", "0.2"));
    TRY(puad_options_set(self->options, "reread", "yes"));
    TRY(puad_options_set(self->options, "seed", value_of(call, "seed")->text));
    return puad_options_set(self->options, "threads", value_of(call, "threads")->text);
}

puad_status demo_table_run(demo_table *out, const invocation *call, const char *beside)
{
    uint64_t seed = (uint64_t)value_of(call, "seed")->integer;
    int folder = (int)(base_of(beside) - beside);
    report *self = &out->self;
    *self = (report){.call = call, .top = 30};
    if (folder >= 4096) FAIL(PUAD_INVALID, "%.60s...: the name is too long", beside);
    snprintf(out->train, sizeof out->train, "%.*sdemo-train.csv", folder, beside);
    snprintf(out->fresh, sizeof out->fresh, "%.*sdemo-new.csv", folder, beside);
    TRY(write_table(out->train, true, seed));
    TRY(write_table(out->fresh, false, seed));
    TRY(settle(self, call));
    TRY(puad_dataset_open(&self->train, out->train, NULL, self->options));
    TRY(puad_detector_fit(&self->model, self->train, self->options));
    const char *paths[] = {out->fresh};
    TRY(report_open(self, paths, 1));
    TRY(report_rank(self));
    self->train_path = base_of(out->train);
    self->inputs[0].path = base_of(out->fresh);
    self->command =
        report_text(self, "puad report %s %s --label-column label --id-column payment --seed %llu",
                    self->train_path, self->inputs[0].path, (unsigned long long)seed);
    return PUAD_OK;
}

void demo_table_free(demo_table *owner)
{
    report_free(&owner->self);
    puad_dataset_free(owner->self.train);
    puad_detector_free(owner->self.model);
    puad_options_free(owner->self.options);
}
