/* Levels counted, rows spooled, decisions printed. */
#include "cli/score_decide.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static puad_status need_calibration(const decider *by, const char *name, const char *path)
{
    if (by->held) return PUAD_OK;
    FAIL(PUAD_INVALID,
         "--%s needs rows held out of training, and %s has none: train it again with 'puad fit --calibrate', "
         "or "
         "use --threshold",
         name, path);
}

static puad_status parse_flag_rate(double *out, const char *text, double alpha)
{
    char *end;
    *out = alpha;
    if (strcmp(text, "alpha") == 0) {
        if (*out > 0 && *out < 1) return PUAD_OK;
        FAIL(PUAD_INVALID, "--flag-rate alpha: alpha is %g, which is no share to flag; give one", *out);
    }
    *out = strtod(text, &end);
    if (end == text || *end || !(*out > 0 && *out < 1))
        FAIL(PUAD_INVALID, "--flag-rate: '%s' is neither a share above 0 and below 1 nor 'alpha'", text);
    return PUAD_OK;
}

static puad_status choose_how(decider *out, const invocation *call, const char *path)
{
    bool fdr = is_given(call, "fdr"), rate = is_given(call, "flag-rate");
    bool threshold = is_given(call, "threshold");
    if (fdr + rate + threshold > 1)
        FAIL(PUAD_INVALID, "--fdr, --flag-rate and --threshold each decide by themselves: give one of them");
    static const char *const needing[] = {"p", "fdr", "flag-rate", "kind", "alpha"};
    for (size_t i = 0; i < sizeof needing / sizeof *needing; i++)
        if (is_given(call, needing[i])) TRY(need_calibration(out, needing[i], path));
    out->kinds = is_given(call, "kind");
    if (out->kinds && !(fdr || rate || threshold))
        FAIL(PUAD_INVALID, "--kind marks flagged rows: give --fdr, --flag-rate or --threshold too");
    if (out->kinds && out->held->known_count == 0)
        FAIL(PUAD_INVALID, "--kind: %s was trained without labeled anomalies, so it knows no kind", path);
    if (fdr) out->how = DECIDE_FDR;
    if (rate || threshold) out->how = DECIDE_THRESHOLD;
    out->rate = value_of(call, "fdr")->number;
    out->threshold = value_of(call, "threshold")->number;
    if (rate) TRY(parse_flag_rate(&out->flag_rate, value_of(call, "flag-rate")->text, out->alpha));
    return PUAD_OK;
}

puad_status decider_new(decider *out, const invocation *call, const puad_detector *model)
{
    bool given = is_given(call, "alpha");
    *out = (decider){.held = model->held_out.unlabeled_count ? &model->held_out : NULL,
                     .alpha = given ? value_of(call, "alpha")->number : model->held_out.alpha,
                     .alpha_unknown = model->held_out.alpha_unknown && !given};
    TRY(choose_how(out, call, call->arguments[0]));
    if (!out->held) return PUAD_OK;
    const calibration *held = out->held;
    bool plain = strcmp(value_of(call, "p")->text, "plain") == 0 || out->alpha_unknown;
    out->p = plain ? CONFORMAL_PLAIN : CONFORMAL_CORRECTED;
    TRY(conformal_new(&out->by, held->unlabeled, held->unlabeled_count, held->anomalies, held->anomaly_count,
                      out->alpha));
    TRY(memory_new(&out->counts, out->by.levels, sizeof *out->counts, "levels"));
    if (out->flag_rate > 0) out->threshold = (double)conformal_flag_rate(&out->by, out->flag_rate);
    if (out->how != DECIDE_FDR) return PUAD_OK;
    return file_temporary(&out->spool);
}

void decider_free(decider *owner)
{
    conformal_free(&owner->by);
    free(owner->counts);
    free(owner->texts);
    if (owner->spool) fclose(owner->spool);
    *owner = (decider){0};
}

void decider_count(decider *by, float score)
{
    by->rows++;
    by->flagged += by->how == DECIDE_THRESHOLD && (double)score >= by->threshold;
    if (by->held) by->counts[conformal_level(&by->by, score)]++;
}

/* What stands before the values and texts of a row in the spool. Sizes are in bytes, texts with their final
 * NUL; 0 is none. */
typedef struct spooled {
    uint64_t row;
    uint64_t values_size;
    uint32_t id_size, because_size;
    float score;
    uint32_t known;
} spooled;

puad_status decider_keep(decider *by, const scored_row *row, size_t columns)
{
    spooled start = {.row = row->row, .score = row->score, .known = row->known};
    start.id_size = row->id ? (uint32_t)strlen(row->id) + 1 : 0;
    start.because_size = row->because ? (uint32_t)strlen(row->because) + 1 : 0;
    start.values_size = row->values ? columns * sizeof *row->values : 0;
    bool fine = fwrite(&start, sizeof start, 1, by->spool) == 1;
    if (start.values_size) fine &= fwrite(row->values, start.values_size, 1, by->spool) == 1;
    if (start.id_size) fine &= fwrite(row->id, start.id_size, 1, by->spool) == 1;
    if (start.because_size) fine &= fwrite(row->because, start.because_size, 1, by->spool) == 1;
    if (!fine)
        FAIL(PUAD_IO, "cannot write the temporary file of --fdr: %s (is TMPDIR full?)", strerror(errno));
    return PUAD_OK;
}

puad_status decider_rewind(decider *by)
{
    if (fflush(by->spool) != 0 || fseek(by->spool, 0, SEEK_SET) != 0)
        FAIL(PUAD_IO, "cannot write the temporary file of --fdr: %s (is TMPDIR full?)", strerror(errno));
    return PUAD_OK;
}

puad_status decider_take(bool *out_more, scored_row *out, decider *by)
{
    spooled start;
    *out_more = fread(&start, sizeof start, 1, by->spool) == 1;
    if (!*out_more) {
        if (ferror(by->spool)) FAIL(PUAD_IO, "cannot read the temporary file of --fdr: %s", strerror(errno));
        return PUAD_OK;
    }
    size_t values = (size_t)start.values_size, size = values + start.id_size + start.because_size;
    if (size > by->text_room) {
        TRY(memory_grow(&by->texts, 2 * size, 1, "a row's texts"));
        by->text_room = 2 * size;
    }
    if (size && fread(by->texts, size, 1, by->spool) != 1)
        FAIL(PUAD_IO, "the temporary file of --fdr ends too early");
    *out = (scored_row){.score = start.score,
                        .row = (size_t)start.row,
                        .values = values ? (const float *)(void *)by->texts : NULL,
                        .id = start.id_size ? by->texts + values : NULL,
                        .because = start.because_size ? by->texts + values + start.id_size : NULL,
                        .known = start.known};
    return PUAD_OK;
}

void decider_settle(decider *by)
{
    if (by->how != DECIDE_FDR) return;
    by->flagged_levels = conformal_flag_levels(&by->by, by->p, by->counts, by->rate);
    for (size_t i = 0; i < by->flagged_levels; i++) by->flagged += (size_t)by->counts[i];
}

bool decider_flags(const decider *by, float score)
{
    if (by->how == DECIDE_FDR) return conformal_level(&by->by, score) < by->flagged_levels;
    return (double)score >= by->threshold;
}

void decider_print_header(const decider *by)
{
    printf("%s%s%s", by->held ? ",p,probability" : "", by->how ? ",decision" : "", by->kinds ? ",kind" : "");
}

void decider_print_cells(const decider *by, const scored_row *row)
{
    if (by->held) printf(",%.6g,", conformal_p(&by->by, by->p, row->score));
    if (by->held && !by->alpha_unknown) printf("%.4g", conformal_posterior(&by->by, row->score));
    if (!by->how) return;
    bool flagged = decider_flags(by, row->score);
    printf(",%d", flagged);
    if (by->kinds) printf(",%s", !flagged ? "" : row->known ? "known" : "novel");
}

/* Why Benjamini-Hochberg flagged nothing, and what is left to do. */
static void report_none(const decider *by)
{
    double smallest = conformal_smallest(&by->by, by->p);
    double normals = conformal_normals(&by->by, by->p, by->counts);
    double needed = ceil(smallest * normals * (double)by->rows / by->rate);
    fprintf(stderr, "puad score: no row could be flagged at --fdr %g: ", by->rate);
    if (needed > (double)by->rows)
        fprintf(stderr, "the smallest possible p is above it; hold more rows out ('puad fit --calibrate')");
    else
        fprintf(stderr,
                "of %zu rows at least %.0f would need the smallest possible p, %.3g; hold more rows "
                "out ('puad fit --calibrate')",
                by->rows, needed, smallest);
    fprintf(stderr, ", allow a larger rate, or use --flag-rate");
    if (by->alpha > 0) fprintf(stderr, " alpha: the top %.3g", by->alpha);
    fprintf(stderr, ", without a promise\n");
}

static void report_p(const decider *by)
{
    const calibration *held = by->held;
    bool corrected = by->p == CONFORMAL_CORRECTED && held->anomaly_count;
    fprintf(stderr, "puad score: p-values are %s against %zu held-out unlabeled rows",
            corrected ? "corrected for hidden anomalies (asymptotic)" : "plain conformal (conservative)",
            held->unlabeled_count);
    if (corrected)
        fprintf(stderr, " and %zu labeled anomalies with alpha_U %.4f (%s)", held->anomaly_count,
                by->by.alpha,
                held->alpha_estimated && by->by.alpha == held->alpha ? "estimated" : "as given");
    fprintf(stderr, "; the smallest possible is %.3g\n", conformal_smallest(&by->by, by->p));
    if (by->alpha_unknown)
        fprintf(stderr, "puad score: the training data could not tell alpha, so nothing is corrected for "
                        "hidden anomalies "
                        "and there are no probabilities; give --alpha if you know it\n");
}

void decider_report(const decider *by)
{
    if (!by->held) return;
    report_p(by);
    if (by->how == DECIDE_FDR && by->flagged == 0)
        report_none(by);
    else if (by->how == DECIDE_FDR)
        fprintf(stderr,
                "puad score: %zu of %zu rows are flagged; at most a share of %g of them is expected to be "
                "normal\n",
                by->flagged, by->rows, by->rate);
    else if (by->flag_rate > 0 && isinf(by->threshold))
        fprintf(stderr,
                "puad score: no row is flagged: a share of %.3g of %zu held-out rows is less than one; give "
                "at least %.3g\n",
                by->flag_rate, by->held->unlabeled_count, 1.0 / (double)by->held->unlabeled_count);
    else if (by->flag_rate > 0)
        fprintf(stderr,
                "puad score: %zu of %zu rows are flagged: they score at least %.6g, as the top %.3g of the "
                "held-out rows; nothing is promised about how many of them are anomalies\n",
                by->flagged, by->rows, by->threshold, by->flag_rate);
    if (by->kinds)
        fprintf(stderr, "puad score: 'known' rows lie as near to labeled anomalies as 95 of 100 held-out "
                        "labeled ones do\n");
    fprintf(stderr,
            "puad score: this assumes new rows drawn like the training rows%s; anomalies of a new kind "
            "are outside of it\n",
            by->held->anomaly_count ? ", and labeled anomalies that are a fair sample of the hidden ones"
                                    : "");
}
