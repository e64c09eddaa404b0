/* A program with commands: puad (cli/main.c) or puad-lab (lab/commands/lab_main.c). */
#ifndef CLI_PROGRAM_PROGRAM_H
#define CLI_PROGRAM_PROGRAM_H

#include "cli/common/command.h"

typedef struct program_entry {
    const char *heading; /* begins a group of commands in the overview, or NULL */
    const command *which;
} program_entry;

typedef struct program {
    const char *name, *title, *example;
    const program_entry *commands; /* in the order of --help */
    size_t command_count;
    const char *(*details)(void); /* details that --version adds, or NULL */
} program;

/* The exit status of main. */
int program_main(const program *self, int argc, char **argv);

/* The command with that name or alias, or NULL. */
const command *program_find(const program *self, const char *name);

#endif
