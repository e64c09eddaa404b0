/* Scans tags and text in a buffer that is refilled. */
#include "table/xlsx/xml.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdlib.h>

enum { FIRST_ROOM = 64 * 1024, TOKEN_MOST = 4 << 20 };

static puad_status wrong(const xml *from, const char *what)
{
    FAIL(PUAD_FORMAT, "%s: after %llu bytes: %s", from->source.name,
         (unsigned long long)(from->source.offset - (from->used - from->at)), what);
}

/* Moves unused bytes to the front and reads more. */
static puad_status more(xml *from)
{
    size_t count, left = from->used - from->at;
    if (from->at) memmove(from->buffer, from->buffer + from->at, left);
    from->at = 0;
    from->used = left;
    if (left == from->room) {
        size_t room = from->room ? 2 * from->room : FIRST_ROOM;
        if (room > TOKEN_MOST) return wrong(from, "a tag or text longer than 4 MB");
        TRY(memory_grow(&from->buffer, room + 1, 1, "XML"));
        from->room = room;
    }
    TRY(stream_read_some(&from->source, from->buffer + left, from->room - left, &count));
    from->used += count;
    from->buffer[from->used] = 0;
    from->ended = from->used < from->room;
    return PUAD_OK;
}

/* The offset of `mark` at least `begin` bytes after the current position; reads until it is found. */
static puad_status find(size_t *out, xml *from, size_t begin, const char *mark)
{
    size_t length = strlen(mark);
    for (;;) {
        size_t have = from->used - from->at;
        char *found =
            have > begin ? memmem(from->buffer + from->at + begin, have - begin, mark, length) : NULL;
        if (found) {
            *out = (size_t)(found - from->buffer) - from->at;
            return PUAD_OK;
        }
        if (from->ended) return wrong(from, "truncated inside a tag");
        TRY(more(from));
    }
}

/* The '>' of a tag, ignoring quoted ones. */
static puad_status find_tag_end(size_t *out, xml *from)
{
    char quote = 0;
    for (size_t i = 1;; i++) {
        if (i == from->used - from->at) {
            if (from->ended) return wrong(from, "truncated inside a tag");
            TRY(more(from));
            if (i == from->used - from->at) return wrong(from, "truncated inside a tag");
        }
        char c = from->buffer[from->at + i];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '<')
            return wrong(from, "a '<' inside a tag");
        else if (c == '>') {
            *out = i;
            return PUAD_OK;
        }
    }
}

/* Decodes an entity from '&' on; returns its length, 0 if it is invalid. The result is never longer. */
static size_t entity(char *out, size_t *out_length, const char *text, size_t length)
{
    static const struct {
        const char *name;
        char character;
    } named[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        size_t size = strlen(named[i].name);
        if (length < size || memcmp(text, named[i].name, size) != 0) continue;
        *out = named[i].character;
        *out_length = 1;
        return size;
    }
    if (length < 4 || text[1] != '#') return 0;
    bool hex = text[2] == 'x';
    unsigned long value = 0;
    size_t i = hex ? 3 : 2, first = i;
    for (; i < length && i < first + 8 && isxdigit((unsigned char)text[i]); i++) {
        if (!hex && !isdigit((unsigned char)text[i])) return 0;
        int digit =
            isdigit((unsigned char)text[i]) ? text[i] - '0' : (tolower((unsigned char)text[i]) - 'a') + 10;
        value = value * (hex ? 16 : 10) + (unsigned long)digit;
    }
    bool good = value > 0 && value < 0x110000 && !(value >= 0xd800 && value < 0xe000);
    if (i == first || i == length || text[i] != ';' || !good) return 0;
    *out_length = utf8_put(out, (uint32_t)value);
    return i + 1;
}

/* Resolves entities in place. */
static puad_status resolve(xml_event *out, const xml *from, char *text, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        size_t taken = 0, wrote = 1;
        char made[4];
        if (text[i] == 0) return wrong(from, "a NUL byte");
        if (text[i] == '&' && !(taken = entity(made, &wrote, text + i, length - i)))
            return wrong(from, "an unknown entity");
        if (taken)
            memcpy(text + used, made, wrote);
        else
            text[used] = text[i];
        used += wrote;
        i += taken ? taken : 1;
    }
    *out = (xml_event){.kind = XML_TEXT, .text = {text, used}};
    return PUAD_OK;
}

static text_view without_prefix(const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length);
    if (!colon) return (text_view){text, length};
    return (text_view){colon + 1, (size_t)(text + length - colon - 1)};
}

static puad_status take_tag(xml_event *out, xml *from)
{
    size_t end = 0, name = 1;
    TRY(find_tag_end(&end, from));
    const char *tag = from->buffer + from->at;
    bool close = tag[1] == '/';
    name += close;
    size_t begin = name;
    while (name < end && !isspace((unsigned char)tag[name]) && tag[name] != '/') name++;
    if (name == begin) return wrong(from, "a tag without a name");
    *out = (xml_event){.kind = close ? XML_CLOSE : XML_OPEN,
                       .name = without_prefix(tag + begin, name - begin),
                       .empty = !close && tag[end - 1] == '/',
                       .attributes = {tag + name, end - name}};
    from->at += end + 1;
    return PUAD_OK;
}

puad_status xml_next(xml_event *out, xml *from)
{
    for (;;) {
        size_t end = 0, have = from->used - from->at;
        if (have < 9 && !from->ended) { /* as much as the longest mark below */
            TRY(more(from));
            continue;
        }
        if (have == 0) {
            *out = (xml_event){.kind = XML_END_OF_FILE};
            return PUAD_OK;
        }
        char *text = from->buffer + from->at;
        if (*text != '<') {
            char *next = memchr(text, '<', have);
            if (!next && !from->ended) {
                TRY(more(from));
                continue;
            }
            size_t length = next ? (size_t)(next - text) : have;
            from->at += length;
            return resolve(out, from, text, length);
        }
        if (have >= 4 && memcmp(text, "<!--", 4) == 0) {
            TRY(find(&end, from, 4, "-->"));
            from->at += end + 3;
        } else if (have >= 9 && memcmp(text, "<![CDATA[", 9) == 0) {
            TRY(find(&end, from, 9, "]]>"));
            *out = (xml_event){.kind = XML_TEXT, .text = {from->buffer + from->at + 9, end - 9}};
            if (memchr(out->text.text, 0, out->text.length)) return wrong(from, "a NUL byte");
            from->at += end + 3;
            return PUAD_OK;
        } else if (have >= 2 && text[1] == '?') {
            TRY(find(&end, from, 2, "?>"));
            from->at += end + 2;
        } else if (have >= 2 && text[1] == '!') {
            return wrong(from, "a document type, which workbooks do not have");
        } else {
            return take_tag(out, from);
        }
    }
}

bool xml_attribute(char *out, size_t room, const xml_event *of, const char *name)
{
    const char *p = of->attributes.text, *end = p + of->attributes.length;
    while (p < end) {
        while (p < end && (isspace((unsigned char)*p) || *p == '/')) p++;
        const char *begin = p;
        while (p < end && *p != '=' && !isspace((unsigned char)*p)) p++;
        text_view key = without_prefix(begin, (size_t)(p - begin));
        while (p < end && *p != '"' && *p != '\'') p++;
        if (p >= end) return false;
        char quote = *p++;
        const char *value = p;
        while (p < end && *p != quote) p++;
        size_t length = (size_t)(p - value), used = 0;
        p += p < end;
        if (!view_is(key, name)) continue;
        for (size_t i = 0; i < length && used + 5 < room;) {
            size_t wrote = 1, taken = value[i] == '&' ? entity(out + used, &wrote, value + i, length - i) : 0;
            if (!taken) out[used] = value[i];
            used += wrote;
            i += taken ? taken : 1;
        }
        out[used] = 0;
        return true;
    }
    return false;
}

void xml_close(xml *owner)
{
    stream_close(&owner->source);
    free(owner->buffer);
    *owner = (xml){0};
}
