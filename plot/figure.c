/* A figure: panels in rows and columns below a title and a legend, in one of three file formats. */
#include "plot/plot.h"

#include "base/file.h"
#include "base/memory.h"
#include "plot/panel.h"

#include <cairo-pdf.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 12, EDGE = 8, TITLE_HEIGHT = 26, PNG_SCALE = 2, PANELS_MAX = 1024, SIDE_MAX = 30000 };

typedef struct layout {
    size_t columns, rows;
    double width, height, top; /* top: offset of the panels */
    margins around;
} layout;

static puad_status check_panel(const plot_panel *panel)
{
    const char *title = panel->title ? panel->title : "a panel";
    switch (panel->kind) {
    case PLOT_FIELD:
        if (panel->field_rows < 2 || panel->field_columns < 2 || !panel->field)
            FAIL(PUAD_INVALID, "%s: a field needs at least two rows and two columns", title);
        if (panel->field_rows > 4096 || panel->field_columns > 4096)
            FAIL(PUAD_INVALID, "%s: a field has at most 4096 rows and columns", title);
        if (!(panel->x.max > panel->x.min) || !(panel->y.max > panel->y.min))
            FAIL(PUAD_INVALID, "%s: a field needs limits for both axes", title);
        break;
    case PLOT_IMAGES:
        if (panel->image_height < 1 || panel->image_width < 1 || panel->image_height > 4096 ||
            panel->image_width > 4096)
            FAIL(PUAD_INVALID, "%s: images of %d x %d cannot be drawn", title, panel->image_height,
                 panel->image_width);
        if (panel->image_channels != 1 && panel->image_channels != 3)
            FAIL(PUAD_INVALID, "%s: images have 1 or 3 channels, not %d", title, panel->image_channels);
        break;
    default: break;
    }
    return PUAD_OK;
}

/* A copy with defaults resolved. */
static puad_status settle(plot_figure *out, layout *plan, const plot_figure *figure)
{
    *out = *figure;
    if (out->panel_count == 0 || out->panel_count > PANELS_MAX)
        FAIL(PUAD_INVALID, "a figure has 1 to %d panels, not %zu", PANELS_MAX, out->panel_count);
    if (out->panel_width == 0) out->panel_width = PLOT_PANEL_WIDTH;
    if (out->panel_height == 0) out->panel_height = PLOT_PANEL_HEIGHT;
    size_t columns = out->columns;
    if (columns == 0) columns = out->panel_count == 4 ? 2 : out->panel_count < 3 ? out->panel_count : 3;
    if (columns > out->panel_count) columns = out->panel_count;
    *plan = (layout){.columns = columns, .rows = (out->panel_count + columns - 1) / columns};
    plan->width = 2 * EDGE + (double)columns * (out->panel_width + GAP) - GAP;
    for (size_t i = 0; i < out->panel_count; i++) {
        TRY(check_panel(&out->panels[i]));
        margins one = panel_margins(out, &out->panels[i]);
        plan->around.left = fmax(plan->around.left, one.left);
        plan->around.right = fmax(plan->around.right, one.right);
        plan->around.top = fmax(plan->around.top, one.top);
        plan->around.bottom = fmax(plan->around.bottom, one.bottom);
    }
    plan->top = EDGE + (out->title ? TITLE_HEIGHT : 0) + legend_height(out, plan->width - 2 * EDGE);
    plan->height = plan->top + (double)plan->rows * (out->panel_height + GAP) - GAP + EDGE;
    if (!(plan->width <= SIDE_MAX && plan->height <= SIDE_MAX))
        FAIL(PUAD_INVALID, "a figure of %.0f x %.0f is too large, the maximum of a side is %d", plan->width,
             plan->height, SIDE_MAX);
    return PUAD_OK;
}

static void draw_figure(canvas *on, const plot_figure *figure, const layout *plan)
{
    if (figure->title) {
        const text_style style = {.size = 14, .bold = true, .anchor = 0.5};
        char title[TEXT_MAX];
        text_fit(title, figure->title, style, plan->width - 2 * EDGE);
        canvas_text(on, plan->width / 2, EDGE + 14, title, style);
    }
    legend_draw(on, figure, EDGE, EDGE + (figure->title ? TITLE_HEIGHT : 0), plan->width - 2 * EDGE);
    for (size_t i = 0; i < figure->panel_count; i++) {
        double left = EDGE + (double)(i % plan->columns) * (figure->panel_width + GAP);
        double top = plan->top + (double)(i / plan->columns) * (figure->panel_height + GAP);
        box outer = {left, top, left + figure->panel_width, top + figure->panel_height};
        panel_draw(on, figure, &figure->panels[i], outer, plan->around);
    }
}

/* Opens <svg>; a separate file also defines the colors of ink and paper. */
static void begin_svg(FILE *stream, double width, double height, const char *title, bool file)
{
    fprintf(
        stream,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\"",
        width, height, width, height);
    fputs(" font-family=\"'DejaVu Sans',Verdana,sans-serif\" font-size=\"11\" fill=\"currentColor\" "
          "role=\"img\"",
          stream);
    if (file) fputs(" color=\"#1f2328\"", stream);
    fputs(" aria-label=\"", stream);
    text_escape(stream, title ? title : "figure");
    fputs("\">\n", stream);
    if (file) fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", stream);
}

typedef struct svg_text {
    FILE *stream;
    char *text;
    size_t size;
} svg_text;

static puad_status open_text(svg_text *out)
{
    *out = (svg_text){0};
    out->stream = text_stream_open(&out->text, &out->size);
    if (!out->stream) FAIL(PUAD_MEMORY, "no memory for a figure");
    return PUAD_OK;
}

static puad_status close_text(char **out_text, svg_text *label, puad_status status)
{
    fputs("</svg>\n", label->stream);
    if (status == PUAD_OK) status = text_measured();
    if (!text_stream_close(label->stream, &label->text) && status == PUAD_OK)
        status = status_fail(PUAD_MEMORY, "no memory for a figure");
    if (status != PUAD_OK) {
        free(label->text);
        return status;
    }
    *out_text = label->text;
    return PUAD_OK;
}

static puad_status write_svg(char **out_text, const plot_figure *figure, const layout *plan, bool file)
{
    svg_text target;
    TRY(open_text(&target));
    const char *title = figure->title ? figure->title : figure->panels[0].title;
    begin_svg(target.stream, plan->width, plan->height, title, file);
    canvas on = canvas_on_svg(target.stream, plan->width, plan->height);
    draw_figure(&on, figure, plan);
    return close_text(out_text, &target, on.status);
}

puad_status plot_svg(char **out_text, const plot_figure *figure)
{
    plot_figure settled;
    layout plan;
    TRY(settle(&settled, &plan, figure));
    return write_svg(out_text, &settled, &plan, false);
}

puad_status plot_svg_panel(char **out_text, const plot_figure *figure, size_t panel)
{
    plot_figure settled;
    layout plan;
    TRY(settle(&settled, &plan, figure));
    svg_text target;
    TRY(open_text(&target));
    begin_svg(target.stream, settled.panel_width, settled.panel_height, settled.panels[panel].title, false);
    canvas on = canvas_on_svg(target.stream, settled.panel_width, settled.panel_height);
    box outer = {0, 0, settled.panel_width, settled.panel_height};
    panel_draw(&on, &settled, &settled.panels[panel], outer, plan.around);
    return close_text(out_text, &target, on.status);
}

puad_status plot_svg_legend(char **out_text, const plot_figure *figure, double width)
{
    *out_text = NULL;
    double height = legend_height(figure, width);
    if (height == 0) return PUAD_OK;
    svg_text target;
    TRY(open_text(&target));
    begin_svg(target.stream, width, height, "legend", false);
    canvas on = canvas_on_svg(target.stream, width, height);
    legend_draw(&on, figure, 0, 0, width);
    return close_text(out_text, &target, on.status);
}

static cairo_status_t append(void *closure, const unsigned char *bytes, unsigned size)
{
    return fwrite(bytes, 1, size, closure) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Draws on a Cairo surface, scaled, and reports Cairo's errors. */
static puad_status draw_on_surface(cairo_surface_t *surface, double scale_by, const plot_figure *figure,
                                   const layout *plan)
{
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, scale_by, scale_by);
    canvas on = canvas_on_cairo(cairo, plan->width, plan->height);
    draw_figure(&on, figure, plan);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (on.status == PUAD_OK && status != CAIRO_STATUS_SUCCESS)
        on.status = status_fail(status == CAIRO_STATUS_NO_MEMORY ? PUAD_MEMORY : PUAD_IO, "cannot draw: %s",
                                cairo_status_to_string(status));
    return on.status;
}

static void destroy_surface(cairo_surface_t **surface)
{
    cairo_surface_destroy(*surface);
}
#define AUTO_SURFACE __attribute__((cleanup(destroy_surface)))

static puad_status written(cairo_status_t status)
{
    int reason = errno;
    if (status == CAIRO_STATUS_SUCCESS) return PUAD_OK;
    if (status == CAIRO_STATUS_NO_MEMORY) FAIL(PUAD_MEMORY, "no memory for the picture");
    FAIL(PUAD_IO, "cannot write: %s",
         status == CAIRO_STATUS_WRITE_ERROR ? strerror(reason) : cairo_status_to_string(status));
}

static puad_status save_svg(FILE *stream, const plot_figure *figure, const layout *plan)
{
    AUTO_FREE char *text = NULL;
    TRY(write_svg(&text, figure, plan, true));
    fputs(text, stream);
    return PUAD_OK;
}

static puad_status save_png(FILE *stream, const plot_figure *figure, const layout *plan)
{
    AUTO_SURFACE cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)ceil(plan->width * PNG_SCALE), (int)ceil(plan->height * PNG_SCALE));
    TRY(draw_on_surface(surface, PNG_SCALE, figure, plan));
    return written(cairo_surface_write_to_png_stream(surface, append, stream));
}

static puad_status save_pdf(FILE *stream, const plot_figure *figure, const layout *plan)
{
    const double points = 0.75; /* a pixel is 1/96 inch, a point 1/72 */
    AUTO_SURFACE cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(append, stream, plan->width * points, plan->height * points);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    TRY(draw_on_surface(surface, points, figure, plan));
    cairo_surface_finish(surface);
    return written(cairo_surface_status(surface));
}

puad_status plot_write(const plot_figure *figure, const char *path)
{
    static const struct {
        const char *ending;
        puad_status (*save)(FILE *stream, const plot_figure *figure, const layout *plan);
    } kinds[] = {{".svg", save_svg}, {".png", save_png}, {".pdf", save_pdf}};
    const char *ending = strrchr(path, '.');
    size_t kind = 0, count = sizeof kinds / sizeof *kinds;
    while (kind < count && (!ending || strcasecmp(ending, kinds[kind].ending) != 0)) kind++;
    if (kind == count) FAIL(PUAD_INVALID, "%s: the name of a picture must end in .svg, .png or .pdf", path);
    plot_figure settled;
    layout plan;
    TRY(settle(&settled, &plan, figure));
    AUTO_OUTPUT file_output out = {0};
    TRY(file_create(&out, path));
    puad_status status = kinds[kind].save(out.stream, &settled, &plan);
    if (status != PUAD_OK) {
        status_prefix("%s", path);
        return status;
    }
    return file_commit(&out);
}
