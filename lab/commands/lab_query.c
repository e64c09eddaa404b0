/* Selects experiments of a ledger by --datasets, --methods and --where. */
#include "lab/commands/lab_commands.h"
#include "lab/run/experiment.h"
#include "lab/sets/file_set.h"

#include "options/similar_name.h"

#include <stdio.h>
#include <string.h>

static puad_status check_set(const char *name)
{
    const set_row *found;
    char names[512] = "", hint[SIMILAR_CAPACITY];
    size_t count, used = 0;
    const set_row *sets = sets_all(&count);
    if (set_is_of_file(name) || set_find(&found, name) == PUAD_OK) return PUAD_OK;
    similar_name search = {.word = name};
    for (size_t i = 0; i < count; i++) similar_offer(&search, sets[i].name, strlen(sets[i].name));
    for (size_t i = 0; i < count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", sets[i].name);
    FAIL(PUAD_INVALID, "no dataset is named '%s'%s; there are %s", name, similar_hint(hint, &search, ""),
         names);
}

static puad_status check_method(const char *name)
{
    if (lab_method_exists(name)) return PUAD_OK;
    FAIL(PUAD_INVALID, "no method is named '%s'; there are %s", name, lab_method_names());
}

/* The names in the option `source`, all of which must be known; none if it is not given. */
static puad_status names_of(const char *const **out, size_t *out_count, arena *memory, const invocation *call,
                            const char *source, puad_status (*check)(const char *name))
{
    const char **names = NULL;
    const char *text = value_of(call, source)->text;
    *out_count = 0;
    if (!text) return PUAD_OK;
    TRY(parts_of(&names, out_count, memory, text));
    if (*out_count == 0) FAIL(PUAD_INVALID, "--%s: '%s' is an empty list", source, text);
    for (size_t i = 0; i < *out_count; i++)
        if (check(names[i]) != PUAD_OK) {
            status_prefix("--%s", source);
            return PUAD_INVALID;
        }
    *out = names;
    return PUAD_OK;
}

puad_status lab_make_query(record_query *out, arena *memory, const invocation *call)
{
    const option_value *where = value_of(call, "where");
    *out = (record_query){.where = where->list, .where_count = where->list_count};
    TRY(names_of(&out->datasets, &out->dataset_count, memory, call, "datasets", check_set));
    return names_of(&out->methods, &out->method_count, memory, call, "methods", check_method);
}
