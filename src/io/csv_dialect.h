/* How a CSV file is written: its delimiter, its decimal mark, and whether its first record is a header. */
#ifndef IO_CSV_DIALECT_H
#define IO_CSV_DIALECT_H

#include "base/memory.h"
#include "base/status.h"

struct kept_files;

typedef enum header_choice { HEADER_DETECT, HEADER_YES, HEADER_NO } header_choice;

/* What the caller knows; {0} detects everything. */
typedef struct csv_settings {
    const char *name;   /* for messages; NULL for the path */
    char delimiter;     /* 0 detects one of , ; tab | */
    char decimal;       /* 0 detects . or , */
    char usual_decimal; /* taken instead of the guess where cells are not separated by it; 0 for none */
    header_choice header;
    const char *const *known; /* column names: a first record that holds one of them is a header */
    size_t known_count;
    bool live;               /* rows of a pipe are wanted as they arrive (stream_open_live) */
    struct kept_files *kept; /* see reopenable_files.h; or NULL */
} csv_settings;

typedef struct csv_dialect {
    char delimiter, decimal;
    char likely_decimal; /* what the first records suggest */
    bool decimal_seen;   /* some of them have numbers with a mark that is not the delimiter */
    bool header;
} csv_dialect;

/* How many bytes in front of a table are titles and the like: lines with few cells above one with many. 0
 * where the user says that there is no header. */
size_t csv_preamble(const char *bytes, size_t size, const csv_settings *settings);

/* Decides by the first bytes of a file, which begin with a record and end with a whole one. */
puad_status csv_dialect_guess(csv_dialect *out, const char *bytes, size_t size, const csv_settings *settings);

#endif
