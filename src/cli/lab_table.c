/* puad lab table: what the ledger holds beside what the paper reports. */
#include "base/file.h"
#include "cli/lab.h"
#include "lab/table.h"

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

puad_status lab_action_table(const invocation *call)
{
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    table_query query = {.seeds = (size_t)value_of(call, "seeds")->integer};
    paper_table paper;
    lab_record *records;
    size_t count;
    lab_table table;
    TRY(anomalies_find(&query.which, value_of(call, "anomalies")->text));
    TRY(choose_paper(&paper, &query.paper, &memory, value_of(call, "paper")->text));
    TRY(lab_make_query(&query.cells, &memory, call));
    TRY(lab_open_ledger(&book, call, LEDGER_READ));
    TRY(ledger_read(&records, &count, book, &memory, false));
    TRY(table_build(&table, &memory, records, count, &query));
    const char *output = value_of(call, "output")->text, *format = value_of(call, "format")->text;
    if (!output) return table_write(stdout, &table, format);
    AUTO_OUTPUT file_output file = {0};
    TRY(file_create(&file, output));
    TRY(table_write(file.stream, &table, format));
    return file_commit(&file);
}
