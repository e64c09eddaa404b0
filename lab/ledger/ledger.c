/* Claims of experiments, and results. */
#include "lab/ledger/ledger.h"

#include "lab/ledger/ledger_database.h"
#include "lab/ledger/record_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

puad_status ledger_open(ledger **out, const char *path, ledger_mode mode)
{
    ledger *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a ledger"));
    made->owners_file = -1;
    made->path = strdup(path);
    puad_status status =
        made->path ? database_open(made, mode) : status_fail(PUAD_MEMORY, "no memory for a ledger");
    if (status != PUAD_OK) {
        ledger_close(made);
        return status;
    }
    *out = made;
    return PUAD_OK;
}

void ledger_close(ledger *owner)
{
    if (!owner) return;
    sqlite3_close(owner->database);
    if (owner->owners_file >= 0) close(owner->owners_file);
    free(owner->path);
    free(owner);
}

void ledger_cleanup(ledger **owner)
{
    ledger_close(*owner);
}

static struct flock byte_of(long long owner)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)owner, .l_len = 1};
}

static puad_status open_owners(ledger *in)
{
    if (in->owners_file >= 0) return PUAD_OK;
    AUTO_FREE char *path = NULL;
    TRY(database_beside(&path, in, "-owners"));
    in->owners_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (in->owners_file < 0) FAIL(PUAD_IO, "%s: cannot create: %s", path, strerror(errno));
    return PUAD_OK;
}

/* Takes a new number, and locks its byte before any claim has that number. */
static puad_status become_owner(ledger *in)
{
    if (in->owner) return PUAD_OK;
    TRY(open_owners(in));
    TRY(database_run(in, "INSERT INTO owner (since) VALUES (strftime('%Y-%m-%dT%H:%M:%SZ','now'))"));
    long long number = sqlite3_last_insert_rowid(in->database);
    struct flock byte = byte_of(number);
    if (fcntl(in->owners_file, F_OFD_SETLK, &byte) != 0)
        FAIL(PUAD_IO, "%s-owners: cannot lock: %s", in->path, strerror(errno));
    in->owner = number;
    return PUAD_OK;
}

/* Whether the owner of a claim is alive: its byte is locked. */
static puad_status is_alive(bool *out, ledger *in, long long owner)
{
    struct flock byte = byte_of(owner);
    *out = owner == in->owner;
    if (*out || owner <= 0) return PUAD_OK;
    TRY(open_owners(in));
    if (fcntl(in->owners_file, F_OFD_GETLK, &byte) != 0)
        FAIL(PUAD_IO, "%s-owners: cannot check locks: %s", in->path, strerror(errno));
    *out = byte.l_type != F_UNLCK;
    return PUAD_OK;
}

static puad_status has_row(bool *out, ledger *in, const char *statement, const char *key,
                           long long *out_number)
{
    AUTO_STATEMENT sqlite3_stmt *question = NULL;
    TRY(database_prepare(&question, in, statement, key));
    TRY(database_step(out, in, question));
    if (*out && out_number) *out_number = sqlite3_column_int64(question, 0);
    return PUAD_OK;
}

static puad_status write_claim(ledger *in, const char *key)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    TRY(database_prepare(&statement, in, "INSERT OR REPLACE INTO claim (key, owner) VALUES (?, ?)", key));
    if (sqlite3_bind_int64(statement, 2, in->owner) != SQLITE_OK) return database_fail(in, "ledger");
    return database_step(NULL, in, statement);
}

puad_status ledger_claim(ledger_state *out, ledger *in, const lab_cell *cell, bool again)
{
    AUTO_FREE char *key = NULL;
    TRY(lab_cell_key(&key, cell));
    TRY(become_owner(in));
    AUTO_TRANSACTION transaction change = {0};
    TRY(transaction_begin(&change, in));
    bool done = false, claimed = false, alive = false;
    long long owner = 0;
    if (!again) TRY(has_row(&done, in, "SELECT 1 FROM cell WHERE key=?", key, NULL));
    if (!done) TRY(has_row(&claimed, in, "SELECT owner FROM claim WHERE key=?", key, &owner));
    if (claimed) TRY(is_alive(&alive, in, owner));
    *out = done ? LEDGER_DONE : alive && owner != in->owner ? LEDGER_BUSY : LEDGER_MINE;
    if (*out != LEDGER_MINE) return PUAD_OK;
    TRY(write_claim(in, key));
    return transaction_commit(&change);
}

static puad_status drop_claim(ledger *in, const char *key)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    TRY(database_prepare(&statement, in, "DELETE FROM claim WHERE key=? AND owner=?", key));
    if (sqlite3_bind_int64(statement, 2, in->owner) != SQLITE_OK) return database_fail(in, "ledger");
    TRY(database_step(NULL, in, statement));
    if (sqlite3_changes(in->database) == 0)
        FAIL(PUAD_INVALID, "%s: experiment %s is not claimed by this run", in->path, key);
    return PUAD_OK;
}

puad_status ledger_finish(ledger *in, const lab_cell *cell, const lab_result *result)
{
    AUTO_FREE char *key = NULL;
    TRY(lab_cell_key(&key, cell));
    AUTO_TRANSACTION transaction change = {0};
    TRY(transaction_begin(&change, in));
    TRY(drop_claim(in, key));
    TRY(row_write(in, key, &(lab_record){*cell, *result}));
    return transaction_commit(&change);
}

puad_status ledger_release(ledger *in, const lab_cell *cell)
{
    AUTO_FREE char *key = NULL;
    TRY(lab_cell_key(&key, cell));
    return drop_claim(in, key);
}

/* Reads a row and checks it, since ledgers are untrusted. */
static puad_status read_checked(lab_record *out, ledger *in, sqlite3_stmt *statement, arena *memory,
                                bool histories)
{
    TRY(row_read(out, statement, memory, histories));
    puad_status status = lab_record_check_values(out);
    if (status == PUAD_OK) return PUAD_OK;
    status_prefix("%s: a row that was not written by a run", in->path);
    return status == PUAD_INVALID ? PUAD_FORMAT : status;
}

puad_status ledger_find(bool *out_found, lab_result *out, ledger *in, const lab_cell *cell, arena *memory)
{
    AUTO_FREE char *key = NULL;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    lab_record record;
    TRY(lab_cell_key(&key, cell));
    TRY(row_select(&statement, in, "WHERE key=?", key));
    TRY(database_step(out_found, in, statement));
    if (!*out_found) return PUAD_OK;
    TRY(read_checked(&record, in, statement, memory, true));
    *out = record.result;
    return PUAD_OK;
}

puad_status ledger_read(lab_record **out, size_t *out_count, ledger *in, arena *memory, bool histories)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    AUTO_FREE lab_record *records = NULL;
    size_t count = 0, capacity = 0;
    TRY(row_select(&statement, in, "ORDER BY key", NULL));
    for (;;) {
        bool row;
        TRY(database_step(&row, in, statement));
        if (!row) break;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            TRY(memory_grow(&records, capacity, sizeof *records, "the rows of a ledger"));
        }
        TRY(read_checked(&records[count++], in, statement, memory, histories));
    }
    TRY(arena_new(memory, out, count, sizeof **out));
    if (count) memcpy(*out, records, count * sizeof *records);
    *out_count = count;
    return PUAD_OK;
}

puad_status ledger_count(size_t *out_done, size_t *out_running, ledger *in)
{
    AUTO_STATEMENT sqlite3_stmt *owners = NULL;
    bool row;
    long long done = 0;
    TRY(has_row(&row, in, "SELECT count(*) FROM cell", NULL, &done));
    *out_done = (size_t)done;
    *out_running = 0;
    TRY(database_prepare(&owners, in, "SELECT owner, count(*) FROM claim GROUP BY owner", NULL));
    for (;;) {
        bool alive;
        TRY(database_step(&row, in, owners));
        if (!row) return PUAD_OK;
        TRY(is_alive(&alive, in, sqlite3_column_int64(owners, 0)));
        if (alive) *out_running += (size_t)sqlite3_column_int64(owners, 1);
    }
}
