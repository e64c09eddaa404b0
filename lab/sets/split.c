/* Draws the parts of a split. Each part is the beginning of a permutation of its candidates, with a
 * separate stream of the seed; so a part that grows keeps its rows, and the other parts do not change. */
#include "lab/sets/split.h"

#include "base/rng.h"
#include "image/image.h"

#include <string.h>

split_request split_standard(const set_row *about, class_bits normal, uint64_t seed)
{
    const set_reader *own = about->reader;
    return (split_request){
        .normal = normal,
        .unseen = about->unseen,
        .train_normal = own->normal ? own->normal : 4500,
        .train_hidden = own->normal ? own->hidden : 250,
        .train_labeled = own->normal ? own->labeled : 250,
        .test_rows = {1000, 500, 500},
        .seed = seed,
        .side = IMAGE_SIDE,
    };
}

/* The rows of some classes in a random order. */
typedef struct pool {
    uint32_t *rows;
    size_t count;
} pool;

static puad_status draw_pool(pool *out, arena *memory, const raw_set *set, set_part part, class_bits classes,
                             const char *stream, uint64_t seed)
{
    const raw_part *source = &set->parts[part];
    uint32_t *members = NULL, *order = NULL;
    *out = (pool){0};
    for (size_t row = 0; row < source->rows; row++) out->count += classes >> source->classes[row] & 1;
    TRY(arena_new(memory, &members, out->count, sizeof *members));
    TRY(arena_new(memory, &order, out->count, sizeof *order));
    TRY(arena_new(memory, &out->rows, out->count, sizeof *out->rows));
    size_t used = 0;
    for (size_t row = 0; row < source->rows; row++)
        if (classes >> source->classes[row] & 1) members[used++] = (uint32_t)row;
    rng state = rng_make(seed, rng_stream(stream, classes));
    rng_permutation(&state, order, out->count);
    for (size_t i = 0; i < out->count; i++) out->rows[i] = members[order[i]];
    return PUAD_OK;
}

static class_bits all_classes(const raw_set *set)
{
    return SPAN(0, set->about->class_count - 1);
}

/* Sizes of the training parts: if there are too few rows, all shrink by the factor of the scarcer kind. */
static puad_status fit_sizes(split_plan *out, const split_request *request, const char *name, size_t normal,
                             size_t seen)
{
    size_t want_normal = request->train_normal + request->train_known;
    size_t want_seen = request->train_hidden + request->train_labeled;
    size_t have = 1, want = 1; /* the factor, as a fraction */
    if (normal < want_normal) have = normal, want = want_normal;
    if (seen < want_seen && (double)seen * (double)want < (double)have * (double)want_seen)
        have = seen, want = want_seen;
    out->reduced = have < want;
    out->train_normal = request->train_normal * have / want;
    out->train_known = request->train_known * have / want;
    out->train_hidden = request->train_hidden * have / want;
    out->train_labeled = request->train_labeled * have / want;
    if (request->train_normal && out->train_normal == 0)
        FAIL(PUAD_INVALID, "%s: %zu normal and %zu seen anomalous training rows are too few for this split",
             name, normal, seen);
    if (request->train_labeled && out->train_labeled == 0)
        FAIL(PUAD_INVALID, "%s: %zu normal and %zu seen anomalous training rows leave no labeled anomaly",
             name, normal, seen);
    return PUAD_OK;
}

static void append(split_plan *out, const pool *source, size_t first, size_t count, puad_label label,
                   int truth)
{
    for (size_t i = first; i < first + count; i++) {
        out->train_rows[out->train_count] = source->rows[i];
        out->train_labels[out->train_count] = (int8_t)label;
        out->train_truth[out->train_count++] = (int8_t)truth;
    }
}

/* Shuffles the training rows, so that their order carries no information. */
static puad_status shuffle_train(split_plan *out, arena *scratch, uint64_t seed)
{
    uint32_t *order = NULL, *rows = NULL;
    int8_t *labels = NULL, *truth = NULL;
    TRY(arena_new(scratch, &order, out->train_count, sizeof *order));
    TRY(arena_new(&out->memory, &rows, out->train_count, sizeof *rows));
    TRY(arena_new(&out->memory, &labels, out->train_count, 1));
    TRY(arena_new(&out->memory, &truth, out->train_count, 1));
    rng state = rng_make(seed, rng_stream("split order", 0));
    rng_permutation(&state, order, out->train_count);
    for (size_t i = 0; i < out->train_count; i++) {
        rows[i] = out->train_rows[order[i]];
        labels[i] = out->train_labels[order[i]];
        truth[i] = out->train_truth[order[i]];
    }
    out->train_rows = rows;
    out->train_labels = labels;
    out->train_truth = truth;
    return PUAD_OK;
}

static puad_status draw_train(split_plan *out, const raw_set *set, const split_request *request)
{
    AUTO_ARENA arena scratch = {0};
    pool normal, seen;
    class_bits seen_classes = all_classes(set) & ~request->normal & ~request->unseen;
    TRY(draw_pool(&normal, &scratch, set, PART_TRAIN, request->normal, "split train normal", request->seed));
    TRY(draw_pool(&seen, &scratch, set, PART_TRAIN, seen_classes, "split train seen", request->seed));
    TRY(fit_sizes(out, request, set->about->name, normal.count, seen.count));
    size_t total = out->train_normal + out->train_known + out->train_hidden + out->train_labeled;
    TRY(arena_new(&scratch, &out->train_rows, total, sizeof *out->train_rows));
    TRY(arena_new(&scratch, &out->train_labels, total, 1));
    TRY(arena_new(&scratch, &out->train_truth, total, 1));
    append(out, &seen, 0, out->train_labeled, PUAD_LABEL_ANOMALY, 1);
    append(out, &seen, out->train_labeled, out->train_hidden, PUAD_LABEL_UNLABELED, 1);
    append(out, &normal, 0, out->train_known, PUAD_LABEL_NORMAL, 0);
    append(out, &normal, out->train_known, out->train_normal, PUAD_LABEL_UNLABELED, 0);
    size_t unlabeled = out->train_normal + out->train_hidden;
    out->alpha_u = unlabeled ? (double)out->train_hidden / (double)unlabeled : 0;
    out->alpha_all = total ? (double)(out->train_hidden + out->train_labeled) / (double)total : 0;
    return shuffle_train(out, &scratch, request->seed);
}

static puad_status draw_test(split_plan *out, const raw_set *set, const split_request *request)
{
    static const char *const streams[GROUP_COUNT] = {"split test normal", "split test seen",
                                                     "split test unseen"};
    AUTO_ARENA arena scratch = {0};
    const class_bits classes[GROUP_COUNT] = {
        request->normal, all_classes(set) & ~request->normal & ~request->unseen, request->unseen};
    pool pools[GROUP_COUNT];
    for (int g = 0; g < GROUP_COUNT; g++) {
        TRY(draw_pool(&pools[g], &scratch, set, PART_TEST, classes[g], streams[g], request->seed));
        out->test_rows_of[g] =
            pools[g].count < request->test_rows[g] ? pools[g].count : request->test_rows[g];
        out->test_count += out->test_rows_of[g];
    }
    TRY(arena_new(&out->memory, &out->test_rows, out->test_count, sizeof *out->test_rows));
    TRY(arena_new(&out->memory, &out->test_groups, out->test_count, 1));
    size_t used = 0;
    for (int g = 0; g < GROUP_COUNT; g++)
        for (size_t i = 0; i < out->test_rows_of[g]; i++) {
            out->test_rows[used] = pools[g].rows[i];
            out->test_groups[used++] = (uint8_t)g;
        }
    return PUAD_OK;
}

puad_status split_draw(split_plan *out, const raw_set *set, const split_request *request)
{
    class_bits all = all_classes(set);
    *out = (split_plan){0};
    if (request->normal == 0 || request->normal & ~all || request->unseen & ~all)
        FAIL(PUAD_INVALID, "%s: the normal class must be some of the classes 0 to %d", set->about->name,
             set->about->class_count - 1);
    if (request->normal & request->unseen)
        FAIL(PUAD_INVALID, "%s: a class cannot be both normal and unseen", set->about->name);
    puad_status status = draw_train(out, set, request);
    if (status == PUAD_OK) status = draw_test(out, set, request);
    if (status != PUAD_OK) split_plan_free(out);
    return status;
}

static puad_status keep_labels(dataset *rows, const int8_t *labels)
{
    TRY(arena_new(&rows->memory, &rows->labels, rows->rows, 1));
    if (rows->rows) memcpy(rows->labels, labels, rows->rows);
    return PUAD_OK;
}

static puad_status make(split *out, const raw_set *set, const split_request *request)
{
    split_plan *plan = &out->plan;
    TRY(split_draw(plan, set, request));
    TRY(raw_set_rows(&out->train, set, PART_TRAIN, plan->train_rows, plan->train_count, request->side));
    TRY(keep_labels(&out->train, plan->train_labels));
    TRY(raw_set_rows(&out->test, set, PART_TEST, plan->test_rows, plan->test_count, request->side));
    TRY(arena_new(&out->test.memory, &out->test.labels, plan->test_count, 1));
    for (size_t i = 0; i < plan->test_count; i++)
        out->test.labels[i] = plan->test_groups[i] == GROUP_NORMAL ? 0 : PUAD_LABEL_ANOMALY;
    return PUAD_OK;
}

puad_status split_make(split *out, const raw_set *set, const split_request *request)
{
    *out = (split){0};
    puad_status status = make(out, set, request);
    if (status != PUAD_OK) split_free(out);
    return status;
}

void split_plan_free(split_plan *owner)
{
    arena_free(&owner->memory);
    *owner = (split_plan){0};
}

void split_free(split *owner)
{
    split_plan_free(&owner->plan);
    dataset_free(&owner->train);
    dataset_free(&owner->test);
    *owner = (split){0};
}
