/* JPEG by libjpeg. Its errors arrive by longjmp and are caught in one small function; its warnings (data
 * that end early or are inconsistent) count as errors. */
#include "image/image_decode.h"

#include <setjmp.h>
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>

enum { EXIF_MARKER = JPEG_APP0 + 1, EXIF_MAX = 0xffff, PIXELS_PER_BYTE = 4096 }; /* no real file has more */

typedef struct jpeg_work {
    struct jpeg_error_mgr errors; /* must be first: libjpeg returns a pointer to it */
    struct jpeg_decompress_struct jpeg;
    jmp_buf jump;
    const image_source *images;
    image *out;
    JSAMPLE *ink; /* one row of four inks, in libjpeg's memory */
    char message[JMSG_LENGTH_MAX];
    puad_status status;
    int orientation; /* 0 if not known yet */
} jpeg_work;

static void on_error(j_common_ptr jpeg)
{
    jpeg_work *work = (jpeg_work *)jpeg->err;
    work->errors.format_message(jpeg, work->message);
    longjmp(work->jump, 1);
}

static void on_message(j_common_ptr jpeg, int level)
{
    if (level < 0 && jpeg->err->msg_code != JWRN_ADOBE_XFORM && jpeg->err->msg_code != JWRN_JFIF_MAJOR &&
        jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA)
        on_error(jpeg);
}

/* Programs that write CMYK store inverted inks (0 is full ink), so the product is the remaining light. */
static void ink_to_color(uint8_t *out, const JSAMPLE *ink, int width)
{
    for (int x = 0; x < width; x++)
        for (int c = 0; c < 3; c++) out[3 * x + c] = (uint8_t)((ink[4 * x + c] * ink[4 * x + 3] + 127) / 255);
}

static void read_pixels(jpeg_work *work)
{
    struct jpeg_decompress_struct *jpeg = &work->jpeg;
    size_t stride = (size_t)work->out->width * (size_t)work->out->channels;
    bool inks = jpeg->num_components == 4;
    jpeg->out_color_space = inks ? JCS_CMYK : work->out->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(jpeg);
    if (inks)
        work->ink = jpeg->mem->alloc_large((j_common_ptr)jpeg, JPOOL_IMAGE, (size_t)work->out->width * 4);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *row = work->out->pixels + jpeg->output_scanline * stride;
        JSAMPROW target = inks ? work->ink : row;
        if (jpeg_read_scanlines(jpeg, &target, 1) == 1 && inks)
            ink_to_color(row, work->ink, work->out->width);
    }
    jpeg_finish_decompress(jpeg);
}

/* All calls that libjpeg may jump out of; false if it did. */
static bool run_guarded(jpeg_work *work)
{
    if (setjmp(work->jump)) return false;
    jpeg_create_decompress(&work->jpeg);
    work->jpeg.mem->max_memory_to_use = 512L << 20;
    jpeg_mem_src(&work->jpeg, work->images->bytes, (unsigned long)work->images->size);
    jpeg_save_markers(&work->jpeg, EXIF_MARKER, EXIF_MAX);
    jpeg_read_header(&work->jpeg, TRUE);
    for (jpeg_saved_marker_ptr at = work->jpeg.marker_list; at && work->orientation <= 1; at = at->next)
        work->orientation = orientation_of_exif(at->data, at->data_length);
    int channels = work->jpeg.num_components == 1 ? 1 : 3;
    work->status = image_reserve(work->out, work->images, work->jpeg.image_height, work->jpeg.image_width,
                                 channels, PIXELS_PER_BYTE);
    if (work->status == PUAD_OK && !work->images->header_only) read_pixels(work);
    return true;
}

puad_status jpeg_decode(image *out, const image_source *images)
{
    jpeg_work work = {.images = images, .out = out};
    work.jpeg.err = jpeg_std_error(&work.errors);
    work.errors.error_exit = on_error;
    work.errors.emit_message = on_message;
    bool finished = run_guarded(&work);
    size_t left = work.jpeg.src ? work.jpeg.src->bytes_in_buffer : 0;
    jpeg_destroy_decompress(&work.jpeg);
    if (!finished)
        FAIL(PUAD_FORMAT, "%s: at offset %zu: damaged JPEG: %s", images->path,
             left < images->size ? images->size - left : images->size, work.message);
    TRY(work.status);
    return image_orient(out, work.orientation, images->path);
}
