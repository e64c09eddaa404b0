/* Converts UTF-16 text, as spreadsheets save "Unicode text", to UTF-8. */
#include "io/stream_makers.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { UNITS = 8192, REPLACEMENT = 0xfffd };

typedef struct utf16 {
    bool big; /* big-endian */
    unsigned char raw[2 * UNITS];
    size_t raw_at, raw_used;
    unsigned high; /* the first half of a surrogate pair; 0 for none */
    char made[8];
    size_t made_at, made_used;
} utf16;

static void put(utf16 *to, unsigned c)
{
    to->made_used += utf8_put(to->made + to->made_used, c);
}

static void take_unit(utf16 *utf, unsigned unit)
{
    utf->made_at = utf->made_used = 0;
    bool low = unit >= 0xdc00 && unit < 0xe000, high = unit >= 0xd800 && unit < 0xdc00;
    if (utf->high && !low) put(utf, REPLACEMENT);
    if (utf->high && low)
        put(utf, 0x10000 + ((utf->high - 0xd800) << 10) + (unit - 0xdc00));
    else if (low)
        put(utf, REPLACEMENT);
    else if (!high)
        put(utf, unit);
    utf->high = high ? unit : 0;
}

static puad_status read_utf16(stream *source, unsigned char *out, size_t size, size_t *out_count)
{
    utf16 *utf = source->made.state;
    size_t done = 0;
    bool ended = false;
    while (done < size && !ended) {
        if (utf->made_at < utf->made_used) {
            out[done++] = (unsigned char)utf->made[utf->made_at++];
        } else if (utf->raw_used - utf->raw_at >= 2) {
            const unsigned char *unit = utf->raw + utf->raw_at;
            take_unit(utf, (unsigned)(utf->big ? unit[0] << 8 | unit[1] : unit[1] << 8 | unit[0]));
            utf->raw_at += 2;
        } else {
            if (utf->raw_used > utf->raw_at)
                FAIL(PUAD_FORMAT, "%s: UTF-16 text, truncated in the middle of a character", source->name);
            utf->raw_at = 0;
            TRY(stream_read_plain(source, utf->raw, sizeof utf->raw, &utf->raw_used));
            ended = utf->raw_used == 0;
        }
    }
    source->ended = ended;
    *out_count = done;
    return PUAD_OK;
}

static void end_utf16(stream *source)
{
    free(source->made.state);
}

puad_status stream_utf16(stream *out)
{
    utf16 *utf = NULL;
    bool little = out->buffered >= 2 && out->next[0] == 0xff && out->next[1] == 0xfe;
    bool big = out->buffered >= 2 && out->next[0] == 0xfe && out->next[1] == 0xff;
    if (!little && !big) return PUAD_OK;
    TRY(memory_new(&utf, 1, sizeof *utf, out->name));
    utf->big = big;
    out->next += 2;
    out->buffered -= 2;
    out->kind = STREAM_MADE;
    out->made = (stream_maker){read_utf16, end_utf16, utf, 3};
    return PUAD_OK;
}
