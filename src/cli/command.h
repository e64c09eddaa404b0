/* A command of the program: one row of commands.def, one file cmd_NAME.c that defines `const command command_NAME`. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/options.h"

enum { COMMAND_ARGUMENTS_MOST = 4096 };

typedef struct invocation {
    const struct command *command;
    const char *const *arguments; /* what is not an option, in order */
    size_t argument_count;
    option_value *values; /* one per row of the command's table */
    char *const *words;   /* the whole command line as main got it */
} invocation;

typedef struct command {
    const char *name;
    const char *summary;     /* one line, no full stop */
    const char *usage;       /* what follows the name: "INPUT -o MODEL" */
    const char *description; /* a paragraph or more for --help and the man page */
    const char *example;     /* command lines that work, each on its own line */
    const option *options;
    size_t option_count;
    size_t arguments_least, arguments_most;
    puad_status (*run)(const invocation *call); /* PUAD_INVALID makes exit status 2, other failures 1 */
} command;

#define COMMAND(name) extern const command command_##name;
#include "cli/commands.def"
#undef COMMAND

/* Rows that stand in the tables of many commands. */
#define THREADS_OPTION(line)                                                                                 \
    {                                                                                                        \
        .name = "threads", .type = OPTION_INTEGER, .standard = "0", .min = 0, .max = 1024, .value = "N",     \
        .help = line                                                                                         \
    }
#define SEED_OPTION(line)                                                                                    \
    {                                                                                                        \
        .name = "seed", .type = OPTION_INTEGER, .standard = "0", .min = 0, .max = 9e15, .value = "N",        \
        .help = line                                                                                         \
    }

/* The value of an option by name; it must be in the command's table. */
const option_value *value_of(const invocation *call, const char *name);
bool is_given(const invocation *call, const char *name);

/* All commands, in the order of commands.def. */
const command *const *commands_all(size_t *out_count);

/* Prints --help of a command, or its man page in roff. */
void command_help(const command *which);
void command_man(const command *which);

#endif
