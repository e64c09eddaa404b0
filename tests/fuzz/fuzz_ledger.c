/* Any bytes as a ledger (first byte even: an SQLite file) or as its CSV (odd): rejected, or all its
 * records can be read, and imported records are unchanged after export and import. */
#include "lab/ledger/ledger.h"
#include "lab/results/figures.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64] = "/dev/shm/puad-fuzz-XXXXXX"; /* in memory, because ledgers sync to disk */
static char database[96], table[96], again[96];

static void require(bool condition)
{
    if (!condition) abort();
}

static void remove_ledger(void)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal", "-owners"};
    char path[112];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s%s", database, endings[i]);
        unlink(path);
    }
}

static void clean_up(void)
{
    remove_ledger();
    unlink(table);
    unlink(again);
    rmdir(folder);
}

static void set_up(void)
{
    if (!mkdtemp(folder)) {
        strcpy(folder, "/tmp/puad-fuzz-XXXXXX");
        require(mkdtemp(folder) != NULL);
    }
    snprintf(database, sizeof database, "%s/l.db", folder);
    snprintf(table, sizeof table, "%s/l.csv", folder);
    snprintf(again, sizeof again, "%s/again.csv", folder);
    atexit(clean_up);
}

static void put(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    require(out != NULL);
    require(fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
}

static void read_all(ledger *source)
{
    AUTO_ARENA arena memory = {0};
    lab_record *records = NULL;
    size_t count = 0, done, running;
    if (ledger_read(&records, &count, source, &memory, true) != PUAD_OK) return;
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *key = NULL;
        if (lab_cell_key(&key, &records[i].cell) == PUAD_OK) require(key != NULL);
    }
    for (int which = ANOMALIES_all; which <= ANOMALIES_unseen; which++) {
        plot_figure drawn;
        if (figure_epochs(&drawn, &memory, records, count, (anomalies)which, &(record_query){0}) == PUAD_OK)
            require(drawn.panel_count > 0);
    }
    if (ledger_count(&done, &running, source) == PUAD_OK) require(done >= count);
}

static void import_and_back(const uint8_t *bytes, size_t size)
{
    AUTO_LEDGER ledger *into = NULL;
    ledger_merge merged = {0};
    put(table, bytes, size);
    if (ledger_open(&into, database, LEDGER_CREATE) != PUAD_OK) return;
    if (ledger_import(&merged, into, table, false) != PUAD_OK) return;
    read_all(into);
    size_t count = merged.added;
    require(ledger_export(into, again) == PUAD_OK);
    require(ledger_import(&merged, into, again, false) == PUAD_OK);
    require(merged.added == 0 && merged.differing == 0 && merged.same >= (count > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!*database) set_up();
    if (size < 1) return 0;
    remove_ledger();
    if (bytes[0] % 2) {
        import_and_back(bytes + 1, size - 1);
        return 0;
    }
    AUTO_LEDGER ledger *source = NULL;
    put(database, bytes + 1, size - 1);
    if (ledger_open(&source, database, LEDGER_READ) == PUAD_OK) read_all(source);
    return 0;
}
