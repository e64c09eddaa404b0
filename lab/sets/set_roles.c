/* Decides which classes are normal and which unseen: as in the paper, or as the user specifies. */
#include "lab/sets/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

size_t set_cells(set_cell out[SET_CELLS_MAX], const set_row *about)
{
    size_t count = 0;
    for (int class = 0; class < about->class_count; class ++) {
        if (!(about->normals & ONE(class))) continue;
        if (about->reader->named)
            set_class_name(out[count].name, sizeof out[count].name, about, class);
        else
            snprintf(out[count].name, sizeof out[count].name, "%d", class);
        out[count++].normal = ONE(class);
    }
    if (about->group_name) {
        snprintf(out[count].name, sizeof out[count].name, "%s", about->group_name);
        out[count++].normal = about->group;
    }
    return count;
}

static puad_status parse_one(class_bits *out, const set_row *about, const char *text)
{
    char name[128], *end;
    long number = strtol(text, &end, 10);
    if (about->group_name && strcasecmp(text, about->group_name) == 0) {
        *out |= about->group;
        return PUAD_OK;
    }
    for (int class = 0; class < about->class_count; class ++) {
        set_class_name(name, sizeof name, about, class);
        if ((end != text && !*end && number == class) || strcasecmp(text, name) == 0) {
            *out |= ONE(class);
            return PUAD_OK;
        }
    }
    FAIL(PUAD_INVALID, "'%s' is not a class of %s: expected a number from 0 to %d or one of %s%s%s", text,
         about->name, about->class_count - 1, about->class_names, about->group_name ? ", or " : "",
         about->group_name ? about->group_name : "");
}

/* A class of a user's file by name, or several joined by '+'. */
static puad_status parse_named(class_bits *out, const set_row *about, const char *text)
{
    char name[128];
    for (int class = 0; class < about->class_count; class ++) {
        set_class_name(name, sizeof name, about, class);
        if (strcmp(text, name) != 0) continue;
        *out |= ONE(class);
        return PUAD_OK;
    }
    const char *plus = strchr(text, '+');
    if (!plus || plus == text || !plus[1])
        FAIL(PUAD_INVALID, "'%s' is not a class of %s: the classes are %s", text, about->name,
             about->class_names);
    snprintf(name, sizeof name, "%.*s", (int)(plus - text), text);
    TRY(parse_named(out, about, name));
    return parse_named(out, about, plus + 1);
}

puad_status set_parse_classes(class_bits *out, const set_row *about, const char *text)
{
    class_bits result = 0;
    for (const char *at = text; *at;) {
        char word[128];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (length) TRY((about->reader->named ? parse_named : parse_one)(&result, about, word));
        at += length + (at[length] == ',');
    }
    *out = result;
    return PUAD_OK;
}
