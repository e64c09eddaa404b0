/* Checks that the datasets of all experiments are available before the first one runs. */
#include "lab/commands/lab_commands.h"
#include "lab/fetch/fetch.h"
#include "lab/sets/set.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_CAPACITY = 512 };

static void add_name(char names[NAMES_CAPACITY], const char *between, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, NAMES_CAPACITY - used, "%s%s", used ? between : "", name);
}

static bool can_be_fetched(const char *set)
{
    size_t count;
    const fetch_source *sources = fetch_sources(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(sources[i].dataset, set) == 0) return true;
    return false;
}

static bool is_needed(const cell_list *cells, const bool *done, const char *set)
{
    for (size_t i = 0; i < cells->count; i++)
        if (!done[i] && strcmp(cells->cells[i].dataset, set) == 0) return true;
    return false;
}

puad_status lab_need_sets(const cell_list *cells, const bool *done, const invocation *call)
{
    AUTO_FREE char *folder = NULL;
    const char *given = value_of(call, "data-dir")->text;
    char missing[NAMES_CAPACITY] = "", fetched[NAMES_CAPACITY] = "";
    size_t count;
    const set_row *sets = sets_all(&count);
    TRY(sets_folder(&folder, given));
    for (size_t i = 0; i < count; i++) {
        if (!is_needed(cells, done, sets[i].name) || set_is_present(NULL, &sets[i], folder)) continue;
        add_name(missing, ", ", sets[i].name);
        if (can_be_fetched(sets[i].name)) add_name(fetched, " ", sets[i].name);
    }
    if (!*missing) return PUAD_OK;
    if (!*fetched) FAIL(PUAD_IO, "%s: the files of %s are missing", folder, missing);
    FAIL(PUAD_IO, "%s: the files of %s are missing; 'puad fetch %s%s%s' gets them", folder, missing, fetched,
         given ? " --data-dir " : "", given ? given : "");
}
