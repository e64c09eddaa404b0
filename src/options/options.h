/* Internal access to the option table and to the values a caller has set (<puad/options.h>). */
#ifndef OPTIONS_OPTIONS_H
#define OPTIONS_OPTIONS_H

#include "base/memory.h"
#include "base/threads.h"
#include "options/option_row.h"

#include "base/json.h"
#include <puad/options.h>

/* The index of each option in the table: OPTION_AT_epochs ... */
enum option_at {
#define OPTION(group, name, ...) OPTION_AT_##name,
#include "options/options.def"
#undef OPTION
#define OBJECTIVE_OPTION(name, ...) OPTION_AT_##name,
#include "options/objective_options.def"
#undef OBJECTIVE_OPTION
    OPTION_AT_COUNT
};

extern const option option_table[OPTION_AT_COUNT];
puad_option_group option_group(size_t index);

struct puad_options {
    arena memory; /* owns the strings */
    team_pool *teams;
    option_value values[OPTION_AT_COUNT];
    puad_progress_call *progress;
    void *progress_context;
    const puad_stop *stop;
    puad_note_call *note;
    void *note_context;
    puad_warning_call *warning;
    void *warning_context;
    const struct puad_objective *objective;
    const struct puad_own_head *head;
    const puad_ranks *ranks;
};

/* The value of an option; `options` may be NULL for the default. */
const option_value *options_value(const puad_options *options, enum option_at which);
bool options_given(const puad_options *options, enum option_at which);
const char *options_text(const puad_options *options, enum option_at which); /* NULL when there is none */
#define OPTION_TEXT_OF(options, name) options_text(options, OPTION_AT_##name)
#define OPTION_GIVEN(options, name) options_given(options, OPTION_AT_##name)
#define OPTION_INTEGER_OF(options, name) options_value(options, OPTION_AT_##name)->integer
#define OPTION_NUMBER_OF(options, name) options_value(options, OPTION_AT_##name)->number

/* Threads for a call with these options, NULL for the defaults: those of the call before, if there was one.
 * A stop token set in the options stops the team until team_free. */
puad_status options_team(team **out, const puad_options *options);

/* Calls the caller's note callback, if there is one. */
void options_tell(const puad_options *options, puad_note_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Calls the caller's warning callback, else the note callback. */
void options_warn(const puad_options *options, const puad_warning *warning);

/* The options that were given, of some groups (bits of 1 << group), as a JSON object keyed by the
 * program's option names; and the reverse, which sets options that are not given. A model stores `input`
 * this way (docs/reference/model-format.md). The caller deletes the object; NULL when memory ran out. */
cJSON *options_to_json(const puad_options *options, unsigned groups);
puad_status options_from_json(puad_options *options, const cJSON *object, unsigned groups);

#define AUTO_OPTIONS __attribute__((cleanup(options_cleanup)))
void options_cleanup(puad_options **owner);

#endif
