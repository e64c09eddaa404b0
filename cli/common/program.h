/* A program with commands: puad (cli/main.c) or puad-lab (lab/commands/lab_main.c). */
#ifndef CLI_COMMON_PROGRAM_H
#define CLI_COMMON_PROGRAM_H

#include "cli/common/command.h"

typedef struct program {
    const char *name, *title;
    const command *const *commands; /* in the order in which --help lists them */
    size_t command_count;
} program;

/* The exit status of main. */
int program_main(const program *self, int argc, char **argv);

#endif
