/* Prints help on a terminal: examples first, options in sections. */
#include "cli/program/help.h"
#include "cli/library_values.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    HEADING_COLUMNS = 26,
    WIDTH_MIN = 60,
    WIDTH_MAX = 120,
    WIDTH_USUAL = 80,
    SHORT_EXAMPLES = 2,
    GLUE = 1 /* a blank that must not become a line break */
};

static const struct {
    const char *title, *names;
} sections[] = {
#define SECTION(title, names) {title, names},
#include "cli/program/help_sections.def"
#undef SECTION
};
enum { SECTIONS = sizeof sections / sizeof *sections, INPUT_SECTIONS = 5, FORMAT_SECTION = 2 };

int help_width(void)
{
    struct winsize size;
    const char *given = getenv("COLUMNS");
    int columns = given ? (int)strtol(given, NULL, 10) : 0;
    if (columns <= 0) columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : WIDTH_USUAL;
    if (columns <= 0) columns = WIDTH_USUAL;
    return columns < WIDTH_MIN ? WIDTH_MIN : columns > WIDTH_MAX ? WIDTH_MAX : columns;
}

void help_option_heading(char *out, size_t capacity, const option *row)
{
    char letter[8] = "";
    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    const char *value = row->value ? row->value : row->type == OPTION_CHOICE ? row->choices : "";
    if (row->type == OPTION_FLAG) value = "";
    snprintf(out, capacity,
             row->bare ? "%s--%s[=%s]"
             : *value  ? "%s--%s %s"
                       : "%s--%s%s",
             letter, row->name, value);
}

void help_wrap(const char *text, int indent, int width, const char *before_break)
{
    int column = indent, reserve = (int)strlen(before_break);
    while (*text) {
        int length = (int)strcspn(text, " \n");
        bool last = text[length] == 0;
        if (column > indent && column + length + 1 + (last ? 0 : reserve) > width) {
            printf("%s\n%*s", before_break, indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        for (int i = 0; i < length; i++) putchar(text[i] == GLUE ? ' ' : text[i]);
        column += length;
        text += length;
        if (*text == '\n') {
            printf("\n%*s", indent, "");
            column = indent;
        }
        if (*text) text++;
    }
    putchar('\n');
}

const char *help_exit_statuses(const command *which)
{
    bool strict = options_find(which->options, which->option_count, "strict") < which->option_count;
    return strict ? "0 done, 1 failed, 2 wrong usage, 3 a warning (only with --strict)"
                  : "0 done, 1 failed, 2 wrong usage";
}

size_t help_clause(const char *help)
{
    const char *ends[] = {strstr(help, "; "), strstr(help, ". ")};
    size_t length = strlen(help);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] && (size_t)(ends[i] - help) < length) length = (size_t)(ends[i] - help);
    return length;
}

static void print_option(const option *row, bool full, int width)
{
    char heading[256], help[1024];
    help_option_heading(heading, sizeof heading, row);
    size_t length = full ? strlen(row->help) : help_clause(row->help);
    bool has_default = row->standard && !strcasestr(row->help, "default");
    snprintf(help, sizeof help, has_default ? "%.*s (default %s)" : "%.*s", (int)length, row->help,
             row->standard);
    int printed = printf("  %s", heading);
    if (printed >= HEADING_COLUMNS + 3) {
        putchar('\n');
        printed = 0;
    }
    printf("%*s", HEADING_COLUMNS + 3 - printed, "");
    help_wrap(help, HEADING_COLUMNS + 3, width, "");
}

/* Options of 'puad help input', common to all commands. */
static bool is_input(const option *row)
{
    size_t index = puad_option_find(row->name);
    return index < puad_option_count() && option_at(index).group == PUAD_GROUP_INPUT;
}

/* The index of the section of an option. Input options that no section names are about the format; the last
 * section has the rest. */
static size_t section_of(const option *row)
{
    for (size_t i = 0; i + 1 < SECTIONS; i++)
        if (options_has_word(sections[i].names, row->name)) return i;
    return is_input(row) ? FORMAT_SECTION : SECTIONS - 1;
}

/* Common options are in the order of their section. */
static void print_common(const command *which, bool full, int width)
{
    printf("\n%s:\n", sections[0].title);
    for (const char *at = sections[0].names; *at;) {
        char name[64];
        size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        size_t i = options_find(which->options, which->option_count, name);
        if (i < which->option_count) print_option(&which->options[i], full, width);
        at += length + (at[length] == ' ');
    }
}

static void print_section(const command *which, size_t section, bool all, int width)
{
    bool titled = false;
    for (size_t i = 0; i < which->option_count; i++) {
        const option *row = &which->options[i];
        if (section_of(row) != section || (!all && is_input(row))) continue;
        if (!titled) printf("\n%s:\n", sections[section].title);
        titled = true;
        print_option(row, true, width);
    }
}

static void print_options(const command *which, bool full, int width)
{
    bool sectioned = which->groups & GROUP(INPUT);
    if (!sectioned) printf("\nOptions:\n");
    for (size_t i = 0; !sectioned && i < which->option_count; i++)
        print_option(&which->options[i], full, width);
    if (!sectioned) return;
    print_common(which, full, width);
    if (!full) return;
    for (size_t k = 1; k < SECTIONS; k++) print_section(which, k, false, width);
    printf("\nInput options (table format, labels, time series): see 'puad help input'\n");
}

/* Keeps an option and its value on one line. */
static void glue_values(char *text)
{
    for (char *at = strstr(text, " -"); at; at = strstr(at + 1, " -")) {
        char *end = strchr(at + 1, ' ');
        if (end && end[1] != '-') *end = GLUE;
    }
}

/* For an action of the laboratory only its examples. */
static void print_examples(const command *which, size_t max, int width)
{
    char begin[96];
    int named = snprintf(begin, sizeof begin, "puad %s", which->name);
    size_t count = 0;
    for (const char *line = which->example; line && *line && count < max;) {
        int length = (int)strcspn(line, "\n");
        if (!strchr(which->name, ' ') || strncmp(line, begin, (size_t)named) == 0) {
            char command_line[512];
            snprintf(command_line, sizeof command_line, "%.*s", length, line);
            glue_values(command_line);
            printf(count++ ? "  " : "\nExamples:\n  ");
            help_wrap(command_line, 6, width, " \\");
        }
        line += length + (line[length] == '\n');
    }
}

void command_help(const command *which, bool full)
{
    int width = help_width();
    char usage[512];
    printf("puad %s: ", which->name);
    help_wrap(which->summary, 6 + (int)strlen(which->name), width, "");
    snprintf(usage, sizeof usage, "Usage: puad %s %s", which->name, which->usage);
    putchar('\n');
    help_wrap(usage, 0, width, "");
    print_examples(which, full ? SIZE_MAX : SHORT_EXAMPLES, width);
    if (full) {
        putchar('\n');
        help_wrap(which->description, 0, width, "");
    }
    print_options(which, full, width);
    if (full)
        printf("\nExit status: %s\n", help_exit_statuses(which));
    else
        printf("\nAll options: puad help %s\n", which->name);
}

void command_help_input(const command *which)
{
    int width = help_width();
    help_wrap("How a file is read: options of every command that reads rows. A model stores those it was "
              "trained with, so score, eval and query rarely need them.",
              0, width, "");
    print_common(which, true, width);
    for (size_t k = 1; k < INPUT_SECTIONS; k++) print_section(which, k, true, width);
}
