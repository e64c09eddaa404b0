/* A program with commands: puad (cli/main.c) or puad-lab (lab/commands/lab_main.c). */
#ifndef CLI_PROGRAM_PROGRAM_H
#define CLI_PROGRAM_PROGRAM_H

#include "cli/common/command.h"

typedef struct program_entry {
    const char *heading; /* starts a group of commands in the overview, or NULL */
    const command *which;
} program_entry;

typedef struct program {
    const char *name, *title, *example;
    const program_entry *commands; /* in the order in which --help lists them */
    size_t command_count;
    const char *(*details)(void); /* what --version reports besides the version, or NULL */
} program;

/* The exit status of main. */
int program_main(const program *self, int argc, char **argv);

/* The command of that name or alias, or NULL. */
const command *program_find(const program *self, const char *name);

#endif
