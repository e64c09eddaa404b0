/* The option table and its public getters. */
#include "options/options.h"

#include <string.h>

const option option_table[OPTION_AT_COUNT] = {
#define OPTION(group, id, kind, preset, lowest, highest, word, words, alone, line)                           \
    {.name = #id,                                                                                            \
     .type = kind,                                                                                           \
     .standard = preset,                                                                                     \
     .min = lowest,                                                                                          \
     .max = highest,                                                                                         \
     .value = word,                                                                                          \
     .choices = words,                                                                                       \
     .bare = alone,                                                                                          \
     .help = line},
#include "options/options.def"
#undef OPTION
#define OBJECTIVE_OPTION(id, kind, preset, lowest, highest, words, kinds, line)                              \
    {.name = #id,                                                                                            \
     .type = kind,                                                                                           \
     .standard = preset,                                                                                     \
     .min = lowest,                                                                                          \
     .max = highest,                                                                                         \
     .value = "X",                                                                                           \
     .choices = words,                                                                                       \
     .help = line},
#include "options/objective_options.def"
#undef OBJECTIVE_OPTION
};

static const puad_option_group groups[OPTION_AT_COUNT] = {
#define OPTION(group, ...) PUAD_GROUP_##group,
#include "options/options.def"
#undef OPTION
#define OBJECTIVE_OPTION(...) PUAD_GROUP_METHOD,
#include "options/objective_options.def"
#undef OBJECTIVE_OPTION
};

/* The internal types have the order of the public ones. */
_Static_assert((int)OPTION_FLAG == (int)PUAD_OPTION_FLAG && (int)OPTION_INTEGER == (int)PUAD_OPTION_INTEGER &&
                   (int)OPTION_NUMBER == (int)PUAD_OPTION_NUMBER &&
                   (int)OPTION_TEXT == (int)PUAD_OPTION_TEXT && (int)OPTION_LIST == (int)PUAD_OPTION_LIST &&
                   (int)OPTION_CHOICE == (int)PUAD_OPTION_CHOICE,
               "both enumerations have the same order");

puad_option_group option_group(size_t index)
{
    return groups[index];
}

size_t puad_option_count(void)
{
    return OPTION_AT_COUNT;
}

size_t puad_option_find(const char *name)
{
    char plain[64];
    size_t length = name ? strlen(name) : 0;
    if (!length || length >= sizeof plain) return OPTION_AT_COUNT;
    for (size_t i = 0; i <= length; i++) plain[i] = name[i] == '-' ? '_' : name[i];
    return options_find(option_table, OPTION_AT_COUNT, plain);
}

puad_status puad_option_at(puad_option *out, size_t index)
{
    NEED(out);
    if (index >= OPTION_AT_COUNT) FAIL(PUAD_INVALID, "there is no option %zu", index);
    const option *source = &option_table[index];
    puad_option made = {.name = source->name,
                        .type = (puad_option_type)source->type,
                        .group = groups[index],
                        .help = source->help,
                        .standard = source->standard,
                        .choices = source->choices,
                        .value_name = source->value,
                        .bare = source->bare,
                        .min = source->min,
                        .max = source->max};
    return struct_write(out, &made, sizeof made, "puad_option");
}
