/* The open files and their splits. */
#include "lab/sets/file_set.h"

#include "base/rng.h"
#include "lab/fetch/md5.h"
#include "table/encoding/transform.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 256, STEM_MAX = 40, DIGITS = 8 };
#define TEST_SHARE_NUMERATOR 3
#define TEST_SHARE_DENOMINATOR 10

const set_reader set_reader_file = {.named = true};

static file_set *opened[FILES_MAX];
static size_t opened_count;

const file_set *file_set_find(const char *name)
{
    for (size_t i = 0; i < opened_count; i++)
        if (strcmp(opened[i]->about.name, name) == 0) return opened[i];
    return NULL;
}

bool set_is_of_file(const char *name)
{
    return strchr(name, '@') != NULL;
}

void file_set_stem(char *out, size_t capacity, const char *name)
{
    snprintf(out, capacity, "%.*s", (int)strcspn(name, "@"), name);
}

static void file_set_free(file_set *owner)
{
    if (!owner) return;
    dataset_free(&owner->rows);
    arena_free(&owner->memory);
    free(owner->path);
    free(owner);
}

/* Digest of the file's bytes and of the choices that distinguish sets from one file; `unseen` is NULL for
 * the default classes. */
static puad_status digest_of(char out[33], const file_choice *what, const char *unseen)
{
    const char *const message[] = {what->label_column, what->x, what->y, unseen};
    unsigned char block[1 << 16];
    md5 sum = md5_begin();
    FILE *stream = fopen(what->path, "rbe");
    if (!stream) FAIL(PUAD_IO, "%s: cannot open: %s", what->path, strerror(errno));
    for (size_t size; (size = fread(block, 1, sizeof block, stream)) > 0;) md5_add(&sum, block, size);
    bool broken = ferror(stream);
    fclose(stream);
    if (broken) FAIL(PUAD_IO, "%s: cannot read", what->path);
    for (size_t i = 0; i < sizeof message / sizeof *message; i++)
        if (message[i]) {
            md5_add(&sum, &(char){(char)('0' + i)}, 1);
            md5_add(&sum, message[i], strlen(message[i]) + 1);
        }
    md5_end(out, &sum);
    return PUAD_OK;
}

/* The file's name without folder and extension, restricted to characters that keys, lists and tables
 * allow. */
static puad_status name_set(file_set *out, const file_choice *what, const char *unseen)
{
    char digest[33], stem[STEM_MAX + 1], text[2 * STEM_MAX];
    const char *slash = strrchr(what->path, '/'), *file = slash ? slash + 1 : what->path,
               *dot = strrchr(file, '.');
    size_t length = dot && dot > file ? (size_t)(dot - file) : strlen(file);
    TRY(digest_of(digest, what, unseen));
    if (what->stem) {
        file = what->stem;
        length = strlen(file);
    }
    snprintf(text, sizeof text, "%.*s%s%s", (int)(length > STEM_MAX ? STEM_MAX : length), file,
             unseen ? "-unseen-" : "", unseen ? unseen : "");
    snprintf(stem, sizeof stem, "%s", text);
    for (char *at = stem; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at)) *at = '_';
    return arena_print(&out->memory, &out->about.name, "%s@%.*s", stem, DIGITS, digest);
}

/* All classes separated by '|', as in set_row. */
static puad_status list_classes(file_set *out)
{
    const char *list = "";
    for (int i = 0; i < out->about.class_count; i++)
        TRY(arena_print(&out->memory, &list, "%s%s%s", list, i ? "|" : "", out->class_names[i]));
    out->about.class_names = list;
    return PUAD_OK;
}

/* By default the first class is unseen if two others remain; of two classes the larger is normal, else
 * each class that is not unseen. *out_usual: the unseen classes are the default. */
static puad_status give_roles(file_set *out, bool *out_usual, const file_choice *what)
{
    set_row *about = &out->about;
    class_bits usual = about->class_count > 2 ? ONE(0) : 0;
    about->unseen = usual;
    if (what->unseen) TRY(set_parse_classes(&about->unseen, about, what->unseen));
    *out_usual = about->unseen == usual;
    about->normals = SPAN(0, about->class_count - 1) & ~about->unseen;
    if (about->class_count == 2 && !about->unseen)
        about->normals = out->class_rows[1] > out->class_rows[0] ? ONE(1) : ONE(0);
    if (!about->normals) FAIL(PUAD_INVALID, "%s: all classes are unseen, but one must be normal", what->path);
    return PUAD_OK;
}

static puad_status fill(file_set *out, const file_choice *what)
{
    bool usual;
    out->about.reader = &set_reader_file;
    out->about.title = "a file";
    out->about.name = out->path = strdup(what->path); /* for messages, until it has a name */
    if (!out->path) FAIL(PUAD_MEMORY, "no memory for a file name");
    TRY(file_set_read(out, what));
    TRY(list_classes(out));
    TRY(give_roles(out, &usual, what));
    return name_set(out, what, usual ? NULL : what->unseen);
}

puad_status file_set_open(const file_set **out, const file_choice *what)
{
    file_set *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a dataset"));
    puad_status status = fill(made, what);
    *out = status == PUAD_OK ? file_set_find(made->about.name) : NULL;
    if (status == PUAD_OK && !*out && opened_count == FILES_MAX)
        status = status_fail(PUAD_INVALID, "more than %d files", FILES_MAX);
    if (status != PUAD_OK || *out) {
        file_set_free(made);
        return status;
    }
    *out = opened[opened_count++] = made;
    return PUAD_OK;
}

static size_t test_rows_of(size_t rows)
{
    return rows * TEST_SHARE_NUMERATOR / TEST_SHARE_DENOMINATOR;
}

puad_status file_set_check(const file_set *files, const split_request *request)
{
    size_t normal = 0, seen = 0;
    for (int class = 0; class < files->about.class_count; class ++) {
        size_t train = files->class_rows[class] - test_rows_of(files->class_rows[class]);
        if (request->normal & ONE(class))
            normal += train;
        else if (!(request->unseen & ONE(class)))
            seen += train;
    }
    size_t anomalies = request->train_hidden + request->train_labeled;
    if (normal >= request->train_normal && seen >= anomalies) return PUAD_OK;
    double share = (double)normal / (double)request->train_normal;
    if (anomalies && (double)seen / (double)anomalies < share) share = (double)seen / (double)anomalies;
    double hidden = fmax(request->train_hidden > 0, floor(share * (double)request->train_hidden)),
           labeled = fmax(request->train_labeled > 0, floor(share * (double)request->train_labeled));
    FAIL(PUAD_INVALID,
         "%s: only %zu normals, %zu anomalies; use --set normals=%.0f --set hidden=%.0f --set labeled=%.0f",
         files->path, normal, seen, floor(share * (double)request->train_normal), hidden, labeled);
}

/* Assigns the rows of the file to parts by the seed: for each class the first rows of a permutation are
 * test rows. `places` has the row numbers in the file. */
static puad_status divide(raw_set *out, uint32_t *places[PART_COUNT], arena *memory, const file_set *files,
                          uint64_t seed)
{
    uint32_t *members, *order;
    bool *tests;
    size_t rows = files->rows.rows;
    *out = (raw_set){.about = &files->about, .image = files->rows.image, .seed = seed};
    TRY(arena_new(memory, &members, rows, sizeof *members));
    TRY(arena_new(memory, &order, rows, sizeof *order));
    TRY(arena_new(memory, &tests, rows, sizeof *tests));
    for (int class = 0; class < files->about.class_count; class ++) {
        size_t count = 0;
        for (size_t i = 0; i < rows; i++)
            if (files->classes[i] == class) members[count++] = (uint32_t)i;
        rng state = rng_make(seed, rng_stream("file parts", ONE(class)));
        rng_permutation(&state, order, count);
        for (size_t i = 0; i < test_rows_of(count); i++) tests[members[order[i]]] = true;
    }
    for (int part = 0; part < PART_COUNT; part++) {
        raw_part *to = &out->parts[part];
        TRY(arena_new(memory, &to->classes, rows, sizeof *to->classes));
        TRY(arena_new(memory, &places[part], rows, sizeof *places[part]));
        for (size_t i = 0; i < rows; i++) {
            if (tests[i] != (part == PART_TEST)) continue;
            places[part][to->rows] = (uint32_t)i;
            to->classes[to->rows++] = files->classes[i];
        }
    }
    return PUAD_OK;
}

static puad_status take_rows(dataset *out, const file_set *files, const float *values, const uint32_t *rows,
                             size_t count)
{
    size_t columns = files->rows.columns;
    *out = (dataset){.rows = count,
                     .height = files->rows.height,
                     .width = files->rows.width,
                     .channels = files->rows.channels,
                     .columns = columns,
                     .image = files->rows.image,
                     .name = files->about.name};
    TRY(arena_new(&out->memory, &out->values, count, columns * sizeof(float)));
    TRY(arena_new(&out->memory, &out->labels, count, 1));
    for (size_t i = 0; i < count; i++)
        memcpy(out->values + i * columns, values + rows[i] * columns, columns * sizeof(float));
    return PUAD_OK;
}

puad_status file_set_take(split *out, const file_set *files)
{
    const split_plan *plan = &out->plan;
    AUTO_FREE float *values = NULL;
    size_t count = files->rows.rows * files->rows.columns;
    TRY(memory_new(&values, count, sizeof *values, "rows"));
    memcpy(values, files->rows.values, count * sizeof *values);
    if (!files->rows.image)
        transform_refit(files->rows.transform, values, files->rows.rows, plan->train_rows, plan->train_count);
    TRY(take_rows(&out->train, files, values, plan->train_rows, plan->train_count));
    TRY(take_rows(&out->test, files, values, plan->test_rows, plan->test_count));
    memcpy(out->train.labels, plan->train_labels, plan->train_count);
    for (size_t i = 0; i < plan->test_count; i++)
        out->test.labels[i] = plan->test_groups[i] == GROUP_NORMAL ? 0 : PUAD_LABEL_ANOMALY;
    return PUAD_OK;
}

puad_status file_set_split(split *out, const file_set *files, const split_request *request)
{
    AUTO_ARENA arena memory = {0};
    raw_set parts;
    uint32_t *places[PART_COUNT];
    *out = (split){0};
    TRY(file_set_check(files, request));
    TRY(divide(&parts, places, &memory, files, request->seed));
    TRY(split_draw(&out->plan, &parts, request));
    for (size_t i = 0; i < out->plan.train_count; i++)
        out->plan.train_rows[i] = places[PART_TRAIN][out->plan.train_rows[i]];
    for (size_t i = 0; i < out->plan.test_count; i++)
        out->plan.test_rows[i] = places[PART_TEST][out->plan.test_rows[i]];
    puad_status status = file_set_take(out, files);
    if (status != PUAD_OK) split_free(out);
    return status;
}
