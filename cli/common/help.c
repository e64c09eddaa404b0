/* --help and the man page of a command, both made from its table of options. */
#include "cli/common/command.h"

#include <puad/version.h>
#include <stdio.h>
#include <string.h>

/* "-o, --output FILE" */
static void option_heading(char *out, size_t room, const option *row)
{
    char letter[8] = "";
    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    const char *value = row->value ? row->value : row->type == OPTION_CHOICE ? row->choices : "";
    if (row->type == OPTION_FLAG) value = "";
    snprintf(out, room,
             row->bare ? "%s--%s[=%s]"
             : *value  ? "%s--%s %s"
                       : "%s--%s%s",
             letter, row->name, value);
}

/* Prints text broken at `width` columns, each line behind `indent` blanks; the first line is already
 * indented. */
static void print_wrapped(const char *text, int indent, int width)
{
    int column = indent;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (column > indent && column + length + 1 > width) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
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

static const char *exit_statuses(const command *which)
{
    bool strict = options_find(which->options, which->option_count, "strict") < which->option_count;
    return strict ? "0 done, 1 failed, 2 wrong usage, 3 a warning (only with --strict)"
                  : "0 done, 1 failed, 2 wrong usage";
}

void command_help(const command *which)
{
    printf("puad %s: %s\n\nusage: puad %s %s\n\n", which->name, which->summary, which->name, which->usage);
    print_wrapped(which->description, 0, 100);
    if (which->option_count) printf("\noptions:\n");
    for (size_t i = 0; i < which->option_count; i++) {
        const option *row = &which->options[i];
        char heading[256], help[1024];
        option_heading(heading, sizeof heading, row);
        snprintf(help, sizeof help, row->standard ? "%s (default %s)" : "%s", row->help, row->standard);
        printf("  %-28s ", heading);
        if (strlen(heading) > 28) printf("\n%31s", "");
        print_wrapped(help, 31, 100);
    }
    printf("\nexit status: %s\n", exit_statuses(which));
    printf("\nexample:\n");
    char begin[96]; /* of an action only its own examples */
    int named = snprintf(begin, sizeof begin, "puad %s", which->name);
    for (const char *line = which->example; *line;) {
        int length = (int)strcspn(line, "\n");
        if (!strchr(which->name, ' ') || strncmp(line, begin, (size_t)named) == 0)
            printf("  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

/* Text in which a leading dot or a backslash means nothing to roff. */
static void print_roff(const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) printf("\\&");
        if (*text == '\\' || *text == '-') putchar('\\');
        if (*text == '\\')
            putchar('e');
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

void command_man(const command *which)
{
    printf(".TH PUAD\\-%s 1 \"\" \"puad %s\" \"puad manual\"\n.SH NAME\npuad\\-%s \\- ", which->name,
           puad_version(), which->name);
    print_roff(which->summary);
    printf("\n.SH SYNOPSIS\n.B puad %s\n", which->name);
    print_roff(which->usage);
    printf("\n.SH DESCRIPTION\n");
    print_roff(which->description);
    printf("\n.SH OPTIONS\n");
    for (size_t i = 0; i < which->option_count; i++) {
        char heading[256];
        option_heading(heading, sizeof heading, &which->options[i]);
        printf(".TP\n.B ");
        print_roff(heading);
        printf("\n");
        print_roff(which->options[i].help);
        if (which->options[i].standard) {
            printf(" (default ");
            print_roff(which->options[i].standard);
            printf(")");
        }
        printf("\n");
    }
    printf(".SH EXAMPLE\n.nf\n");
    print_roff(which->example);
    printf("\n.fi\n.SH EXIT STATUS\n%s.\n.SH SEE ALSO\n.BR puad (1)\n", exit_statuses(which));
}
