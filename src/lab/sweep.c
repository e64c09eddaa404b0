/* Partners in a sweep. */
#include "lab/sweep.h"

#include <string.h>

#define SWEEP(option, label, ...) static const char *const swept_##option[] = {__VA_ARGS__};
#include "lab/sweeps.def"
#undef SWEEP

static const sweep sweeps[] = {
#define SWEEP(option, label, ...) {#option, label, swept_##option, sizeof swept_##option / sizeof(char *)},
#include "lab/sweeps.def"
#undef SWEEP
};

const sweep *sweep_find(const char *option)
{
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++)
        if (strcmp(sweeps[i].option, option) == 0) return &sweeps[i];
    return NULL;
}

/* Whether alpha is a share that the split really has, or means nothing to the method. */
static bool has_true_alpha(const lab_record *record)
{
    return strcmp(lab_alpha_kind(record), "given") != 0;
}

/* Options that two runs of a sweep must share. */
static void mark_fixed(bool fixed[128], const sweep *over)
{
    size_t count;
    const field *fields = lab_fields(&count);
    for (size_t f = 0; f < lab_option_count; f++) {
        fixed[f] = true;
        for (size_t i = 0; i < over->swept_count; i++)
            fixed[f] &= strcmp(fields[f].name, over->swept[i]) != 0;
    }
}

puad_status sweep_records(lab_record **out, size_t *out_count, arena *memory, const lab_record *records,
                          size_t count, const sweep *over)
{
    size_t field_count;
    const field *fields = lab_fields(&field_count), *swept = lab_field(over->option);
    bool fixed[128], any_alpha = over->swept_count == 1;
    mark_fixed(fixed, over);
    TRY(arena_new(memory, out, count, sizeof **out));
    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        if (!any_alpha && !has_true_alpha(&records[i])) continue;
        for (size_t j = 0; j < count && !found; j++) {
            found =
                !field_same(&records[i], &records[j], swept) && (any_alpha || has_true_alpha(&records[j]));
            for (size_t f = 0; f < lab_option_count && found; f++)
                found = !fixed[f] || field_same(&records[i], &records[j], &fields[f]);
        }
        if (found) (*out)[(*out_count)++] = records[i];
    }
    return PUAD_OK;
}
