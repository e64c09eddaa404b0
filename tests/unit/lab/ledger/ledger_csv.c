/* The records that an import accepts. */
#include "base/file.h"
#include "lab/ledger/ledger.h"
#include "test.h"

#define HEADER "dataset,normal,method,seed,epochs,auroc"
#define GOOD "glyphs,3,pusvdd,0,5,0.9"

static puad_status import_text(ledger_merge *out, ledger *to, const char *text)
{
    TRY(file_write(test_path("in.csv"), text, strlen(text)));
    return ledger_import(out, to, test_path("in.csv"), false);
}

/* An import into a new ledger. */
static puad_status import_alone(const char *text)
{
    AUTO_LEDGER ledger *book = NULL;
    ledger_merge merged;
    TRY(ledger_open(&book, test_path("alone.db"), LEDGER_CREATE));
    return import_text(&merged, book, text);
}

TEST(a_broken_import_changes_nothing_and_names_line_and_column)
{
    static const struct {
        const char *text, *facts[3];
    } broken[] = {
        {"", {"in.csv"}},
        {"dataset,color\n", {"'color'"}},
        {"dataset,dataset\n", {"in.csv", "dataset"}},
        {"dataset,method,auroc\nglyphs,pusvdd,0.9\n", {"in.csv:1", "'normal'"}},
        {"dataset,normal,method,seed,auroc\n", {"'epochs'"}},
        {HEADER "\n" GOOD "\nglyphs,3,pusvdd,x,5,0.9\n", {"in.csv:3", "seed", "'x'"}},
        {HEADER "\n" GOOD "\nglyphs,3\n", {"in.csv:3", "2 values"}},
        {HEADER "\nglyphs,3,pusvdd,-1,5,0.9\n", {"in.csv:2", "seed", "-1"}},
        {HEADER "\nglyphs,3,pusvdd,0,-3,0.9\n", {"epochs", "-3"}},
        {HEADER "\nglyphs,3,if,0,-3,0.9\n", {"epochs", "-3"}}, /* though they mean nothing to it */
        {HEADER "\nglyphs,3,pusvdd,0,2000000000,0.9\n", {"epochs", "2e+09"}},
        {HEADER "\nglyphs,3,pusvdd,0,5,7\n", {"in.csv:2", "auroc", "7"}},
        {HEADER "\nglyphs,3,pusvdd,0,5,inf\n", {"auroc", "inf"}},
        {HEADER "\nglyphs,3,pusvdd,0,5,nan\n", {"auroc", "'nan'"}},
        {HEADER ",auprc\n" GOOD ",-0.1\n", {"auprc", "-0.1"}},
        {HEADER ",normals\n" GOOD ",9223372036854775807\n", {"normals"}},
        {HEADER ",best_epoch\n" GOOD ",-2\n", {"best_epoch", "-2"}},
        {HEADER ",seconds\n" GOOD ",-1\n", {"seconds", "-1"}},
        {HEADER ",alpha\n" GOOD ",\n", {"alpha", "''"}},
        {HEADER ",alpha\n" GOOD ",inf\n", {"alpha"}},
        {HEADER ",alpha\n" GOOD ",1\n", {"alpha", "1"}},
        {HEADER ",embedding\n" GOOD ",round\n", {"embedding"}},
        {HEADER ",objective\n" GOOD ",guess\n", {"objective"}},
        {HEADER "\nglyphs,3,,0,5,0.9\n", {"in.csv:2"}},
        {HEADER "\nnowhere,3,pusvdd,0,5,0.9\n", {"in.csv:2", "dataset", "'nowhere'"}},
        {HEADER "\nglyphs,3,magic,0,5,0.9\n", {"in.csv:2", "method", "'magic'"}},
        {HEADER "\nglyphs,99,pusvdd,0,5,0.9\n", {"in.csv:2", "normal", "'99'"}},
        {HEADER "\nglyphs,,pusvdd,0,5,0.9\n", {"normal"}},
        {HEADER "\nglyphs,0,pusvdd,0,5,0.9\n", {"in.csv:2", "normal", "unseen"}},
        {HEADER ",unseen\n" GOOD ",x\n", {"unseen", "'x'"}},
        {HEADER ",best_epoch,epochs_run\n" GOOD ",5,5\n", {"best_epoch", "5"}},
        {HEADER ",epochs_run\n" GOOD ",6\n", {"epochs_run", "6", "5"}},
        {HEADER ",train_rows\n" GOOD ",0\n", {"train_rows"}},
        {HEADER ",train_rows\n" GOOD ",5001\n", {"train_rows"}},
        {HEADER ",test_rows\n" GOOD ",0\n", {"test_rows"}},
        {HEADER ",auroc_seen,auroc_unseen\n" GOOD ",0.6,0.8\n", {"auroc", "0.9"}},
        {HEADER ",alpha_kind\n" GOOD ",guessed\n", {"alpha_kind", "'guessed'"}},
        {HEADER ",finished\n" GOOD ",yesterday\n", {"finished", "'yesterday'"}},
        {HEADER ",history\n" GOOD ",once upon a time\n", {"in.csv:2", "'history'", "JSON"}},
        {HEADER ",history\n" GOOD ",{}\n", {"in.csv:2", "history"}},
    };
    AUTO_LEDGER ledger *book = NULL;
    ledger_merge merged;
    size_t done, running;
    CHECK_OK(ledger_open(&book, test_path("broken.db"), LEDGER_CREATE));
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        CHECK_FAILS(import_text(&merged, book, broken[i].text), PUAD_FORMAT, broken[i].facts[0],
                    broken[i].facts[1], broken[i].facts[2]);
    CHECK_OK(ledger_count(&done, &running, book));
    CHECK_INT(done, 0);
}

TEST(results_may_be_unknown)
{
    CHECK_OK(import_alone(HEADER ",auroc_unseen,best_epoch,history\nglyphs,3,if,0,0,,,-1,\n"));
}

TEST(imported_experiments_are_normalized)
{
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    ledger_merge merged;
    lab_record *records;
    size_t count;
    CHECK_OK(ledger_open(&book, test_path("settled.db"), LEDGER_CREATE));
    CHECK_OK(import_text(&merged, book, HEADER ",unseen,embedding\nglyphs,3,ae,0,5,0.9,0,\n"));
    CHECK_OK(import_text(&merged, book, HEADER ",unseen,embedding\nglyphs,3,ae,0,5,0.9,0,bn\n"));
    CHECK(merged.added == 0 && merged.same == 1);
    CHECK_OK(import_text(&merged, book, HEADER "\nglyphs,corner,ae,0,5,0.9\n"));
    CHECK(merged.added == 0 && merged.same == 1); /* the class by its name, and the set's own unseen class */
    CHECK_OK(ledger_read(&records, &count, book, &memory, true));
    CHECK_INT(count, 1);
    CHECK_TEXT(records[0].cell.normal, "3");
    CHECK_TEXT(records[0].cell.unseen, "0");
    CHECK_TEXT(records[0].cell.embedding, "");
    CHECK_INT(records[0].cell.pretrain_epochs, 0);
    CHECK_OK(import_text(&merged, book, HEADER "\ncifar100,nature,if,0,0,0.9\n"));
    CHECK_INT(merged.added, 1);
}

TEST(only_results_are_compared)
{
    static const char *const others[] = {"auroc", "auroc_seen", "auroc_unseen",
                                         "auprc", "best_epoch", "valid_loss"};
    AUTO_LEDGER ledger *book = NULL;
    ledger_merge merged;
    CHECK_OK(ledger_open(&book, test_path("figures.db"), LEDGER_CREATE));
    CHECK_OK(import_text(&merged, book,
                         HEADER ",seconds,machine,finished,version\n" GOOD ",1,a,2026-01-01T00:00:00Z,c\n"));
    CHECK_OK(import_text(&merged, book,
                         HEADER ",seconds,machine,finished,version\n" GOOD ",2,x,2026-01-02T00:00:00Z,z\n"));
    CHECK(merged.same == 1 && merged.differing == 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char text[200];
        if (i == 0)
            snprintf(text, sizeof text, "%s\nglyphs,3,pusvdd,0,5,0.8\n", HEADER);
        else
            snprintf(text, sizeof text, "%s,%s\n%s,1\n", HEADER, others[i], GOOD);
        CHECK_OK(import_text(&merged, book, text));
        if (merged.differing != 1) TEST_FAIL("another %s is no other figure", others[i]);
    }
}

TEST(the_published_results_go_through_a_ledger_unchanged)
{
    static const char published[] = "docs/results/ledger.csv";
    AUTO_LEDGER ledger *book = NULL;
    AUTO_FREE unsigned char *before = NULL, *after = NULL;
    size_t size = 0, size_after = 0;
    ledger_merge merged;
    if (!file_exists(published)) SKIP("needs docs/results/ledger.csv below the working folder");
    CHECK_OK(ledger_open(&book, test_path("published.db"), LEDGER_CREATE));
    CHECK_OK(ledger_import(&merged, book, published, false));
    CHECK(merged.added > 0 && merged.same == 0 && merged.differing == 0);
    CHECK_OK(ledger_export(book, test_path("published.csv")));
    CHECK_OK(file_read(&before, &size, published, (size_t)1 << 28));
    CHECK_OK(file_read(&after, &size_after, test_path("published.csv"), (size_t)1 << 28));
    CHECK(size == size_after && memcmp(before, after, size) == 0);
}
