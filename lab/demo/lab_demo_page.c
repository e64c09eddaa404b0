/* Writes the page of the demonstration. */
#include "lab/demo/lab_demo.h"
#include "lab/results/example_images.h"
#include "plot/page.h"

#include <puad/puad.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXTS_MAX = 64, TEXT_CAPACITY = 24 };

/* Short strings that live while a table is built. */
typedef struct texts {
    char rows[TEXTS_MAX][TEXT_CAPACITY];
    size_t count;
} texts;

static const char *write_text(texts *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *write_text(texts *to, const char *format, ...)
{
    if (to->count == TEXTS_MAX) return "";
    char *out = to->rows[to->count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out, TEXT_CAPACITY, format, arguments);
    va_end(arguments);
    return out;
}

static void add_beginning(page *on, const demo *what)
{
    const split_plan *plan = &what->bench.parts.plan;
    page_section(on, "What was run");
    page_text(
        on,
        "puad finds anomalies in data that contains unlabeled anomalies. It learns from many unlabeled rows, "
        "some of which are hidden anomalies, and from a few labeled anomalies. "
        "A detector that treats all unlabeled rows as normal learns to accept the hidden anomalies. The "
        "methods whose names begin with pu correct for them (positive-unlabeled learning).");
    page_text(
        on,
        "This page shows it on generated data. First points in a plane, where the score at every point can "
        "be drawn. Then %zu small images of drawn characters, %zu of them labeled anomalies and %zu hidden "
        "ones, where six detectors are compared on rows they have not seen.",
        plan->train_count, plan->train_labeled, plan->train_hidden);
    page_note(
        on,
        "All data are synthetic and the budget is small: one seed, %zu rows, at most %zu epochs. "
        "The results show how the program works. They do not rank the methods: another seed may order them "
        "differently.",
        plan->train_count, what->options.epochs);
}

static puad_status add_toy_figure(page *on, const demo *what)
{
    AUTO_ARENA arena memory = {0};
    plot_figure figure;
    TRY(toy_figure(&figure, &memory, &what->toy));
    page_add_figure(on, &figure,
                    "The score at each point, dark where it is high. A good detector is bright along the "
                    "curve of the normal points and dark at the anomalies, including the stars, a kind of "
                    "anomaly without training examples.");
    return PUAD_OK;
}

static void put_auroc(page_cell *out, texts *to, double value, double best)
{
    *out = (page_cell){.text = write_text(to, "%.3f", value), .strong = value >= best - 5e-4};
}

static void add_toy(page *on, const demo *what)
{
    const split_plan *plan = &what->toy.parts.plan;
    static const char *const headings[] = {"method", "AUROC, all", "seen", "unseen"};
    texts made = {0};
    page_cell cells[TOY_METHODS * 4];
    double best[3] = {0};
    for (size_t i = 0; i < TOY_METHODS; i++) {
        const lab_result *result = &what->toy.methods[i].result;
        if (result->auroc > best[0]) best[0] = result->auroc;
        if (result->auroc_seen > best[1]) best[1] = result->auroc_seen;
        if (result->auroc_unseen > best[2]) best[2] = result->auroc_unseen;
    }
    for (size_t i = 0; i < TOY_METHODS; i++) {
        const lab_result *result = &what->toy.methods[i].result;
        cells[4 * i] = (page_cell){.text = what->toy.methods[i].method, .hint = what->toy.methods[i].title};
        put_auroc(&cells[4 * i + 1], &made, result->auroc, best[0]);
        put_auroc(&cells[4 * i + 2], &made, result->auroc_seen, best[1]);
        put_auroc(&cells[4 * i + 3], &made, result->auroc_unseen, best[2]);
    }
    page_section(on, "The toy set: scores of the whole plane");
    page_text(
        on,
        "%zu normal points around a sine curve and %zu anomalies next to it are unlabeled; %zu anomalies "
        "of the same kind are labeled. Each network has three layers of 500 units in each direction and an "
        "embedding of two numbers, and was trained for at most %zu epochs with alpha %.2g.",
        plan->train_normal, plan->train_hidden, plan->train_labeled, what->options.toy_epochs,
        plan->alpha_all);
    puad_status status = add_toy_figure(on, what);
    if (status != PUAD_OK) page_note(on, "The figure is missing: %s", puad_last_error());
    page_text(on,
              "pu is a classifier: it learns what the labeled kind of anomaly looks like, and its output is "
              "arbitrary where there were no data. dae is an autoencoder that treats all unlabeled rows as "
              "normal, including the hidden anomalies. abc raises the scores of labeled anomalies while "
              "hidden ones of the same kind lower them. pudae corrects for the hidden ones.");
    page_text(on, "Area under the ROC curve on new points, "
                  "of all anomalies, of the seen and of the unseen kind: 1 is perfect, 0.5 is chance.");
    page_table table = {NULL, headings, 4, TOY_METHODS, cells, false};
    page_add_table(on, &table);
}

static void add_comparison_table(page *on, const demo *what)
{
    enum { COLUMNS = 7 };
    static const char *const headings[COLUMNS] = {"method",       "AUROC, all", "seen",   "unseen",
                                                  "score is the", "trained on", "seconds"};
    texts made = {0};
    page_cell cells[DEMO_METHODS * COLUMNS];
    double areas[DEMO_METHODS][3], best[3] = {0};
    for (size_t i = 0; i < DEMO_METHODS; i++) {
        const lab_result *result = &what->methods[i].result;
        areas[i][0] = result->auroc;
        areas[i][1] = result->auroc_seen;
        areas[i][2] = result->auroc_unseen;
        for (size_t k = 0; k < 3; k++)
            if (areas[i][k] > best[k]) best[k] = areas[i][k];
    }
    for (size_t i = 0; i < DEMO_METHODS; i++) {
        const demo_method *method = &what->methods[i];
        const detector_kind *kind = detector_kind_find(method->method);
        page_cell *row = &cells[i * COLUMNS];
        row[0] = (page_cell){.text = method->method, .hint = method->title};
        row[4] = (page_cell){.text = strcmp(kind->head, "distance") == 0 ? "distance to a center"
                                                                         : "reconstruction error"};
        row[5] =
            (page_cell){.text = strncmp(method->method, "pu", 2) == 0             ? "both, corrected"
                                : strcmp(kind->objective, "semi_supervised") == 0 ? "both, uncorrected"
                                                                                  : "unlabeled rows only"};
        for (size_t k = 0; k < 3; k++) put_auroc(&row[1 + k], &made, areas[i][k], best[k]);
        row[6] = (page_cell){.text = write_text(&made, "%.1f", method->result.seconds), .faint = true};
    }
    page_text(
        on,
        "Area under the ROC curve on test rows, of all anomalies, of the seen and of the unseen classes; "
        "the best of each column in bold. Seconds exclude the pretraining that distance detectors share.");
    page_table table = {NULL, headings, COLUMNS, DEMO_METHODS, cells, false};
    page_add_table(on, &table);
}

static void add_comparison_bars(page *on, const demo *what)
{
    const char *names[DEMO_METHODS];
    double seen[DEMO_METHODS], unseen[DEMO_METHODS], x[DEMO_METHODS];
    for (size_t i = 0; i < DEMO_METHODS; i++) {
        names[i] = what->methods[i].method;
        x[i] = (double)i;
        seen[i] = what->methods[i].result.auroc_seen;
        unseen[i] = what->methods[i].result.auroc_unseen;
    }
    plot_series series[] = {
        {.name = "seen anomalies", .x = x, .y = seen, .count = DEMO_METHODS, .color = PLOT_BLUE},
        {.name = "unseen anomalies", .x = x, .y = unseen, .count = DEMO_METHODS, .color = PLOT_ORANGE},
    };
    plot_panel panel = {.kind = PLOT_BARS,
                        .x = {.label = "AUROC", .min = 0, .max = 1},
                        .series = series,
                        .series_count = 2,
                        .names = names,
                        .name_count = DEMO_METHODS,
                        .decimals = 3};
    plot_figure figure = {.panels = &panel, .panel_count = 1, .panel_width = 560, .panel_height = 320};
    page_add_figure(on, &figure, NULL);
}

static void add_comparison(page *on, const demo *what)
{
    const split_plan *plan = &what->bench.parts.plan;
    page_section(on, "Six detectors on drawn characters");
    page_text(on,
              "The dataset glyphs has ten classes of characters drawn with random slant, size, stroke and "
              "noise, as 32x32 gray images. The class %s is normal; ring is the class of anomalies that "
              "training never sees; all others are seen anomalies. Training has %zu normal and %zu "
              "anomalous unlabeled rows and %zu labeled anomalies; the test has %zu normal, %zu seen and "
              "%zu unseen rows. The network is conv32 with its default options, alpha is %.2g, and the "
              "distance detectors are pretrained as autoencoders for as many epochs.",
              what->normal, plan->train_normal, plan->train_hidden, plan->train_labeled,
              plan->test_rows_of[GROUP_NORMAL], plan->test_rows_of[GROUP_SEEN],
              plan->test_rows_of[GROUP_UNSEEN], what->cell.alpha);
    add_comparison_table(on, what);
    add_comparison_bars(on, what);
}

/* The first images of each part of the loaded split. */
static puad_status add_examples(page *on, const demo *what)
{
    AUTO_ARENA arena memory = {0};
    plot_panel panels[EXAMPLE_PARTS];
    TRY(examples_panels(panels, &memory, &what->bench.parts, NULL));
    plot_figure figure = examples_figure(panels, 1);
    page_section(on, "The data");
    page_text(on,
              "Rows of the four parts of the split with %s as the normal class. Training cannot "
              "distinguish the first two parts, and never sees the last one.",
              what->normal);
    page_add_figure(on, &figure, NULL);
    return PUAD_OK;
}

typedef struct curve {
    double *epoch, *train, *valid;
    size_t count;
} curve;

static puad_status add_curves(page *on, const char *caption, const history *const *histories,
                              const char *const *names, const size_t *best, size_t count)
{
    AUTO_ARENA arena memory = {0};
    plot_panel *panels = NULL;
    plot_series *series = NULL;
    plot_rule *rules = NULL;
    TRY(arena_new(&memory, &panels, count, sizeof *panels));
    TRY(arena_new(&memory, &series, 2 * count, sizeof *series));
    TRY(arena_new(&memory, &rules, count, sizeof *rules));
    for (size_t i = 0; i < count; i++) {
        const history *source = histories[i];
        curve made = {.count = source->count};
        TRY(arena_new(&memory, &made.epoch, made.count, sizeof(double)));
        TRY(arena_new(&memory, &made.train, made.count, sizeof(double)));
        TRY(arena_new(&memory, &made.valid, made.count, sizeof(double)));
        for (size_t k = 0; k < made.count; k++) {
            made.epoch[k] = source->rows[k].epoch;
            made.train[k] = source->rows[k].train_loss;
            made.valid[k] = source->rows[k].valid_loss;
        }
        series[2 * i] =
            (plot_series){.name = "training", .x = made.epoch, .y = made.train, .count = made.count};
        series[2 * i + 1] =
            (plot_series){.name = "validation", .x = made.epoch, .y = made.valid, .count = made.count};
        rules[i] = (plot_rule){.vertical = true, .at = (double)best[i]};
        panels[i] = (plot_panel){.kind = PLOT_CURVES,
                                 .title = names[i],
                                 .x = {.label = "epoch", .whole = true},
                                 .series = &series[2 * i],
                                 .series_count = 2,
                                 .rules = &rules[i],
                                 .rule_count = 1};
    }
    plot_figure figure = {
        .panels = panels, .panel_count = count, .columns = 3, .panel_width = 320, .panel_height = 210};
    page_add_figure(on, &figure, caption);
    return PUAD_OK;
}

static puad_status add_all_curves(page *on, const demo *what)
{
    const history *histories[DEMO_METHODS + TOY_METHODS];
    const char *names[sizeof histories / sizeof *histories];
    size_t best[sizeof histories / sizeof *histories];
    page_section(on, "Training curves");
    page_text(on,
              "The loss of each epoch on the training rows and on the tenth of them held out for validation. "
              "The thin line marks the epoch whose weights were kept.");
    for (size_t i = 0; i < DEMO_METHODS; i++) {
        histories[i] = &what->methods[i].training;
        names[i] = what->methods[i].method;
        best[i] = (size_t)what->methods[i].result.best_epoch;
    }
    TRY(add_curves(on, "Drawn characters.", histories, names, best, DEMO_METHODS));
    for (size_t i = 0; i < TOY_METHODS; i++) {
        histories[i] = &what->toy.methods[i].training;
        names[i] = what->toy.methods[i].method;
        best[i] = what->toy.methods[i].best_epoch;
    }
    return add_curves(on, "The toy set.", histories, names, best, TOY_METHODS);
}

static void add_end(page *on, const demo *what)
{
    page_section(on, "Continue with your own data");
    page_text(on, "Labels are 1 for a known anomaly and 0 or empty for an unlabeled row:");
    page_code(on, "puad fit train.csv --label-column label -o m.safetensors\n"
                  "puad score m.safetensors new.csv > scores.csv\n"
                  "puad inspect m.safetensors");
    page_text(on,
              "This page: puad %s, seed %llu, %s, trained and scored in %.0f seconds. The same seed on the "
              "same kind of processor gives the same results for any number of threads.",
              puad_version(), (unsigned long long)what->options.seed, what->methods[0].result.machine,
              what->seconds);
}

puad_status demo_write(const demo *what, const char *path)
{
    page *on = NULL;
    TRY(page_new(&on, "puad-lab demo", "Detectors of the paper on generated data"));
    add_beginning(on, what);
    add_toy(on, what);
    add_comparison(on, what);
    puad_status status = add_examples(on, what);
    if (status == PUAD_OK) status = add_all_curves(on, what);
    add_end(on, what);
    if (status == PUAD_OK) status = page_write(on, path);
    page_free(on);
    return status;
}
