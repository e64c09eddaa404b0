/* The metadata that reading a sheet of an Excel workbook needs: its member name, the shared strings, and
 * which styles are dates. */
#ifndef TABLE_XLSX_WORKBOOK_H
#define TABLE_XLSX_WORKBOOK_H

#include "base/memory.h"
#include "base/utf8.h"
#include "table/xlsx/xml.h"

typedef struct workbook {
    arena memory;
    char sheet[300]; /* the member of the first sheet that is not hidden */
    bool from_1904;  /* days are counted from 1904 */
    text_view *texts;
    size_t text_count, text_room;
    bool *dates; /* by style */
    size_t style_count, style_room;
} workbook;

puad_status workbook_open(workbook *out, const char *path);
void workbook_free(workbook *owner); /* {0} is fine */

#endif
