/* Builds the report: what was run, tables, differences from the paper, figures, commands to reproduce it. */
#include "lab/results/paper_page.h"

#include "lab/results/adbench_table.h"
#include "lab/results/example_images.h"
#include "lab/results/figures.h"
#include "lab/results/paper_page_groups.h"
#include "lab/results/paper_page_verdict.h"
#include "lab/run/sweep.h"

#include <math.h>
#include <puad/puad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAPER_EPOCHS = 200, PAPER_SEEDS = 5, CURVES = 12, BARS_MIN = 5, GROUPS_OPEN = 2 };
static const double errors_apart = 2;

typedef struct builder {
    const lab_report *what;
    arena memory;
    report_groups groups;
    lab_record *split; /* those with the paper's split; others are tables with few labels */
    size_t split_count;
    page *on;
} builder;

/* The distinct strings of a field among records, with the number of records of each. */
typedef struct tally {
    const char **texts;
    size_t *counts;
    size_t count;
} tally;

static puad_status count_texts(tally *out, arena *memory, const lab_record *records, size_t count,
                               const char *member, const char *only_set)
{
    const field *which = lab_field(member);
    char buffer[FIELD_CAPACITY];
    *out = (tally){0};
    TRY(arena_new(memory, &out->texts, count, sizeof *out->texts));
    TRY(arena_new(memory, &out->counts, count, sizeof *out->counts));
    for (size_t i = 0; i < count; i++) {
        if (only_set && strcmp(records[i].cell.dataset, only_set) != 0) continue;
        const char *text = field_text(buffer, &records[i], which);
        size_t at = 0;
        while (at < out->count && strcmp(out->texts[at], text) != 0) at++;
        if (at == out->count) {
            TRY(arena_print(memory, &out->texts[at], "%s", text));
            out->count++;
        }
        out->counts[at]++;
    }
    return PUAD_OK;
}

static double total_seconds(const lab_record *records, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (records[i].result.seconds > 0) sum += records[i].result.seconds;
    return sum;
}

/* The contents of the ledger, by dataset. */
static puad_status add_contents(builder *self)
{
    static const char *const members[] = {"normal", "method", "seed"};
    const lab_record *records = self->what->records;
    size_t count = self->what->count;
    tally sets, counts;
    grid table;
    TRY(count_texts(&sets, &self->memory, records, count, "dataset", NULL));
    TRY(grid_new(&table, &self->memory, sets.count, 6));
    static const char *const headings[] = {"dataset", "cells", "normal classes",
                                           "methods", "seeds", "reduced"};
    memcpy(table.headings, headings, sizeof headings);
    table.left[0] = true;
    for (size_t i = 0; i < sets.count; i++) {
        grid_cell *row = &table.cells[i * table.columns];
        size_t reduced = 0;
        for (size_t r = 0; r < count; r++)
            reduced += strcmp(records[r].cell.dataset, sets.texts[i]) == 0 && records[r].result.reduced == 1;
        row[0].text = sets.texts[i];
        TRY(arena_print(&self->memory, &row[1].text, "%zu", sets.counts[i]));
        for (size_t m = 0; m < 3; m++) {
            TRY(count_texts(&counts, &self->memory, records, count, members[m], sets.texts[i]));
            TRY(arena_print(&self->memory, &row[2 + m].text, "%zu", counts.count));
        }
        TRY(arena_print(&self->memory, &row[5].text, "%zu", reduced));
    }
    page_section(self->on, "What was run");
    page_text(
        self->on,
        "An experiment is one training of one method on one dataset, with one normal class, one seed and "
        "one set of options, and its AUROC on test rows. This page shows all %zu experiments of %s.",
        count, self->what->ledger);
    TRY(grid_add_to_page(self->on, &table));
    page_text(
        self->on,
        "Reduced experiments are those in which a class had too few rows for the requested sizes: normal "
        "and anomalous rows are then reduced by the same factor, and the paper's result is not shown for "
        "them.");
    return PUAD_OK;
}

static puad_status build_table(lab_table *out, builder *self, const lab_record *records, size_t count,
                               anomalies which, const paper_table *paper)
{
    return table_build(out, &self->memory, records, count, &(table_query){.which = which, .paper = paper});
}

static puad_status add_table(builder *self, const lab_record *records, size_t count, anomalies which,
                             const paper_table *paper)
{
    lab_table table;
    grid texts;
    TRY(build_table(&table, self, records, count, which, paper));
    TRY(table_wide(&texts, &self->memory, &table));
    if (which == ANOMALIES_all && table.common[0]) page_text(self->on, "All with %s.", table.common);
    TRY(arena_print(&self->memory, &texts.caption, "AUROC on %s", anomalies_title(which)));
    return grid_add_to_page(self->on, &texts);
}

/* The tables of all, seen and unseen anomalies; options common to their rows are stated once. */
static puad_status add_tables(builder *self, const lab_record *records, size_t count,
                              const paper_table *paper)
{
    TRY(add_table(self, records, count, ANOMALIES_all, paper));
    page_fold(self->on, "Seen and unseen anomalies");
    TRY(add_table(self, records, count, ANOMALIES_seen, paper));
    TRY(add_table(self, records, count, ANOMALIES_unseen, paper));
    page_unfold(self->on);
    return PUAD_OK;
}

static puad_status say_budget(builder *self, const report_group *group)
{
    tally seeds;
    TRY(count_texts(&seeds, &self->memory, group->records, group->count, "seed", NULL));
    if (group->epochs > 0 && (group->epochs < PAPER_EPOCHS || seeds.count < PAPER_SEEDS))
        page_note(self->on,
                  "The budget is smaller than the paper's: "
                  "%lld epochs and %zu %s, where the paper has at most %d epochs and %d seeds.",
                  group->epochs, seeds.count, seeds.count == 1 ? "seed" : "seeds", PAPER_EPOCHS, PAPER_SEEDS);
    return PUAD_OK;
}

static puad_status add_groups(builder *self)
{
    page_section(self->on, "Tables");
    page_text(
        self->on,
        "Mean and standard deviation of the AUROC over normal classes and seeds. Bold: the best of a "
        "column and all results not significantly different from it (paired t-test, 5%%), over the classes "
        "and seeds that the compared rows have in common (only the best if these are fewer than four); "
        "rows with fewer runs than the median do not compete. \"9 of 45\" means 9 runs of the 45 in a "
        "complete table. The paper's results have the paper's settings and budget.");
    for (size_t i = 0; i < self->groups.count; i++) {
        const report_group *group = &self->groups.list[i];
        bool folded = i >= GROUPS_OPEN;
        folded ? page_fold(self->on, group->title) : page_subsection(self->on, group->title);
        TRY(say_budget(self, group));
        TRY(add_tables(self, group->records, group->count, self->what->paper));
        if (folded) page_unfold(self->on);
    }
    if (self->groups.other_count == 0) return PUAD_OK;
    page_subsection(self->on, "Other sizes of the split, other alphas");
    page_fold(self->on, "The experiments of the sweeps, from which the figures below are drawn");
    for (anomalies which = ANOMALIES_all; which <= ANOMALIES_unseen;
         which++) /* the paper has no such tables */
        TRY(add_table(self, self->groups.others, self->groups.other_count, which, NULL));
    page_unfold(self->on);
    return PUAD_OK;
}

/* Ablations: the same classes and seeds with other objectives, weights, balances, embeddings. */
static puad_status add_variants(builder *self)
{
    if (self->groups.variant_count == 0) return PUAD_OK;
    page_section(self->on, "Contribution of the options");
    page_text(self->on, "Methods with other options than the paper's, over the normal classes and seeds "
                        "that were run with them, compared with the paper's options on the same ones. "
                        "Different methods may use different classes: compare the rows of one method.");
    for (size_t i = 0; i < self->groups.variant_count; i++) {
        const report_group *group = &self->groups.variants[i];
        i > 0 ? page_fold(self->on, group->title) : page_subsection(self->on, group->title);
        TRY(add_tables(self, group->records, group->count, NULL));
        if (i > 0) page_unfold(self->on);
    }
    return PUAD_OK;
}

/* Those of a group; a record in several groups counts in the first. */
static puad_status keep_papers(lab_record **out, size_t *out_count, builder *self, size_t which)
{
    const report_group *group = &self->groups.list[which];
    TRY(arena_new(&self->memory, out, group->count, sizeof **out));
    *out_count = 0;
    for (size_t i = 0; i < group->count; i++) {
        bool first = report_is_papers(&group->records[i]);
        for (size_t g = 0; g < which && first; g++)
            first = !report_group_has(&self->groups.list[g], &group->records[i]);
        if (first) (*out)[(*out_count)++] = group->records[i];
    }
    return PUAD_OK;
}

enum { DEVIATION_COLUMNS = 8 };

static puad_status add_deviation(grid *table, builder *self, const lab_table *source, size_t row, size_t set,
                                 const char *budget)
{
    const table_value *value = &source->values[row * source->dataset_count + set];
    grid_cell *cells = &table->cells[table->rows++ * DEVIATION_COLUMNS];
    arena *memory = &self->memory;
    cells[0].text = source->datasets[set];
    cells[1].text = source->rows[row].method;
    cells[2].text = anomalies_name(source->which);
    TRY(arena_print(memory, &cells[3].text, "%.3f", value->mean));
    TRY(arena_print(memory, &cells[4].text, "%.3f \xC2\xB1 %.3f", value->paper->mean,
                    value->paper->deviation));
    TRY(arena_print(memory, &cells[5].text, "%+.3f \xC2\xB1 %.3f", value->difference, value->error));
    TRY(arena_print(memory, &cells[6].text, "%zu of %zu", value->runs, value->expected));
    cells[7].text = budget;
    return PUAD_OK;
}

static bool deviates(const table_value *value)
{
    return fabs(value->difference) > errors_apart * value->error; /* false if either is NaN */
}

/* Fills the rows of one group, or only counts them: *out_compared is the number with a result of the
 * paper. */
static puad_status compare_group(grid *table, size_t *out_compared, size_t *out_apart, builder *self,
                                 size_t which_group)
{
    const report_group *group = &self->groups.list[which_group];
    lab_record *records;
    size_t count;
    const char *budget;
    TRY(keep_papers(&records, &count, self, which_group));
    TRY(arena_print(&self->memory, &budget, "%lld + %lld", group->pretrain_epochs, group->epochs));
    for (anomalies which = ANOMALIES_all; count > 0 && which <= ANOMALIES_unseen; which++) {
        lab_table made;
        TRY(build_table(&made, self, records, count, which, self->what->paper));
        for (size_t set = 0; set < made.dataset_count; set++)
            for (size_t row = 0; row < made.row_count; row++) {
                const table_value *value = &made.values[row * made.dataset_count + set];
                if (!isnan(value->error)) ++*out_compared;
                *out_apart += deviates(value);
                if (table && deviates(value)) TRY(add_deviation(table, self, &made, row, set, budget));
            }
    }
    return PUAD_OK;
}

static puad_status add_deviations(builder *self)
{
    static const char *const headings[DEVIATION_COLUMNS] = {"dataset", "method",     "anomalies", "here",
                                                            "paper",   "difference", "runs",      "epochs"};
    size_t compared = 0, apart = 0, ignored = 0;
    grid table;
    for (size_t i = 0; i < self->groups.count; i++) TRY(compare_group(NULL, &compared, &apart, self, i));
    TRY(grid_new(&table, &self->memory, apart, DEVIATION_COLUMNS));
    memcpy(table.headings, headings, sizeof headings);
    table.rows = 0;
    table.left[0] = table.left[1] = table.left[2] = true;
    for (size_t i = 0; i < self->groups.count; i++) TRY(compare_group(&table, &ignored, &ignored, self, i));
    page_section(self->on, "Differences from the paper");
    if (compared == 0) {
        page_text(
            self->on,
            "No method was run with the paper's settings on all normal classes of a dataset of the paper.");
        return PUAD_OK;
    }
    page_text(
        self->on,
        "Of %zu averages over all normal classes, with the paper's weight=prior, alpha 0.1 and sizes, "
        "balance=separate and embedding=bn, %zu differ from the paper's by more than two standard errors "
        "of the difference, over the classes and seeds of both. Epochs: of pretraining + of training; the "
        "paper has up to %d of each.",
        compared, apart, PAPER_EPOCHS);
    return apart ? grid_add_to_page(self->on, &table) : PUAD_OK;
}

static puad_status add_sweep(builder *self, const char *over, const char *heading, const char *caption)
{
    lab_record *records;
    size_t count;
    plot_figure figure;
    TRY(sweep_records(&records, &count, &self->memory, self->what->records, self->what->count,
                      sweep_find(over)));
    if (count == 0) return PUAD_OK;
    TRY(figure_sweep(&figure, &self->memory, records, count, over, ANOMALIES_all, &(record_query){0}));
    if (figure.title) TRY(arena_print(&self->memory, &caption, "%s %s.", caption, figure.title));
    figure.title = NULL;
    page_subsection(self->on, heading);
    page_add_figure(self->on, &figure, caption);
    return PUAD_OK;
}

static puad_status add_bars(builder *self)
{
    for (size_t i = 0; i < self->groups.count; i++) {
        const report_group *group = &self->groups.list[i];
        lab_table table;
        plot_figure figure;
        TRY(build_table(&table, self, group->records, group->count, ANOMALIES_all, self->what->paper));
        if (i >= GROUPS_OPEN || (i > 0 && table.row_count < BARS_MIN)) continue;
        TRY(figure_bars(&figure, &self->memory, &table));
        figure.title = NULL; /* the heading has it */
        page_subsection(self->on, group->title);
        page_add_figure(self->on, &figure, "AUROC on all anomalies; whiskers: one standard deviation.");
    }
    return PUAD_OK;
}

/* The first experiment of each method that has a history. */
static puad_status add_curves(builder *self)
{
    lab_record *chosen;
    size_t count = 0;
    TRY(arena_new(&self->memory, &chosen, CURVES, sizeof *chosen));
    for (size_t g = 0; g < self->groups.count; g++)
        for (size_t i = 0; i < self->groups.list[g].count && count < CURVES; i++) {
            const lab_record *record = &self->groups.list[g].records[i];
            bool fresh = record->result.epochs_run > 1 && record->result.history[0];
            for (size_t c = 0; c < count && fresh; c++)
                fresh = strcmp(chosen[c].cell.method, record->cell.method) != 0;
            if (fresh) chosen[count++] = *record;
        }
    plot_figure figure;
    if (count == 0) return PUAD_OK;
    TRY(figure_training(&figure, &self->memory, chosen, count, &(record_query){0}));
    page_subsection(self->on, "Training curves");
    page_add_figure(
        self->on, &figure,
        "One experiment of each method: the loss of each epoch on the training rows and on the validation "
        "rows. The thin line marks the epoch whose weights were kept.");
    return PUAD_OK;
}

static puad_status add_pictures(builder *self)
{
    page_section(self->on, "Figures");
    TRY(add_bars(self));
    TRY(add_sweep(self, "alpha", "AUROC over alpha",
                  "Mean and one standard deviation over normal classes and seeds."));
    TRY(add_sweep(
        self, "hidden", "AUROC over contamination",
        "The number of training rows is constant; alpha is the true fraction. Mean and one standard "
        "deviation."));
    TRY(add_curves(self));
    if (self->what->toy) {
        plot_figure figure;
        TRY(toy_figure(&figure, &self->memory, self->what->toy));
        page_subsection(self->on, "The toy set");
        page_add_figure(self->on, &figure,
                        "The score at each point, dark where it is high, after a training for this page.");
    }
    if (self->what->examples) {
        const size_t splits = self->what->examples->panel_count / EXAMPLE_PARTS;
        page_subsection(self->on, "Example images");
        page_text(self->on, "The four parts of a split. Training cannot distinguish the first two parts, "
                            "and never sees the last one.");
        for (size_t i = 0; i < splits; i++) { /* one figure per set, so that none wraps */
            plot_figure figure = examples_figure(self->what->examples->panels + i * EXAMPLE_PARTS, 1);
            page_add_figure(self->on, &figure, NULL);
        }
    }
    return PUAD_OK;
}

static puad_status add_tally(builder *self, const char *member, const char *heading)
{
    tally found;
    grid table;
    TRY(count_texts(&found, &self->memory, self->what->records, self->what->count, member, NULL));
    TRY(grid_new(&table, &self->memory, found.count, 2));
    table.headings[0] = heading;
    table.headings[1] = "cells";
    table.left[0] = true;
    for (size_t i = 0; i < found.count; i++) {
        table.cells[2 * i].text = found.texts[i][0] ? found.texts[i] : "unknown";
        TRY(arena_print(&self->memory, &table.cells[2 * i + 1].text, "%zu", found.counts[i]));
    }
    return grid_add_to_page(self->on, &table);
}

static puad_status add_making(builder *self)
{
    const char *commands, *making, *budget, *first = "", *last = "", *ledger;
    const lab_record *records = self->what->records;
    for (size_t i = 0; i < self->what->count; i++) {
        const char *finished = records[i].result.finished;
        if (finished[0] && (!first[0] || strcmp(finished, first) < 0)) first = finished;
        if (strcmp(finished, last) > 0) last = finished;
    }
    TRY(arena_shell_word(&self->memory, &ledger, self->what->ledger));
    TRY(report_commands(&commands, &self->memory, records, self->what->count, ledger));
    page_section(self->on, "Commands to reproduce it");
    page_text(self->on, "These commands, run in the ledger's folder, run every experiment of this page "
                        "(except those already in the ledger), and some more if a line has several lists "
                        "of options:");
    page_code(self->on, commands);
    page_text(self->on, "Tables, figures and this page from the ledger:");
    if (strstr(self->what->chosen, "--where epochs=") || self->groups.count == 0)
        budget = "";
    else
        TRY(arena_print(&self->memory, &budget, " --where epochs=%lld", self->groups.list[0].epochs));
    TRY(arena_print(&self->memory, &making,
                    "puad lab table --ledger %s --on all%s%s\n"
                    "puad lab figure bars --ledger %s%s -o bars.pdf\n"
                    "puad lab export results.csv --ledger %s\n"
                    "puad lab report --ledger %s%s%s -o report.html",
                    ledger, self->what->chosen, budget, ledger, self->what->chosen, ledger, ledger,
                    self->what->chosen, self->what->no_training ? " --no-training" : ""));
    page_code(self->on, making);
    page_text(self->on,
              "The trainings took %.1f hours, excluding shared pretraining%s%s%s%s. The same seed on the "
              "same kind of processor gives bit-identical results for any number of threads.",
              total_seconds(records, self->what->count) / 3600, first[0] ? "; from " : "", first,
              first[0] ? " to " : "", last);
    TRY(add_tally(self, "version", "version of puad"));
    TRY(add_tally(self, "machine", "instruction set and threads"));
    page_text(self->on, "This page was written by puad %s.", puad_version());
    return PUAD_OK;
}

static puad_status list_split(builder *self)
{
    TRY(arena_new(&self->memory, &self->split, self->what->count, sizeof *self->split));
    for (size_t i = 0; i < self->what->count; i++)
        if (!*self->what->records[i].cell.protocol) self->split[self->split_count++] = self->what->records[i];
    return PUAD_OK;
}

static puad_status build(builder *self)
{
    TRY(list_split(self));
    bool any = self->split_count > 0;
    if (any) TRY(report_groups_make(&self->groups, &self->memory, self->split, self->split_count));
    if (any) TRY(report_add_verdict(self->on, &self->memory, &self->groups, self->what->paper));
    TRY(add_contents(self));
    if (any) TRY(add_groups(self));
    if (any) TRY(add_variants(self));
    TRY(few_labels_add(self->on, &self->memory, self->what->records, self->what->count));
    if (any) TRY(add_deviations(self));
    if (any) TRY(add_pictures(self));
    return add_making(self);
}

puad_status report_write(const lab_report *what, const char *path)
{
    builder self = {.what = what};
    TRY(page_new(
        &self.on, "puad lab report",
        "Deep positive-unlabeled anomaly detection for contaminated unlabeled data: the experiments"));
    puad_status status = build(&self);
    if (status == PUAD_OK) status = page_write(self.on, path);
    page_free(self.on);
    arena_free(&self.memory);
    return status;
}
