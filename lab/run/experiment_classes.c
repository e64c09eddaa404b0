/* Normalizes the class names of an experiment to the form used in ledgers. */
#include "lab/run/experiment.h"
#include "lab/sets/file_set.h"

#include <stdio.h>

/* "0", "4,7"; for a user's file the names of the classes. */
static puad_status texts_of(const char **out, arena *memory, const set_row *about, class_bits classes,
                            const char *between)
{
    char text[1000] = "", name[128];
    size_t used = 0;
    for (int class = 0; class < 64 && used < sizeof text; class ++) {
        if (!(classes & ONE(class))) continue;
        snprintf(name, sizeof name, "%d", class);
        if (about->reader->named) set_class_name(name, sizeof name, about, class);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? between : "", name);
    }
    if (used >= sizeof text) FAIL(PUAD_INVALID, "%s: too many classes", about->name);
    *out = arena_text(memory, text);
    if (!*out) FAIL(PUAD_MEMORY, "no memory for an experiment");
    return PUAD_OK;
}

static puad_status parse(class_bits *out, const char *option, const set_row *about, const char *text)
{
    puad_status status = set_parse_classes(out, about, text);
    if (status != PUAD_OK) status_prefix("%s", option);
    return status;
}

puad_status lab_cell_name_classes(lab_cell *cell, arena *memory)
{
    const set_row *about = NULL;
    class_bits normal = 0, unseen;
    if (set_is_of_file(cell->dataset) && !file_set_find(cell->dataset)) {
        if (*cell->normal) return PUAD_OK; /* a file that is not open: keep the names */
        FAIL(PUAD_INVALID, "normal: an experiment on %s needs a normal class", cell->dataset);
    }
    TRY(set_find(&about, cell->dataset));
    unseen = about->unseen;
    TRY(parse(&normal, "normal", about, cell->normal));
    if (cell->unseen[0]) TRY(parse(&unseen, "unseen", about, cell->unseen));
    if (!normal) FAIL(PUAD_INVALID, "normal: an experiment on %s needs a normal class", about->name);
    if (normal & unseen)
        FAIL(PUAD_INVALID, "normal: class '%s' of %s cannot be both normal and unseen", cell->normal,
             about->name);
    TRY(texts_of(&cell->unseen, memory, about, unseen, ","));
    if (about->group_name && normal == about->group)
        cell->normal = about->group_name;
    else
        TRY(texts_of(&cell->normal, memory, about, normal, about->reader->named ? "+" : ","));
    return PUAD_OK;
}
