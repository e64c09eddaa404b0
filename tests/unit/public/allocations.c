/* Scoring allocates nothing if a scorer has scored as many rows before: counts allocator calls. */
#include "cli/library_values.h"
#include "test.h"
#include "unit/public/fitted.h"

#include <stdatomic.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
static atomic_ulong calls;
#else
#define COUNTS 1
static atomic_ulong calls;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    calls++;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    calls++;
    return __libc_memalign(alignment, size);
}
#endif

static void check_method(const char *method, const char *threads)
{
    enum { COLUMNS_MAX = 64, MANY = 600 };
    static float scores[MANY], values[MANY * COLUMNS_MAX];
    puad_options *options = OPTIONS("method", method, "epochs", "1", "threads", threads);
    puad_dataset *data = NULL, *row = NULL;
    puad_detector *model = fitted(&data, options);
    puad_scorer *scorer = NULL;
    size_t columns = dataset_of(data).columns;
    REQUIRE(columns <= COLUMNS_MAX);
    CHECK_OK(puad_scorer_new(&scorer, model, options));
    CHECK_OK(puad_dataset_open(&row, payments("row.csv", 1, 2, false), model, options));
    const size_t rows[] = {1, 2, MANY, 1};
    for (size_t i = 0; i < 4; i++)
        for (int turn = 0; turn < 3; turn++) {
            unsigned long before = calls;
            CHECK_OK(puad_scorer_run_encoded(scorer, scores, values, rows[i], columns));
            if (turn == 2 && calls != before)
                TEST_FAIL("%s, %zu rows: %lu allocations", method, rows[i], calls - before);
            before = calls;
            CHECK_OK(puad_scorer_run(scorer, scores, MANY, row));
            if (turn == 2 && calls != before)
                TEST_FAIL("%s, a dataset: %lu allocations", method, calls - before);
        }
    puad_scorer_free(scorer);
    puad_dataset_free(row);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

/* A prepared row: a table of one row whose buffers are rewritten before each call. */
TEST(scoring_a_prepared_row_again_allocates_nothing)
{
    if (!COUNTS) SKIP("sanitizers have an allocator of their own");
    puad_options *options = OPTIONS("threads", "1");
    puad_dataset *data = NULL;
    puad_detector *model = fitted(&data, options);
    puad_scorer *scorer = NULL;
    puad_table *table = NULL;
    double amount = 0, hour = 3;
    const char *country = "home", *extra = "not in the model";
    float first, again = NAN;
    CHECK_OK(puad_scorer_new(&scorer, model, options));
    CHECK_OK(puad_table_new(&table, 1));
    CHECK_OK(puad_table_add_doubles(table, "amount", &amount, 0));
    CHECK_OK(puad_table_add_doubles(table, "hour", &hour, 0));
    CHECK_OK(puad_table_add_texts(table, "country", &country, 0));
    CHECK_OK(puad_table_add_texts(table, "extra", &extra, 0));
    CHECK_OK(puad_scorer_run_table(scorer, &first, 1, table, NULL));
    unsigned long before = calls;
    for (int i = 0; i < 100; i++) {
        amount = 50.0 * i;
        country = i % 3 == 0 ? "home" : "never seen";
        CHECK_OK(puad_scorer_run_table(scorer, &again, 1, table, NULL));
    }
    CHECK_INT(calls - before, 0);
    CHECK(again != first);
    amount = 0;
    country = "home";
    CHECK_OK(puad_scorer_run_table(scorer, &again, 1, table, NULL));
    CHECK(again == first);
    puad_table_free(table);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(scoring_as_many_rows_again_allocates_nothing)
{
    if (!COUNTS) SKIP("sanitizers have an allocator of their own");
    static const char *const methods[] = {"committee", "if",       "puforest", "nearest",
                                          "pca",       "pulinear", "puae",     "pusvdd"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int threads = 1; threads < 3; threads++) check_method(methods[i], threads == 1 ? "1" : "2");
}
