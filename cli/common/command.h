/* A command of a program: one file cmd_NAME.c defines `const command command_NAME`. */
#ifndef CLI_COMMON_COMMAND_H
#define CLI_COMMON_COMMAND_H

#include "base/memory.h"
#include "options/option_row.h"

#include <puad/options.h>

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
    const char *alias;       /* another name, or NULL */
    const char *summary;     /* one line, no full stop */
    const char *usage;       /* what follows the name: "INPUT -o MODEL" */
    const char *description; /* a paragraph or more for --help and the man page */
    const char *example;     /* command lines that work, each on its own line */
    const option *options;   /* its own, and those of the library's groups once command_settle has run */
    size_t option_count;
    unsigned groups; /* of the library's option table whose options it takes: bits of GROUP(INPUT) ... */
    size_t arguments_least, arguments_most;
    const char *argument_choices; /* what the first argument may be, as "a|b|c", for completion; or NULL */
    bool prints;                  /* --output takes what the command prints to standard output */
    bool joins; /* the last argument may be several files of one table: they come as one, with line feeds
                   between */
    /* The command as --help of one of its actions shows it, or NULL. */
    const struct command *(*narrow)(const struct command *whole, const char *action);
    char *program; /* another program that runs the command, or NULL; `description` then says how to get it */
    puad_status (*run)(const invocation *call); /* PUAD_INVALID makes exit status 2, other failures 1 */
} command;

#define GROUP(name) (1u << PUAD_GROUP_##name)

/* An option of the library that a command words its own way: type, bounds and default are the library's. */
#define SHARED_OPTION(name_, line)                                                                           \
    {                                                                                                        \
        .name = name_, .shared = true, .help = line                                                          \
    }
#define THREADS_OPTION(line) SHARED_OPTION("threads", line)
#define SEED_OPTION(line) SHARED_OPTION("seed", line)

#define STRICT_OPTION(line)                                                                                  \
    {                                                                                                        \
        .name = "strict", .type = OPTION_FLAG, .help = line                                                  \
    }

/* The value of an option by name; it must be in the command's table. */
const option_value *value_of(const invocation *call, const char *name);
bool is_given(const invocation *call, const char *name);

/* What was given of the library's options, and where its notes go: to standard error unless --quiet; warnings
 * always. The caller frees *out. */
puad_status call_options(puad_options **out, const invocation *call);
void options_freed(puad_options **owner);
#define AUTO_CALL_OPTIONS __attribute__((cleanup(options_freed)))

/* Appends " --NAME=VALUE" to the command line `line` for each option that is set and that a model is trained
 * with, quoted for a shell. */
puad_status options_write_words(arena *memory, const char **line, const puad_options *options);

/* The command with the options of its groups behind its own; those that it words itself stand for the
 * library's. `memory` holds the rows. */
puad_status command_settle(command *out, arena *memory, const command *which);

/* A message of the library as this command says it: "option 'fdr=0.1'" becomes "--fdr 0.1", or "'puad fit
 * --fdr 0.1'" where only fit has it. `out` has SPOKEN_ROOM bytes. */
enum { SPOKEN_ROOM = 2048 };
const char *speak(char out[SPOKEN_ROOM], const command *which, const char *message);

enum { EXIT_WARNED = 3 }; /* --strict, and there was a warning */

#endif
