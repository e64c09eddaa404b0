/* Draws example images in a grid. */
#include "cli/common/preview_images.h"

#include "plot/plot.h"

puad_status preview_images(const char *path, const char *title, const float *images, size_t count,
                           preview_shape shape, const char *const *captions, size_t columns)
{
    plot_panel panel = {.kind = PLOT_IMAGES,
                        .images = images,
                        .image_count = count,
                        .image_columns = columns,
                        .image_height = shape.height,
                        .image_width = shape.width,
                        .image_channels = shape.channels,
                        .captions = captions};
    size_t lines = (count + columns - 1) / columns;
    plot_figure figure = {.title = title,
                          .panels = &panel,
                          .panel_count = 1,
                          .panel_width = 84.0 * (double)columns,
                          .panel_height = 98.0 * (double)lines};
    return plot_write(&figure, path);
}
