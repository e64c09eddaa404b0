/* Kinds of anomaly: groups of flagged rows with what makes each special. */
#include "cli/report/report.h"

enum { GROUPS_MOST = 12, REASONS_MOST = 4 };

static void put_one(page *on, report *of, size_t group)
{
    FILE *to = page_markup(on);
    size_t size = puad_groups_size(of->groups, group), known = 0;
    for (size_t i = 0; i < of->grouped_count; i++)
        known += puad_groups_of(of->groups, i) == group && of->grouped_known[i];
    fprintf(to, "<div class=\"group\"><h3>Group %zu: %zu row%s ", group + 1, size, size == 1 ? "" : "s");
    if (of->kinds)
        fprintf(to, "<span class=\"kind %s\">%s</span>", 2 * known >= size ? "known" : "novel",
                2 * known >= size ? "known kind" : "new kind");
    fputs("</h3>\n<ul>\n", to);
    for (size_t k = 0; k < REASONS_MOST; k++) {
        char text[400];
        if (puad_groups_reason(text, sizeof text, of->groups, group, k) != PUAD_OK || !*text) break;
        fputs("<li>", to);
        page_escape(on, text);
        fprintf(to, " <span class=\"subtitle\">(%.0f%% of the score)</span></li>\n",
                100 * puad_groups_share(of->groups, group, k));
    }
    fputs("</ul>\n", to);
    size_t rank = of->grouped[puad_groups_example(of->groups, group)];
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
        if (shown < GROUPS_MOST && (puad_groups_size(of->groups, g) > 1 || shown < 3)) {
            put_one(on, of, g);
            shown++;
        } else {
            left += puad_groups_size(of->groups, g);
        }
    }
    fputs("</div>\n", page_markup(on));
    if (left) page_text(on, "%zu more rows are in groups of few rows, which are not shown.", left);
    return PUAD_OK;
}
