/* A command of a program: each file cmd_NAME.c defines `const command command_NAME`. */
#ifndef CLI_COMMON_COMMAND_H
#define CLI_COMMON_COMMAND_H

#include "base/memory.h"
#include "options/option_row.h"

#include <puad/options.h>

enum { COMMAND_ARGUMENTS_MAX = 4096 };

typedef struct invocation {
    const struct command *command;
    const char *const *arguments; /* arguments that are not options, in order */
    size_t argument_count;
    option_value *values; /* one per option of the command's table */
    char *const *words;   /* the whole command line */
} invocation;

typedef struct command {
    const char *name;
    const char *alias;       /* alternative name, or NULL */
    const char *summary;     /* one line, no full stop */
    const char *usage;       /* the text after the name: "INPUT -o MODEL" */
    const char *description; /* one or more paragraphs for --help and the man page */
    const char *example;     /* working command lines, one per line */
    /* the command's options, followed by those of the library's groups after command_settle */
    const option *options;
    size_t option_count;
    unsigned groups; /* groups of library options that the command accepts: bits of GROUP(INPUT) ... */
    size_t arguments_least, arguments_most;
    const char *argument_choices; /* choices of the first argument, as "a|b|c", for completion; or NULL */
    bool prints;                  /* --output redirects standard output */
    /* the last argument may be several files of one table, passed as one string with line feeds */
    bool joins;
    /* The command as shown by --help of one of its actions, or NULL. */
    const struct command *(*narrow)(const struct command *whole, const char *action);
    char *program; /* another program that runs the command, or NULL; `description` then says how to get it */
    puad_status (*run)(const invocation *call); /* PUAD_INVALID gives exit status 2, other failures 1 */
} command;

#define GROUP(name) (1u << PUAD_GROUP_##name)

/* A library option whose help the command rewords: type, bounds and default are the library's. */
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

/* The given library options, with notes going to standard error unless --quiet; warnings always do. The
 * caller frees *out. */
puad_status call_options(puad_options **out, const invocation *call);
void options_freed(puad_options **owner);
#define AUTO_CALL_OPTIONS __attribute__((cleanup(options_freed)))

/* Appends " --NAME=VALUE" to the command line `line` for each option that is set and used in training,
 * quoted for a shell. */
puad_status options_write_words(arena *memory, const char **line, const puad_options *options);

/* The command with the options of its groups appended; options that it rewords replace the library's.
 * `memory` owns the rows. */
puad_status command_settle(command *out, arena *memory, const command *which);

/* Rewrites option names in a library message to command-line syntax: "option 'fdr=0.1'" becomes "--fdr
 * 0.1", or "'puad fit --fdr 0.1'" if only fit has it. `out` has SPOKEN_CAPACITY bytes. */
enum { SPOKEN_CAPACITY = 2048 };
const char *speak(char out[SPOKEN_CAPACITY], const command *which, const char *message);

enum { EXIT_WARNED = 3 }; /* exit status with --strict after a warning */

#endif
