/* The dialect of a CSV file: delimiter, decimal mark, and whether the first record is a header. */
#ifndef IO_CSV_DIALECT_H
#define IO_CSV_DIALECT_H

#include "base/memory.h"
#include "base/status.h"

struct kept_files;

typedef enum header_choice { HEADER_DETECT, HEADER_YES, HEADER_NO } header_choice;

/* What the caller has set; {0} detects everything. */
typedef struct csv_settings {
    const char *name;   /* for messages; NULL for the path */
    char delimiter;     /* 0 detects one of , ; tab | */
    char decimal;       /* 0 detects . or , */
    char usual_decimal; /* decimal mark to use instead of the guess unless it is the delimiter; 0 for none */
    header_choice header;
    const char *const *known; /* column names: a first record that contains one of them is a header */
    size_t known_count;
    bool live;               /* read rows of a pipe as they arrive (stream_open_live) */
    struct kept_files *kept; /* see reopenable_files.h; or NULL */
} csv_settings;

typedef struct csv_dialect {
    char delimiter, decimal;
    char likely_decimal; /* suggested by the first records */
    bool decimal_seen;   /* some records have numbers with a decimal mark that is not the delimiter */
    bool header;
} csv_dialect;

/* Bytes of titles before the table: lines with few cells above a line with many. 0 if the user states that
 * there is no header. */
size_t csv_preamble(const char *bytes, size_t size, const csv_settings *settings);

/* Guesses from the first bytes of a file, which begin with a record and end with a complete one. */
puad_status csv_dialect_guess(csv_dialect *out, const char *bytes, size_t size, const csv_settings *settings);

#endif
