/* A ledger as CSV, to be merged, versioned, and continued on another machine. */
#include "base/file.h"
#include "lab/ledger/csv_text.h"
#include "lab/ledger/ledger_database.h"
#include "lab/ledger/record_check.h"
#include "lab/run/epoch_curve.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 128 };
#define FILE_MAX ((size_t)1 << 30)

puad_status ledger_export(ledger *in, const char *path)
{
    size_t count;
    const field *fields = lab_fields(&count);
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    AUTO_OUTPUT file_output out = {0};
    TRY(file_create(&out, path));
    for (size_t i = 0; i < count; i++) sheet_write(out.stream, fields[i].name, i == 0);
    fputc('\n', out.stream);
    TRY(row_select(&statement, in, "ORDER BY key", NULL));
    for (;;) {
        AUTO_ARENA arena memory = {0};
        lab_record record;
        bool row;
        char buffer[FIELD_CAPACITY];
        TRY(database_step(&row, in, statement));
        if (!row) break;
        TRY(row_read(&record, statement, &memory, true));
        for (size_t i = 0; i < count; i++)
            sheet_write(out.stream, field_text(buffer, &record, &fields[i]), i == 0);
        fputc('\n', out.stream);
    }
    return file_commit(&out);
}

/* Without these columns a default would replace the actual option. */
static puad_status check_required(const field *const *columns, size_t count, const sheet_reader *reader)
{
    static const char *const required[] = {"dataset", "normal", "method", "seed", "epochs", "auroc"};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        bool there = false;
        for (size_t j = 0; j < count && !there; j++) there = columns[j] == lab_field(required[i]);
        if (!there)
            FAIL(PUAD_FORMAT, "%s:%zu: no column '%s'; expected a file written by 'puad lab export'",
                 reader->name, reader->line, required[i]);
    }
    return PUAD_OK;
}

static puad_status read_header(const field *columns[COLUMNS_MAX], size_t *out_count, sheet_reader *reader)
{
    char *names[COLUMNS_MAX];
    TRY(sheet_next(names, COLUMNS_MAX, out_count, reader));
    for (size_t i = 0; i < *out_count; i++) {
        columns[i] = lab_field(names[i]);
        if (!columns[i])
            FAIL(PUAD_FORMAT,
                 "%s:%zu: '%s' is not a column of a ledger; expected a file written by 'puad "
                 "lab export'",
                 reader->name, reader->line, names[i]);
        for (size_t j = 0; j < i; j++)
            if (columns[j] == columns[i])
                FAIL(PUAD_FORMAT, "%s:%zu: two columns '%s'", reader->name, reader->line, names[i]);
    }
    if (*out_count == 0) FAIL(PUAD_FORMAT, "%s: empty, expected a header line", reader->name);
    return check_required(columns, *out_count, reader);
}

/* Whether two runs of an experiment have the same results; time, machine and speed are ignored. */
static bool same_figures(const lab_record *one, const lab_record *other)
{
    static const char *const figures[] = {"auroc", "auroc_seen", "auroc_unseen",
                                          "auprc", "best_epoch", "valid_loss"};
    char left[FIELD_CAPACITY], right[FIELD_CAPACITY];
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const field *which = lab_field(figures[i]);
        if (strcmp(field_text(left, one, which), field_text(right, other, which)) != 0) return false;
    }
    return true;
}

static puad_status merge_record(ledger_merge *out, ledger *in, const lab_record *record, bool replace)
{
    AUTO_FREE char *key = NULL;
    AUTO_ARENA arena memory = {0};
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    bool there;
    TRY(lab_cell_key(&key, &record->cell));
    TRY(row_select(&statement, in, "WHERE key=?", key));
    TRY(database_step(&there, in, statement));
    if (there) {
        lab_record present;
        TRY(row_read(&present, statement, &memory, true));
        bool same = same_figures(record, &present);
        out->same += same;
        out->differing += !same;
        bool tells_more = !curve_is_there(present.result.history) && curve_is_there(record->result.history);
        if (same ? !tells_more : !replace) return PUAD_OK;
    } else {
        out->added++;
    }
    return row_write(in, key, record);
}

static puad_status read_record(lab_record *out, const field *const *columns, char *const *values,
                               size_t count, arena *memory)
{
    *out = (lab_record){lab_cell_standard(), lab_result_unknown()};
    for (size_t i = 0; i < count; i++) TRY(field_set(out, columns[i], values[i], memory));
    return lab_record_check(out, memory);
}

static puad_status merge_rows(ledger_merge *out, ledger *in, sheet_reader *reader, bool replace)
{
    const field *columns[COLUMNS_MAX];
    size_t column_count;
    TRY(read_header(columns, &column_count, reader));
    for (;;) {
        AUTO_ARENA arena memory = {0};
        char *values[COLUMNS_MAX];
        size_t count;
        TRY(sheet_next(values, COLUMNS_MAX, &count, reader));
        if (count == 0) return PUAD_OK;
        if (count != column_count)
            FAIL(PUAD_FORMAT, "%s:%zu: %zu values, the header has %zu", reader->name, reader->line, count,
                 column_count);
        lab_record record;
        if (read_record(&record, columns, values, count, &memory) != PUAD_OK) {
            status_prefix("%s:%zu", reader->name, reader->line);
            return PUAD_FORMAT;
        }
        TRY(merge_record(out, in, &record, replace));
    }
}

puad_status ledger_import(ledger_merge *out, ledger *in, const char *path, bool replace)
{
    AUTO_FREE unsigned char *text = NULL;
    size_t size = 0;
    TRY(file_read(&text, &size, path, FILE_MAX));
    sheet_reader reader = sheet_begin((char *)text, size, path);
    AUTO_TRANSACTION transaction change = {0};
    TRY(transaction_begin(&change, in));
    *out = (ledger_merge){0};
    TRY(merge_rows(out, in, &reader, replace));
    return transaction_commit(&change);
}
