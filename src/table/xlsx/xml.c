/* Scans tags and text in a buffer that is refilled. */
#include "table/xlsx/xml.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 64 * 1024, TOKEN_MAX = 4 << 20 };

static puad_status wrong(const xml *document, const char *what)
{
    FAIL(PUAD_FORMAT, "%s: after %llu bytes: %s", document->source.name,
         (unsigned long long)(document->source.offset - (document->used - document->at)), what);
}

/* Moves unused bytes to the front and reads more. */
static puad_status more(xml *document)
{
    size_t count, left = document->used - document->at;
    if (document->at) memmove(document->buffer, document->buffer + document->at, left);
    document->at = 0;
    document->used = left;
    if (left == document->capacity) {
        size_t capacity = document->capacity ? 2 * document->capacity : FIRST_CAPACITY;
        if (capacity > TOKEN_MAX) return wrong(document, "a tag or text longer than 4 MB");
        TRY(memory_grow(&document->buffer, capacity + 1, 1, "XML"));
        document->capacity = capacity;
    }
    TRY(stream_read_some(&document->source, document->buffer + left, document->capacity - left, &count));
    document->used += count;
    document->buffer[document->used] = 0;
    document->ended = document->used < document->capacity;
    return PUAD_OK;
}

/* The offset of `mark` at least `begin` bytes after the current position; reads until it is found. */
static puad_status find(size_t *out, xml *document, size_t begin, const char *mark)
{
    size_t length = strlen(mark);
    for (;;) {
        size_t have = document->used - document->at;
        char *found =
            have > begin ? memmem(document->buffer + document->at + begin, have - begin, mark, length) : NULL;
        if (found) {
            *out = (size_t)(found - document->buffer) - document->at;
            return PUAD_OK;
        }
        if (document->ended) return wrong(document, "truncated inside a tag");
        TRY(more(document));
    }
}

/* The '>' of a tag, ignoring quoted ones. */
static puad_status find_tag_end(size_t *out, xml *document)
{
    char quote = 0;
    for (size_t i = 1;; i++) {
        if (i == document->used - document->at) {
            if (document->ended) return wrong(document, "truncated inside a tag");
            TRY(more(document));
            if (i == document->used - document->at) return wrong(document, "truncated inside a tag");
        }
        char c = document->buffer[document->at + i];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '<')
            return wrong(document, "a '<' inside a tag");
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
static puad_status resolve(xml_event *out, const xml *document, char *text, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        size_t taken = 0, wrote = 1;
        char made[4];
        if (text[i] == 0) return wrong(document, "a NUL byte");
        if (text[i] == '&' && !(taken = entity(made, &wrote, text + i, length - i)))
            return wrong(document, "an unknown entity");
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

static puad_status take_tag(xml_event *out, xml *document)
{
    size_t end = 0, name = 1;
    TRY(find_tag_end(&end, document));
    const char *tag = document->buffer + document->at;
    bool close = tag[1] == '/';
    name += close;
    size_t begin = name;
    while (name < end && !isspace((unsigned char)tag[name]) && tag[name] != '/') name++;
    if (name == begin) return wrong(document, "a tag without a name");
    *out = (xml_event){.kind = close ? XML_CLOSE : XML_OPEN,
                       .name = without_prefix(tag + begin, name - begin),
                       .empty = !close && tag[end - 1] == '/',
                       .attributes = {tag + name, end - name}};
    document->at += end + 1;
    return PUAD_OK;
}

puad_status xml_next(xml_event *out, xml *document)
{
    for (;;) {
        size_t end = 0, have = document->used - document->at;
        if (have < 9 && !document->ended) { /* as much as the longest mark below */
            TRY(more(document));
            continue;
        }
        if (have == 0) {
            *out = (xml_event){.kind = XML_END_OF_FILE};
            return PUAD_OK;
        }
        char *text = document->buffer + document->at;
        if (*text != '<') {
            char *next = memchr(text, '<', have);
            if (!next && !document->ended) {
                TRY(more(document));
                continue;
            }
            size_t length = next ? (size_t)(next - text) : have;
            document->at += length;
            return resolve(out, document, text, length);
        }
        if (have >= 4 && memcmp(text, "<!--", 4) == 0) {
            TRY(find(&end, document, 4, "-->"));
            document->at += end + 3;
        } else if (have >= 9 && memcmp(text, "<![CDATA[", 9) == 0) {
            TRY(find(&end, document, 9, "]]>"));
            *out = (xml_event){.kind = XML_TEXT, .text = {document->buffer + document->at + 9, end - 9}};
            if (memchr(out->text.text, 0, out->text.length)) return wrong(document, "a NUL byte");
            document->at += end + 3;
            return PUAD_OK;
        } else if (have >= 2 && text[1] == '?') {
            TRY(find(&end, document, 2, "?>"));
            document->at += end + 2;
        } else if (have >= 2 && text[1] == '!') {
            return wrong(document, "a document type, which workbooks do not have");
        } else {
            return take_tag(out, document);
        }
    }
}

bool xml_attribute(char *out, size_t capacity, const xml_event *event, const char *name)
{
    const char *p = event->attributes.text, *end = p + event->attributes.length;
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
        for (size_t i = 0; i < length && used + 5 < capacity;) {
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
