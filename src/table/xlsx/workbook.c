/* Parts of a workbook other than its sheets. */
#include "table/xlsx/workbook.h"

#include <ctype.h>
#include <stdlib.h>

enum { TEXTS_MAX = 1 << 24, STYLES_MAX = 1 << 16, FORMATS_MAX = 1 << 12 };
static const size_t TEXT_BYTES_MAX = (size_t)1 << 29;

#define AUTO_XML __attribute__((cleanup(xml_close)))

static puad_status find_sheet(workbook *out, char id[64], const char *path)
{
    AUTO_XML xml document = {0};
    bool found, taken = false;
    char state[20], flag[8];
    TRY(stream_open_zip(&document.source, &found, path, "xl/workbook.xml"));
    if (!found)
        FAIL(PUAD_FORMAT, "%s: a zip archive that is neither an Excel workbook nor NumPy arrays", path);
    for (xml_event event;;) {
        TRY(xml_next(&event, &document));
        if (event.kind == XML_END_OF_FILE) break;
        if (xml_is(&event, XML_OPEN, "workbookPr") && xml_attribute(flag, sizeof flag, &event, "date1904"))
            out->from_1904 = flag[0] == '1' || flag[0] == 't';
        if (taken || !xml_is(&event, XML_OPEN, "sheet")) continue;
        if (xml_attribute(state, sizeof state, &event, "state") && strcmp(state, "visible") != 0) continue;
        taken = xml_attribute(id, 64, &event, "id");
    }
    if (!taken) FAIL(PUAD_FORMAT, "%s: a workbook without a sheet", path);
    return PUAD_OK;
}

static puad_status find_member(workbook *out, const char *id, const char *path)
{
    AUTO_XML xml document = {0};
    bool found;
    char name[64], target[256];
    TRY(stream_open_zip(&document.source, &found, path, "xl/_rels/workbook.xml.rels"));
    for (xml_event event; found;) {
        TRY(xml_next(&event, &document));
        if (event.kind == XML_END_OF_FILE) break;
        if (!xml_is(&event, XML_OPEN, "Relationship") || !xml_attribute(name, sizeof name, &event, "Id") ||
            strcmp(name, id) != 0 || !xml_attribute(target, sizeof target, &event, "Target"))
            continue;
        snprintf(out->sheet, sizeof out->sheet, "%s%s", target[0] == '/' ? "" : "xl/",
                 target[0] == '/' ? target + 1 : target);
        return PUAD_OK;
    }
    FAIL(PUAD_FORMAT, "%s: the workbook does not name its first sheet", path);
}

static puad_status add_text(workbook *out, text_view text, const char *path)
{
    const char *copy;
    if (out->text_count == out->text_room) {
        size_t capacity = out->text_room ? 2 * out->text_room : 1024;
        if (capacity > TEXTS_MAX) FAIL(PUAD_FORMAT, "%s: more than %d shared strings", path, TEXTS_MAX);
        TRY(memory_grow(&out->texts, capacity, sizeof *out->texts, "texts"));
        out->text_room = capacity;
    }
    TRY(arena_view(&out->memory, &copy, text));
    out->texts[out->text_count++] = (text_view){copy, text.length};
    return PUAD_OK;
}

/* Shared strings; phonetic readings of Japanese ones are skipped. */
static puad_status read_texts(workbook *out, const char *path)
{
    AUTO_XML xml document = {0};
    AUTO_FREE char *text = NULL;
    bool found, inside = false, spoken = false;
    size_t used = 0, capacity = 0, all = 0;
    TRY(stream_open_zip(&document.source, &found, path, "xl/sharedStrings.xml"));
    for (xml_event event; found;) {
        TRY(xml_next(&event, &document));
        if (event.kind == XML_END_OF_FILE) break;
        if (event.kind == XML_OPEN && view_is(event.name, "rPh")) spoken = !event.empty;
        if (xml_is(&event, XML_CLOSE, "rPh")) spoken = false;
        if (event.kind == XML_OPEN && view_is(event.name, "t")) inside = !event.empty;
        if (xml_is(&event, XML_CLOSE, "t")) inside = false;
        if (event.kind == XML_TEXT && inside && !spoken) {
            all += event.text.length;
            if (all > TEXT_BYTES_MAX) FAIL(PUAD_FORMAT, "%s: more than 512 MB of shared strings", path);
            if (used + event.text.length > capacity) {
                capacity = 2 * (used + event.text.length);
                TRY(memory_grow(&text, capacity, 1, "texts"));
            }
            memcpy(text + used, event.text.text, event.text.length);
            used += event.text.length;
        }
        bool empty = event.kind == XML_OPEN && view_is(event.name, "si") && event.empty;
        if (xml_is(&event, XML_CLOSE, "si") || empty) {
            TRY(add_text(out, (text_view){text ? text : "", used}, path));
            used = 0;
        }
    }
    return PUAD_OK;
}

/* Whether a number format shows dates: it has date letters outside quotes and brackets. [h]:mm is a
 * duration, which stays a number. */
static bool is_date_format(const char *code)
{
    bool found = false;
    for (const char *p = code; *p; p++) {
        if (*p == '"') {
            for (p++; *p && *p != '"';) p++;
            if (!*p) break;
        } else if (*p == '\\' || *p == '_' || *p == '*') {
            if (!*++p) break;
        } else if (*p == '[') {
            if (strchr("hHmMsS", p[1])) return false;
            while (*p && *p != ']') p++;
            if (!*p) break;
        } else if (strncmp(p, "General", 7) == 0) {
            p += 6;
        } else if (strchr("yYdDhHsS", *p) || *p == 'm' || *p == 'M') {
            found = true;
        } else if (*p == '0' || *p == '#') {
            if (!found) return false;
        }
    }
    return found;
}

static bool is_usual_date(long format)
{
    return (format >= 14 && format <= 22) || (format >= 27 && format <= 36) ||
           (format >= 50 && format <= 58) || format == 45 || format == 47;
}

static puad_status read_styles(workbook *out, const char *path)
{
    AUTO_XML xml document = {0};
    AUTO_FREE long *formats = NULL; /* the workbook's custom date formats */
    bool found, inside = false;
    size_t count = 0;
    char id[24], code[256];
    TRY(memory_new(&formats, FORMATS_MAX, sizeof *formats, "formats"));
    TRY(stream_open_zip(&document.source, &found, path, "xl/styles.xml"));
    for (xml_event event; found;) {
        TRY(xml_next(&event, &document));
        if (event.kind == XML_END_OF_FILE) break;
        if (xml_is(&event, XML_OPEN, "numFmt") && xml_attribute(id, sizeof id, &event, "numFmtId") &&
            xml_attribute(code, sizeof code, &event, "formatCode") && is_date_format(code) &&
            count < FORMATS_MAX)
            formats[count++] = strtol(id, NULL, 10);
        if (event.kind == XML_OPEN && view_is(event.name, "cellXfs")) inside = !event.empty;
        if (xml_is(&event, XML_CLOSE, "cellXfs")) inside = false;
        if (!inside || !xml_is(&event, XML_OPEN, "xf")) continue;
        if (out->style_count == out->style_room) {
            size_t capacity = out->style_room ? 2 * out->style_room : 64;
            if (capacity > STYLES_MAX) FAIL(PUAD_FORMAT, "%s: more than %d styles", path, STYLES_MAX);
            TRY(memory_grow(&out->dates, capacity, sizeof *out->dates, "styles"));
            out->style_room = capacity;
        }
        long format = xml_attribute(id, sizeof id, &event, "numFmtId") ? strtol(id, NULL, 10) : 0;
        bool date = is_usual_date(format);
        for (size_t i = 0; i < count; i++) date |= formats[i] == format;
        out->dates[out->style_count++] = date;
    }
    return PUAD_OK;
}

puad_status workbook_open(workbook *out, const char *path)
{
    char id[64] = "";
    TRY(find_sheet(out, id, path));
    TRY(find_member(out, id, path));
    TRY(read_texts(out, path));
    return read_styles(out, path);
}

void workbook_free(workbook *owner)
{
    free(owner->texts);
    free(owner->dates);
    arena_free(&owner->memory);
    *owner = (workbook){0};
}
