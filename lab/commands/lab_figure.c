/* puad lab figure: draws figures from the ledger, the toy set, or datasets. */
#include "lab/commands/lab_commands.h"
#include "lab/commands/lab_pictures.h"
#include "lab/results/figures.h"

#include <stdio.h>
#include <string.h>

/* The data of a figure. */
typedef struct material {
    const invocation *call;
    const lab_record *records;
    size_t count;
    anomalies which;
    record_query query;
} material;

static puad_status draw_alpha(plot_figure *out, arena *memory, const material *source)
{
    return figure_sweep(out, memory, source->records, source->count, "alpha", source->which, &source->query);
}

static puad_status draw_contamination(plot_figure *out, arena *memory, const material *source)
{
    return figure_sweep(out, memory, source->records, source->count, "hidden", source->which, &source->query);
}

static puad_status draw_training(plot_figure *out, arena *memory, const material *source)
{
    return figure_training(out, memory, source->records, source->count, &source->query);
}

static puad_status draw_epochs(plot_figure *out, arena *memory, const material *source)
{
    return figure_epochs(out, memory, source->records, source->count, source->which, &source->query);
}

static puad_status draw_bars(plot_figure *out, arena *memory, const material *source)
{
    paper_table paper = paper_built_in();
    lab_table table;
    TRY(table_build(&table, memory, source->records, source->count,
                    &(table_query){.which = source->which, .paper = &paper, .cells = source->query}));
    return figure_bars(out, memory, &table);
}

static puad_status draw_toy(plot_figure *out, arena *memory, const material *source)
{
    toy_study study = {0};
    puad_status status = lab_run_toy(&study, source->call);
    if (status == PUAD_OK) status = toy_figure(out, memory, &study);
    toy_free(&study);
    return status;
}

static puad_status draw_examples(plot_figure *out, arena *memory, const material *source)
{
    static const char *const standard[] = {"glyphs"};
    const record_query *query = &source->query;
    const char *const *sets = query->dataset_count ? query->datasets : standard;
    size_t count = query->dataset_count ? query->dataset_count : 1;
    plot_panel *panels;
    TRY(arena_new(memory, &panels, count * EXAMPLE_PARTS, sizeof *panels));
    for (size_t i = 0; i < count; i++)
        TRY(lab_draw_examples(panels + i * EXAMPLE_PARTS, memory, source->call, sets[i]));
    *out = examples_figure(panels, count);
    return PUAD_OK;
}

typedef enum figure_needs { NOTHING, RECORDS, HISTORIES } figure_needs;

static const struct {
    const char *name, *takes;
    figure_needs needs;
    puad_status (*draw)(plot_figure *out, arena *memory, const material *source);
} figures[] = {
#define FIGURE(name, needs, takes, shows) {#name, takes, needs, draw_##name},
#include "lab/commands/lab_figures.def"
#undef FIGURE
};

puad_status lab_action_figure(const invocation *call)
{
    const char *output = value_of(call, "output")->text;
    size_t which = 0, count = sizeof figures / sizeof *figures;
    char action[64];
    if (call->argument_count != 2 || !output) FAIL(PUAD_INVALID, "usage: puad lab figure NAME -o FILE");
    while (which < count && strcmp(figures[which].name, call->arguments[1]) != 0) which++;
    if (which == count)
        FAIL(PUAD_INVALID, "there is no figure '%s'; 'puad lab --help' lists them", call->arguments[1]);
    snprintf(action, sizeof action, "figure %s", figures[which].name);
    TRY(lab_check_options(call, action, figures[which].takes));
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    material source = {.call = call};
    lab_record *records;
    plot_figure figure;
    TRY(anomalies_find(&source.which, value_of(call, "on")->text));
    TRY(lab_make_query(&source.query, &memory, call));
    if (figures[which].needs != NOTHING) {
        TRY(lab_open_ledger(&book, call, LEDGER_READ));
        TRY(ledger_read(&records, &source.count, book, &memory, figures[which].needs == HISTORIES));
        source.records = records;
    }
    TRY(figures[which].draw(&figure, &memory, &source));
    return plot_write(&figure, output);
}
