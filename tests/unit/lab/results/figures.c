/* Figures of results: which curve a run belongs to, and what is drawn of it. */
#include "lab/results/figures.h"
#include "test.h"

#include <math.h>

static lab_record records[1024];
static size_t record_count;

static lab_record *add(const char *set, const char *method, long long seed, double auroc)
{
    lab_record *record = &records[record_count++];
    *record = (lab_record){lab_cell_standard(), lab_result_unknown()};
    record->cell.dataset = set;
    record->cell.normal = "1";
    record->cell.method = method;
    record->cell.seed = seed;
    record->result.auroc = auroc;
    return record;
}

TEST(a_sweep_over_alpha_has_a_panel_per_set_and_a_curve_per_method)
{
    static const double alphas[] = {0.3, 0.01, 0.1};
    AUTO_ARENA arena memory = {0};
    plot_figure figure;
    record_count = 0;
    for (int seed = 0; seed < 3; seed++)
        for (int i = 0; i < 3; i++) {
            add("mnist", "pusvdd", seed, 0.9 + 0.01 * seed)->cell.alpha = alphas[i];
            add("mnist", "soel", seed, 0.8)->cell.alpha = alphas[i];
            add("cifar10", "soel", seed, alphas[i])->cell.alpha = alphas[i];
        }
    CHECK_OK(
        figure_sweep(&figure, &memory, records, record_count, "alpha", ANOMALIES_all, &(record_query){0}));
    CHECK_INT(figure.panel_count, 2);
    CHECK_TEXT(figure.panels[0].title, "mnist");
    CHECK_INT(figure.panels[0].series_count, 2);
    CHECK_INT(figure.panels[1].series_count, 1);
    const plot_series *soel = &figure.panels[1].series[0], *pusvdd = &figure.panels[0].series[1];
    CHECK_TEXT(soel->name, "soel");
    CHECK_INT(soel->count, 3);
    for (size_t i = 0; i < 3; i++) CHECK_NEAR(soel->y[i], soel->x[i], 1e-12);
    CHECK(soel->x[0] < soel->x[1] && soel->x[1] < soel->x[2]);
    CHECK_TEXT(pusvdd->name, "pusvdd");
    CHECK_NEAR(pusvdd->y[0], 0.91, 1e-12);
    CHECK_NEAR(pusvdd->high[0], 0.92, 1e-12);
    CHECK_OK(plot_write(&figure, test_path("alpha.svg")));
    CHECK_FAILS(
        figure_sweep(&figure, &memory, records, record_count, "seed", ANOMALIES_all, &(record_query){0}),
        PUAD_INVALID, "'seed'", "alpha", "hidden");
}

TEST(a_band_ends_where_an_auroc_does)
{
    static const double near_one[] = {0.9, 1, 1}, near_zero[] = {0, 0, 0.1}, alone[] = {0.7};
    double low, high;
    CHECK_NEAR(figure_band(&low, &high, near_one, 3), 2.9 / 3, 1e-12);
    CHECK_NEAR(low, 2.9 / 3 - 0.1 / sqrt(3), 1e-12);
    CHECK(high == 1);
    CHECK_NEAR(figure_band(&low, &high, near_zero, 3), 0.1 / 3, 1e-12);
    CHECK(low == 0);
    CHECK(figure_band(&low, &high, alone, 1) == 0.7 && low == 0.7 && high == 0.7);
}

TEST(a_contamination_sweep_distinguishes_the_two_alphas)
{
    static const long long hidden[] = {0, 125, 250, 500, 1000};
    AUTO_ARENA arena memory = {0};
    plot_figure figure;
    record_count = 0;
    for (int i = 0; i < 5; i++)
        for (int kind = 0; kind < 3; kind++) {
            lab_record *record = add("mnist", kind == 2 ? "deepsad" : "pusvdd", 0, 0.9);
            record->cell.hidden = hidden[i];
            record->cell.normals = 4750 - hidden[i];
            record->cell.alpha = kind == 0   ? (250 + (double)hidden[i]) / 5000
                                 : kind == 1 ? (double)hidden[i] / 4750
                                             : 0;
        }
    CHECK_OK(
        figure_sweep(&figure, &memory, records, record_count, "hidden", ANOMALIES_all, &(record_query){0}));
    REQUIRE(figure.panels[0].series_count >= 3);
    CHECK_TEXT(figure.panels[0].series[0].name, "deepsad");
    CHECK_TEXT(figure.panels[0].series[1].name, "pusvdd");
    CHECK_TEXT(figure.panels[0].series[2].name, "pusvdd, alpha of the unlabeled");
    for (size_t s = 1; s < 3; s++) CHECK_INT(figure.panels[0].series[s].count, 5);
    CHECK(figure.panels[0].series[2].dashed);
}

/* One experiment of a contamination sweep over `rows` training rows. */
static lab_record *add_hidden(const char *method, long long rows, long long hidden, bool of_all)
{
    lab_record *record = add("mnist", method, 0, 0.9);
    record->cell.hidden = hidden;
    record->cell.labeled = rows / 20;
    record->cell.normals = rows - hidden - record->cell.labeled;
    double unlabeled = (double)(rows - record->cell.labeled);
    record->cell.alpha =
        of_all ? (double)(hidden + record->cell.labeled) / (double)rows : (double)hidden / unlabeled;
    if (lab_cell_settle(&record->cell) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
    return record;
}

TEST(a_contamination_sweep_of_reduced_splits_is_drawn)
{
    AUTO_ARENA arena memory = {0};
    plot_figure figure;
    record_count = 0;
    for (int i = 0; i < 3; i++) {
        lab_result *result = &add_hidden("soel", 5000, 125 * i, true)->result;
        result->reduced = 1;
        result->alpha_all = 0.049 + 0.024 * i; /* rounded down with the rows */
    }
    CHECK_OK(
        figure_sweep(&figure, &memory, records, record_count, "hidden", ANOMALIES_all, &(record_query){0}));
    REQUIRE(figure.panels[0].series_count == 1);
    CHECK_INT(figure.panels[0].series[0].count, 3);
}

TEST(contamination_sweeps_of_different_sizes_are_different_curves)
{
    AUTO_ARENA arena memory = {0};
    plot_figure figure;
    record_count = 0;
    for (int i = 0; i < 3; i++) {
        add_hidden("deepsad", 5000, 100 * i, true);
        add_hidden("deepsad", 2000, 100 * i, true)->result.auroc = 0.5;
    }
    CHECK_OK(
        figure_sweep(&figure, &memory, records, record_count, "hidden", ANOMALIES_all, &(record_query){0}));
    REQUIRE(figure.panels[0].series_count == 2);
    CHECK(strstr(figure.panels[0].series[0].name, "labeled=") != NULL);
    CHECK_NEAR(figure.panels[0].series[0].y[0] + figure.panels[0].series[1].y[0], 1.4, 1e-12);
}

TEST(a_contamination_sweep_is_not_a_sweep_over_alpha)
{
    AUTO_ARENA arena memory = {0};
    plot_figure figure;
    record_count = 0;
    for (int i = 0; i < 3; i++) {
        add_hidden("pusvdd", 5000, 125 * i, true);
        add_hidden("pusvdd", 5000, 125 * i, false);
    }
    CHECK_FAILS(
        figure_sweep(&figure, &memory, records, record_count, "alpha", ANOMALIES_all, &(record_query){0}),
        PUAD_INVALID, "alpha");
    add_hidden("pusvdd", 5000, 250, true)->cell.alpha = 0.3;
    CHECK_OK(
        figure_sweep(&figure, &memory, records, record_count, "alpha", ANOMALIES_seen, &(record_query){0}));
    REQUIRE(figure.panels[0].series_count == 1);
    CHECK_INT(figure.panels[0].series[0].count, 2); /* with alpha_all; alpha_U is of the other sweep */
    CHECK_TEXT(figure.panels[0].y.label, "AUROC on seen anomalies");
    CHECK_TEXT(figure.title, "normal class 1, seed 0; 200 epochs after 200 of pretraining");
}

TEST(training_curves_come_out_of_the_histories)
{
    AUTO_ARENA arena memory = {0};
    plot_figure figure;
    record_count = 0;
    add("mnist", "pusvdd", 0, 0.9);
    CHECK_FAILS(figure_training(&figure, &memory, records, record_count, &(record_query){0}), PUAD_INVALID,
                "history");
    lab_record *record = add("mnist", "pusvdd", 1, 0.9);
    record->result.history =
        "{\"epoch\":[0,1,2],\"train_loss\":[3,2,1],\"valid_loss\":[3,2.5,null],\"seconds\":[1,1,1]}";
    record->result.best_epoch = 1;
    CHECK_OK(figure_training(&figure, &memory, records, record_count, &(record_query){0}));
    CHECK_INT(figure.panel_count, 1);
    CHECK_TEXT(figure.panels[0].title, "mnist 1, pusvdd, seed 1");
    CHECK_NEAR(figure.panels[0].series[1].y[1], 2.5, 0);
    CHECK(isnan(figure.panels[0].series[1].y[2]));
    CHECK_OK(plot_write(&figure, test_path("training.png")));
    record->result.history = "{";
    CHECK_FAILS(figure_training(&figure, &memory, records, record_count, &(record_query){0}), PUAD_FORMAT,
                "'history'", "JSON");
}

TEST(curves_over_epochs_are_means_of_the_runs_that_reach_them)
{
    AUTO_ARENA arena memory = {0};
    plot_figure figure;
    record_count = 0;
    add("mnist", "pu", 0, 0.9)->result.history =
        "{\"epoch\":[0,1],\"auroc\":[0.5,0.7],\"auroc_unseen\":[0.1,0.2]}";
    add("mnist", "pu", 1, 0.9)->result.history =
        "{\"epoch\":[0,1,2],\"auroc\":[0.6,0.7,0.8],\"auroc_unseen\":[null,0.4,0.6]}";
    add("mnist", "pusvdd", 0, 0.9)->result.history = "{\"epoch\":[0]}";
    CHECK_OK(figure_epochs(&figure, &memory, records, record_count, ANOMALIES_all, &(record_query){0}));
    CHECK_INT(figure.panel_count, 1);
    CHECK_INT(figure.panels[0].series_count, 1);
    const plot_series *line = &figure.panels[0].series[0];
    CHECK_TEXT(line->name, "pu");
    CHECK_INT(line->count, 3);
    CHECK_NEAR(line->x[0], 1, 1e-12);
    CHECK_NEAR(line->y[0], 0.55, 1e-12);
    CHECK_NEAR(line->high[1], 0.7, 1e-12);
    CHECK_NEAR(line->y[2], 0.8, 1e-12);
    CHECK_OK(figure_epochs(&figure, &memory, records, record_count, ANOMALIES_unseen, &(record_query){0}));
    CHECK_NEAR(figure.panels[0].series[0].y[1], 0.3, 1e-12);
    CHECK_FAILS(figure_epochs(&figure, &memory, records + 2, 1, ANOMALIES_all, &(record_query){0}),
                PUAD_INVALID, "--curve");
}

TEST(a_table_can_be_drawn_as_bars)
{
    AUTO_ARENA arena memory = {0};
    plot_figure figure;
    lab_table table;
    paper_table paper = paper_built_in();
    record_count = 0;
    add("mnist", "pusvdd", 0, 0.9);
    add("mnist", "ae", 0, 0.8);
    add("glyphs", "ae", 0, 0.8);
    CHECK_OK(table_build(&table, &memory, records, record_count, &(table_query){.paper = &paper}));
    CHECK_OK(figure_bars(&figure, &memory, &table));
    CHECK_INT(figure.panel_count, 2);
    CHECK_NEAR(figure.panels[0].series[1].y[0], 0.912, 0);
    CHECK(isnan(figure.panels[1].series[0].y[1]));
    CHECK_OK(plot_write(&figure, test_path("bars.pdf")));
}
