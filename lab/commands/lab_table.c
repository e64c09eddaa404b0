/* puad lab table: compares the results in the ledger with those of the paper. */
#include "base/file.h"
#include "lab/commands/lab_commands.h"
#include "lab/ledger/csv_text.h"
#include "lab/results/adbench_table.h"
#include "lab/results/result_table.h"

#include <stdio.h>
#include <string.h>

static puad_status choose_paper(paper_table *out, const paper_table **use, arena *memory, const char *given)
{
    *use = out;
    *out = paper_built_in();
    if (!given) return PUAD_OK;
    if (strcmp(given, "none") == 0) {
        *use = NULL;
        return PUAD_OK;
    }
    return paper_read(out, memory, given);
}

static puad_status build_shares(grid *out, arena *memory, const lab_record *records, size_t count,
                                const record_query *query, const char *path)
{
    published_table beside;
    if (path) TRY(published_read(&beside, memory, path));
    return few_labels_grid(out, memory, records, count, query, path ? &beside : NULL);
}

static void write_grid(FILE *stream, const grid *table, const char *format)
{
    if (strcmp(format, "markdown") == 0) grid_write_markdown(stream, table);
    if (strcmp(format, "latex") == 0) grid_write_latex(stream, table);
    if (strcmp(format, "terminal") == 0) grid_write_terminal(stream, table);
    if (strcmp(format, "csv") != 0) return;
    for (size_t i = 0; i < table->columns; i++) sheet_write(stream, table->headings[i], i == 0);
    fputc('\n', stream);
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        sheet_write(stream, table->cells[i].text, i % table->columns == 0);
        if (i % table->columns == table->columns - 1) fputc('\n', stream);
    }
}

puad_status lab_action_table(const invocation *call)
{
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    table_query query = {.seeds = (size_t)value_of(call, "seeds")->integer};
    paper_table paper;
    lab_record *records;
    size_t count;
    lab_table table;
    TRY(anomalies_find(&query.which, value_of(call, "on")->text));
    TRY(choose_paper(&paper, &query.paper, &memory, value_of(call, "paper")->text));
    TRY(lab_make_query(&query.cells, &memory, call));
    TRY(lab_open_ledger(&book, call, LEDGER_READ));
    TRY(ledger_read(&records, &count, book, &memory, false));
    bool by_share = strcmp(value_of(call, "by")->text, "share") == 0;
    grid shares;
    if (is_given(call, "published") && !by_share) FAIL(PUAD_INVALID, "--published needs --by share");
    if (by_share)
        TRY(build_shares(&shares, &memory, records, count, &query.cells, value_of(call, "published")->text));
    else
        TRY(table_build(&table, &memory, records, count, &query));
    const char *output = value_of(call, "output")->text, *format = value_of(call, "format")->text;
    AUTO_OUTPUT file_output file = {0};
    if (output) TRY(file_create(&file, output));
    FILE *stream = output ? file.stream : stdout;
    if (by_share)
        write_grid(stream, &shares, format);
    else
        TRY(table_write(stream, &table, format));
    return output ? file_commit(&file) : PUAD_OK;
}
