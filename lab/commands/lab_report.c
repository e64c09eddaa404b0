/* puad lab report: the ledger as an HTML page. */
#include "lab/commands/lab_commands.h"
#include "lab/commands/lab_pictures.h"
#include "lab/results/paper_page.h"

#include <stdio.h>
#include <string.h>

/* Panels of each image set of the records whose files are available; *out_count is the number of splits. */
static puad_status draw_examples(plot_panel **out, size_t *out_count, arena *memory, const invocation *call,
                                 const lab_record *records, size_t count)
{
    AUTO_FREE char *folder = NULL;
    size_t set_count;
    const set_row *sets = sets_all(&set_count);
    *out_count = 0;
    TRY(sets_folder(&folder, value_of(call, "data-dir")->text));
    TRY(arena_new(memory, out, set_count * EXAMPLE_PARTS, sizeof **out));
    for (size_t s = 0; s < set_count; s++) {
        bool used = false;
        for (size_t i = 0; i < count && !used; i++) used = strcmp(records[i].cell.dataset, sets[s].name) == 0;
        if (!used || sets[s].reader->normal || !set_is_present(NULL, &sets[s], folder)) continue;
        TRY(lab_draw_examples(*out + *out_count * EXAMPLE_PARTS, memory, call, sets[s].name));
        (*out_count)++;
    }
    return PUAD_OK;
}

/* The records selected by --datasets, --methods and --where, copied. */
static puad_status choose(lab_record **out, size_t *out_count, arena *memory, const invocation *call)
{
    AUTO_LEDGER ledger *book = NULL;
    lab_record *all;
    size_t count;
    selection subset;
    record_query query;
    TRY(lab_make_query(&query, memory, call));
    TRY(lab_open_ledger(&book, call, LEDGER_READ));
    TRY(ledger_read(&all, &count, book, memory, true));
    TRY(selection_make(&subset, memory, all, count, &query));
    TRY(arena_new(memory, out, subset.count, sizeof **out));
    for (size_t i = 0; i < subset.count; i++) (*out)[i] = *subset.records[i];
    *out_count = subset.count;
    return PUAD_OK;
}

/* The options that selected the records, in shell syntax. */
static puad_status describe_choice(const char **out, arena *memory, const invocation *call)
{
    static const char *const names[] = {"datasets", "methods", "where"};
    *out = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const option_value *value = value_of(call, names[i]);
        bool list = value->list_count > 0;
        for (size_t k = 0; value->given && k < (list ? value->list_count : 1); k++) {
            const char *word;
            TRY(arena_shell_word(memory, &word, list ? value->list[k] : value->text));
            TRY(arena_print(memory, out, "%s --%s %s", *out, names[i], word));
        }
    }
    return PUAD_OK;
}

puad_status lab_action_report(const invocation *call)
{
    AUTO_ARENA arena memory = {0};
    const char *output = value_of(call, "output")->text, *ledger_path = value_of(call, "ledger")->text;
    if (!output) FAIL(PUAD_INVALID, "usage: puad lab report -o FILE.html");
    const char *slash = strrchr(ledger_path, '/');
    paper_table paper = paper_built_in();
    lab_report what = {.ledger = slash ? slash + 1 : ledger_path, .paper = &paper};
    lab_record *records;
    plot_panel *panels;
    plot_figure examples;
    toy_study study = {0};
    size_t splits;
    TRY(choose(&records, &what.count, &memory, call));
    what.records = records;
    what.no_training = is_given(call, "no-training");
    TRY(describe_choice(&what.chosen, &memory, call));
    TRY(draw_examples(&panels, &splits, &memory, call, records, what.count));
    examples = examples_figure(panels, splits);
    if (splits) what.examples = &examples;
    puad_status status = is_given(call, "no-training") ? PUAD_OK : lab_run_toy(&study, call);
    if (status == PUAD_OK && !is_given(call, "no-training")) what.toy = &study;
    if (status == PUAD_OK) status = report_write(&what, output);
    toy_free(&study);
    return status;
}
