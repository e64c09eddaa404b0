/* A grid of small images with captions, pixels shown as squares. */
#include "plot/panel.h"

#include "base/memory.h"

#include <math.h>

enum { CAPTION_HEIGHT = 13, SPACE = 3 };

static void images_limits(limits *grow, const plot_panel *panel)
{
    (void)panel;
    *grow = (limits){0, 1, 0, 1};
}

static size_t columns_of(const plot_panel *panel)
{
    size_t columns = panel->image_columns;
    if (columns == 0) columns = (size_t)ceil(sqrt((double)panel->image_count));
    return columns ? columns : 1;
}

static uint8_t byte_of(float value)
{
    return value >= 1 ? 255 : value > 0 ? (uint8_t)lrintf(value * 255) : 0; /* NaN is drawn black */
}

static void draw_one(canvas *on, const plot_panel *panel, size_t index, box place, uint8_t *rgb)
{
    size_t pixels = (size_t)panel->image_height * (size_t)panel->image_width,
           channels = (size_t)panel->image_channels;
    const float *source = panel->images + index * pixels * channels;
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < 3; c++)
            rgb[3 * i + c] = byte_of(source[i * channels + (channels == 3 ? c : 0)]);
    canvas_image(on, place, rgb, panel->image_width, panel->image_height, false);
}

static void images_draw(canvas *on, const frame *in)
{
    const plot_panel *panel = in->panel;
    size_t columns = columns_of(panel), rows = (panel->image_count + columns - 1) / columns;
    if (rows == 0) return;
    double caption = panel->captions ? CAPTION_HEIGHT : 0;
    double wide = (in->inner.right - in->inner.left) / (double)columns;
    double high = (in->inner.bottom - in->inner.top) / (double)rows;
    double scale_x = (wide - SPACE) / panel->image_width,
           scale_y = (high - SPACE - caption) / panel->image_height;
    double factor = fmax(0.05, fmin(scale_x, scale_y));
    double width = factor * panel->image_width, height = factor * panel->image_height;
    wide = fmax(width + SPACE, panel->captions ? fmin(wide, width * 1.6 + 8) : 0);
    high = height + SPACE + caption;
    double left = (in->inner.left + in->inner.right - wide * (double)columns) / 2;
    AUTO_FREE uint8_t *rgb = NULL;
    puad_status status =
        memory_new(&rgb, (size_t)panel->image_height * (size_t)panel->image_width, 3, "an image of a figure");
    if (status != PUAD_OK) {
        on->status = status;
        return;
    }
    for (size_t i = 0; i < panel->image_count; i++) {
        double middle = left + wide * ((double)(i % columns) + 0.5),
               top = in->inner.top + high * (double)(i / columns);
        draw_one(on, panel, i, (box){middle - width / 2, top, middle + width / 2, top + height}, rgb);
        if (!panel->captions) continue;
        char text[TEXT_MAX];
        text_fit(text, panel->captions[i], (text_style){.size = 9}, wide - 2);
        canvas_text(on, middle, top + height + 10, text, (text_style){.size = 9, .anchor = 0.5});
    }
}

const panel_kind panel_images = {.limits = images_limits, .draw = images_draw, .right_margin = 4};
