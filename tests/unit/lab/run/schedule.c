/* Units of work, the estimate that orders them, and results sent between processes. */
#include "lab/run/schedule.h"
#include "test.h"

static lab_cell cells[64];
static cell_cost costs[64];
static size_t cell_count;

static void add(const char *method, const char *normal, long long seed, double own, double pretraining)
{
    lab_cell cell = lab_cell_standard();
    cell.dataset = "mnist";
    cell.normal = normal;
    cell.method = method;
    cell.seed = seed;
    lab_cell_settle(&cell);
    costs[cell_count] = (cell_cost){own, pretraining};
    cells[cell_count++] = cell;
}

TEST(cells_of_one_pretraining_are_one_unit_and_the_largest_comes_first)
{
    AUTO_ARENA arena memory = {0};
    schedule_unit *units;
    size_t count;
    cell_count = 0;
    add("ae", "1", 0, 50, 0);
    add("pusvdd", "1", 0, 10, 100);
    add("deepsvdd", "2", 0, 10, 100);
    add("if", "1", 0, 1, 0);
    add("deepsad", "1", 0, 10, 100);
    cells[4].embedding = "linear"; /* still shares the pretraining */
    add("pusvdd", "1", 1, 10, 100);
    cells[5].pretrain_epochs = 20; /* another budget */
    CHECK_OK(schedule_units(&units, &count, &memory, cells, costs, cell_count));
    CHECK_INT(count, 5);
    CHECK_INT(units[0].count, 2);
    CHECK_INT(units[0].cells[0], 1);
    CHECK_INT(units[0].cells[1], 4);
    CHECK_NEAR(units[0].cost, 120, 1e-9);
    CHECK_INT(units[1].cells[0], 2);
    CHECK_INT(units[2].cells[0], 5);
    CHECK_INT(units[3].cells[0], 0);
    CHECK_INT(units[4].cells[0], 3);
}

TEST(completed_experiments_have_no_cost)
{
    AUTO_ARENA arena memory = {0};
    schedule_unit *units;
    size_t count;
    cell_count = 0;
    add("pusvdd", "1", 0, 0, 0);
    add("deepsad", "1", 0, 10, 100);
    CHECK_OK(schedule_units(&units, &count, &memory, cells, costs, cell_count));
    CHECK_INT(count, 1);
    CHECK_NEAR(units[0].cost, 110, 1e-9);
}

TEST(the_time_of_a_run_is_that_of_the_busiest_rank)
{
    const schedule_unit units[] = {{.cost = 50}, {.cost = 30}, {.cost = 25}, {.cost = 10}};
    double seconds;
    CHECK_OK(schedule_seconds(&seconds, units, 4, 1));
    CHECK_NEAR(seconds, 115, 1e-9);
    CHECK_OK(schedule_seconds(&seconds, units, 4, 2)); /* 50 and 10; 30 and 25 */
    CHECK_NEAR(seconds, 60, 1e-9);
    CHECK_OK(schedule_seconds(&seconds, units, 4, 9));
    CHECK_NEAR(seconds, 50, 1e-9);
}

TEST(a_shared_pretraining_is_divided_among_the_cells_that_need_it)
{
    AUTO_ARENA arena memory = {0};
    double *shares, all;
    cell_count = 0;
    add("pusvdd", "1", 0, 0, 0); /* done */
    add("deepsad", "1", 0, 10, 100);
    add("soel", "1", 0, 20, 100);
    CHECK_OK(schedule_shares(&shares, &all, &memory, cells, costs, cell_count));
    CHECK_NEAR(all, 130, 1e-9);
    CHECK_NEAR(shares[0], 0, 1e-9);
    CHECK_NEAR(shares[1], 60, 1e-9);
    CHECK_NEAR(shares[2], 70, 1e-9);
}

TEST(an_estimate_follows_the_records_that_are_most_alike)
{
    lab_record records[3];
    cell_count = 0;
    add("ae", "1", 0, 0, 0);
    add("ae", "2", 0, 0, 0);
    add("pusvdd", "1", 0, 0, 0);
    for (size_t i = 0; i < 3; i++) {
        records[i] = (lab_record){cells[i], lab_result_unknown()};
        records[i].result.machine = "avx2, 2 threads";
        records[i].result.epochs_run = cells[i].epochs = 10;
    }
    records[0].result.seconds = 30;
    records[1].result.seconds = 50;
    records[2].result.seconds = 7;
    records[2].cell.pretrain_epochs = 5;
    records[2].result.pretrain_seconds = 20;
    estimate source = {records, 3, 2, 0};
    CHECK_NEAR(estimate_cell(&source, &cells[0]).own, 40, 1e-9); /* the mean of its method */
    CHECK_NEAR(estimate_cell(&source, &cells[0]).pretraining, 0, 1e-9);
    cells[2].epochs = 20; /* twice the budget */
    cells[2].pretrain_epochs = 10;
    CHECK_NEAR(estimate_cell(&source, &cells[2]).own, 14, 1e-9);
    CHECK_NEAR(estimate_cell(&source, &cells[2]).pretraining, 40, 1e-9);
    cells[2].method = "deepsad"; /* same head */
    CHECK_NEAR(estimate_cell(&source, &cells[2]).own, 14, 1e-9);
    source.threads = 1;
    CHECK_NEAR(estimate_cell(&source, &cells[2]).own, 28, 1e-9);
    CHECK(estimate_knows(&source, &cells[2]));
    cells[2].dataset = "toy";
    CHECK(!estimate_knows(&source, &cells[2]));
}

TEST(a_result_that_travels_arrives_to_the_last_bit)
{
    AUTO_ARENA arena memory = {0};
    AUTO_FREE char *bytes = NULL;
    size_t size;
    lab_result sent = lab_result_unknown(), got;
    sent.auroc = 1.0 / 3;
    sent.seconds = 5e-324;
    sent.reduced = 1;
    sent.machine = "avx2, 1 threads";
    sent.history = "{\"loss\": [1,\n2]}";
    CHECK_OK(lab_result_pack(&bytes, &size, &sent));
    CHECK_OK(lab_result_unpack(&got, bytes, size, &memory));
    CHECK(got.auroc == sent.auroc && got.seconds == sent.seconds && isnan(got.auprc));
    CHECK_INT(got.reduced, 1);
    CHECK_INT(got.best_epoch, -1);
    CHECK_TEXT(got.history, sent.history);
    CHECK_FAILS(lab_result_unpack(&got, bytes, size - 1, &memory), PUAD_FORMAT, "history");
    CHECK_FAILS(lab_result_unpack(&got, bytes, 0, &memory), PUAD_FORMAT, "auroc");
    bytes[0] = 'x';
    CHECK_FAILS(lab_result_unpack(&got, bytes, size, &memory), PUAD_FORMAT, "auroc", "'x.333");
}
