/* Kinds of anomaly: groups of flagged rows with what makes each special. */
#include "cli/report/report.h"

enum { GROUPS_MOST = 12, TEXT_ROOM = 256 };

static puad_status put_one(page *on, report *of, size_t group)
{
    FILE *to = page_markup(on);
    puad_group about = {.struct_size = sizeof about};
    TRY(puad_groups_at(of->groups, &about, group));
    size_t size = about.rows, known = 0;
    for (size_t i = 0; i < of->grouped_count; i++)
        known += puad_groups_of_row(of->groups, i) == group && of->grouped_known[i];
    fprintf(to, "<div class=\"group\"><h3>Group %zu: %zu row%s ", group + 1, size, size == 1 ? "" : "s");
    if (of->kinds)
        fprintf(to, "<span class=\"kind %s\">%s</span>", 2 * known >= size ? "known" : "novel",
                2 * known >= size ? "known kind" : "new kind");
    fputs("</h3>\n<ul>\n", to);
    for (size_t k = 0; k < about.reasons; k++) {
        puad_reason reason = {.struct_size = sizeof reason};
        char value[TEXT_ROOM], typical[TEXT_ROOM];
        TRY(puad_groups_reason(of->groups, &reason, group, k));
        TRY(puad_reason_text(&reason, value, sizeof value, PUAD_REASON_VALUE));
        TRY(puad_reason_text(&reason, typical, sizeof typical, PUAD_REASON_TYPICAL));
        fputs("<li>", to);
        page_escape(on,
                    report_text(of, "%s: %s%s%s", reason.column, value, *typical ? ", usual " : "", typical));
        fprintf(to, " <span class=\"subtitle\">(%.0f%% of the score)</span></li>\n",
                100 * reason.contribution);
    }
    fputs("</ul>\n", to);
    size_t rank = of->grouped[about.example];
    char name[300];
    report_row_name(name, sizeof name, of, rank);
    fputs("<p>Typical: ", to);
    if (rank < report_listed(of)) fprintf(to, "<a href=\"#r%zu\">", rank + 1);
    page_escape(on, name);
    if (report_id(of, rank)) {
        fputs(", ", to);
        page_escape(on, report_id(of, rank));
    }
    fputs(rank < report_listed(of) ? "</a></p></div>\n" : "</p></div>\n", to);
    return PUAD_OK;
}

puad_status report_add_groups(page *on, report *of)
{
    if (!of->groups || of->image) return PUAD_OK;
    size_t count = puad_groups_count(of->groups), shown = 0, left = 0;
    page_section(on, "Kinds of anomaly");
    page_text(on, "%s of the %s flagged rows, divided into groups that stand out for the same reasons.%s",
              of->grouped_count == report_flagged(of)
                  ? "All"
                  : report_text(of, "%s, taken evenly,", report_count_text(of, of->grouped_count)),
              report_count_text(of, report_flagged(of)),
              of->kinds ? " A known kind is like the labeled anomalies; "
                          "a new kind is not: look at these first, no label speaks for them or against them."
                        : "");
    fputs("<div class=\"groups\">\n", page_markup(on));
    for (size_t g = 0; g < count; g++) {
        puad_group about = {.struct_size = sizeof about};
        TRY(puad_groups_at(of->groups, &about, g));
        if (shown < GROUPS_MOST && (about.rows > 1 || shown < 3)) {
            TRY(put_one(on, of, g));
            shown++;
        } else {
            left += about.rows;
        }
    }
    fputs("</div>\n", page_markup(on));
    if (left) page_text(on, "%zu more rows are in groups of few rows, which are not shown.", left);
    return PUAD_OK;
}
