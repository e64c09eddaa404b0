/* Draws the rows of a tree. */
#include "detector/forest/tree_bag.h"

#include "base/rng.h"

#define ASKED_PART 0.2 /* of the positive rows of a bag */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number of rows of each kind per tree. */
static size_t positives_drawn(const trees_plan *plan)
{
    return smaller(plan->positive_count, RANDOM_TREES_DRAWS);
}

static size_t negatives_drawn(const trees_plan *plan)
{
    return smaller(plan->negative_count, plan->sample);
}

static size_t normals_drawn(const trees_plan *plan)
{
    return smaller(plan->normal_count, plan->sample);
}

size_t tree_bag_most(const trees_plan *plan)
{
    return positives_drawn(plan) + negatives_drawn(plan) + normals_drawn(plan);
}

puad_status tree_bag_new(tree_bag *out, const trees_plan *plan, arena *memory)
{
    *out = (tree_bag){0};
    TRY(arena_new(memory, &out->numbers, tree_bag_most(plan), sizeof *out->numbers));
    TRY(arena_new(memory, &out->order, plan->negative_count, sizeof *out->order));
    for (size_t i = 0; i < plan->negative_count; i++) out->order[i] = (uint32_t)i;
    return arena_new(memory, &out->swapped, negatives_drawn(plan), sizeof *out->swapped);
}

static void draw_again(tree_bag *bag, const uint32_t *t, size_t total, size_t count, rng *draws)
{
    for (size_t i = 0; i < count; i++) bag->numbers[bag->rows++] = t[rng_below(draws, total)];
}

/* The first steps of a shuffle, which are then undone: a draw must not depend on earlier draws. */
static void draw_once(tree_bag *bag, const uint32_t *t, size_t total, size_t count, rng *draws)
{
    uint32_t *order = bag->order;
    for (size_t i = 0; i < count; i++) {
        size_t other = i + (size_t)rng_below(draws, total - i);
        uint32_t held = order[i];
        order[i] = order[other];
        order[other] = held;
        bag->swapped[i] = (uint32_t)other;
        bag->numbers[bag->rows++] = t[order[i]];
    }
    for (size_t i = count; i-- > 0;) {
        uint32_t held = order[i], other = bag->swapped[i];
        order[i] = order[other];
        order[other] = held;
    }
}

/* Positive rows that were found by asking resemble those that were known already: they are at most a part of a bag, so
 * that the others keep their weight. */
static void draw_positives(tree_bag *bag, const trees_plan *plan, rng *draws)
{
    size_t asked = plan->asked_count, others = plan->positive_count - asked, count = positives_drawn(plan);
    if (!others || (double)asked <= ASKED_PART * (double)plan->positive_count) {
        draw_again(bag, plan->positives, plan->positive_count, count, draws);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bool of_asked = rng_uniform(draws) < ASKED_PART;
        draw_again(bag, of_asked ? plan->positives + others : plan->positives, of_asked ? asked : others, 1,
                   draws);
    }
}

void tree_bag_draw(tree_bag *bag, const trees_plan *plan, size_t tree)
{
    rng draws = rng_make(plan->seed, rng_stream(plan->stream, 2 * tree));
    bag->rows = 0;
    draw_positives(bag, plan, &draws);
    bag->positives = bag->rows;
    draw_once(bag, plan->negatives, plan->negative_count, negatives_drawn(plan), &draws);
    draw_again(bag, plan->normals, plan->normal_count, normals_drawn(plan), &draws);
}
