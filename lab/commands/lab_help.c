/* 'puad lab ACTION --help': the options of one action with their help for it. */
#include "lab/commands/lab_commands.h"

#include <stdlib.h>
#include <string.h>

typedef struct action_row {
    const char *name, *usage, *takes, *summary;
} action_row;

#define FIGURE(name, needs, takes, shows) " " takes
static const char figure_options[] =
#include "lab/commands/lab_figures.def"
    ;
#undef FIGURE

static const action_row rows[] = {
#define ACTION(name, usage, arguments, takes, help) {#name, usage, takes, help},
#include "lab/commands/lab_actions.def"
#undef ACTION
};

static const char cells[] = "A ledger holds experiments: one dataset, normal class, method, seed and set "
                            "of options each.";

#define FIGURE(name, needs, takes, shows) "\n\n" #name ": " shows "."
static const char figure_texts[] = "Draws one of these figures; the extension of FILE selects SVG, PNG or "
                                   "PDF."
#include "lab/commands/lab_figures.def"
    ;
#undef FIGURE

static const char *const names[] = {
#define ACTION(name, usage, arguments, takes, help) #name,
#include "lab/commands/lab_actions.def"
#undef ACTION
};

static size_t name_at(const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0) return strlen(names[i]);
    return 0;
}

/* The length of "run, figure toy, report: " at the start of `text`, 0 if there is none; *mine: whether
 * `action` is listed. */
static size_t list_at(const char *text, const char *action, bool *mine)
{
    const char *at = text;
    bool found = false;
    for (;;) {
        size_t length = name_at(at);
        if (!length) return 0;
        found |= length == strlen(action) && strncmp(at, action, length) == 0;
        at += length;
        if (*at == ' ') at += 1 + strcspn(at + 1, " ,:"); /* the figure's name */
        if (strncmp(at, ": ", 2) == 0) break;
        if (strncmp(at, ", ", 2) != 0) return 0;
        at += 2;
    }
    *mine = found;
    return (size_t)(at + 2 - text);
}

/* The part of an option's help for one action: "run: seeds 0 to N-1; table: runs of each class". */
static const char *help_for(const char *help, const char *action)
{
    char *out = calloc(strlen(help) + 1, 1), *to = out;
    bool mine = true;
    if (!out) return help;
    for (const char *at = help; *at;) {
        at += list_at(at, action, &mine);
        const char *end = strstr(at, "; ");
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (mine) {
            if (to > out) to = stpcpy(to, "; ");
            memcpy(to, at, length);
            to += length;
        }
        at += length + (end ? 2 : 0);
    }
    return *out ? out : help;
}

const command *lab_narrow(const command *whole, const char *action)
{
    static command out;
    static char title[64], usage[128];
    static option options[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, action) != 0) continue;
        const char *takes = rows[i].takes ? rows[i].takes : figure_options;
        out = *whole;
        snprintf(title, sizeof title, "lab %s", action);
        out.name = title;
        snprintf(usage, sizeof usage, "%s%s[OPTIONS]", rows[i].usage + strspn(rows[i].usage, " "),
                 *rows[i].usage ? " " : "");
        out.usage = usage;
        out.summary = rows[i].summary;
        out.description = rows[i].takes ? cells : figure_texts;
        out.options = options;
        out.option_count = 0;
        for (size_t k = 0; k < whole->option_count && out.option_count < sizeof options / sizeof *options;
             k++) {
            const option *row = &whole->options[k];
            if (!lab_has_word(takes, row->name) && !lab_has_word("ledger quiet", row->name)) continue;
            options[out.option_count] = *row;
            options[out.option_count++].help = help_for(row->help, action);
        }
        return &out;
    }
    return whole;
}
