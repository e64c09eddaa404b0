/* Selects the records of a sweep. */
#include "lab/run/sweep.h"

#include <string.h>

#define SWEEP(option, label, rule, ...) static const char *const swept_##option[] = {__VA_ARGS__};
#include "lab/run/sweeps.def"
#undef SWEEP

static const sweep sweeps[] = {
#define SWEEP(option, label, rule, ...)                                                                      \
    {#option, label, SWEEP_##rule, swept_##option, sizeof swept_##option / sizeof(char *)},
#include "lab/run/sweeps.def"
#undef SWEEP
};

const sweep *sweep_find(const char *option)
{
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++)
        if (strcmp(sweeps[i].option, option) == 0) return &sweeps[i];
    return NULL;
}

/* Whether alpha is an actual fraction of the split, or is not used by the method. */
static bool has_true_alpha(const lab_record *record)
{
    return strcmp(lab_alpha_kind(&record->cell), "given") != 0;
}

/* Whether two records are equal except for the swept options. */
static bool are_partners(const lab_record *one, const lab_record *other, const sweep *over)
{
    size_t count;
    const field *fields = lab_fields(&count);
    if (one->result.reduced != other->result.reduced) return false;
    if (over->rule == SWEEP_TRUE_ALPHA && lab_rows(&one->cell) != lab_rows(&other->cell)) return false;
    for (size_t f = 0; f < lab_option_count; f++) {
        bool fixed = true;
        for (size_t i = 0; i < over->swept_count; i++)
            fixed = fixed && strcmp(fields[f].name, over->swept[i]) != 0;
        if (fixed && !field_same(one, other, &fields[f])) return false;
    }
    return true;
}

static bool is_in(const lab_record *record, const lab_record *records, size_t count, const sweep *over)
{
    const field *swept = lab_field(over->option);
    bool any_alpha = over->rule == SWEEP_ANY_ALPHA, chosen = !has_true_alpha(record), partner = false;
    if (!any_alpha && chosen) return false;
    if (any_alpha && strcmp(lab_alpha_kind(&record->cell), "alpha_U") == 0)
        return false; /* part of the contamination sweep's second curve */
    for (size_t i = 0; i < count && !(partner && (chosen || !any_alpha)); i++) {
        if (!are_partners(record, &records[i], over) || (!any_alpha && !has_true_alpha(&records[i])))
            continue;
        partner = partner || !field_same(record, &records[i], swept);
        chosen = chosen || !has_true_alpha(&records[i]);
    }
    return partner && (chosen || !any_alpha);
}

puad_status sweep_records(lab_record **out, size_t *out_count, arena *memory, const lab_record *records,
                          size_t count, const sweep *over)
{
    TRY(arena_new(memory, out, count, sizeof **out));
    *out_count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_in(&records[i], records, count, over)) (*out)[(*out_count)++] = records[i];
    return PUAD_OK;
}
