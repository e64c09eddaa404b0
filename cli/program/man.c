/* Prints the man page of a command. */
#include "cli/program/help.h"

#include <ctype.h>
#include <puad/puad.h>
#include <stdio.h>
#include <string.h>

/* Escapes leading dots and backslashes for roff. */
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

static void print_option(const option *row)
{
    char heading[256];
    help_option_heading(heading, sizeof heading, row);
    printf(".TP\n.B ");
    print_roff(heading);
    printf("\n");
    print_roff(row->help);
    if (row->standard) {
        printf(" (default ");
        print_roff(row->standard);
        printf(")");
    }
    printf("\n");
}

void command_man(const command *which)
{
    printf(".TH PUAD\\-");
    for (const char *at = which->name; *at; at++) putchar(toupper((unsigned char)*at));
    printf(" 1 \"\" \"puad %s\" \"puad manual\"\n.SH NAME\npuad\\-%s \\- ", puad_version(), which->name);
    print_roff(which->summary);
    printf("\n.SH SYNOPSIS\n.B puad %s\n", which->name);
    print_roff(which->usage);
    printf("\n.SH DESCRIPTION\n");
    print_roff(which->description);
    printf("\n.SH OPTIONS\n");
    for (size_t i = 0; i < which->option_count; i++) print_option(&which->options[i]);
    printf(".SH EXAMPLE\n.nf\n");
    print_roff(which->example);
    printf("\n.fi\n.SH EXIT STATUS\n%s.\n.SH SEE ALSO\n.BR puad (1)\n", help_exit_statuses(which));
}
