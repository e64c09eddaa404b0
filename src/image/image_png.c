/* PNG by libpng, whose errors arrive by longjmp: they are caught in one small function. */
#include "image/image_decode.h"

#include <png.h>
#include <string.h>

/* limit of bytes per compressed byte; pixels of one bit */
enum { DEFLATE_RATIO = 1032, PIXELS_PER_BYTE = 8 };

typedef struct png_work {
    const image_source *images;
    image *out;
    size_t offset;
    png_structp png;
    png_infop info;
    char message[160];
    puad_status status; /* status of this file's functions, which have set the message */
} png_work;

static void on_error(png_structp png, png_const_charp text)
{
    png_work *work = png_get_error_ptr(png);
    snprintf(work->message, sizeof work->message, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png, (void)text;
}

static void on_read(png_structp png, png_bytep out, size_t size)
{
    png_work *work = png_get_io_ptr(png);
    if (size > work->images->size - work->offset) png_error(png, "truncated");
    memcpy(out, work->images->bytes + work->offset, size);
    work->offset += size;
}

static void read_pixels(png_work *work)
{
    png_structp png = work->png;
    image *out = work->out;
    size_t stride = (size_t)out->width * (size_t)out->channels;
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_strip_alpha(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, work->info);
    if (png_get_rowbytes(png, work->info) != stride) png_error(png, "unexpected pixel format");
    for (int pass = 0; pass < passes; pass++)
        for (int y = 0; y < out->height; y++) png_read_row(png, out->pixels + (size_t)y * stride, NULL);
    png_read_end(png, NULL);
}

/* All calls that libpng may jump out of; false if it did. */
static bool run_guarded(png_work *work)
{
    if (setjmp(png_jmpbuf(work->png))) return false;
    png_set_read_fn(work->png, work, on_read);
    png_set_user_limits(work->png, IMAGE_SIDE_MAX, IMAGE_SIDE_MAX);
    png_set_chunk_malloc_max(work->png, 1 << 24);
    png_read_info(work->png, work->info);
    int color = png_get_color_type(work->png, work->info) & PNG_COLOR_MASK_COLOR;
    work->status = image_reserve(work->out, work->images, png_get_image_height(work->png, work->info),
                                 png_get_image_width(work->png, work->info), color ? 3 : 1,
                                 (uint64_t)DEFLATE_RATIO * PIXELS_PER_BYTE);
    if (work->status == PUAD_OK && !work->images->header_only) read_pixels(work);
    return true;
}

puad_status png_decode(image *out, const image_source *images)
{
    png_work work = {.images = images, .out = out};
    work.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &work, on_error, on_warning);
    work.info = work.png ? png_create_info_struct(work.png) : NULL;
    bool created = work.info != NULL;
    bool finished = created && run_guarded(&work);
    png_destroy_read_struct(&work.png, &work.info, NULL);
    if (!created) FAIL(PUAD_MEMORY, "%s: no memory for libpng", images->path);
    if (!finished)
        FAIL(PUAD_FORMAT, "%s: at offset %zu: damaged PNG: %s", images->path, work.offset, work.message);
    return work.status;
}
