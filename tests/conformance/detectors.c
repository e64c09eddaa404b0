/* Every detector of detectors.def on a table and on images, if its head supports them: it beats chance on
 * an easy problem, gives the same bits for one and two threads, the same scores after saving and loading,
 * and the same bits when a stopped training is resumed. */
#include "detector/model/detectors.h"
#include "base/rng.h"
#include "base/threads.h"
#include "decide/metrics.h"
#include "detector/model/fit_options.h"
#include "test.h"

#include <puad/detector.h>

enum { ROWS = 96, TEST_ROWS = 60, TABLE = 8, IMAGE = 32 * 32 };

/* ThreadSanitizer is many times slower and only looks for races: short trainings on two threads. */
#ifdef __SANITIZE_THREAD__
enum { RACES_ALONE = 1 };
#else
enum { RACES_ALONE = 0 };
#endif

/* Under an emulator, images take minutes for each detector; convolutions have tests of their own. */
#ifdef PUAD_TEST_EMULATED
enum { EMULATED = 1 };
#else
enum { EMULATED = 0 };
#endif

static bool is_short(bool image)
{
    return RACES_ALONE || (EMULATED && image);
}

/* Normal rows lie near one pattern, anomalies are mostly noise; a few anomalies are labeled, a few hidden,
 * and a few normals are labeled for the methods that can use them. */
typedef struct problem {
    float *values, *test_values;
    int8_t labels[ROWS], truth[TEST_ROWS];
    size_t columns;
    bool image;
} problem;

static void draw_row(float *row, size_t columns, bool anomaly, rng *draws)
{
    double place = rng_normal(draws);
    for (size_t c = 0; c < columns; c++) {
        if (columns == IMAGE) { /* a bright square of one size, or noise */
            size_t x = c % 32, y = c / 32;
            bool inside = y > 8 && y < 22 && x > 10 && x < 24;
            row[c] = (float)(anomaly ? rng_uniform(draws) : 0.2 + (inside ? 0.5 : 0) + 0.02 * place);
        } else {
            row[c] = (float)(anomaly ? 4 + 2 * rng_normal(draws)
                                     : place * (c % 2 ? 1 : -1) + 0.3 * rng_normal(draws));
        }
    }
}

static problem make_problem(bool image)
{
    problem p = {.columns = image ? IMAGE : TABLE, .image = image};
    rng draws = rng_make(9, image);
    p.values = malloc(ROWS * p.columns * sizeof(float));
    p.test_values = malloc(TEST_ROWS * p.columns * sizeof(float));
    for (size_t i = 0; i < ROWS; i++) {
        bool anomaly = i % 6 == 0;
        draw_row(p.values + i * p.columns, p.columns, anomaly, &draws);
        p.labels[i] = anomaly ? i % 12 == 0 : i % 10 == 1 ? -1 : 0;
    }
    for (size_t i = 0; i < TEST_ROWS; i++) {
        p.truth[i] = i % 3 == 0;
        draw_row(p.test_values + i * p.columns, p.columns, p.truth[i], &draws);
    }
    return p;
}

static void free_problem(problem *p)
{
    free(p->values), free(p->test_values);
}

static labeled_rows rows_of(const problem *p)
{
    size_t side = p->image ? 32 : 1;
    return (labeled_rows){p->values, p->labels, ROWS, side, side, p->image ? 1 : TABLE, NULL};
}

static fit_options options_for(const char *method, bool image)
{
    fit_options options = fit_options_standard();
    options.method = method;
    options.epochs = is_short(image) ? 1 : image ? 3 : 40;
    options.pretrain_epochs = is_short(image) || image ? 1 : 5;
    options.batch = 16;
    options.learning_rate = 1e-3;
    options.seed = 5;
    return options;
}

static bool score_all(float *scores, const puad_detector *model, const problem *p, int threads)
{
    puad_scorer *scorer = NULL;
    AUTO_TEAM team *workers = NULL;
    if (team_new(&workers, threads) != PUAD_OK) return false;
    if (scorer_new(&scorer, model, workers, NULL) != PUAD_OK) return false;
    puad_status status = scorer_run(scorer, scores, p->test_values, TEST_ROWS);
    puad_scorer_free(scorer);
    return status == PUAD_OK;
}

/* Stops after the second epoch of training. */
static puad_answer stop_early(void *context, const puad_progress *now)
{
    (void)context;
    return !now->pretraining && now->epoch == 1 && now->batch == now->batches ? PUAD_ABORT : PUAD_GO_ON;
}

static void check_resume(const fit_options *whole, const problem *p, const float *expected)
{
    fit_options options = *whole;
    labeled_rows rows = rows_of(p);
    puad_detector *model = NULL;
    options.checkpoint = test_path("checkpoint");
    unlink(options.checkpoint);
    options.progress = stop_early;
    CHECK_INT(detector_fit(&model, &rows, &options), PUAD_CANCELLED);
    options.progress = NULL;
    options.resume = 1;
    CHECK_OK(detector_fit(&model, &rows, &options));
    float scores[TEST_ROWS];
    REQUIRE(score_all(scores, model, p, 1));
    CHECK(memcmp(scores, expected, sizeof scores) == 0);
    puad_detector_free(model);
}

/* A head for tables rejects images, and a head for images rejects tables. */
static bool check_refusal(const char *method, bool image)
{
    const char *kind = detector_kind_find(method)->head;
    bool rows_only = strcmp(kind, "icl") == 0 || strcmp(kind, "neutral") == 0;
    if (image ? !rows_only : strcmp(kind, "rot") != 0) return false;
    problem p = make_problem(image);
    labeled_rows rows = rows_of(&p);
    fit_options options = options_for(method, image);
    puad_detector *model = NULL;
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, image ? kind : "32x32");
    free_problem(&p);
    return true;
}

static void check_short(const char *method, const problem *p)
{
    labeled_rows rows = rows_of(p);
    fit_options options = options_for(method, p->image);
    puad_detector *model = NULL;
    float scores[TEST_ROWS];
    if (p->image) rows.rows /= 3;
    AUTO_TEAM team *workers = NULL;
    REQUIRE(team_new(&workers, 2) == PUAD_OK);
    options.workers = workers;
    CHECK_OK(detector_fit(&model, &rows, &options));
    CHECK(score_all(scores, model, p, 3));
    puad_detector_free(model);
}

static void check_detector(const char *method, bool image)
{
    if (check_refusal(method, image)) return;
    problem p = make_problem(image);
    labeled_rows rows = rows_of(&p);
    fit_options options = options_for(method, image);
    puad_detector *model = NULL, *again = NULL;
    float scores[TEST_ROWS], other[TEST_ROWS];
    double auroc = 0;
    if (is_short(image)) {
        check_short(method, &p);
        free_problem(&p);
        return;
    }
    REQUIRE(detector_fit(&model, &rows, &options) == PUAD_OK);
    REQUIRE(score_all(scores, model, &p, 1));
    REQUIRE(metrics_auroc(&auroc, scores, p.truth, TEST_ROWS) == PUAD_OK);
    if (!(auroc > 0.7)) TEST_FAIL("%s on %s: AUROC %.3f", method, image ? "images" : "a table", auroc);

    AUTO_TEAM team *workers = NULL;
    REQUIRE(team_new(&workers, 2) == PUAD_OK);
    options.workers = workers;
    REQUIRE(detector_fit(&again, &rows, &options) == PUAD_OK);
    REQUIRE(score_all(other, again, &p, 3));
    if (memcmp(scores, other, sizeof scores) != 0) TEST_FAIL("%s: two threads give other bits", method);
    puad_detector_free(again);
    options.workers = NULL;

    const char *path = test_path("model.safetensors");
    REQUIRE(puad_detector_save(model, path) == PUAD_OK);
    REQUIRE(puad_detector_load(&again, path) == PUAD_OK);
    REQUIRE(score_all(other, again, &p, 1));
    if (memcmp(scores, other, sizeof scores) != 0) TEST_FAIL("%s: a loaded model gives other bits", method);
    model_facts before = detector_facts(model), after = detector_facts(again);
    CHECK_TEXT(after.method, before.method);
    CHECK_INT(after.best_epoch, before.best_epoch);
    CHECK_INT(after.epochs, before.epochs);
    if (!isnan(before.valid_loss)) CHECK_NEAR(after.valid_loss, before.valid_loss, 0);
    puad_detector_free(again);
    puad_detector_free(model);
    if (detector_kind_has_network(detector_kind_find(method))) check_resume(&options, &p, scores);
    free_problem(&p);
}

#define DETECTOR(name, title, head, objective, noise)                                                        \
    TEST(name##_passes_on_a_table)                                                                           \
    {                                                                                                        \
        check_detector(#name, false);                                                                        \
    }                                                                                                        \
    TEST(name##_passes_on_images)                                                                            \
    {                                                                                                        \
        check_detector(#name, true);                                                                         \
    }
#include "detector/model/detectors.def"
#undef DETECTOR

TEST(options_that_do_not_fit_are_refused_by_name)
{
    problem p = make_problem(false);
    labeled_rows rows = rows_of(&p);
    puad_detector *model = NULL;
    fit_options options = options_for("pusvd", false);
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "'pusvd'", "pusvdd");
    options = options_for("puae", false);
    options.alpha = 1.0;
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "alpha");
    const double rates[] = {-1e-3, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 3; i++) {
        options = options_for("puae", false);
        options.learning_rate = rates[i];
        CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "learning_rate");
    }
    options = options_for("puae", false);
    options.alpha_kind = "alpha_u";
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "alpha_kind", "'alpha_u'");
    options = options_for("puae", false);
    options.batch = SIZE_MAX;
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "batch", "1000000000");
    options.batch = 1;
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "batch");
    options = options_for("puae", false);
    options.epochs = SIZE_MAX;
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "epochs", "1000000000");
    labeled_rows many = rows;
    many.rows = SIZE_MAX / 2;
    options = options_for("puae", false);
    CHECK_FAILS(detector_fit(&model, &many, &options), PUAD_INVALID, "9223372036854775807", "1000000000");
    const char *wrong[] = {"balance=pooled", "embedding=bn", "noise=-1", "nonsense=1", "weight"};
    for (size_t i = 0; i < 5; i++) {
        options = options_for("puae", false);
        options.settings = &wrong[i];
        options.setting_count = 1;
        CHECK_INT(detector_fit(&model, &rows, &options), PUAD_INVALID);
    }
    options = options_for("puae", false);
    options.network = "conv32";
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "32x32");
    p.values[17] = NAN;
    options = options_for("puae", false);
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_NUMERIC, "row 2", "column 1");
    free_problem(&p);
}

TEST(a_checkpoint_of_other_rows_or_options_is_refused)
{
    problem p = make_problem(false);
    labeled_rows rows = rows_of(&p);
    puad_detector *model = NULL;
    fit_options options = options_for("puae", false);
    options.epochs = 1;
    options.checkpoint = test_path("other");
    options.resume = 1;
    CHECK_OK(detector_fit(&model, &rows, &options));
    CHECK(access(options.checkpoint, F_OK) == 0); /* the caller removes it */
    puad_detector_free(model);
    options.seed++;
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "other", "seed", "resume");
    options.seed--;
    options.epochs = 2; /* may change when training continues */
    CHECK_OK(detector_fit(&model, &rows, &options));
    puad_detector_free(model);
    p.values[0] += 1;
    CHECK_FAILS(detector_fit(&model, &rows, &options), PUAD_INVALID, "other", "rows", "resume");
    free_problem(&p);
}

TEST(a_cut_or_changed_model_file_is_an_error_with_its_name)
{
    problem p = make_problem(false);
    labeled_rows rows = rows_of(&p);
    puad_detector *model = NULL;
    fit_options options = options_for("puae", false);
    options.epochs = 1;
    CHECK_OK(detector_fit(&model, &rows, &options));
    const char *path = test_path("whole.safetensors"), *cut = test_path("cut.safetensors");
    CHECK_OK(puad_detector_save(model, path));
    puad_detector_free(model);
    FILE *in = fopen(path, "rb");
    REQUIRE(in);
    static unsigned char bytes[1 << 22];
    size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    for (size_t length = 0; length < size; length += length < 64 ? 1 : size / 50) {
        FILE *out = fopen(cut, "wb");
        REQUIRE(out);
        fwrite(bytes, 1, length, out);
        fclose(out);
        CHECK_FAILS(puad_detector_load(&model, cut), PUAD_FORMAT, "cut.safetensors");
    }
    unsigned char *sum = memmem(bytes, size, "\"checksum\"", 10); /* without it, as in older files */
    REQUIRE(sum);
    memcpy(sum, "\"checkold\"", 10);
    static const char *const changes[][3] = {{"equal", "equql", "'equql'"}, {"mlp", "mlq", "'mlq'"}};
    for (size_t i = 0; i < 2; i++) {
        unsigned char *at = memmem(bytes, size, changes[i][0], strlen(changes[i][0]));
        REQUIRE(at);
        memcpy(at, changes[i][1], strlen(changes[i][1]));
        FILE *out = fopen(cut, "wb");
        REQUIRE(out);
        fwrite(bytes, 1, size, out);
        fclose(out);
        CHECK_FAILS(puad_detector_load(&model, cut), PUAD_FORMAT, "cut.safetensors", changes[i][2]);
        memcpy(at, changes[i][0], strlen(changes[i][0]));
    }
    free_problem(&p);
}

/* A custom head: the largest error of any column, trained with the library's positive-unlabeled objective. */
static double largest_error(void *context, float *slopes, const float *values, size_t count, const float *row,
                            size_t columns)
{
    (void)context, (void)columns;
    size_t at = 0;
    for (size_t i = 1; i < count; i++)
        if (fabsf(values[i] - row[i]) > fabsf(values[at] - row[at])) at = i;
    for (size_t i = 0; slopes && i < count; i++) slopes[i] = i != at ? 0 : values[i] > row[i] ? 1 : -1;
    return fabsf(values[at] - row[at]);
}

TEST(a_custom_head_is_trained_and_scored)
{
    problem p = make_problem(false);
    labeled_rows rows = rows_of(&p);
    puad_own_head head = {"largest error", 0, largest_error, puad_loss_pair_find("reconstruction"), NULL};
    fit_options options = options_for("puae", false);
    options.head = &head;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    CHECK_OK(detector_fit(&model, &rows, &options));
    CHECK_FAILS(scorer_new(&scorer, model, NULL, NULL), PUAD_INVALID, "'largest error'");
    puad_own_head other = head;
    other.name = "smallest error";
    CHECK_FAILS(scorer_new(&scorer, model, NULL, &other), PUAD_INVALID, "'smallest error'",
                "'largest error'");
    other = head;
    other.reads_code = 1;
    CHECK_FAILS(scorer_new(&scorer, model, NULL, &other), PUAD_INVALID, "'largest error'", "reconstruction");
    CHECK_OK(scorer_new(&scorer, model, NULL, &head));
    float scores[TEST_ROWS];
    double auroc = 0;
    CHECK_OK(scorer_run(scorer, scores, p.test_values, TEST_ROWS));
    CHECK_OK(metrics_auroc(&auroc, scores, p.truth, TEST_ROWS));
    CHECK(auroc > 0.7);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    free_problem(&p);
}
