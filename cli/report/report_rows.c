/* The rows that stand out: a table that sorts, and for each row its values, what is usual, and the shares. */
#include "cli/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CARDS_SHOWN = 10, REASONS = 8, CELLS_MOST = 80, TEXT_ROOM = 400, CELL_ROOM = 200 };
#define CONTRIBUTION_MIN 0.005 /* smaller ones are not listed */

/* What is told of one row. */
typedef struct row_story {
    float score;
    size_t input, row;
    const float *values;
    puad_reason *reasons; /* the columns that contribute, the largest first */
    size_t reason_count;
    const puad_cells *cells;
    size_t cell_row; /* among the cells */
    bool known;
    char name[TEXT_ROOM];
} row_story;

/* The cell as it is in the file, or as the encoding has it. */
static const char *cell_of(char room[CELL_ROOM], const row_story *row, const puad_reason *reason)
{
    for (size_t c = 0; row->cells && c < puad_cells_columns(row->cells); c++) {
        const char *text = strcmp(puad_cells_name(row->cells, c), reason->column) == 0
                               ? puad_cells_text(row->cells, row->cell_row, c)
                               : NULL;
        if (text && *text) return text;
    }
    if (puad_reason_text(reason, room, CELL_ROOM, PUAD_REASON_VALUE) != PUAD_OK) room[0] = 0;
    return room;
}

/* Where a number lies against the range of nine in ten unlabeled rows. */
static void put_strip(FILE *to, const puad_reason *reason)
{
    double low = reason->typical.low, high = reason->typical.high, value = reason->value;
    if (isnan(low) || isnan(value)) return;
    double from = fmin(low, value), span = fmax(high, value) - from;
    if (!(span > 0)) return;
    from -= 0.06 * span;
    span *= 1.12;
    fprintf(to,
            "<span class=\"strip\" aria-hidden=\"true\"><i style=\"left:%.1f%%;width:%.1f%%\"></i><s "
            "style=\"left:%.1f%%\"></s><b style=\"left:%.1f%%\"></b></span>",
            100 * (low - from) / span, 100 * fmax(high - low, 0.01 * span) / span,
            100 * (reason->typical.median - from) / span, 100 * (value - from) / span);
}

static puad_status put_reason(page *on, const row_story *row, const puad_reason *reason)
{
    char usual[CELL_ROOM], room[CELL_ROOM];
    FILE *to = page_markup(on);
    double share = reason->contribution;
    TRY(puad_reason_text(reason, usual, sizeof usual, PUAD_REASON_TYPICAL));
    fputs("<tr><td data-name=\"column\"><b>", to);
    page_escape(on, reason->column);
    fputs("</b></td><td data-name=\"value\">", to);
    page_escape(on, cell_of(room, row, reason));
    put_strip(to, reason);
    fputs("</td><td data-name=\"usual\" class=\"f\">", to);
    page_escape(on, usual);
    fprintf(to,
            "</td><td data-name=\"share "
            "of the score\"><span class=\"share\"><i style=\"width:%.0f%%\"></i>%.0f%%</span></td></tr>\n",
            fmax(2, 70 * share), 100 * share);
    return PUAD_OK;
}

static void put_cells(page *on, const row_story *row)
{
    FILE *to = page_markup(on);
    size_t columns = row->cells ? puad_cells_columns(row->cells) : 0;
    if (!columns) return;
    fputs("<details><summary>all values of this row</summary><dl class=\"cells\">\n", to);
    for (size_t c = 0; c < columns && c < CELLS_MOST; c++) {
        const char *text = puad_cells_text(row->cells, row->cell_row, c);
        fputs("<div><dt>", to);
        page_escape(on, puad_cells_name(row->cells, c));
        fputs("</dt><dd>", to);
        page_escape(on, text && *text ? text : "\u2013");
        fputs("</dd></div>\n", to);
    }
    fputs("</dl>", to);
    if (columns > CELLS_MOST) page_text(on, "%zu more columns are not shown.", columns - CELLS_MOST);
    fputs("</details>\n", to);
}

/* A number of many digits as six of them. */
static const char *shortened(char room[CELL_ROOM], const char *text, const puad_reason *reason)
{
    if (isnan(reason->value) || strlen(text) < 9 || strspn(text, "+-.0123456789eE") < strlen(text))
        return text;
    snprintf(room, CELL_ROOM, "%.6g", reason->value);
    return room;
}

/* "amount = 9120, country = XX": the first reasons, short. */
static void tell_shortly(char text[TEXT_ROOM], const row_story *row, size_t most)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0; k < row->reason_count && k < most; k++) {
        const puad_reason *reason = &row->reasons[k];
        char room[CELL_ROOM], short_room[CELL_ROOM];
        int wrote = snprintf(text + used, TEXT_ROOM - used, "%s%.60s = %.40s", k ? ", " : "", reason->column,
                             shortened(short_room, cell_of(room, row, reason), reason));
        if (wrote < 0 || used + (size_t)wrote >= TEXT_ROOM) break;
        used += (size_t)wrote;
    }
}

static void put_kind(page *on, const report *of, const row_story *row)
{
    if (of->kinds)
        fprintf(page_markup(on), "<span class=\"kind %s\">%s</span>", row->known ? "known" : "novel",
                row->known ? "known kind" : "new kind");
}

static puad_status put_card(page *on, report *of, const row_story *row, size_t rank)
{
    FILE *to = page_markup(on);
    char why[TEXT_ROOM];
    tell_shortly(why, row, 3);
    fprintf(to, "<details class=\"row%s\" id=\"r%zu\" data-score=\"%.9g\"%s><summary><b>%zu. ",
            rank < report_flagged(of) ? " flagged" : "", rank + 1, (double)row->score,
            rank == 0 ? " open" : "", rank + 1);
    page_escape(on, row->name);
    fputs("</b><span class=\"why\">", to);
    page_escape(on, why);
    fputs("</span><span>", to);
    put_kind(on, of, row);
    fprintf(to, fabs((double)row->score) < 100 ? " %.2f</span></summary>\n" : " %.4g</span></summary>\n",
            (double)row->score);
    fputs("<div class=\"inside\">\n", to);
    if (row->reason_count) {
        fputs("<table><thead><tr><th>column</th><th>value</th><th>usual among unlabeled rows</th><th>share "
              "of the score</th></tr></thead><tbody>\n",
              to);
        for (size_t k = 0; k < row->reason_count; k++) TRY(put_reason(on, row, &row->reasons[k]));
        fputs("</tbody></table>\n", to);
    } else {
        page_text(on, "No column by itself makes this row stand out.");
    }
    put_cells(on, row);
    fputs("</div></details>\n", to);
    return PUAD_OK;
}

static size_t group_of(const report *of, size_t rank)
{
    for (size_t i = 0; i < of->grouped_count; i++)
        if (of->grouped[i] == rank) return puad_groups_of_row(of->groups, i);
    return SIZE_MAX;
}

static void put_line(page *on, report *of, const row_story *row, size_t rank)
{
    FILE *to = page_markup(on);
    char why[TEXT_ROOM];
    const report_stop *now = &of->stops[of->suggested];
    bool flagged = (double)row->score >= now->threshold;
    size_t group = group_of(of, rank);
    fprintf(to, "<tr data-score=\"%.9g\"%s><td class=\"n\"><a href=\"#r%zu\">%zu</a></td><td>",
            (double)row->score, flagged ? " class=\"flagged\"" : "", rank + 1, rank + 1);
    page_escape(on, row->name);
    fprintf(to, "</td><td class=\"n\">%.4g</td>", (double)row->score);
    if (puad_decider_has_probability(of->decider))
        fprintf(to, "<td class=\"n\">%.0f%%</td>", 100 * puad_decider_probability(of->decider, row->score));
    if (puad_decider_has_p(of->decider))
        fprintf(to, "<td class=\"n\">%.2g</td>", puad_decider_p(of->decider, row->score));
    if (of->kinds) {
        fputs("<td>", to);
        put_kind(on, of, row);
        fputs("</td>", to);
    }
    if (of->groups) {
        fputs("<td class=\"n\">", to);
        if (group != SIZE_MAX) fprintf(to, "%zu", group + 1);
        fputs("</td>", to);
    }
    fprintf(to, "<td class=\"mark\">%s</td><td class=\"why\">", flagged ? "flagged" : "");
    tell_shortly(why, row, 2);
    page_escape(on, why);
    fputs("</td></tr>\n", to);
}

static void put_table(page *on, report *of, const row_story *rows, size_t count)
{
    FILE *to = page_markup(on);
    bool id = count && report_id(of, 0);
    fputs("<div class=\"wide\" tabindex=\"0\"><table id=\"top\"><thead><tr>", to);
    const char *headings[] = {"rank",
                              id ? "row, id" : "row",
                              "score",
                              puad_decider_has_probability(of->decider) ? "probability" : NULL,
                              puad_decider_has_p(of->decider) ? "p" : NULL,
                              of->kinds ? "kind" : NULL,
                              of->groups ? "group" : NULL,
                              "decision",
                              "because of"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (headings[i])
            fprintf(to, "<th scope=\"col\"%s><button>%s</button></th>",
                    i == 1 || i >= 5 ? "" : " class=\"n\"", headings[i]);
    fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t i = 0; i < count; i++) put_line(on, of, &rows[i], i);
    fputs("</tbody></table></div>\n", to);
}

/* Cells of the listed rows, input by input: rows[i].cells. */
static puad_status read_cells(puad_cells **cells, row_story *rows, size_t count, const report *of)
{
    AUTO_FREE size_t *wanted = NULL;
    TRY(memory_new(&wanted, count, sizeof *wanted, "rows"));
    for (size_t i = 0; i < of->input_count; i++) {
        size_t n = 0;
        for (size_t r = 0; r < count; r++)
            if (rows[r].input == i) {
                rows[r].cell_row = n;
                wanted[n++] = rows[r].row;
            }
        if (!n) continue;
        TRY(puad_cells_read(&cells[i], of->inputs[i].rows, wanted, n));
        for (size_t r = 0; r < count; r++)
            if (rows[r].input == i && puad_cells_columns(cells[i])) rows[r].cells = cells[i];
    }
    return PUAD_OK;
}

static puad_status tell_rows(row_story *rows, size_t count, report *of)
{
    size_t columns = puad_detector_column_count(of->model);
    for (size_t i = 0; i < count; i++) {
        row_story *row = &rows[i];
        unsigned char known = 0;
        const char *id = report_id(of, i);
        row->score = puad_ranking_score(of->ranking, i);
        row->input = puad_ranking_part(of->ranking, i);
        row->row = puad_ranking_row(of->ranking, i);
        row->values = report_values(of, i);
        report_row_name(row->name, sizeof row->name, of, i);
        size_t used = strlen(row->name);
        if (id) snprintf(row->name + used, sizeof row->name - used, ", %s", id);
        if (of->kinds) TRY(puad_decider_known(of->decider, &known, of->scorer, row->values, 1, of->columns));
        row->known = known;
        if (!columns) continue;
        TRY(arena_new(&of->memory, &row->reasons, REASONS, sizeof *row->reasons));
        row->reasons->struct_size = sizeof *row->reasons;
        TRY(puad_scorer_reasons(of->scorer, row->reasons, REASONS, &row->reason_count, row->values,
                                of->columns));
        while (row->reason_count && row->reasons[row->reason_count - 1].contribution <= CONTRIBUTION_MIN)
            row->reason_count--;
    }
    return PUAD_OK;
}

puad_status report_add_rows(page *on, report *of)
{
    size_t count = report_listed(of);
    row_story *rows;
    puad_cells **cells;
    TRY(arena_new(&of->memory, &rows, count, sizeof *rows));
    TRY(arena_new(&of->memory, &cells, of->input_count, sizeof *cells));
    TRY(tell_rows(rows, count, of));
    puad_status status = read_cells(cells, rows, count, of);
    page_section(on, "Rows that stand out");
    page_text(on,
              "The %zu rows with the largest scores%s. "
              "A heading sorts the table; a rank leads to the row's values.",
              count,
              of->ranks_training ? " among those that are not labeled anomalies. "
                                   "The model was trained on these rows, so it may be too sure of them"
                                 : "");
    if (status == PUAD_OK) put_table(on, of, rows, count);
    page_subsection(on, "Why");
    page_text(on,
              "For each row the columns that its score comes from. "
              "The bar is where nine of ten unlabeled rows are, the line their median, the dot this row.");
    for (size_t i = 0; i < count && status == PUAD_OK; i++) {
        if (i == CARDS_SHOWN)
            fprintf(page_markup(on), "<details class=\"more\"><summary>%zu more rows</summary>\n", count - i);
        status = put_card(on, of, &rows[i], i);
    }
    if (count > CARDS_SHOWN) fputs("</details>\n", page_markup(on));
    for (size_t i = 0; i < of->input_count; i++) puad_cells_free(cells[i]);
    return status;
}
