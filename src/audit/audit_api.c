/* Implements <puad/audit.h>. */
#include "audit/audit.h"
#include "audit/audit_file.h"
#include "base/c_locale.h"
#include "detector/model/model.h"
#include "input/answer_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CONFIDENCE 0.9

typedef struct ranked_row {
    float score;
    uint32_t row;
} ranked_row;

static int by_score(const void *left, const void *right)
{
    const ranked_row *a = left, *b = right;
    if (a->score != b->score) return a->score < b->score ? 1 : -1;
    return (a->row > b->row) - (a->row < b->row);
}

static puad_status rank_rows(puad_audit *audit, const float *scores)
{
    AUTO_FREE ranked_row *ranked = NULL;
    size_t rows = audit->design.rows;
    TRY(arena_new(&audit->memory, &audit->scores, rows, sizeof *audit->scores));
    TRY(arena_new(&audit->memory, &audit->labels, rows, 1));
    TRY(arena_new(&audit->memory, &audit->order, rows, sizeof *audit->order));
    TRY(memory_new(&ranked, rows, sizeof *ranked, "ranks"));
    for (size_t i = 0; i < rows; i++) {
        if (isnan(scores[i])) FAIL(PUAD_NUMERIC, "the score of row %zu is not a number", i);
        audit->scores[i] = scores[i];
        ranked[i] = (ranked_row){scores[i], (uint32_t)i};
    }
    qsort(ranked, rows, sizeof *ranked, by_score);
    for (size_t i = 0; i < rows; i++) audit->order[i] = ranked[i].row;
    audit->threshold = INFINITY;
    return PUAD_OK;
}

puad_status audit_draw(puad_audit *audit, size_t round)
{
    const audit_design *design = &audit->design;
    TRY(arena_new(&audit->memory, &audit->drawn, round * design->checks, sizeof *audit->drawn));
    TRY(audit_arrivals(audit->drawn, &audit->drawn_count, design, audit->order, round * design->checks));
    audit->round = round;
    return audit_design_print(&audit->text, &audit->memory, design, round);
}

static puad_status make(puad_audit *audit, const float *scores, audit_design design, double flag_rate,
                        size_t round)
{
    audit->design = design;
    TRY(audit_design_complete(&audit->design, flag_rate));
    TRY(rank_rows(audit, scores));
    return audit_draw(audit, round);
}

puad_status puad_audit_new(puad_audit **out, const float *scores, size_t rows, const puad_audit_plan *plan)
{
    NEED(out);
    *out = NULL;
    NEED(plan);
    if (rows) NEED(scores);
    puad_audit_plan given = {0};
    TRY(struct_read(&given, sizeof given, plan, "puad_audit_plan"));
    char text[32];
    puad_audit *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "an audit"));
    /* with the precision of the files */
    c_print(text, sizeof text, "%.9g", given.rate > 0 ? given.rate : AUDIT_DEFAULT_RATE);
    audit_design design = {.rows = rows,
                           .checks = given.checks,
                           .rounds = given.rounds ? given.rounds : 1,
                           .rate = c_strtod(text, NULL),
                           .seed = given.seed};
    double flag_rate = given.flag_rate > 0 && given.flag_rate < 1 ? given.flag_rate
                                                                  : audit_flag_rate(given.model, given.rate);
    puad_status status = make(made, scores, design, flag_rate, 1);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_audit_free(made);
    return status;
}

void puad_audit_free(puad_audit *audit)
{
    if (!audit) return;
    arena_free(&audit->memory);
    free(audit);
}

static bool is_drawn(const puad_audit *audit, size_t row)
{
    for (size_t i = 0; i < audit->drawn_count; i++)
        if (audit->drawn[i].row == row) return true;
    return false;
}

/* Reads the answers of the files; their rows must be the sampled rows. */
static puad_status read_answers(puad_audit *audit, const char *const *paths, size_t path_count)
{
    AUTO_FREE uint8_t *asked = NULL;
    size_t rows = audit->design.rows, missing = 0;
    TRY(memory_new(&asked, rows, 1, "rows"));
    answer_target target = {.labels = audit->labels, .asked = asked, .rows = rows};
    for (size_t i = 0; i < path_count; i++) TRY(answer_file_apply(&target, paths[i]));
    for (size_t i = 0; i < rows; i++)
        if (asked[i] && !is_drawn(audit, i))
            FAIL(PUAD_INVALID,
                 "%s: row %zu is not in the audit's sample; use the model and the input of 'puad "
                 "query --audit'",
                 paths[0], i);
    for (size_t i = 0; i < audit->drawn_count; i++) missing += !asked[audit->drawn[i].row];
    if (missing)
        FAIL(PUAD_INVALID,
             "%s: %zu of %zu sampled rows are missing; keep rows without an answer, with an "
             "empty label",
             paths[0], missing, audit->drawn_count);
    return PUAD_OK;
}

puad_status puad_audit_read(puad_audit **out, const float *scores, size_t rows, const char *const *paths,
                            size_t path_count)
{
    NEED(out);
    *out = NULL;
    NEED(paths);
    if (rows) NEED(scores);
    audit_design design = {0};
    size_t round = 0;
    TRY(audit_files_design(&design, &round, paths, path_count));
    if (design.rows != rows)
        FAIL(PUAD_INVALID, "%s: the audit is about an input of %zu rows, this one has %zu", paths[0],
             design.rows, rows);
    puad_audit *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "an audit"));
    puad_status status = make(made, scores, design, 0, round);
    if (status == PUAD_OK) status = read_answers(made, paths, path_count);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_audit_free(made);
    return status;
}

puad_status puad_audit_continue(puad_audit *audit)
{
    NEED(audit);
    if (audit->round >= audit->design.rounds)
        FAIL(PUAD_INVALID,
             "all %zu rounds of the audit are drawn; plan more rounds, or begin one with another seed",
             audit->design.rounds);
    return audit_draw(audit, audit->round + 1);
}

size_t puad_audit_count(const puad_audit *audit)
{
    return audit ? audit->drawn_count : 0;
}

/* For each row of the stratum, at the time when the expected number of sampled rows equals the actual one. */
static double planned_probability(const puad_audit *audit, size_t stratum)
{
    const audit_design *design = &audit->design;
    double low = 0, high = 1e9;
    for (int i = 0; i < 200; i++) {
        double time = (low + high) / 2, expected = 0;
        for (size_t s = 0, begin = 0; s < design->strata; begin = design->ends[s++])
            expected += (double)(design->ends[s] - begin) * -expm1(-design->rates[s] * time);
        *(expected < (double)audit->drawn_count ? &low : &high) = time;
    }
    return -expm1(-design->rates[stratum] * high);
}

puad_status puad_audit_get(const puad_audit *audit, size_t index, puad_audit_row *out)
{
    NEED(audit);
    NEED(out);
    if (index >= audit->drawn_count)
        FAIL(PUAD_INVALID, "row %zu of an audit of %zu rows", index, audit->drawn_count);
    const audit_arrival *drawn = &audit->drawn[index];
    size_t stratum = audit_stratum_of(&audit->design, drawn->rank);
    const puad_audit_row made = {.row = drawn->row,
                                 .round = index / audit->design.checks + 1,
                                 .stratum = stratum,
                                 .probability = planned_probability(audit, stratum),
                                 .score = audit->scores[drawn->row],
                                 .label = audit->labels[drawn->row]};
    return struct_write(out, &made, sizeof made, "puad_audit_row");
}

const char *puad_audit_text(const puad_audit *audit)
{
    return audit ? audit->text : "";
}

puad_status puad_audit_answer(puad_audit *audit, const size_t *rows, const int8_t *labels, size_t count)
{
    NEED(audit);
    if (count) NEED(rows);
    if (count) NEED(labels);
    for (size_t i = 0; i < count; i++) {
        if (!is_drawn(audit, rows[i])) FAIL(PUAD_INVALID, "row %zu is not a row of the audit", rows[i]);
        if (labels[i] < -1 || labels[i] > 1)
            FAIL(PUAD_INVALID, "the answer for row %zu is %d; expected 1, -1 or 0", rows[i], labels[i]);
    }
    for (size_t i = 0; i < count; i++) audit->labels[rows[i]] = labels[i];
    return PUAD_OK;
}

static void set_lowest_rate(puad_audit_result *out, const puad_audit *audit, const audit_evidence *evidence)
{
    out->lowest_rate = NAN;
    size_t first = evidence->log_factorials && evidence->threshold_count ? evidence->threshold_count - 1 : 0;
    for (size_t i = first; i < evidence->threshold_count; i++) {
        audit_counts at = audit_counts_at(audit, evidence, evidence->thresholds[i]);
        double rate = audit_rate_at(audit, evidence, &at) * (double)audit->design.rounds;
        if (rate < 1 && !(rate > out->lowest_rate)) {
            out->lowest_rate = rate;
            out->lowest_rate_flagged = at.flagged;
        }
    }
}

static puad_status need_answers(const puad_audit *audit)
{
    for (size_t i = 0; i < audit->drawn_count; i++)
        if (audit->labels[audit->drawn[i].row] != PUAD_LABEL_UNLABELED) return PUAD_OK;
    FAIL(PUAD_INVALID, "no row of the audit has an answer; write 1 or -1 into the column 'label'");
}

puad_status puad_audit_decide(puad_audit *audit, double rate, double confidence, puad_audit_result *out)
{
    NEED(audit);
    NEED(out);
    if (rate == 0) rate = audit->design.rate;
    if (confidence == 0) confidence = DEFAULT_CONFIDENCE;
    if (!(rate > 0 && rate < 1) || !(confidence > 0 && confidence < 1))
        FAIL(PUAD_INVALID, "rate and confidence must be above 0 and below 1");
    TRY(need_answers(audit));
    AUTO_ARENA arena memory = {0};
    audit_evidence evidence;
    TRY(audit_evidence_of(&evidence, &memory, audit, confidence));
    double spent = rate / (double)audit->design.rounds;
    audit_counts at = audit_choose(audit, &evidence, spent);
    audit->threshold = at.rank ? (double)audit->scores[audit->order[at.rank - 1]] : INFINITY;
    puad_audit_result made = {.checked = audit->drawn_count,
                              .flagged = at.flagged,
                              .threshold = at.rank ? audit->threshold : NAN,
                              .rate = rate,
                              .round_rate = spent,
                              .limit = audit_limit_at(audit, &evidence, &at),
                              .point_count = audit->design.region_strata};
    for (size_t i = 0; i < audit->drawn_count; i++) {
        int8_t label = audit->labels[audit->drawn[i].row];
        made.anomalies += label == PUAD_LABEL_ANOMALY;
        made.unanswered += label == PUAD_LABEL_UNLABELED;
    }
    set_lowest_rate(&made, audit, &evidence);
    made.checks_for_rate = audit_checks_for(audit, &evidence, at.rank ? spent / 2 : spent, 1);
    if (at.rank)
        made.checks_for_rows = audit_checks_for(audit, &evidence, spent, at.flagged + (at.flagged + 1) / 2);
    TRY(audit_estimate(&made.precision, &made.recall, &made.alpha, audit, &evidence, &at, confidence));
    return struct_write(out, &made, sizeof made, "puad_audit_result");
}

int puad_audit_flags(const puad_audit *audit, size_t row)
{
    if (!audit || row >= audit->design.rows) return 0;
    if (audit->labels[row] != PUAD_LABEL_UNLABELED) return audit->labels[row] == PUAD_LABEL_ANOMALY;
    return (double)audit->scores[row] >= audit->threshold && !is_drawn(audit, row);
}

puad_status puad_audit_point_get(const puad_audit *audit, size_t index, double confidence,
                                 puad_audit_point *out)
{
    NEED(audit);
    NEED(out);
    if (index >= audit->design.region_strata)
        FAIL(PUAD_INVALID, "point %zu of %zu", index, audit->design.region_strata);
    if (confidence == 0) confidence = DEFAULT_CONFIDENCE;
    AUTO_ARENA arena memory = {0};
    audit_evidence evidence;
    puad_audit_estimate alpha;
    TRY(audit_evidence_of(&evidence, &memory, audit, confidence));
    size_t rank = evidence.threshold_count ? evidence.thresholds[0] : 0;
    for (size_t i = 0; i < evidence.threshold_count && evidence.thresholds[i] <= audit->design.ends[index];
         i++)
        rank = evidence.thresholds[i];
    audit_counts at = audit_counts_at(audit, &evidence, rank);
    puad_audit_point made = {.threshold = rank ? (double)audit->scores[audit->order[rank - 1]] : NAN,
                             .rate =
                                 fmin(1, audit_rate_at(audit, &evidence, &at) * (double)audit->design.rounds),
                             .limit = audit_limit_at(audit, &evidence, &at),
                             .flagged = at.flagged};
    TRY(audit_estimate(&made.precision, &made.recall, &alpha, audit, &evidence, &at, confidence));
    return struct_write(out, &made, sizeof made, "puad_audit_point");
}
