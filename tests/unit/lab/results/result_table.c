/* Tables: means, marks, missing values, the paper's results, in every format. */
#include "lab/results/result_table.h"
#include "base/file.h"
#include "base/rng.h"
#include "lab/results/statistics.h"
#include "test.h"

enum { NORMALS = 9, SEEDS = 2 };
static const char *const normals[NORMALS] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
static lab_record records[512];
static size_t record_count;

static lab_record *add(const char *set, const char *method, int normal, int seed, double auroc)
{
    lab_record *record = &records[record_count++];
    *record = (lab_record){lab_cell_standard(), lab_result_unknown()};
    record->cell.dataset = set;
    record->cell.normal = normals[normal];
    record->cell.unseen = "0";
    record->cell.method = method;
    record->cell.seed = seed;
    record->cell.epochs = 10;
    record->result.auroc = auroc;
    record->result.reduced = 0;
    if (lab_cell_settle(&record->cell) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
    return record;
}

/* Two datasets: pusvdd and deepsad hardly differ on mnist, ae is far below; on svhn experiments are
 * missing. */
static void fill(void)
{
    rng draws = rng_make(5, 5);
    record_count = 0;
    for (int normal = 0; normal < NORMALS; normal++)
        for (int seed = 0; seed < SEEDS; seed++) {
            double level = 0.9 + 0.01 * normal;
            add("mnist", "ae", normal, seed, level - 0.2);
            add("mnist", "pusvdd", normal, seed, level + 0.01 * rng_normal(&draws));
            add("mnist", "deepsad", normal, seed, level + 0.01 * rng_normal(&draws));
            if (normal < 3) add("svhn", "pusvdd", normal, seed, 0.7);
        }
}

static const table_value *value_at(const lab_table *table, const char *method, const char *set)
{
    for (size_t row = 0; row < table->row_count; row++)
        for (size_t i = 0; i < table->dataset_count; i++)
            if (strcmp(table->rows[row].method, method) == 0 && strcmp(table->datasets[i], set) == 0)
                return &table->values[row * table->dataset_count + i];
    return NULL;
}

static char *written(const lab_table *table, const char *format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (table_write(stream, table, format) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
    fclose(stream);
    return text;
}

TEST(means_marks_and_missing_runs)
{
    AUTO_ARENA arena memory = {0};
    lab_table table;
    paper_table paper = paper_built_in();
    fill();
    CHECK_OK(table_build(&table, &memory, records, record_count, &(table_query){.paper = &paper}));
    CHECK_INT(table.row_count, 3);
    CHECK_INT(table.dataset_count, 2);
    CHECK_TEXT(table.rows[0].method, "ae"); /* the order of detectors.def */
    CHECK_TEXT(table.rows[1].method, "deepsad");
    CHECK_TEXT(table.datasets[0], "mnist");
    CHECK_TEXT(table.rows[1].setting, "");
    const table_value *ae = value_at(&table, "ae", "mnist"), *pusvdd = value_at(&table, "pusvdd", "mnist"),
                      *svhn = value_at(&table, "pusvdd", "svhn"), *none = value_at(&table, "ae", "svhn");
    double levels[NORMALS * SEEDS];
    for (int i = 0; i < NORMALS * SEEDS; i++) levels[i] = 0.7 + 0.01 * (i / SEEDS);
    CHECK_NEAR(ae->mean, 0.74, 1e-12);
    CHECK_NEAR(ae->deviation, statistics_deviation(levels, NORMALS * SEEDS), 1e-12);
    CHECK(!ae->best && pusvdd->best && value_at(&table, "deepsad", "mnist")->best);
    CHECK(pusvdd->runs == 18 && pusvdd->expected == 18);
    /* a single row is not marked as the best */
    CHECK(svhn->runs == 6 && svhn->expected == 18 && !svhn->best);
    CHECK(none->runs == 0 && !none->best && isnan(none->mean));
    REQUIRE(pusvdd->paper && ae->paper);
    CHECK_NEAR(ae->paper->mean, 0.912, 0);
}

TEST(differences_to_the_paper_are_over_all_classes_with_a_standard_error)
{
    AUTO_ARENA arena memory = {0};
    lab_table table;
    paper_table paper = paper_built_in();
    fill();
    CHECK_OK(table_build(&table, &memory, records, record_count, &(table_query){.paper = &paper}));
    const table_value *ae = value_at(&table, "ae", "mnist"), *svhn = value_at(&table, "pusvdd", "svhn");
    CHECK_NEAR(ae->difference, 0.74 - 0.912, 1e-12);
    CHECK_NEAR(ae->error, sqrt(ae->deviation * ae->deviation / 18 + 0.042 * 0.042 / 45), 1e-12);
    CHECK(svhn->paper && isnan(svhn->difference) && isnan(svhn->error)); /* three of nine classes */
}

TEST(classes_have_equal_weights_whatever_their_seeds)
{
    record_count = 0;
    for (int seed = 0; seed < 3; seed++) add("mnist", "ae", 0, seed, 1.0 - 0.1 * seed); /* mean 0.9 */
    add("mnist", "ae", 1, 0, 0.5);
    AUTO_ARENA arena memory = {0};
    lab_table table;
    CHECK_OK(table_build(&table, &memory, records, record_count, &(table_query){0}));
    const table_value *ae = value_at(&table, "ae", "mnist");
    CHECK(ae->runs == 4);
    CHECK_NEAR(ae->mean, 0.7, 1e-12);
    double squares = (0.09 + 0.04 + 0.01) / 3 + 0.04; /* about the mean, by class */
    CHECK_NEAR(ae->worth, 3, 1e-12);                  /* (3/3 + 1)^2 / (3/9 + 1) */
    CHECK_NEAR(ae->deviation, sqrt(squares / 2 * 3 / 2), 1e-12);
}

TEST(marks_are_over_the_runs_that_rows_share)
{
    AUTO_ARENA arena memory = {0};
    lab_table table;
    record_count = 0;
    for (int normal = 0; normal < NORMALS; normal++) {
        add("mnist", "if", normal, 0, normal < 3 ? 0.8 : 0.999); /* high where the others were not run */
        if (normal < 3) add("mnist", "ae", normal, 0, 0.80 + 0.01 * normal);
        if (normal < 3) add("mnist", "pusvdd", normal, 0, 0.90 + 0.011 * normal);
        if (normal < 2) add("mnist", "pu", normal, 0, 0.99);
    }
    CHECK_OK(table_build(&table, &memory, records, record_count, &(table_query){0}));
    const table_value *forest = value_at(&table, "if", "mnist"), *best = value_at(&table, "pusvdd", "mnist");
    CHECK(forest->runs == NORMALS && forest->mean > best->mean);
    CHECK(best->best && !forest->best && !value_at(&table, "ae", "mnist")->best);
    CHECK(!value_at(&table, "pu", "mnist")->best); /* fewer runs than the median row */
}

TEST(rows_of_one_method_are_named_by_their_differences)
{
    AUTO_ARENA arena memory = {0};
    lab_table table;
    fill();
    for (int normal = 0; normal < 3; normal++) {
        add("mnist", "pusvdd", normal, 0, 0.99)->cell.embedding = "linear";
        lab_record *ablation = add("mnist", "pusvdd", normal, 0, 0.5);
        ablation->cell.objective = "pu_nn";
    }
    CHECK_OK(table_build(&table, &memory, records, record_count, &(table_query){0}));
    CHECK_INT(table.row_count, 5);
    CHECK_TEXT(table.rows[0].setting, "");
    CHECK_TEXT(table.rows[1].setting, "embedding=bn");
    CHECK_TEXT(table.rows[2].setting, "embedding=bn");
    CHECK_TEXT(table.rows[3].setting, "embedding=linear");
    CHECK_TEXT(table.rows[4].setting, "objective=pu_nn, embedding=bn");
    CHECK(table.values[2 * table.dataset_count].best &&
          !table.values[3 * table.dataset_count].best); /* 3 runs only */
    CHECK(strstr(table.common, "epochs=10") && strstr(table.common, "alpha=0.1") &&
          !strstr(table.common, "embedding"));
    CHECK_OK(table_build(
        &table, &memory, records, record_count,
        &(table_query){.cells.where = (const char *const[]){"embedding=linear"}, .cells.where_count = 1}));
    CHECK_INT(table.row_count, 2); /* and ae, to which it means nothing */
    CHECK_TEXT(table.rows[0].method, "ae");
    CHECK_FAILS(table_build(&table, &memory, records, record_count,
                            &(table_query){.cells.where = (const char *const[]){"embedding=x"},
                                           .cells.where_count = 1}),
                PUAD_INVALID, "embedding=x");
    CHECK_FAILS(
        table_build(&table, &memory, records, record_count,
                    &(table_query){.cells.where = (const char *const[]){"auroc=1"}, .cells.where_count = 1}),
        PUAD_INVALID, "'auroc=1'");
    CHECK_FAILS(
        table_build(&table, &memory, records, record_count,
                    &(table_query){.cells.methods = (const char *const[]){"pu"}, .cells.method_count = 1}),
        PUAD_INVALID);
}

TEST(reduced_experiments_are_not_compared_with_the_paper)
{
    AUTO_ARENA arena memory = {0};
    lab_table table;
    paper_table paper = paper_built_in();
    fill();
    add("cifar10", "pusvdd", 0, 0, 0.8)->result.reduced = 1;
    add("cifar10", "ae", 0, 0, 0.6);
    CHECK_OK(
        table_build(&table, &memory, records, record_count, &(table_query){.paper = &paper, .seeds = 5}));
    REQUIRE(table.row_count == 4); /* full ones and reduced ones are not averaged */
    const table_value *full = value_at(&table, "pusvdd", "cifar10"), *reduced = full + table.dataset_count;
    CHECK_TEXT(table.rows[3].setting, "reduced");
    CHECK(full->runs == 0 && reduced->runs == 1 && reduced->reduced && !reduced->paper && !reduced->best);
    CHECK(!full->paper &&
          /* shown for a row without runs only if there are no other rows */
          value_at(&table, "ae", "svhn")->paper);
    CHECK(value_at(&table, "ae", "cifar10")->paper != NULL);
    CHECK_INT(value_at(&table, "ae", "cifar10")->expected, 45);
    char *text = written(&table, "terminal");
    CHECK(strstr(text, "1 of 45, reduced") != NULL);
    free(text);
}

TEST(the_paper_is_compared_only_for_its_sizes_and_alpha)
{
    AUTO_ARENA arena memory = {0};
    lab_table table;
    paper_table paper = paper_built_in();
    record_count = 0;
    add("mnist", "pusvdd", 0, 0, 0.9)->cell.weight = "equal"; /* an option of the method may differ */
    add("mnist", "pusvdd", 0, 0, 0.8)->cell.alpha = 0.3;
    add("mnist", "deepsad", 0, 0, 0.8)->cell.normals = 450;
    CHECK_OK(table_build(&table, &memory, records, record_count, &(table_query){.paper = &paper}));
    REQUIRE(table.row_count == 3);
    for (size_t row = 0; row < 3; row++)
        CHECK((table.values[row].paper != NULL) == (strstr(table.rows[row].setting, "weight=equal") != NULL));
}

TEST(an_alpha_of_0_is_a_value_if_the_method_uses_alpha)
{
    AUTO_ARENA arena memory = {0};
    lab_table table;
    record_count = 0;
    add("mnist", "pusvdd", 0, 0, 0.9);
    add("mnist", "pusvdd", 0, 0, 0.8)->cell.alpha = 0;
    add("mnist", "ae", 0, 0, 0.7);
    CHECK_OK(table_build(&table, &memory, records, record_count, &(table_query){0}));
    REQUIRE(table.row_count == 3);
    CHECK_TEXT(table.rows[0].setting, "");
    CHECK_TEXT(table.rows[1].setting, "alpha=0");
    CHECK_TEXT(table.rows[2].setting, "alpha=0.1");
    CHECK_OK(table_build(
        &table, &memory, records, record_count,
        &(table_query){.cells.where = (const char *const[]){"alpha=0.10"}, .cells.where_count = 1}));
    CHECK_INT(table.row_count, 2);
}

TEST(every_form_is_written)
{
    AUTO_ARENA arena memory = {0};
    lab_table table;
    paper_table paper = paper_built_in();
    fill();
    CHECK_OK(table_build(&table, &memory, records, record_count,
                         &(table_query){.paper = &paper,
                                        .cells.methods = (const char *const[]){"ae", "pusvdd"},
                                        .cells.method_count = 2}));
    char *text = written(&table, "terminal");
    CHECK(strstr(text, "-0.172 \xC2\xB1 0.009\n") != NULL);
    CHECK(strstr(text, "6 of 18") != NULL);
    free(text);
    text = written(&table, "markdown");
    CHECK(strstr(text, "| ae | 0.740 \xC2\xB1 0.027 | 0.912 \xC2\xB1 0.042 | -0.172 \xC2\xB1 0.009 |") !=
          NULL);
    CHECK(strstr(text, "| 0.700 \xC2\xB1 0.000 (6 of 18) |") != NULL);
    free(text);
    text = written(&table, "latex");
    CHECK(strstr(text, "ae & 0.740 $\\pm$ 0.027 & 0.912 $\\pm$ 0.042 & -0.172 $\\pm$ 0.009") != NULL);
    CHECK(strstr(text, "pretrain\\_epochs") != NULL);
    free(text);
    text = written(&table, "csv");
    CHECK(strstr(text, "\nall,mnist,ae,,0.74,") != NULL);
    CHECK(strstr(text, "all,svhn,ae,,,,0,18,0,0,0.562,0.04,0,,,\"alpha=0.1,") != NULL);
    CHECK(strstr(text, "epochs=10, pretrain_epochs=") != NULL);
    free(text);
    page *made = NULL;
    grid texts;
    CHECK_OK(page_new(&made, "t", NULL));
    CHECK_OK(table_wide(&texts, &memory, &table));
    CHECK_OK(grid_add_to_page(made, &texts));
    page_free(made);
}

TEST(the_paper_is_complete_and_can_be_read_from_a_file)
{
    AUTO_ARENA arena memory = {0};
    paper_table paper = paper_built_in(), read;
    CHECK_INT(paper.count, 3 * 8 * 10);
    const paper_row *row = paper_find(&paper, ANOMALIES_unseen, "fashion_mnist", "pusvdd");
    REQUIRE(row);
    static const char text[] =
        "anomalies,dataset,method,auroc_mean,auroc_std,best\nall,FashionMNIST,DeepSVDD,0.5,0.25,1\n";
    CHECK_OK(file_write(test_path("paper.csv"), text, sizeof text - 1));
    CHECK_OK(paper_read(&read, &memory, test_path("paper.csv")));
    row = paper_find(&read, ANOMALIES_all, "fashion_mnist", "deepsvdd");
    REQUIRE(row);
    CHECK(row->mean == 0.5 && row->deviation == 0.25 && row->best);
    CHECK(paper_find(&read, ANOMALIES_seen, "fashion_mnist", "deepsvdd") == NULL);
    CHECK_OK(file_write(test_path("paper.csv"), text, sizeof text - 9));
    CHECK_FAILS(paper_read(&read, &memory, test_path("paper.csv")), PUAD_FORMAT, "paper.csv:2");
    CHECK_OK(file_write(test_path("paper.csv"), "a,b\n", 4));
    CHECK_FAILS(paper_read(&read, &memory, test_path("paper.csv")), PUAD_FORMAT, "paper.csv:1",
                "anomalies,dataset,method,auroc_mean,auroc_std,best");
}

TEST(options_without_meaning_are_settled)
{
    lab_cell cell = lab_cell_standard();
    cell.dataset = "mnist";
    cell.method = "if";
    CHECK_OK(lab_cell_settle(&cell));
    CHECK(cell.epochs == 0 && cell.pretrain_epochs == 0 && cell.alpha == 0 && !*cell.embedding);
    cell = lab_cell_standard();
    cell.method = "puae";
    CHECK_OK(lab_cell_settle(&cell));
    CHECK(cell.pretrain_epochs == 0 && cell.alpha == 0.1 && !*cell.embedding && !*cell.balance);
    CHECK_TEXT(cell.weight, "prior");
    cell = lab_cell_standard();
    cell.method = "deepsad";
    cell.objective = "semi_supervised"; /* its own */
    CHECK_OK(lab_cell_settle(&cell));
    CHECK(cell.pretrain_epochs == 200 && cell.alpha == 0 && !*cell.weight && !*cell.objective);
    CHECK_TEXT(cell.balance, "separate");
    cell.method = "nonsense";
    CHECK_FAILS(lab_cell_settle(&cell), PUAD_INVALID, "nonsense");
}
