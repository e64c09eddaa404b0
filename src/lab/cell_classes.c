/* The classes of a cell under the one name that they have in a ledger. */
#include "lab/cell.h"
#include "sets/set.h"

#include <stdio.h>

/* "0", "4,7" */
static puad_status numbers_of(const char **out, arena *memory, class_bits classes)
{
    char text[256] = "";
    size_t used = 0;
    for (int class = 0; class < 64; class ++)
        if (classes & ONE(class))
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", used ? "," : "", class);
    *out = arena_text(memory, text);
    if (!*out) FAIL(PUAD_MEMORY, "no memory for a cell");
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
    TRY(set_find(&about, cell->dataset));
    unseen = about->unseen;
    TRY(parse(&normal, "normal", about, cell->normal));
    if (cell->unseen[0]) TRY(parse(&unseen, "unseen", about, cell->unseen));
    if (!normal) FAIL(PUAD_INVALID, "normal: a cell of %s needs a normal class", about->name);
    if (normal & unseen)
        FAIL(PUAD_INVALID, "normal: class '%s' of %s cannot be both normal and unseen", cell->normal,
             about->name);
    TRY(numbers_of(&cell->unseen, memory, unseen));
    if (about->group_name && normal == about->group)
        cell->normal = about->group_name;
    else
        TRY(numbers_of(&cell->normal, memory, normal));
    return PUAD_OK;
}
