/* Explains scores that have no gradient, by changing a row and scoring it again. */
#include "detector/forest/forest_scoring_cache.h"
#include "detector/model/model.h"
#include "detector/model/typical_values.h"

#include <math.h>
#include <string.h>

/* Encoded columns that change together: those of one file column; in a window, the shape, level or
 * amplitude of one column. The shape has `repeat` values, `step` apart. */
typedef struct group {
    size_t first, width, repeat, step;
} group;

static size_t make_window_groups(group *out, const puad_detector *model)
{
    size_t channels = model->table->encoded, length = model->config.window, count = 0;
    for (size_t i = 0; i < model->table->column_count; i++) {
        const transform_column *column = &model->table->columns[i];
        if (!column->width) continue;
        out[count++] = (group){column->first, column->width, length, channels};
        out[count++] = (group){length * channels + column->first, column->width, 1, 0};
        out[count++] = (group){(length + 1) * channels + column->first, column->width, 1, 0};
    }
    return count;
}

static puad_status make_groups(group **out, size_t *out_count, arena *memory, const puad_detector *model)
{
    size_t columns = shape_size(model->in), count = 0;
    const transform *table = transform_of_table(model->table) ? model->table : NULL;
    TRY(arena_new(memory, out, columns, sizeof **out));
    if (table && model->config.window) {
        *out_count = make_window_groups(*out, model);
        return PUAD_OK;
    }
    for (size_t i = 0; table && i < table->column_count; i++)
        if (table->columns[i].width)
            (*out)[count++] = (group){table->columns[i].first, table->columns[i].width, 1, 0};
    for (size_t c = 0; !table && c < columns; c++) (*out)[count++] = (group){c, 1, 1, 0};
    *out_count = count;
    return PUAD_OK;
}

/* Medians; for a category the most frequent string, since the medians of its columns may all be 0. */
static void typical_row(float *typical, const puad_detector *model)
{
    size_t columns = shape_size(model->in);
    memcpy(typical, model->parts.typical, columns * sizeof *typical);
    const transform *table = !transform_of_table(model->table) || model->config.window ? NULL : model->table;
    const float *means = model->usual ? model->usual + USUAL_MEAN * columns : NULL;
    for (size_t i = 0; means && table && i < table->column_count; i++) {
        const transform_column *column = &table->columns[i];
        if (column->type != COLUMN_CATEGORY || !column->width) continue;
        size_t best = column->first;
        for (size_t c = column->first; c < column->first + column->width; c++) {
            typical[c] = 0;
            if (means[c] > means[best]) best = c;
        }
        typical[best] = 1;
    }
}

typedef struct changed_rows {
    const float *typical, *row;
    const group *groups;
    size_t count, columns;
} changed_rows;

/* Changed row i: 0 the typical row, 1 the row itself; then for each group the row with typical values;
 * then for each group the typical row with the row's values. */
static void write_changed(float *out, const changed_rows *all, size_t i)
{
    bool alone = i == 0 || i >= 2 + all->count;
    const float *base = alone ? all->typical : all->row, *other = alone ? all->row : all->typical;
    memcpy(out, base, all->columns * sizeof *out);
    if (i < 2) return;
    const group *at = &all->groups[(i - 2) % all->count];
    for (size_t k = 0, start = at->first; k < at->repeat; k++, start += at->step)
        memcpy(out + start, other + start, at->width * sizeof *out);
}

static size_t furthest(const group *at, const float *row, const float *typical)
{
    size_t best = at->first;
    for (size_t c = at->first; c < at->first + at->width; c++) {
        float away = fabsf(row[c] - typical[c]), max = fabsf(row[best] - typical[best]);
        if (away > max || (away == max && row[c] > row[best])) best = c; /* the category that is present */
    }
    return best;
}

/* Assigns the contribution to the encoded column that is furthest from its typical value; that of a shape
 * to all of its steps, in proportion to their distance. */
static void give_share(float *shares, const group *at, const float *row, const float *typical, float share)
{
    double sum = 0;
    if (at->repeat == 1) {
        shares[furthest(at, row, typical)] = share;
        return;
    }
    for (int turn = 0; turn < 2; turn++)
        for (size_t k = 0, start = at->first; k < at->repeat; k++, start += at->step)
            for (size_t c = start; c < start + at->width; c++) {
                double away = ((double)row[c] - (double)typical[c]) * ((double)row[c] - (double)typical[c]);
                if (turn == 0) sum += away;
                if (turn == 1 && sum > 0) shares[c] = (float)((double)share * away / sum);
            }
}

puad_status ensemble_explain(const puad_detector *model, const ready_trees *ready, float *shares,
                             const float *row, team *workers, arena *passes)
{
    enum { AT_ONCE = 256 };
    if (model->parts.axes.columns) return principal_explain(shares, &model->parts.axes, row);
    AUTO_ARENA arena scratch = {0};
    size_t columns = shape_size(model->in), count;
    group *groups;
    float *typical, *rows, *scores;
    TRY(make_groups(&groups, &count, &scratch, model));
    TRY(arena_new(&scratch, &typical, columns, sizeof *typical));
    typical_row(typical, model);
    changed_rows all = {typical, row, groups, count, columns};
    size_t changed = 2 + 2 * count, max = changed < AT_ONCE ? changed : AT_ONCE;
    TRY(arena_new(&scratch, &rows, max * columns, sizeof *rows));
    TRY(arena_new(&scratch, &scores, changed, sizeof *scores));
    for (size_t first = 0; first < changed; first += max) {
        size_t now = changed - first < max ? changed - first : max;
        for (size_t i = 0; i < now; i++) write_changed(rows + i * columns, &all, first + i);
        TRY(ensemble_score(model, ready, scores + first, rows, now, workers, passes));
    }
    const float *without = scores + 2, *alone = without + count;
    double sum = 0;
    memset(shares, 0, columns * sizeof *shares);
    for (size_t i = 0; i < count; i++) {
        float fall = fmaxf(scores[1] - without[i], 0) + fmaxf(alone[i] - scores[0], 0);
        give_share(shares, &groups[i], row, typical, fall);
        sum += (double)fall;
    }
    for (size_t c = 0; c < columns && sum > 0; c++) shares[c] = (float)((double)shares[c] / sum);
    return PUAD_OK;
}
