/* The first table of a report: for each dataset and budget, the best method here and in the paper, and the
 * gain from positive-unlabeled learning. */
#include "lab/results/paper_page_verdict.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 6 };
static const double worth_naming = 0.005; /* minimum difference of the AUROC that is reported */

/* A row of the table with the paper's options, or NULL. */
static const table_value *value_of_method(const lab_table *table, size_t set, const char *method)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const table_value *value = &table->values[row * table->dataset_count + set];
        if (strcmp(table->rows[row].method, method) == 0 && !table->rows[row].setting[0] && value->runs)
            return value;
    }
    return NULL;
}

/* "pu, pusvdd 0.996": the best methods, and the largest mean. */
static puad_status name_best(const char **out, arena *memory, const lab_table *table, size_t set)
{
    double max = NAN;
    *out = "";
    for (size_t row = 0; row < table->row_count; row++) {
        const table_value *value = &table->values[row * table->dataset_count + set];
        if (!value->runs || !value->best) continue;
        TRY(arena_print(memory, out, "%s%s%s", *out, (*out)[0] ? ", " : "", table->rows[row].method));
        max = fmax(isnan(max) ? -INFINITY : max, value->mean);
    }
    return isnan(max) ? PUAD_OK : arena_print(memory, out, "%s %.3f", *out, max);
}

static puad_status name_papers(const char **out, arena *memory, const lab_table *table, size_t set)
{
    const paper_row *best = NULL;
    const char *method = "";
    for (size_t row = 0; row < table->row_count; row++) {
        const paper_row *published = table->values[row * table->dataset_count + set].paper;
        if (!published || (best && published->mean <= best->mean)) continue;
        best = published;
        method = table->rows[row].method;
    }
    *out = "";
    return best ? arena_print(memory, out, "%s %.3f", method, best->mean) : PUAD_OK;
}

static const char *judge(double here, double paper)
{
    bool pays = here > worth_naming, costs = here < -worth_naming;
    if (isnan(paper)) return pays ? "it helps" : costs ? "it hurts" : "no difference";
    bool paid = paper > worth_naming;
    return pays    ? (paid ? "it helps, as in the paper" : "it helps, unlike in the paper")
           : costs ? (paid ? "it hurts, unlike in the paper" : "it hurts")
                   : (paid ? "no difference, unlike in the paper" : "no difference, as in the paper");
}

static bool has_both(const lab_table *table, size_t set)
{
    return value_of_method(table, set, "pusvdd") && value_of_method(table, set, "deepsad");
}

static puad_status add_row(grid *to, arena *memory, const lab_table *table, size_t set,
                           const report_group *group)
{
    const table_value *with = value_of_method(table, set, "pusvdd"),
                      *without = value_of_method(table, set, "deepsad");
    double here = with->mean - without->mean;
    double paper = with->paper && without->paper ? with->paper->mean - without->paper->mean : NAN;
    grid_cell *cells = &to->cells[to->rows++ * COLUMNS];
    cells[0].text = table->datasets[set];
    TRY(arena_print(memory, &cells[1].text, "epochs %lld + %lld, %s", group->pretrain_epochs, group->epochs,
                    group->embedding ? group->embedding : ""));
    TRY(name_best(&cells[2].text, memory, table, set));
    TRY(name_papers(&cells[3].text, memory, table, set));
    TRY(arena_print(memory, &cells[4].text, "%+.3f", here));
    if (!isnan(paper)) TRY(arena_print(memory, &cells[4].text, "%s (paper %+.3f)", cells[4].text, paper));
    cells[5].text = judge(here, paper);
    return PUAD_OK;
}

puad_status report_add_verdict(page *on, arena *memory, const report_groups *groups, const paper_table *paper)
{
    static const char *const headings[COLUMNS] = {
        "dataset", "budget", "best here", "best of paper", "pusvdd \xE2\x88\x92 deepsad", "PU learning"};
    lab_table *tables;
    grid all;
    size_t rows = 0;
    TRY(arena_new(memory, &tables, groups->count, sizeof *tables));
    for (size_t i = 0; i < groups->count; i++) {
        const report_group *group = &groups->list[i];
        TRY(table_build(&tables[i], memory, group->records, group->count,
                        &(table_query){.which = ANOMALIES_all, .paper = paper}));
        rows += tables[i].dataset_count;
    }
    TRY(grid_new(&all, memory, rows, COLUMNS));
    memcpy(all.headings, headings, sizeof headings);
    all.rows = 0;
    for (int c = 0; c < COLUMNS; c++) all.left[c] = c != 4;
    for (size_t i = 0; i < groups->count; i++)
        for (size_t set = 0; set < tables[i].dataset_count; set++)
            if (has_both(&tables[i], set)) TRY(add_row(&all, memory, &tables[i], set, &groups->list[i]));
    if (!all.rows) return PUAD_OK;
    page_section(on, "Summary");
    page_text(on,
              "The method with the largest AUROC on all anomalies, with those not significantly different "
              "from it, and the gain from positive-unlabeled (PU) learning: pusvdd minus deepsad, the same "
              "network without it. Epochs are those of pretraining + training, then the embedding.");
    return grid_add_to_page(on, &all);
}
