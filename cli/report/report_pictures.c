/* Draws the images with the highest scores, each with a heat map of the contributions; and groups of
 * similar ones. */
#include "cli/library_values.h"
#include "cli/report/report.h"
#include "plot/heat_map.h"

#include <stdlib.h>

enum { SIDE = 96, EXAMPLES_MAX = 8, GROUPS_MAX = 8, GALLERY_MAX = 100 };

static picture_shape shape_of(const report *self)
{
    return (picture_shape){info_of(self->model).height, info_of(self->model).width,
                           info_of(self->model).channels};
}

static puad_status put_pictures(page *on, const float *pictures, size_t count, picture_shape shape,
                                size_t channels)
{
    AUTO_FREE char *svg = NULL;
    const plot_panel panel = {.kind = PLOT_IMAGES,
                              .images = pictures,
                              .image_count = count,
                              .image_columns = count,
                              .image_height = (int)shape.height,
                              .image_width = (int)shape.width,
                              .image_channels = (int)channels};
    const plot_figure figure = {.panels = &panel,
                                .panel_count = 1,
                                .panel_width = (double)count * SIDE,
                                .panel_height = SIDE,
                                .no_legend = true};
    TRY(plot_svg_panel(&svg, &figure, 0));
    fputs(svg, page_markup(on));
    return PUAD_OK;
}

static puad_status put_one(page *on, report *self, size_t rank, float *shares, float *pictures)
{
    FILE *to = page_markup(on);
    picture_shape shape = shape_of(self);
    const report_row *row = report_listed_row(self, rank);
    const float *values = row->values;
    unsigned char known = 0;
    char name[300];
    if (self->kinds) TRY(puad_decider_known(self->decider, &known, self->scorer, values, 1, self->columns));
    fprintf(to, "<figure id=\"r%zu\" data-score=\"%.9g\"%s>", rank + 1, (double)row->score,
            (double)row->score >= self->cut ? " class=\"flagged\"" : "");
    TRY(puad_scorer_explain(self->scorer, shares, values, self->columns));
    TRY(heat_map_pictures(pictures, values, shares, shape));
    /* the image, and the image with its heat map */
    size_t one = 3 * shape.height * shape.width;
    for (size_t i = 0; i < one; i++) pictures[one + i] = pictures[2 * one + i];
    TRY(put_pictures(on, pictures, 2, shape, 3));
    report_row_name(name, sizeof name, self, row);
    fprintf(to, "<figcaption><b>%zu.</b> ", rank + 1);
    page_escape(on, row->id ? row->id : name);
    fprintf(to, "<br>score %.4g", (double)row->score);
    if (decided(self->decider).has_probability)
        fprintf(to, ", probability %.0f%%", 100 * puad_decider_probability(self->decider, row->score));
    if (self->kinds)
        fprintf(to, "<br><span class=\"kind %s\">%s</span>", known ? "known" : "new",
                known ? "known kind" : "new kind");
    fprintf(to, " <span class=\"mark\">%s</span></figcaption></figure>\n",
            (double)row->score >= self->cut ? "flagged" : "");
    return PUAD_OK;
}

static puad_status put_groups(page *on, report *self)
{
    if (!self->groups || puad_groups_count(self->groups) < 2) return PUAD_OK;
    picture_shape shape = shape_of(self);
    AUTO_FREE float *pictures = NULL;
    TRY(memory_new(&pictures, EXAMPLES_MAX * self->columns, sizeof *pictures, "pictures"));
    page_section(on, "Kinds of anomaly");
    page_text(on, "Flagged images that look alike, the largest group first.");
    for (size_t g = 0; g < puad_groups_count(self->groups) && g < GROUPS_MAX; g++) {
        puad_group about = {.struct_size = sizeof about};
        TRY(puad_groups_at(self->groups, &about, g));
        size_t size = about.rows, known = 0, shown = 0;
        for (size_t i = 0; i < self->grouped_count; i++) {
            if (puad_groups_of_row(self->groups, i) != g) continue;
            known += self->grouped_known[i];
            if (shown == EXAMPLES_MAX) continue;
            const float *source = report_listed_row(self, self->grouped[i])->values;
            for (size_t c = 0; c < self->columns; c++) pictures[shown * self->columns + c] = source[c];
            shown++;
        }
        fprintf(page_markup(on), "<h3>Group %zu: %zu image%s ", g + 1, size, size == 1 ? "" : "s");
        if (self->kinds)
            fprintf(page_markup(on), "<span class=\"kind %s\">%s</span>", 2 * known >= size ? "known" : "new",
                    2 * known >= size ? "known kind" : "new kind");
        fputs("</h3><div class=\"thumbs\">", page_markup(on));
        for (size_t i = 0; i < shown; i++)
            TRY(put_pictures(on, pictures + i * self->columns, 1, shape, shape.channels));
        fputs("</div>\n", page_markup(on));
    }
    return PUAD_OK;
}

puad_status report_add_pictures(page *on, report *self)
{
    picture_shape shape = shape_of(self);
    AUTO_FREE float *shares = NULL, *pictures = NULL;
    TRY(memory_new(&shares, self->columns, sizeof *shares, "explanations"));
    TRY(memory_new(&pictures, 9 * shape.height * shape.width, sizeof *pictures, "a heat map"));
    size_t count =
        report_top_count(self->listed) < GALLERY_MAX ? report_top_count(self->listed) : GALLERY_MAX;
    page_section(on, "Flagged images");
    page_text(on,
              "The %zu images with the largest scores, as the model sees them, with heat maps of the "
              "contribution of each part to the score: brighter means more.%s",
              count,
              self->ranks_training ? " The model was trained on them, so it may be overconfident about them."
                                   : "");
    fputs("<div class=\"gallery\">\n", page_markup(on));
    for (size_t i = 0; i < count; i++) TRY(put_one(on, self, i, shares, pictures));
    fputs("</div>\n", page_markup(on));
    return put_groups(on, self);
}
