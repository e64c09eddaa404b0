/* A strict scanner for the XML of a workbook: elements, attributes, text, CDATA, the five entities and
 * numeric ones. Document types are rejected, so entity definitions cannot expand. */
#ifndef TABLE_XLSX_XML_H
#define TABLE_XLSX_XML_H

#include "base/utf8.h"
#include "io/stream.h"

typedef enum xml_kind { XML_END_OF_FILE, XML_OPEN, XML_CLOSE, XML_TEXT } xml_kind;

typedef struct xml_event { /* valid until the next call */
    xml_kind kind;
    text_view name;       /* of an element, without a prefix */
    text_view attributes; /* of XML_OPEN, unparsed */
    bool empty;           /* of XML_OPEN: <a/>; no XML_CLOSE follows */
    text_view text;       /* of XML_TEXT */
} xml_event;

typedef struct xml {
    stream source;
    char *buffer;
    size_t capacity, used, at;
    bool ended;
} xml;

puad_status xml_next(xml_event *out, xml *document);
void xml_close(xml *owner); /* {0} is fine; the source too */

/* The value of an attribute, with entities resolved, truncated to `capacity` - 1 bytes; false if there is
 * none. */
bool xml_attribute(char *out, size_t capacity, const xml_event *event, const char *name);

static inline bool xml_is(const xml_event *event, xml_kind kind, const char *name)
{
    return event->kind == kind && view_is(event->name, name);
}

#endif
