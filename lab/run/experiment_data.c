/* Loads datasets and splits, and the keys by which they are shared. */
#include "lab/run/run_experiment.h"
#include "lab/sets/adbench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop_split(lab_bench *bench)
{
    split_free(&bench->parts);
    shared_pretraining_free(&bench->pretraining);
    free(bench->split_key);
    free(bench->pretraining_key);
    bench->split_key = bench->pretraining_key = NULL;
}

void lab_bench_clear(lab_bench *bench)
{
    drop_split(bench);
    raw_set_free(&bench->raw);
    free(bench->set_key);
    bench->set_key = NULL;
}

static char *format_key(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *format_key(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    return text;
}

static puad_status load_set(lab_bench *bench, const lab_cell *cell)
{
    const set_row *about = NULL;
    TRY(set_find(&about, cell->dataset));
    char *key = about->reader->seeded ? format_key("%s %lld", cell->dataset, cell->seed)
                                      : format_key("%s", cell->dataset);
    if (bench->set_key && key && strcmp(bench->set_key, key) == 0) {
        free(key);
        return PUAD_OK;
    }
    lab_bench_clear(bench);
    if (about->reader->named) { /* a file, which is already in memory */
        bench->set_key = key;
        return PUAD_OK;
    }
    puad_status status = set_read(&bench->raw, about, bench->folder, (uint64_t)cell->seed);
    if (status == PUAD_OK)
        bench->set_key = key;
    else
        free(key);
    return status;
}

static char *split_key(const lab_cell *cell)
{
    return format_key("%s/%s/%s/%lld/%lld/%lld/%lld/%s/%g", cell->dataset, cell->normal, cell->unseen,
                      cell->seed, cell->normals, cell->hidden, cell->labeled, cell->protocol, cell->share);
}

puad_status lab_pretraining_key(char **out, const lab_cell *cell)
{
    AUTO_FREE char *parts = split_key(cell);
    *out = parts ? format_key("%s/%lld/%lld/%s", parts, cell->pretrain_epochs, cell->patience, cell->network)
                 : NULL;
    if (!*out) FAIL(PUAD_MEMORY, "no memory for the key of a pretraining");
    return PUAD_OK;
}

/* The split that an experiment needs; PUAD_INVALID for classes that the set does not have. */
static puad_status request_of(split_request *out, const set_row *about, const lab_cell *cell)
{
    class_bits normal = 0;
    TRY(set_parse_classes(&normal, about, cell->normal));
    *out = split_standard(about, normal, (uint64_t)cell->seed);
    if (cell->unseen[0]) TRY(set_parse_classes(&out->unseen, about, cell->unseen));
    if (about->reader->normal) return PUAD_OK; /* sets with fixed sizes keep them */
    out->train_normal = (size_t)cell->normals;
    out->train_hidden = (size_t)cell->hidden;
    out->train_labeled = (size_t)cell->labeled;
    return PUAD_OK;
}

puad_status lab_check_sizes(const lab_cell *cell)
{
    const file_set *file = file_set_find(cell->dataset);
    split_request request;
    if (!file) return PUAD_OK;
    TRY(request_of(&request, &file->about, cell));
    return *cell->protocol ? PUAD_OK : file_set_check(file, &request);
}

static puad_status make_split(lab_bench *bench, const lab_cell *cell)
{
    const file_set *file = file_set_find(cell->dataset);
    split_request request;
    if (file && *cell->protocol) {
        adbench_request few = {.share = cell->share,
                               .published = strcmp(cell->protocol, LAB_ADBENCH_PUBLISHED) == 0,
                               .seed = (uint64_t)cell->seed};
        TRY(set_parse_classes(&few.normal, &file->about, cell->normal));
        return adbench_split(&bench->parts, file, &few);
    }
    TRY(request_of(&request, file ? &file->about : bench->raw.about, cell));
    for (int group = 0; group < GROUP_COUNT; group++)
        if (bench->test_most && request.test_rows[group] > bench->test_most)
            request.test_rows[group] = bench->test_most;
    return file ? file_set_split(&bench->parts, file, &request)
                : split_make(&bench->parts, &bench->raw, &request);
}

puad_status lab_bench_load(lab_bench *bench, const lab_cell *cell)
{
    TRY(load_set(bench, cell));
    char *key = split_key(cell);
    if (bench->split_key && key && strcmp(bench->split_key, key) == 0) {
        free(key);
        return PUAD_OK;
    }
    drop_split(bench);
    puad_status status = make_split(bench, cell);
    if (status == PUAD_OK)
        bench->split_key = key;
    else
        free(key);
    return status;
}
