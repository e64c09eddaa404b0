/* The ledger: one result per experiment, with concurrent runs and killed processes. */
#include "lab/ledger/ledger.h"
#include "base/file.h"
#include "base/rng.h"
#include "lab/ledger/ledger_database.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static lab_cell cell_of(int seed)
{
    lab_cell cell = lab_cell_standard();
    cell.dataset = "glyphs";
    cell.normal = "3";
    cell.unseen = "0";
    cell.method = "pusvdd";
    cell.seed = seed;
    lab_cell_settle(&cell);
    return cell;
}

static lab_result result_of(int seed)
{
    lab_result result = lab_result_unknown();
    result.auroc = 0.9 + 0.001 * seed;
    result.auroc_seen = 1.0 / 3;
    result.best_epoch = seed;
    result.version = "1.2.3";
    result.history = "{\"epoch\":[0,1],\n\"train_loss\":[2,1],\"valid_loss\":[2,null],\"seconds\":[1,1]}";
    return result;
}

static puad_status run_cell(ledger *in, int seed)
{
    lab_cell cell = cell_of(seed);
    lab_result result = result_of(seed);
    ledger_state state;
    TRY(ledger_claim(&state, in, &cell, false));
    return state == LEDGER_MINE ? ledger_finish(in, &cell, &result) : PUAD_OK;
}

TEST(a_key_has_only_options_that_are_not_defaults)
{
    lab_cell cell = cell_of(0);
    char *key = NULL;
    cell.balance = lab_cell_standard().balance;
    CHECK_OK(lab_cell_key(&key, &cell));
    CHECK_TEXT(key, "dataset=glyphs;normal=3;unseen=0;method=pusvdd");
    free(key);
    cell.alpha = 0.15;
    cell.embedding = "linear";
    cell.seed = 4;
    CHECK_OK(lab_cell_key(&key, &cell));
    CHECK_TEXT(key, "dataset=glyphs;normal=3;unseen=0;method=pusvdd;seed=4;alpha=0.15;embedding=linear");
    free(key);
    cell.extra = "a;b";
    CHECK_FAILS(lab_cell_key(&key, &cell), PUAD_INVALID, "extra");
    cell.extra = "";
    cell.alpha = NAN;
    CHECK_FAILS(lab_cell_key(&key, &cell), PUAD_INVALID, "alpha");
}

TEST(a_result_is_read_back_to_the_last_bit)
{
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    lab_cell cell = cell_of(7);
    lab_result result = result_of(7), back;
    ledger_state state;
    bool found;
    CHECK_OK(ledger_open(&book, test_path("a.db"), LEDGER_CREATE));
    CHECK_OK(ledger_find(&found, &back, book, &cell, &memory));
    CHECK(!found);
    CHECK_OK(ledger_claim(&state, book, &cell, false));
    CHECK_INT(state, LEDGER_MINE);
    CHECK_OK(ledger_finish(book, &cell, &result));
    CHECK_OK(ledger_find(&found, &back, book, &cell, &memory));
    CHECK(found && back.auroc == result.auroc && back.auroc_seen == result.auroc_seen &&
          isnan(back.auroc_unseen));
    CHECK_TEXT(back.history, result.history);
    CHECK_INT(back.train_rows, -1);
}

TEST(an_experiment_is_claimed_once_and_freed_by_release_and_by_closing)
{
    ledger *one = NULL, *two = NULL;
    lab_cell cell = cell_of(0), other = cell_of(1);
    lab_result result = result_of(0);
    ledger_state state;
    size_t done, running;
    CHECK_OK(ledger_open(&one, test_path("b.db"), LEDGER_CREATE));
    CHECK_OK(ledger_open(&two, test_path("b.db"), LEDGER_WRITE));
    CHECK_OK(ledger_claim(&state, one, &cell, false));
    CHECK_INT(state, LEDGER_MINE);
    CHECK_OK(ledger_claim(&state, two, &cell, false));
    CHECK_INT(state, LEDGER_BUSY);
    CHECK_OK(ledger_claim(&state, two, &other, false));
    CHECK_INT(state, LEDGER_MINE);
    CHECK_OK(ledger_count(&done, &running, two));
    CHECK(done == 0 && running == 2);
    CHECK_FAILS(ledger_finish(two, &cell, &result), PUAD_INVALID, "b.db", "dataset=glyphs;normal=3");
    CHECK_OK(ledger_release(one, &cell));
    CHECK_OK(ledger_claim(&state, two, &cell, false));
    CHECK_INT(state, LEDGER_MINE);
    ledger_close(two); /* like a killed process: its claims remain, its lock does not */
    CHECK_OK(ledger_count(&done, &running, one));
    CHECK(done == 0 && running == 0);
    CHECK_OK(ledger_claim(&state, one, &cell, false));
    CHECK_INT(state, LEDGER_MINE);
    CHECK_OK(ledger_finish(one, &cell, &result));
    CHECK_OK(ledger_claim(&state, one, &cell, false));
    CHECK_INT(state, LEDGER_DONE);
    CHECK_OK(ledger_claim(&state, one, &cell, true));
    CHECK_INT(state, LEDGER_MINE);
    ledger_close(one);
}

TEST(a_link_to_a_ledger_is_the_same_ledger)
{
    AUTO_LEDGER ledger *one = NULL, *two = NULL;
    char folder[300], file[320], link[320];
    lab_cell cell = cell_of(0);
    ledger_state state;
    snprintf(folder, sizeof folder, "%s", test_path("elsewhere"));
    snprintf(file, sizeof file, "%s/real.db", folder);
    snprintf(link, sizeof link, "%s", test_path("link.db"));
    REQUIRE(mkdir(folder, 0777) == 0 && symlink(file, link) == 0); /* to a file that is not there yet */
    CHECK_OK(ledger_open(&one, link, LEDGER_CREATE));
    CHECK_OK(ledger_claim(&state, one, &cell, false));
    CHECK_INT(state, LEDGER_MINE);
    CHECK_OK(ledger_open(&two, file, LEDGER_CREATE));
    CHECK_OK(ledger_claim(&state, two, &cell, false));
    CHECK_INT(state, LEDGER_BUSY);
    CHECK(!file_exists(test_path("link.db-owners")));
}

/* Runs all experiments; each run appends its number to a log. Waits for experiments of others. */
static void worker(const char *path, const char *log, int cells, uint64_t seed)
{
    rng draws = rng_make(seed, rng_stream("worker", 0));
    ledger *book = NULL;
    if (ledger_open(&book, path, LEDGER_CREATE) != PUAD_OK) goto failed;
    int file = open(log, O_WRONLY | O_APPEND | O_CREAT, 0600);
    uint32_t order[64];
    rng_permutation(&draws, order, (size_t)cells);
    for (int i = 0, left = cells; left > 0; i = (i + 1) % cells) {
        lab_cell cell = cell_of((int)order[i]);
        lab_result result = result_of((int)order[i]);
        ledger_state state;
        if (i == 0) left = cells;
        if (ledger_claim(&state, book, &cell, false) != PUAD_OK) goto failed;
        if (state == LEDGER_BUSY) {
            usleep(500);
            continue;
        }
        left--;
        if (state == LEDGER_DONE) continue;
        usleep((useconds_t)rng_below(&draws, 2000));
        char line[16];
        int length = snprintf(line, sizeof line, "%u\n", order[i]);
        if (write(file, line, (size_t)length) != length) goto failed;
        if (ledger_finish(book, &cell, &result) != PUAD_OK) goto failed;
    }
    ledger_close(book);
    _exit(0);
failed:
    printf("worker: %s\n", puad_last_error());
    fflush(stdout);
    _exit(1);
}

static void check_complete(const char *path, int cells)
{
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    AUTO_STATEMENT sqlite3_stmt *question = NULL;
    lab_record *records;
    size_t count, done, running;
    bool row;
    CHECK_OK(ledger_open(&book, path, LEDGER_WRITE));
    CHECK_OK(ledger_read(&records, &count, book, &memory, true));
    CHECK_INT(count, cells);
    for (size_t i = 0; i < count; i++) {
        lab_result expected = result_of((int)records[i].cell.seed);
        CHECK(records[i].result.auroc == expected.auroc);
        CHECK_TEXT(records[i].result.history, expected.history);
    }
    CHECK_OK(ledger_count(&done, &running, book));
    CHECK(done == (size_t)cells && running == 0);
    CHECK_OK(database_prepare(&question, book, "PRAGMA integrity_check", NULL));
    CHECK_OK(database_step(&row, book, question));
    CHECK_TEXT((const char *)sqlite3_column_text(question, 0), "ok");
}

TEST(four_concurrent_runs_run_each_experiment_once)
{
    enum { CELLS = 40, RUNS = 4 };
    const char *path = test_path("c.db"), *log = test_path("c.log");
    fflush(stdout);
    for (int i = 0; i < RUNS; i++)
        if (fork() == 0) worker(path, log, CELLS, (uint64_t)i);
    for (int i = 0, status; i < RUNS; i++) {
        wait(&status);
        CHECK_INT(status, 0);
    }
    check_complete(path, CELLS);
    int times[CELLS] = {0}, number;
    FILE *lines = fopen(log, "r");
    REQUIRE(lines);
    while (fscanf(lines, "%d", &number) == 1) times[number]++;
    fclose(lines);
    for (int i = 0; i < CELLS; i++) CHECK_INT(times[i], 1);
}

TEST(killing_twenty_times_ends_in_the_same_ledger)
{
    enum { CELLS = 40 };
    const char *path = test_path("d.db"), *log = test_path("d.log");
    rng draws = rng_make(1, rng_stream("kill", 0));
    fflush(stdout);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) worker(path, log, CELLS, (uint64_t)i);
        usleep((useconds_t)(1000 + rng_below(&draws, 20000)));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    pid_t child = fork();
    int status;
    if (child == 0) worker(path, log, CELLS, 99);
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    check_complete(path, CELLS);
}

TEST(export_and_import_carry_everything)
{
    AUTO_LEDGER ledger *source = NULL, *to = NULL;
    ledger_merge merged;
    unsigned char *first = NULL, *second = NULL;
    size_t first_size = 0, second_size = 0;
    CHECK_OK(ledger_open(&source, test_path("e.db"), LEDGER_CREATE));
    for (int seed = 0; seed < 12; seed++) CHECK_OK(run_cell(source, seed));
    CHECK_OK(ledger_export(source, test_path("e.csv")));
    CHECK_OK(ledger_open(&to, test_path("f.db"), LEDGER_CREATE));
    CHECK_OK(run_cell(to, 3));
    CHECK_OK(run_cell(to, 20));
    CHECK_OK(ledger_import(&merged, to, test_path("e.csv"), false));
    CHECK(merged.added == 11 && merged.same == 1 && merged.differing == 0);
    CHECK_OK(ledger_import(&merged, to, test_path("e.csv"), false));
    CHECK(merged.added == 0 && merged.same == 12);
    ledger *empty = NULL;
    CHECK_OK(ledger_open(&empty, test_path("g.db"), LEDGER_CREATE));
    CHECK_OK(ledger_import(&merged, empty, test_path("e.csv"), false));
    CHECK_OK(ledger_export(empty, test_path("g.csv")));
    ledger_close(empty);
    CHECK_OK(file_read(&first, &first_size, test_path("e.csv"), 1 << 20));
    CHECK_OK(file_read(&second, &second_size, test_path("g.csv"), 1 << 20));
    CHECK(first_size == second_size && memcmp(first, second, first_size) == 0);
    free(first);
    free(second);
}

TEST(an_import_that_differs_replaces_only_on_request)
{
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    ledger_merge merged;
    lab_cell cell = cell_of(0);
    lab_result back;
    bool found;
    static const char other[] = "auroc,method,dataset,normal,unseen,seed,epochs\n"
                                "0.25,pusvdd,glyphs,3,0,0,200\n";
    CHECK_OK(file_write(test_path("h.csv"), other, sizeof other - 1));
    CHECK_OK(ledger_open(&book, test_path("h.db"), LEDGER_CREATE));
    CHECK_OK(run_cell(book, 0));
    CHECK_OK(ledger_import(&merged, book, test_path("h.csv"), false));
    CHECK(merged.differing == 1 && merged.added == 0);
    CHECK_OK(ledger_find(&found, &back, book, &cell, &memory));
    CHECK_NEAR(back.auroc, 0.9, 0);
    CHECK_OK(ledger_import(&merged, book, test_path("h.csv"), true));
    CHECK_OK(ledger_find(&found, &back, book, &cell, &memory));
    CHECK_NEAR(back.auroc, 0.25, 0);
}

TEST(other_files_are_rejected_and_unchanged)
{
    ledger *book = NULL;
    sqlite3 *foreign = NULL;
    CHECK_FAILS(ledger_open(&book, test_path("none.db"), LEDGER_WRITE), PUAD_IO, "none.db");
    CHECK_FAILS(ledger_open(&book, test_folder(), LEDGER_CREATE), PUAD_IO, test_folder());
    CHECK_FAILS(ledger_open(&book, "/nowhere/a.db", LEDGER_CREATE), PUAD_IO, "/nowhere/a.db");
    CHECK_OK(file_write(test_path("text.db"),
                        "this is a text, long enough to be looked at as a header of SQLite", 66));
    CHECK_FAILS(ledger_open(&book, test_path("text.db"), LEDGER_CREATE), PUAD_FORMAT, "text.db");
    CHECK_INT(sqlite3_open(test_path("foreign.db"), &foreign), SQLITE_OK);
    CHECK_INT(sqlite3_exec(foreign, "CREATE TABLE cell (key TEXT)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(foreign);
    CHECK_FAILS(ledger_open(&book, test_path("foreign.db"), LEDGER_CREATE), PUAD_FORMAT, "foreign.db");
}

/* Reads without write permission. */
static void read_as_stranger(const char *path)
{
    ledger *book = NULL;
    arena memory = {0};
    lab_record *records;
    size_t count = 0;
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
    puad_status status = ledger_open(&book, path, LEDGER_READ);
    if (status == PUAD_OK) status = ledger_read(&records, &count, book, &memory, false);
    if (status != PUAD_OK) fprintf(stderr, "%s\n", puad_last_error());
    _exit(status == PUAD_OK && count == 1 ? 0 : 1);
}

TEST(a_ledger_is_read_where_nothing_can_be_written)
{
    AUTO_LEDGER ledger *book = NULL;
    char folder[300], path[320];
    int result;
    snprintf(folder, sizeof folder, "%s", test_path("a #1? folder"));
    snprintf(path, sizeof path, "%s/k.db", folder);
    CHECK(mkdir(folder, 0777) == 0);
    CHECK_OK(ledger_open(&book, path, LEDGER_CREATE));
    CHECK_OK(run_cell(book, 1));
    ledger_close(book);
    book = NULL;
    CHECK(chmod(test_folder(), 0755) == 0 && chmod(path, 0444) == 0 && chmod(folder, 0555) == 0);
    pid_t child = fork();
    if (child == 0) read_as_stranger(path);
    CHECK(waitpid(child, &result, 0) == child);
    CHECK_INT(result, 0);
    CHECK(chmod(folder, 0755) == 0);
}

/* A ledger with one experiment, of a program without the option sampler. */
static puad_status make_old(ledger **out, const char *path)
{
    TRY(ledger_open(out, path, LEDGER_CREATE));
    TRY(run_cell(*out, 1));
    return database_run(*out, "ALTER TABLE cell DROP COLUMN sampler");
}

TEST(reading_leaves_an_old_ledger_as_it_is)
{
    AUTO_LEDGER ledger *book = NULL, *reader = NULL;
    AUTO_ARENA arena memory = {0};
    lab_record *records;
    size_t count;
    const char *path = test_path("l.db");
    CHECK_OK(make_old(&book, path));
    CHECK_OK(ledger_open(&reader, path, LEDGER_READ));
    CHECK_OK(ledger_read(&records, &count, reader, &memory, false));
    CHECK_TEXT(records[0].cell.sampler, lab_cell_standard().sampler);
    CHECK(database_run(book, "SELECT sampler FROM cell") != PUAD_OK);
    CHECK(database_run(reader, "DELETE FROM cell") != PUAD_OK);
    ledger_close(book);
    book = NULL;
    CHECK(file_exists(test_path("l.db-wal")));
    ledger_close(reader);
    reader = NULL;
    CHECK(!file_exists(test_path("l.db-wal")));
}

TEST(a_ledger_of_another_version_is_completed_or_refused)
{
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    lab_record *records;
    size_t count;
    const char *path = test_path("j.db");
    CHECK_OK(make_old(&book, path));
    ledger_close(book);
    CHECK_OK(ledger_open(&book, path, LEDGER_WRITE));
    CHECK_OK(ledger_read(&records, &count, book, &memory, false));
    CHECK_TEXT(records[0].cell.sampler,
               lab_cell_standard().sampler); /* the program's behavior before the column existed */
    CHECK_TEXT(records[0].result.history, "");
    CHECK_OK(database_run(book, "ALTER TABLE cell ADD COLUMN color TEXT"));
    ledger_close(book);
    book = NULL;
    CHECK_FAILS(ledger_open(&book, path, LEDGER_WRITE), PUAD_FORMAT, "j.db", "'color'");
}

/* Opens a ledger with one experiment that was modified outside the program. */
static puad_status open_planted(ledger **out, const char *path, const char *statements)
{
    ledger *book = NULL;
    sqlite3 *file = NULL;
    TRY(ledger_open(&book, path, LEDGER_CREATE));
    puad_status status = run_cell(book, 1);
    ledger_close(book);
    TRY(status);
    bool done = sqlite3_open(path, &file) == SQLITE_OK &&
                sqlite3_exec(file, statements, NULL, NULL, NULL) == SQLITE_OK;
    if (!done) printf("%s\n", sqlite3_errmsg(file));
    sqlite3_close(file);
    return done ? ledger_open(out, path, LEDGER_READ) : status_fail(PUAD_IO, "could not be planted");
}

TEST(a_ledger_with_computed_columns_is_rejected)
{
    static const char *const planted[] = {
        "ALTER TABLE cell RENAME TO c; CREATE VIEW cell AS WITH RECURSIVE n(i) "
        "AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT c.* FROM c, n",
        "CREATE TRIGGER t AFTER INSERT ON claim BEGIN DELETE FROM cell; END",
        "CREATE VIEW more AS SELECT 1",
        "ALTER TABLE owner ADD COLUMN long TEXT AS (printf('%.*c', 100000000, 'x'))",
    };
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        ledger *book = NULL;
        char name[32];
        snprintf(name, sizeof name, "planted%zu.db", i);
        CHECK_FAILS(open_planted(&book, test_path(name), planted[i]), PUAD_FORMAT, name);
        ledger_close(book);
    }
}

TEST(rows_that_no_run_has_written_are_refused_when_they_are_read)
{
    static const struct {
        const char *statement, *facts[3];
    } rows[] = {
        {"UPDATE cell SET normals=9223372036854775807", {"normals", "9.22337e+18"}},
        {"UPDATE cell SET auroc=7", {"auroc", "7"}},
        {"UPDATE cell SET epochs=-1", {"epochs", "-1"}},
        {"UPDATE cell SET machine='a' || char(27) || ']0;b'", {"machine"}},
        {"UPDATE cell SET dataset='x' || char(10)", {"dataset"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AUTO_LEDGER ledger *book = NULL;
        AUTO_ARENA arena memory = {0};
        lab_record *records;
        size_t count;
        char name[32];
        snprintf(name, sizeof name, "row%zu.db", i);
        CHECK_OK(open_planted(&book, test_path(name), rows[i].statement));
        CHECK_FAILS(ledger_read(&records, &count, book, &memory, true), PUAD_FORMAT, rows[i].facts[0],
                    rows[i].facts[1], rows[i].facts[2]);
        CHECK(strstr(puad_last_error(), name));
    }
}
