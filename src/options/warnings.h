/* A list of warnings of a fit, which its model stores. */
#ifndef OPTIONS_WARNINGS_H
#define OPTIONS_WARNINGS_H

#include "options/options.h"

enum { WARNINGS_MAX = 1000 }; /* of a model file */

typedef struct warning_list {
    arena memory;
    puad_warning *items;
    size_t count, capacity;
} warning_list;

puad_status warnings_add(warning_list *list, const puad_warning *warning); /* a copy */
void warnings_free(warning_list *list);                                    /* {0} is fine */

/* The JSON form in a model file: [{"name": ..., "column": ..., "text": ...}], without "column" if there is
 * none. The caller deletes it; NULL when memory ran out. The reader checks its input. */
cJSON *warnings_to_json(const warning_list *list);
puad_status warnings_from_json(warning_list *out, const cJSON *list);

#endif
