/* The canvas on Cairo, for PNG and PDF: black on white. */
#include "plot/canvas.h"

static void set_color(cairo_t *cairo, color which, double opacity)
{
    uint32_t rgb = which == COLOR_INK ? 0x1F2328 : which == COLOR_PAPER ? 0xFFFFFF : which & 0xFFFFFF;
    cairo_set_source_rgba(cairo, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, opacity);
}

static void trace(cairo_t *cairo, path_kind kind, const point *points, size_t count)
{
    cairo_new_path(cairo);
    for (size_t i = 0; i < count; i++) {
        bool moves = i == 0 || kind == PATH_DOTS || (kind == PATH_SEGMENTS && i % 2 == 0);
        (moves ? cairo_move_to : cairo_line_to)(cairo, points[i].x, points[i].y);
        if (kind == PATH_DOTS) cairo_close_path(cairo);
    }
    if (kind == PATH_CLOSED) cairo_close_path(cairo);
}

static void draw_path(canvas *on, path_kind kind, const point *points, size_t count, path_style style)
{
    trace(on->cairo, kind, points, count);
    if (style.fill != COLOR_NONE) {
        set_color(on->cairo, style.fill, style.opacity);
        cairo_fill_preserve(on->cairo);
    }
    if (style.stroke == COLOR_NONE) return;
    set_color(on->cairo, style.stroke, style.opacity);
    cairo_set_line_width(on->cairo, style.width);
    cairo_set_line_cap(on->cairo, kind == PATH_DOTS ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
    cairo_set_line_join(on->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(on->cairo, (double[]){5, 3}, style.dashed ? 2 : 0, 0);
    cairo_stroke(on->cairo);
}

static void draw_text(canvas *on, point at, const char *clean, text_style style)
{
    cairo_save(on->cairo);
    canvas_font(on->cairo, style);
    cairo_text_extents_t extents;
    cairo_text_extents(on->cairo, clean, &extents);
    cairo_translate(on->cairo, at.x, at.y);
    if (style.upright) cairo_rotate(on->cairo, -1.5707963267948966);
    set_color(on->cairo, COLOR_INK, style.faint ? 0.7 : 1);
    cairo_move_to(on->cairo, -style.anchor * extents.x_advance, 0);
    cairo_show_text(on->cairo, clean);
    cairo_restore(on->cairo);
}

static void draw_image(canvas *on, box place, cairo_surface_t *pixels, bool smooth)
{
    cairo_save(on->cairo);
    cairo_translate(on->cairo, place.left, place.top);
    cairo_scale(on->cairo, (place.right - place.left) / cairo_image_surface_get_width(pixels),
                (place.bottom - place.top) / cairo_image_surface_get_height(pixels));
    cairo_set_source_surface(on->cairo, pixels, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(on->cairo), smooth ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
    cairo_pattern_set_extend(cairo_get_source(on->cairo), CAIRO_EXTEND_PAD);
    cairo_rectangle(on->cairo, 0, 0, cairo_image_surface_get_width(pixels),
                    cairo_image_surface_get_height(pixels));
    cairo_fill(on->cairo);
    cairo_restore(on->cairo);
}

static void draw_clip(canvas *on, const box *to)
{
    if (to) {
        cairo_save(on->cairo);
        cairo_rectangle(on->cairo, to->left, to->top, to->right - to->left, to->bottom - to->top);
        cairo_clip(on->cairo);
    } else {
        cairo_restore(on->cairo);
    }
}

canvas canvas_on_cairo(cairo_t *cairo, double width, double height)
{
    set_color(cairo, COLOR_PAPER, 1);
    cairo_paint(cairo);
    return (canvas){.width = width,
                    .height = height,
                    .cairo = cairo,
                    .path = draw_path,
                    .text = draw_text,
                    .image = draw_image,
                    .clip = draw_clip};
}
