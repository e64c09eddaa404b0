/* The SQLite file of a ledger: its tables follow experiment.def and result.def. */
#include "lab/ledger/ledger_database.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { APPLICATION = 0x70756164, FORMAT = 1, BUSY_MILLISECONDS = 60000 };

puad_status database_fail(ledger *in, const char *doing)
{
    int code = sqlite3_errcode(in->database);
    puad_status kind = code == SQLITE_NOMEM                              ? PUAD_MEMORY
                       : code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? PUAD_FORMAT
                                                                         : PUAD_IO;
    FAIL(kind, "%s: %s: %s", in->path, doing, sqlite3_errmsg(in->database));
}

puad_status database_beside(char **out, const ledger *in, const char *ending)
{
    AUTO_FREE char *real = realpath(in->path, NULL);
    if (!real) FAIL(PUAD_IO, "%s: cannot be found: %s", in->path, strerror(errno));
    if (asprintf(out, "%s%s", real, ending) < 0) {
        *out = NULL;
        FAIL(PUAD_MEMORY, "no memory for a file name");
    }
    return PUAD_OK;
}

/* After SQLite ran out of memory its connection may not record it. */
static puad_status statement_fail(ledger *in, int code)
{
    if (code == SQLITE_NOMEM || sqlite3_errcode(in->database) == SQLITE_OK)
        FAIL(code == SQLITE_NOMEM ? PUAD_MEMORY : PUAD_IO, "%s: ledger: %s", in->path, sqlite3_errstr(code));
    return database_fail(in, "ledger");
}

puad_status database_run(ledger *in, const char *statement)
{
    int code = sqlite3_exec(in->database, statement, NULL, NULL, NULL);
    return code == SQLITE_OK ? PUAD_OK : statement_fail(in, code);
}

puad_status database_prepare(sqlite3_stmt **out, ledger *in, const char *statement, const char *key)
{
    int code = sqlite3_prepare_v2(in->database, statement, -1, out, NULL);
    if (code == SQLITE_OK && key) code = sqlite3_bind_text(*out, 1, key, -1, SQLITE_TRANSIENT);
    return code == SQLITE_OK ? PUAD_OK : statement_fail(in, code);
}

void statement_cleanup(sqlite3_stmt **owner)
{
    sqlite3_finalize(*owner);
}

puad_status database_step(bool *out_row, ledger *in, sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) return statement_fail(in, code);
    if (out_row) *out_row = code == SQLITE_ROW;
    return PUAD_OK;
}

puad_status transaction_begin(transaction *out, ledger *in)
{
    TRY(database_run(in, "BEGIN IMMEDIATE"));
    out->in = in;
    return PUAD_OK;
}

puad_status transaction_commit(transaction *owner)
{
    TRY(database_run(owner->in, "COMMIT"));
    owner->in = NULL;
    return PUAD_OK;
}

void transaction_undo(transaction *owner)
{
    if (owner->in) sqlite3_exec(owner->in->database, "ROLLBACK", NULL, NULL, NULL);
    owner->in = NULL;
}

static puad_status ask_number(long long *out, ledger *in, const char *statement)
{
    AUTO_STATEMENT sqlite3_stmt *question = NULL;
    bool row = false;
    TRY(database_prepare(&question, in, statement, NULL));
    TRY(database_step(&row, in, question));
    *out = row ? sqlite3_column_int64(question, 0) : 0;
    return PUAD_OK;
}

/* Adds missing columns, or notes them if the ledger is only read. Unknown columns mean a newer program,
 * whose experiments could be mistaken for others. */
static puad_status match_columns(ledger *in, ledger_mode mode)
{
    size_t count;
    const field *fields = lab_fields(&count);
    bool present[LEDGER_FIELDS_MAX] = {false};
    AUTO_STATEMENT sqlite3_stmt *columns = NULL;
    bool row = false;
    TRY(database_prepare(&columns, in, "SELECT name FROM pragma_table_info('cell')", NULL));
    for (;;) {
        TRY(database_step(&row, in, columns));
        if (!row) break;
        const char *name = (const char *)sqlite3_column_text(columns, 0);
        const field *known = name ? lab_field(name) : NULL;
        if (known)
            present[known - fields] = true;
        else if (!name || strcmp(name, "key") != 0)
            FAIL(PUAD_FORMAT, "%s: written by a newer puad: it has a column '%s'", in->path,
                 name ? name : "");
    }
    for (size_t i = 0; i < count; i++) {
        static const char *const types[] = {"TEXT", "INTEGER", "REAL"};
        char statement[128];
        snprintf(statement, sizeof statement, "ALTER TABLE cell ADD COLUMN %s %s", fields[i].name,
                 types[fields[i].type]);
        in->lacks[i] = !present[i] && mode == LEDGER_READ;
        if (!present[i] && mode != LEDGER_READ) TRY(database_run(in, statement));
    }
    return PUAD_OK;
}

/* Rejects views and computed columns, which could run forever: a ledger has only three tables. */
static puad_status refuse_code(ledger *in)
{
    long long others, computed;
    TRY(ask_number(&others, in,
                   "SELECT count(*) "
                   "FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'create virtual%'"));
    TRY(ask_number(&computed, in,
                   "SELECT count(*) "
                   "FROM sqlite_master AS made, pragma_table_xinfo(made.name) AS of WHERE of.hidden<>0"));
    if (others + computed > 0)
        FAIL(PUAD_FORMAT, "%s: has views, triggers or computed columns, which a ledger does not have",
             in->path);
    return PUAD_OK;
}

static puad_status set_up_tables(ledger *in, ledger_mode mode)
{
    long long application, format, tables;
    TRY(refuse_code(in));
    TRY(ask_number(&application, in, "PRAGMA application_id"));
    TRY(ask_number(&format, in, "PRAGMA user_version"));
    TRY(ask_number(&tables, in, "SELECT count(*) FROM sqlite_master"));
    if (application != APPLICATION && tables > 0)
        FAIL(PUAD_FORMAT, "%s: a SQLite file, but not a ledger of puad", in->path);
    if (application == APPLICATION && format > FORMAT)
        FAIL(PUAD_FORMAT, "%s: written by a newer puad: format %lld, this one reads up to %d", in->path,
             format, FORMAT);
    if (application != APPLICATION) {
        char marks[128];
        if (mode != LEDGER_CREATE) FAIL(PUAD_FORMAT, "%s: empty, expected a ledger", in->path);
        snprintf(marks, sizeof marks, "PRAGMA application_id=%d; PRAGMA user_version=%d;", APPLICATION,
                 FORMAT);
        TRY(database_run(in, marks));
        TRY(database_run(in, "CREATE TABLE cell (key TEXT PRIMARY KEY NOT NULL);CREATE TABLE owner "
                             "(id INTEGER PRIMARY KEY AUTOINCREMENT, since TEXT);CREATE TABLE claim "
                             "(key TEXT PRIMARY KEY NOT NULL, owner INTEGER NOT NULL);"));
    }
    return match_columns(in, mode);
}

/* Two processes that switch at the same time may block each other, and SQLite does not wait for them. */
static puad_status use_write_ahead_log(ledger *in)
{
    for (int try = 0;; try++) {
        puad_status status = database_run(in, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
        if (status == PUAD_OK || try == 500 || sqlite3_errcode(in->database) != SQLITE_BUSY) return status;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

static puad_status connect(ledger *in, const char *name, int flags)
{
    if (sqlite3_open_v2(name, &in->database, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return database_fail(in, "cannot open");
    sqlite3_extended_result_codes(in->database, 0);
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) sqlite3_db_config(in->database, off[i], 0, NULL);
    sqlite3_db_config(in->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_busy_timeout(in->database, BUSY_MILLISECONDS);
    return PUAD_OK;
}

/* "file:PATH?immutable=1" with special characters of the path escaped. */
static puad_status immutable_name(char **out, const char *path)
{
    size_t size;
    FILE *stream = text_stream_open(out, &size);
    if (!stream) FAIL(PUAD_MEMORY, "no memory for a file name");
    fputs(*path == '/' ? "file://" : "file:", stream);
    for (; *path; path++) fprintf(stream, strchr("%?#", *path) ? "%%%02X" : "%c", (unsigned char)*path);
    fputs("?immutable=1", stream);
    if (!text_stream_close(stream, out)) FAIL(PUAD_MEMORY, "no memory for a file name");
    return PUAD_OK;
}

/* A ledger in write-ahead mode is read through additional files, which cannot be created in a read-only
 * folder. If there are none, no process is writing, and the file is complete. */
static puad_status read_only(ledger *in)
{
    AUTO_FREE char *log = NULL, *name = NULL;
    TRY(connect(in, in->path, SQLITE_OPEN_READWRITE)); /* if possible, so that closing removes those files */
    TRY(database_run(in, "PRAGMA query_only=ON"));
    puad_status status = set_up_tables(in, LEDGER_READ);
    int code = status == PUAD_OK ? SQLITE_OK : sqlite3_errcode(in->database);
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) return status;
    TRY(database_beside(&log, in, "-wal"));
    struct stat info;
    if (stat(log, &info) == 0 && info.st_size > 0)
        FAIL(PUAD_IO, "%s: newer results are in %s, unreadable in a read-only folder; copy both elsewhere",
             in->path, log);
    TRY(immutable_name(&name, in->path));
    sqlite3_close(in->database);
    in->database = NULL;
    TRY(connect(in, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI));
    return set_up_tables(in, LEDGER_READ);
}

puad_status database_open(ledger *in, ledger_mode mode)
{
    if (mode != LEDGER_CREATE && !file_exists(in->path))
        FAIL(PUAD_IO, "%s: this ledger does not exist", in->path);
    if (file_is_folder(in->path)) FAIL(PUAD_IO, "%s: is a folder, expected a ledger", in->path);
    if (mode == LEDGER_READ) return read_only(in);
    TRY(connect(in, in->path, SQLITE_OPEN_READWRITE | (mode == LEDGER_CREATE ? SQLITE_OPEN_CREATE : 0)));
    AUTO_TRANSACTION transaction change = {0};
    TRY(transaction_begin(&change, in));
    TRY(set_up_tables(in, mode));
    TRY(transaction_commit(&change));
    return use_write_ahead_log(in);
}

/* "key, dataset, normal, ..." or as many question marks; NULL for columns that the table lacks */
static puad_status list_columns(char **out, const ledger *in, const char *before, const char *mark,
                                const char *after)
{
    size_t count, size;
    const field *fields = lab_fields(&count);
    FILE *stream = text_stream_open(out, &size);
    if (!stream) FAIL(PUAD_MEMORY, "no memory for a statement");
    fputs(before, stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%s%s", i ? "," : "", mark ? mark : in->lacks[i] ? "NULL" : fields[i].name);
    fputs(after, stream);
    if (!text_stream_close(stream, out)) FAIL(PUAD_MEMORY, "no memory for a statement");
    return PUAD_OK;
}

static int bind_field(sqlite3_stmt *statement, int place, const lab_record *record, const field *which)
{
    const void *at = (const char *)record + which->offset;
    switch (which->type) {
    case FIELD_TEXT:
        return sqlite3_bind_text(statement, place, *(const char *const *)at, -1, SQLITE_TRANSIENT);
    case FIELD_INTEGER: return sqlite3_bind_int64(statement, place, *(const long long *)at);
    case FIELD_REAL: return sqlite3_bind_double(statement, place, *(const double *)at); /* NaN becomes NULL */
    }
    return SQLITE_MISUSE;
}

puad_status row_write(ledger *in, const char *key, const lab_record *record)
{
    size_t count;
    const field *fields = lab_fields(&count);
    AUTO_FREE char *names = NULL, *text = NULL;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    TRY(list_columns(&names, in, "INSERT OR REPLACE INTO cell (key,", NULL, ") VALUES (?,"));
    TRY(list_columns(&text, in, names, "?", ")"));
    TRY(database_prepare(&statement, in, text, key));
    for (size_t i = 0; i < count; i++)
        if (bind_field(statement, (int)i + 2, record, &fields[i]) != SQLITE_OK)
            return database_fail(in, "ledger");
    return database_step(NULL, in, statement);
}

puad_status row_select(sqlite3_stmt **out, ledger *in, const char *rest, const char *key)
{
    AUTO_FREE char *text = NULL;
    char after[64];
    snprintf(after, sizeof after, " FROM cell %s", rest);
    TRY(list_columns(&text, in, "SELECT ", NULL, after));
    return database_prepare(out, in, text, key);
}

puad_status row_read(lab_record *out, sqlite3_stmt *statement, arena *memory, bool histories)
{
    size_t count;
    const field *fields = lab_fields(&count);
    *out = (lab_record){lab_cell_standard(), lab_result_unknown()};
    for (size_t i = 0; i < count; i++) {
        void *at = (char *)out + fields[i].offset;
        int place = (int)i;
        if (sqlite3_column_type(statement, place) == SQLITE_NULL) continue; /* a column newer than the row */
        if (fields[i].type == FIELD_INTEGER) *(long long *)at = sqlite3_column_int64(statement, place);
        if (fields[i].type == FIELD_REAL) *(double *)at = sqlite3_column_double(statement, place);
        if (fields[i].type != FIELD_TEXT || (!histories && strcmp(fields[i].name, "history") == 0)) continue;
        const char *text = (const char *)sqlite3_column_text(statement, place);
        *(const char **)at = text ? arena_text(memory, text) : NULL;
        if (!*(const char **)at) FAIL(PUAD_MEMORY, "no memory for the rows of a ledger");
    }
    return PUAD_OK;
}
