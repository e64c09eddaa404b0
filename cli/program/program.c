/* Shared by puad and puad-lab: finds the command, parses its options by its table, runs it, and converts
 * the status to an exit code. */
#include "cli/program/program.h"

#include "base/file.h"
#include "base/memory.h"
#include "cli/common/message.h"
#include "cli/common/output_check.h"
#include "cli/common/print_warnings.h"
#include "cli/common/standard_streams.h"
#include "cli/program/argument_explain.h"
#include "cli/program/arguments.h"
#include "cli/program/completion.h"
#include "cli/program/exec_program.h"
#include "cli/program/help.h"
#include "options/similar_name.h"

#include <assert.h>
#include <errno.h>
#include <puad/puad.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const option_value *value_of(const invocation *call, const char *name)
{
    size_t i = options_find(call->command->options, call->command->option_count, name);
    assert(i < call->command->option_count);
    return &call->values[i];
}

bool is_given(const invocation *call, const char *name)
{
    return value_of(call, name)->given;
}

static const char *const builtins[] = {"help", "completion", "version"};
enum { BUILTINS = sizeof builtins / sizeof *builtins };

const command *program_find(const program *self, const char *name)
{
    for (size_t i = 0; i < self->command_count; i++) {
        const command *which = self->commands[i].which;
        if (strcmp(which->name, name) == 0 || (which->alias && strcmp(which->alias, name) == 0)) return which;
    }
    return NULL;
}

static void print_overview(const program *self, FILE *out)
{
    fprintf(out, "%s %s: %s\n\nUsage: %s COMMAND [ARGUMENTS] [OPTIONS]\n", self->name, puad_version(),
            self->title, self->name);
    for (size_t i = 0; i < self->command_count; i++) {
        const program_entry *entry = &self->commands[i];
        if (entry->heading || i == 0) fprintf(out, "\n%s:\n", entry->heading ? entry->heading : "Commands");
        fprintf(out, "  %-9s %s\n", entry->which->name, entry->which->summary);
    }
    if (self->example) fprintf(out, "\nExample: %s\n", self->example);
    fprintf(out, "\n'%s help COMMAND' shows examples and all options, '%s COMMAND -h' the common ones.\n",
            self->name, self->name);
}

static int unknown_command(const program *self, const char *word)
{
    char hint[SIMILAR_CAPACITY], advice[64];
    similar_name search = {.word = word};
    for (size_t i = 0; i < self->command_count; i++) {
        const command *which = self->commands[i].which;
        similar_offer(&search, which->name, strlen(which->name));
        if (which->alias) similar_offer(&search, which->alias, strlen(which->alias));
    }
    for (size_t i = 0; i < BUILTINS; i++) similar_offer(&search, builtins[i], strlen(builtins[i]));
    snprintf(advice, sizeof advice, "; '%s help' lists them", self->name);
    message_print(MESSAGE_ERROR, NULL, "unknown command '%s'%s", word,
                  search.best ? similar_hint(hint, &search, "") : advice);
    return 2;
}

static void print_version(const program *self)
{
    printf("%s %s%s%s%s\n", self->name, puad_version(), self->details ? " (" : "",
           self->details ? self->details() : "", self->details ? ")" : "");
}

/* Redirects standard output to the file of --output, which appears when the command succeeds. */
static puad_status redirect(file_output *out, const invocation *call)
{
    const char *path = call->command->prints ? value_of(call, "output")->text : NULL;
    if (!path) return PUAD_OK;
    TRY(file_create(out, path));
    fflush(stdout);
    if (dup2(fileno(out->stream), STDOUT_FILENO) < 0) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    return PUAD_OK;
}

static puad_status redirect_end(file_output *output)
{
    if (!output->stream) return PUAD_OK;
    if (fflush(stdout) != 0 || ferror(stdout))
        FAIL(PUAD_IO, "%s: cannot write: %s", output->path, strerror(errno));
    return file_commit(output);
}

static bool strict; /* --strict was given */

static puad_status run_command(const command *which, char **argv, int count)
{
    static const char *arguments[COMMAND_ARGUMENTS_MAX];
    option_value *values = calloc(which->option_count + 1, sizeof *values);
    if (!values) FAIL(PUAD_MEMORY, "no memory for options");
    invocation call = {which, arguments, 0, values, argv - 2};
    puad_status status = arguments_parse(&call, arguments, argv, count);
    size_t color = options_find(which->options, which->option_count, "color");
    if (color < which->option_count && values[color].text) message_set_color(values[color].text);
    if (status == PUAD_OK) status = output_check_all(&call);
    char *inputs = NULL;
    invocation separate = call;
    const char *input = arguments[which->arguments_least ? which->arguments_least - 1 : 0];
    if (status == PUAD_OK) status = arguments_join(&inputs, &call, arguments);
    size_t strict_at = options_find(which->options, which->option_count, "strict");
    strict = strict_at < which->option_count && values[strict_at].given;
    file_output output = {0};
    if (status == PUAD_OK) status = redirect(&output, &call);
    if (status == PUAD_OK) {
        status = which->run(&call);
        if (inputs) arguments[which->arguments_least - 1] = input;
        if (status == PUAD_FORMAT || status == PUAD_INVALID) status = argument_explain(&separate, status);
    }
    if (status == PUAD_OK) status = redirect_end(&output);
    file_abandon(&output);
    free(inputs);
    free(values);
    return status;
}

static void end_by_signal(int which)
{
    file_remove_unfinished();
    signal(which, SIG_DFL);
    raise(which);
}

/* Signals that end the program remove unfinished outputs; signals that the caller ignores stay ignored. */
static void catch_ends(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction action = {.sa_handler = end_by_signal}, before;
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    }
}

/* Whether everything printed has reached standard output; `name` of the command is for the message, ""
 * without. */
static bool is_printed(const char *name)
{
    if (!ferror(stdout)) errno = 0; /* after a failed write errno still has its reason */
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    const char *reason = errno ? strerror(errno) : "an earlier write failed";
    message_print(MESSAGE_ERROR, *name ? name : NULL, "cannot write to standard output: %s", reason);
    return false;
}

/* The exit code after everything has been printed. */
static int ends_with(int code)
{
    return is_printed("") ? code : 1;
}

/* --help, -h, --man and --version of a command; false if none is given. */
static bool show_help(const program *self, const command *which, int argc, char **argv)
{
    if (argc && argv[0][0] != '-' && which->narrow) which = which->narrow(which, argv[0]);
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            command_help(which, argv[i][1] == '-');
        else if (strcmp(argv[i], "--man") == 0)
            command_man(which);
        else if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0)
            print_version(self);
        else
            continue;
        return true;
    }
    return false;
}

static int finish(const command *which, puad_status status)
{
    char message[SPOKEN_CAPACITY];
    if (status != PUAD_OK)
        message_print(MESSAGE_ERROR, which->name, "%s", speak(message, which, puad_last_error()));
    if (status == PUAD_OK && !is_printed(which->name)) return 1;
    if (status == PUAD_OK) return strict && warnings_count() ? EXIT_WARNED : 0;
    return status == PUAD_INVALID ? 2 : 1;
}

/* 'puad help input' */
static int help_input(void)
{
    static const command reading = {.name = "input", .groups = GROUP(INPUT) | GROUP(MORE)};
    AUTO_ARENA arena memory = {0};
    command settled;
    puad_status status = command_settle(&settled, &memory, &reading);
    if (status == PUAD_OK) command_help_input(&settled);
    return finish(&reading, status);
}

static int run_named(const program *self, int argc, char **argv)
{
    const command *which = program_find(self, argv[1]);
    if (!which) return unknown_command(self, argv[1]);
    if (which->program) {
        argv[0] = which->program;
        return finish(which, exec_program(which->program, argv, which->description));
    }
    AUTO_ARENA arena memory = {0};
    command settled;
    puad_status status = command_settle(&settled, &memory, which);
    if (status != PUAD_OK) return finish(which, status);
    if (show_help(self, &settled, argc - 2, argv + 2)) return ends_with(0);
    return finish(&settled, run_command(&settled, argv + 2, argc - 2));
}

/* 'puad help COMMAND' is 'puad COMMAND --help'; 'puad help lab run' is 'puad lab run --help'. */
static int run_help(const program *self, int argc, char **argv)
{
    if (argc < 3) {
        print_overview(self, stdout);
        return ends_with(0);
    }
    if (strcmp(argv[2], "input") == 0) return help_input();
    for (int i = 1; i + 1 < argc; i++) argv[i] = argv[i + 1];
    argv[argc - 1] = (char[]){"--help"};
    return run_named(self, argc, argv);
}

int program_main(const program *self, int argc, char **argv)
{
    if (!streams_fill()) return 1;
    signal(SIGPIPE, SIG_DFL); /* so that `puad score ... | head` ends quietly */
    catch_ends();
    if (argc < 2) {
        print_overview(self, stderr);
        return 2;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return run_help(self, 2, argv);
    if (strcmp(word, "help") == 0) return run_help(self, argc, argv);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "version") == 0) {
        print_version(self);
        return ends_with(0);
    }
    if (strcmp(word, "completion") == 0) {
        static const command completion = {.name = "completion"};
        return finish(&completion, completion_run(self, argv + 2, argc - 2));
    }
    return run_named(self, argc, argv);
}
