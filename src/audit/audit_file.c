/* Reads the column "audit". */
#include "audit/audit_file.h"

#include "base/c_locale.h"
#include "base/utf8.h"
#include "table/csv/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DESIGN_TEXT = 256 };

puad_status audit_design_print(const char **out, arena *memory, const audit_design *design, size_t round)
{
    char rate[32];
    c_print(rate, sizeof rate, "%.9g", design->rate);
    return arena_print(memory, out, "checks=%zu rounds=%zu round=%zu rate=%s seed=%llu region=%zu rows=%zu",
                       design->checks, design->rounds, round, rate, (unsigned long long)design->seed,
                       design->region, design->rows);
}

static bool read_whole(const char *text, const char *name, uint64_t *out)
{
    char key[16], *end;
    snprintf(key, sizeof key, "%s=", name);
    const char *at = strstr(text, key);
    /* "rounds=" must not match the end of another name */
    while (at && at != text && at[-1] != ' ') at = strstr(at + 1, key);
    if (!at || at[strlen(key)] < '0' || at[strlen(key)] > '9') return false;
    *out = strtoull(at + strlen(key), &end, 10);
    return *end == ' ' || !*end;
}

static bool read_design(audit_design *out, size_t *out_round, text_view view)
{
    char text[DESIGN_TEXT], *end;
    uint64_t checks, rounds, round, region, rows;
    if (view.length >= sizeof text) return false;
    snprintf(text, sizeof text, "%.*s", (int)view.length, view.text);
    const char *rate = strstr(text, " rate=");
    if (!rate || !read_whole(text, "checks", &checks) || !read_whole(text, "rounds", &rounds) ||
        !read_whole(text, "round", &round) || !read_whole(text, "seed", &out->seed) ||
        !read_whole(text, "region", &region) || !read_whole(text, "rows", &rows))
        return false;
    out->rate = c_strtod(rate + 6, &end);
    out->checks = checks;
    out->rounds = rounds;
    out->region = region;
    out->rows = rows;
    *out_round = round;
    return end != rate + 6 && region > 0 && round > 0 && round <= rounds && rounds <= AUDIT_ROUNDS_MAX;
}

static bool same_design(const audit_design *a, const audit_design *b)
{
    return a->checks == b->checks && a->rounds == b->rounds && a->region == b->region && a->rows == b->rows &&
           a->rate == b->rate && a->seed == b->seed;
}

typedef struct seen_rounds {
    audit_design design;
    bool any, seen[AUDIT_ROUNDS_MAX + 1];
    size_t last;
} seen_rounds;

static puad_status take_cell(seen_rounds *all, text_view cell)
{
    audit_design design = {0};
    size_t round = 0;
    if (!read_design(&design, &round, view_trimmed(cell)))
        FAIL(PUAD_FORMAT, "'%.*s' is not the design of an audit; restore the column 'audit'",
             (int)(cell.length < 80 ? cell.length : 80), cell.text);
    if (all->any && !same_design(&design, &all->design))
        FAIL(PUAD_INVALID, "the design differs from that of the previous rows; give the rounds of one audit");
    all->design = design;
    all->any = all->seen[round] = true;
    if (round > all->last) all->last = round;
    return PUAD_OK;
}

static puad_status read_cells(seen_rounds *all, csv_reader *reader, const char *path)
{
    size_t columns, place = SIZE_MAX;
    const char *const *names = csv_columns(reader, &columns);
    AUTO_FREE cell_kind *kinds = NULL;
    TRY(memory_new(&kinds, columns, sizeof *kinds, "columns"));
    for (size_t i = 0; i < columns; i++) {
        if (place == SIZE_MAX && strcmp(names[i], "audit") == 0) place = i;
        kinds[i] = place == i ? CELL_TEXT : CELL_SKIP;
    }
    if (place == SIZE_MAX)
        FAIL(PUAD_FORMAT,
             "%s: no column 'audit'; expected the file that 'puad query --audit' wrote, filled in", path);
    TRY(csv_plan(reader, kinds));
    for (size_t count = 1; count;) {
        csv_block *blocks;
        TRY(csv_next(&blocks, &count, reader, NULL, NULL));
        for (size_t b = 0; b < count; b++)
            for (size_t i = 0; i < blocks[b].rows; i++) {
                puad_status status = take_cell(all, blocks[b].texts[i]);
                if (status == PUAD_OK) continue;
                status_prefix("%s, line %llu", path, (unsigned long long)csv_line(reader, &blocks[b], i));
                return status;
            }
    }
    return PUAD_OK;
}

puad_status audit_files_design(audit_design *out, size_t *out_round, const char *const *paths, size_t count)
{
    static const char *const known[] = {"row", "label", "audit"};
    csv_settings settings = {.header = HEADER_YES, .known = known, .known_count = 3};
    seen_rounds all = {0};
    for (size_t i = 0; i < count; i++) {
        csv_reader *reader = NULL;
        TRY(csv_open(&reader, paths[i], &settings, NULL));
        puad_status status = read_cells(&all, reader, paths[i]);
        csv_close(reader);
        TRY(status);
    }
    if (!all.any) FAIL(PUAD_FORMAT, "%s: there are no rows", count ? paths[0] : "no file");
    for (size_t round = 1; round <= all.last; round++)
        if (!all.seen[round])
            FAIL(PUAD_INVALID, "round %zu is missing; give the answers of all rounds", round);
    *out = all.design;
    *out_round = all.last;
    return PUAD_OK;
}
