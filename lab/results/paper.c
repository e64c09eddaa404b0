/* Looks up the paper's results. */
#include "lab/results/paper.h"

#include "base/file.h"
#include "lab/ledger/csv_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *title;
} kinds[] = {
#define ENTRY(name, member, title) {#name, title},
    ANOMALIES_LIST(ENTRY)
#undef ENTRY
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const char *anomalies_name(anomalies which)
{
    return kinds[which].name;
}
const char *anomalies_title(anomalies which)
{
    return kinds[which].title;
}

puad_status anomalies_find(anomalies *out, const char *name)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *out = (anomalies)i;
            return PUAD_OK;
        }
    FAIL(PUAD_INVALID, "anomalies are all, seen or unseen, not '%s'", name);
}

double anomalies_auroc(anomalies which, const lab_result *result)
{
    switch (which) {
#define ENTRY(name, member, title)                                                                           \
    case ANOMALIES_##name: return result->member;
        ANOMALIES_LIST(ENTRY)
#undef ENTRY
    }
    return NAN;
}

static const paper_row built_in[] = {
#define PAPER(which, dataset, method, mean, deviation, best)                                                 \
    {ANOMALIES_##which, #dataset, method, mean, deviation, best},
#include "lab/results/paper.def"
#undef PAPER
};

paper_table paper_built_in(void)
{
    return (paper_table){built_in, sizeof built_in / sizeof *built_in};
}

/* Case, '-' and '_' are ignored: "FashionMNIST" and "fashion_mnist" are equal. */
static bool same_name(const char *one, const char *other)
{
    for (;; one++, other++) {
        while (*one == '_' || *one == '-') one++;
        while (*other == '_' || *other == '-') other++;
        if (tolower((unsigned char)*one) != tolower((unsigned char)*other)) return false;
        if (!*one) return true;
    }
}

const paper_row *paper_find(const paper_table *in, anomalies which, const char *dataset, const char *method)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->rows[i].which == which && same_name(in->rows[i].dataset, dataset) &&
            same_name(in->rows[i].method, method))
            return &in->rows[i];
    return NULL;
}

static puad_status parse_row(paper_row *out, arena *memory, char **values)
{
    char *mean_end, *deviation_end;
    TRY(anomalies_find(&out->which, values[0]));
    out->dataset = arena_text(memory, values[1]);
    out->method = arena_text(memory, values[2]);
    if (!out->dataset || !out->method) FAIL(PUAD_MEMORY, "no memory for the paper's results");
    out->mean = strtod(values[3], &mean_end);
    out->deviation = strtod(values[4], &deviation_end);
    out->best = strcmp(values[5], "1") == 0;
    if (mean_end == values[3] || *mean_end || deviation_end == values[4] || *deviation_end ||
        !isfinite(out->mean))
        FAIL(PUAD_FORMAT, "'%s' or '%s' is not a number", values[3], values[4]);
    return PUAD_OK;
}

puad_status paper_read(paper_table *out, arena *memory, const char *path)
{
    static const char *const header[] = {"anomalies", "dataset", "method", "auroc_mean", "auroc_std", "best"};
    enum { COLUMNS = sizeof header / sizeof *header };
    AUTO_FREE unsigned char *text = NULL;
    char *values[COLUMNS];
    size_t size = 0, count = 0, lines = 1;
    TRY(file_read(&text, &size, path, 1 << 24));
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n' || text[i] == '\r'; /* either may end a line */
    paper_row *rows;
    TRY(arena_new(memory, &rows, lines, sizeof *rows));
    sheet_reader reader = sheet_begin((char *)text, size, path);
    TRY(sheet_next(values, COLUMNS, &count, &reader));
    for (size_t i = 0; i < COLUMNS; i++)
        if (count != COLUMNS || strcmp(values[i], header[i]) != 0)
            FAIL(PUAD_FORMAT, "%s:1: expected the columns anomalies,dataset,method,auroc_mean,auroc_std,best",
                 path);
    for (size_t found = 0;; found++) {
        TRY(sheet_next(values, COLUMNS, &count, &reader));
        *out = (paper_table){rows, found};
        if (count == 0) return PUAD_OK;
        puad_status status = count == COLUMNS ? parse_row(&rows[found], memory, values)
                                              : status_fail(PUAD_FORMAT, "%zu values, expected 6", count);
        if (status != PUAD_OK) {
            status_prefix("%s:%zu", path, reader.line);
            return PUAD_FORMAT;
        }
    }
}
