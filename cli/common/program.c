/* What puad and puad-lab do alike: find the command, parse its options by its table, run it, and turn the
 * status into an exit code. */
#include "cli/common/program.h"

#include "base/file.h"
#include "base/memory.h"
#include "cli/common/argument_explain.h"
#include "cli/common/exec_program.h"
#include "cli/common/output_check.h"
#include "cli/common/print_warnings.h"
#include "cli/common/standard_streams.h"

#include <assert.h>
#include <errno.h>
#include <puad/version.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const command *find_command(const program *self, const char *name)
{
    for (size_t i = 0; i < self->command_count; i++)
        if (strcmp(self->commands[i]->name, name) == 0) return self->commands[i];
    return NULL;
}

static void print_overview(const program *self, FILE *out)
{
    fprintf(out, "%s %s: %s\n\nusage: %s COMMAND [ARGUMENTS] [OPTIONS]\n\n", self->name, puad_version(),
            self->title, self->name);
    for (size_t i = 0; i < self->command_count; i++)
        fprintf(out, "  %-9s %s\n", self->commands[i]->name, self->commands[i]->summary);
    fprintf(out, "\n'%s COMMAND --help' shows the options and examples of a command.\n", self->name);
}

/* An optional value follows '=' only. A number after a blank is an error unless a file has that name. */
static puad_status refuse_blank_value(const option *row, const char *next)
{
    double number;
    if (next && option_read_fraction(&number, next) && !file_exists(next))
        FAIL(PUAD_INVALID, "the value of --%s follows '=': --%s=%s", row->name, row->name, next);
    return PUAD_OK;
}

/* Sets the option that argv[*position] names; a value may follow after '=' or as the next word. */
static puad_status parse_option(const command *which, option_value *values, char **argv, int count,
                                int *position)
{
    char *word = argv[*position];
    size_t index = 0;
    const char *text = NULL;
    if (word[1] == '-') {
        char name[64];
        size_t length = strcspn(word + 2, "=");
        snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
        index = options_find(which->options, which->option_count, name);
        if (word[2 + length] == '=') text = word + 2 + length + 1;
    } else {
        for (; index < which->option_count && which->options[index].letter != word[1];) index++;
        if (word[2]) text = word + 2;
    }
    if (index == which->option_count)
        FAIL(PUAD_INVALID, "unknown option %s; 'puad %s --help' lists them", word, which->name);
    const option *row = &which->options[index];
    if (row->type == OPTION_FLAG && text) FAIL(PUAD_INVALID, "--%s takes no value", row->name);
    if (row->bare && !text) {
        TRY(refuse_blank_value(row, *position + 1 < count ? argv[*position + 1] : NULL));
        text = row->bare;
    }
    if (row->type != OPTION_FLAG && !text) {
        if (*position + 1 >= count) FAIL(PUAD_INVALID, "--%s needs a value (%s)", row->name, row->value);
        text = argv[++*position];
    }
    if (row->type == OPTION_LIST && !values[index].given)
        values[index].list_count = 0; /* drops the default */
    TRY(option_set(&values[index], row, text));
    values[index].given = true;
    return PUAD_OK;
}

/* The paths of several inputs as one, as <puad/dataset.h> has it; the caller frees it. */
static puad_status join_inputs(char **out, invocation *call, const char **arguments)
{
    size_t first = call->command->arguments_least - 1, room = 1;
    if (!call->command->joins || call->argument_count <= first + 1) return PUAD_OK;
    for (size_t i = first; i < call->argument_count; i++) room += strlen(arguments[i]) + 1;
    *out = calloc(room, 1);
    if (!*out) FAIL(PUAD_MEMORY, "no memory for arguments");
    char *end = *out;
    for (size_t i = first; i < call->argument_count; i++) {
        if (i > first) *end++ = '\n';
        end = stpcpy(end, arguments[i]);
    }
    arguments[first] = *out;
    call->argument_count = first + 1;
    return PUAD_OK;
}

static bool strict; /* --strict was given */

static puad_status run_command(const command *which, char **argv, int count)
{
    static const char *arguments[COMMAND_ARGUMENTS_MOST];
    option_value *values = calloc(which->option_count + 1, sizeof *values);
    if (!values) FAIL(PUAD_MEMORY, "no memory for options");
    invocation call = {which, arguments, 0, values, argv - 2};
    puad_status status = options_reset(values, which->options, which->option_count);
    bool only_arguments = false;
    for (int i = 0; i < count && status == PUAD_OK; i++) {
        if (!only_arguments && strcmp(argv[i], "--") == 0)
            only_arguments = true;
        else if (!only_arguments && argv[i][0] == '-' && argv[i][1])
            status = parse_option(which, values, argv, count, &i);
        else if (call.argument_count == COMMAND_ARGUMENTS_MOST)
            status = status_fail(PUAD_INVALID, "more than %d arguments", COMMAND_ARGUMENTS_MOST);
        else
            arguments[call.argument_count++] = argv[i];
    }
    if (status == PUAD_OK &&
        (call.argument_count < which->arguments_least || call.argument_count > which->arguments_most))
        status = status_fail(PUAD_INVALID, "usage: puad %s %s ('puad %s --help' tells more)", which->name,
                             which->usage, which->name);
    if (status == PUAD_OK) status = output_check_all(&call);
    char *inputs = NULL;
    invocation separate = call;
    const char *input = arguments[which->arguments_least ? which->arguments_least - 1 : 0];
    if (status == PUAD_OK) status = join_inputs(&inputs, &call, arguments);
    size_t strict_at = options_find(which->options, which->option_count, "strict");
    strict = strict_at < which->option_count && values[strict_at].given;
    if (status == PUAD_OK) {
        status = which->run(&call);
        if (inputs) arguments[which->arguments_least - 1] = input;
        if (status == PUAD_FORMAT || status == PUAD_INVALID) status = argument_explain(&separate, status);
    }
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

/* Signals that end the program leave no unfinished outputs; those that the caller ignores stay ignored. */
static void catch_ends(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction action = {.sa_handler = end_by_signal}, before;
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    }
}

/* Whether standard output has everything that was printed; `name` of the command is for the message, ""
 * without. */
static bool is_printed(const char *name)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    const char *reason = errno ? strerror(errno) : "an earlier write failed";
    fprintf(stderr, "puad%s%s: cannot write to standard output: %s\n", *name ? " " : "", name, reason);
    return false;
}

/* The exit code once everything has been printed. */
static int ends_with(int code)
{
    return is_printed("") ? code : 1;
}

/* --help and --man of a command; false if neither is asked for. */
static bool show_help(const command *which, int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool help = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
        if (!help && strcmp(argv[i], "--man") != 0) continue;
        if (help && which->narrow && argv[0][0] != '-') which = which->narrow(which, argv[0]);
        (help ? command_help : command_man)(which);
        return true;
    }
    return false;
}

static int finish(const command *which, puad_status status)
{
    char said[SPOKEN_ROOM];
    if (status != PUAD_OK)
        fprintf(stderr, "puad %s: %s\n", which->name, speak(said, which, puad_last_error()));
    if (status == PUAD_OK && !is_printed(which->name)) return 1;
    if (status == PUAD_OK) return strict && warnings_count() ? EXIT_WARNED : 0;
    return status == PUAD_INVALID ? 2 : 1;
}

int program_main(const program *self, int argc, char **argv)
{
    if (!streams_fill()) return 1;
    signal(SIGPIPE, SIG_DFL); /* `puad score ... | head` ends quietly */
    catch_ends();
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_overview(self, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : ends_with(0);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("%s %s\n", self->name, puad_version());
        return ends_with(0);
    }
    const command *which = find_command(self, argv[1]);
    if (!which) {
        fprintf(stderr, "%s: unknown command '%s'; '%s --help' lists them\n", self->name, argv[1],
                self->name);
        return 2;
    }
    if (which->program) {
        argv[0] = which->program;
        return finish(which, exec_program(which->program, argv, which->description));
    }
    AUTO_ARENA arena memory = {0};
    command settled;
    if (command_settle(&settled, &memory, which) != PUAD_OK) {
        fprintf(stderr, "puad %s: %s\n", which->name, puad_last_error());
        return 1;
    }
    if (show_help(&settled, argc - 2, argv + 2)) return ends_with(0);
    return finish(&settled, run_command(&settled, argv + 2, argc - 2));
}
