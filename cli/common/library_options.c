/* The library's options on the command line: rows, values, and names in messages. */
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/message.h"
#include "cli/common/print_warnings.h"
#include "cli/library_values.h"

#include <stdio.h>
#include <string.h>

enum { NAME_CAPACITY = 64 };

/* Names have dashes instead of underscores. */
static puad_status library_row(option *out, arena *memory, size_t index)
{
    char *name = arena_text(memory, option_at(index).name);
    if (!name) FAIL(PUAD_MEMORY, "no memory for options");
    for (char *at = name; *at; at++)
        if (*at == '_') *at = '-';
    *out = (option){.name = name,
                    .type = (option_type)option_at(index).type,
                    .standard = option_at(index).standard,
                    .min = option_at(index).min,
                    .max = option_at(index).max,
                    .value = option_at(index).value_name,
                    .choices = option_at(index).choices,
                    .help = option_at(index).help,
                    .bare = option_at(index).bare};
    return PUAD_OK;
}

puad_status command_settle(command *out, arena *memory, const command *which)
{
    option *rows, row;
    TRY(arena_new(memory, &rows, which->option_count + puad_option_count() + 1, sizeof *rows));
    *out = *which;
    out->options = rows;
    for (size_t i = 0; i < which->option_count; i++) {
        const option *own = &which->options[i];
        rows[i] = *own;
        if (!own->shared) continue;
        TRY(library_row(&rows[i], memory, puad_option_find(own->name)));
        rows[i].help = own->help;
        rows[i].letter = own->letter;
    }
    for (size_t i = 0; i < puad_option_count(); i++) {
        if (!(which->groups >> option_at(i).group & 1)) continue;
        TRY(library_row(&row, memory, i));
        if (options_find(which->options, which->option_count, row.name) == which->option_count)
            rows[out->option_count++] = row;
    }
    rows[out->option_count++] = (option){.name = "color",
                                         .type = OPTION_CHOICE,
                                         .standard = "auto",
                                         .choices = "auto|always|never",
                                         .help = "color of the words error and warning; auto: on a "
                                                 "terminal, unless NO_COLOR is set"};
    return PUAD_OK;
}

static const command *running; /* one command per process */

static void print_warning(void *context, const puad_warning *warning)
{
    (void)context;
    warning_print(running, warning);
}

static void print_note(void *context, puad_note_kind kind, const char *text)
{
    (void)context;
    const command *who = running;
    char message[SPOKEN_CAPACITY];
    message_print(kind == PUAD_WARNING ? MESSAGE_WARNING : MESSAGE_NOTE, who->name, "%s",
                  speak(message, who, text));
}

static puad_status forward(puad_options *to, const option *row, const option_value *value)
{
    if (!value->given || puad_option_find(row->name) == puad_option_count()) return PUAD_OK;
    if (row->type == OPTION_FLAG) return puad_options_set(to, row->name, "yes");
    if (row->type != OPTION_LIST) return puad_options_set(to, row->name, value->text);
    for (size_t i = 0; i < value->list_count; i++) TRY(puad_options_add(to, row->name, value->list[i]));
    return PUAD_OK;
}

puad_status call_options(puad_options **out, const invocation *call)
{
    const command *which = call->command;
    running = which;
    TRY(puad_options_new(out));
    for (size_t i = 0; i < which->option_count; i++) TRY(forward(*out, &which->options[i], &call->values[i]));
    puad_options_set_warning(*out, print_warning, NULL);
    size_t quiet = options_find(which->options, which->option_count, "quiet");
    if (quiet == which->option_count || !call->values[quiet].given)
        puad_options_set_note(*out, print_note, NULL);
    return PUAD_OK;
}

void options_freed(puad_options **owner)
{
    puad_options_free(*owner);
}

static puad_status write_word(arena *memory, const char **line, size_t index, const char *value)
{
    char name[NAME_CAPACITY];
    puad_option row = option_at(index);
    const char *quoted;
    snprintf(name, sizeof name, "%s", row.name);
    for (char *at = name; *at; at++)
        if (*at == '_') *at = '-';
    if (row.type == PUAD_OPTION_FLAG || (row.bare && value && strcmp(row.bare, value) == 0))
        return arena_print(memory, line, "%s --%s", *line, name);
    TRY(arena_shell_word(memory, &quoted, value ? value : ""));
    return arena_print(memory, line, "%s --%s=%s", *line, name, quoted);
}

puad_status options_write_words(arena *memory, const char **line, const puad_options *options)
{
    for (size_t i = 0; i < puad_option_count(); i++) {
        const char *name = option_at(i).name;
        puad_option_group group = option_at(i).group;
        if (group == PUAD_GROUP_DECISION || group == PUAD_GROUP_HIDDEN || strcmp(name, "threads") == 0 ||
            !puad_options_entry(options, name, 0))
            continue;
        if (option_at(i).type != PUAD_OPTION_LIST) {
            TRY(write_word(memory, line, i, puad_options_get(options, name)));
            continue;
        }
        for (size_t k = 0; puad_options_entry(options, name, k); k++)
            TRY(write_word(memory, line, i, puad_options_entry(options, name, k)));
    }
    return PUAD_OK;
}

/* The option whose name follows "option '" at the beginning of `word`; its length up to the closing quote,
 * 0 for none. */
static size_t option_length(const char *word)
{
    const char *end = strchr(word, '\'');
    return end && end > word ? (size_t)(end - word) : 0;
}

/* "labels=ask.csv" in command-line syntax. */
static puad_status spell(const char **out, arena *memory, const command *which, const char *word,
                         size_t length)
{
    char name[NAME_CAPACITY], value[512] = "";
    size_t equals = strcspn(word, "=");
    if (equals > length) equals = length;
    snprintf(name, sizeof name, "%.*s", (int)equals, word);
    for (char *at = name; *at; at++)
        if (*at == '_') *at = '-';
    if (equals < length) snprintf(value, sizeof value, "%.*s", (int)(length - equals - 1), word + equals + 1);
    const char *quoted = "";
    if (*value) TRY(arena_shell_word(memory, &quoted, value));
    bool own = options_find(which->options, which->option_count, name) < which->option_count;
    size_t index = puad_option_find(name);
    bool other = index == puad_option_count() || option_at(index).group == PUAD_GROUP_METHOD;
    if (own) return arena_print(memory, out, "--%s%s%s", name, *value ? " " : "", quoted);
    if (other) return arena_print(memory, out, "option '%.*s'", (int)length, word); /* of --set, or unknown */
    return arena_print(memory, out, "'puad fit --%s%s%s'", name, *value ? " " : "", quoted);
}

const char *speak(char out[SPOKEN_CAPACITY], const command *which, const char *message)
{
    static const char mark[] = "option '";
    AUTO_ARENA arena memory = {0};
    size_t used = 0;
    while (*message && used < SPOKEN_CAPACITY - 1) {
        size_t length =
            strncmp(message, mark, sizeof mark - 1) == 0 ? option_length(message + sizeof mark - 1) : 0;
        const char *spelled = NULL;
        if (length && spell(&spelled, &memory, which, message + sizeof mark - 1, length) == PUAD_OK) {
            used += (size_t)snprintf(out + used, SPOKEN_CAPACITY - used, "%s", spelled);
            message += sizeof mark - 1 + length + 1;
        } else {
            out[used++] = *message++;
        }
    }
    if (used >= SPOKEN_CAPACITY) used = SPOKEN_CAPACITY - 1;
    out[used] = 0;
    return out;
}
