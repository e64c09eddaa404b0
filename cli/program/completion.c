/* The shell scripts only pass the words to 'puad completion words', which reads the option table. */
#include "cli/program/completion.h"

#include "base/memory.h"
#include "cli/program/exec_program.h"
#include "cli/program/help.h"
#include "options/similar_name.h"

#include <stdio.h>
#include <string.h>

static const char *const script_bash =
    "_puad() {\n"
    "    local entry word=${COMP_WORDS[COMP_CWORD]}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r entry _; do\n"
    "        if [ \"$entry\" = :files ]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            mapfile -t COMPREPLY < <(compgen -f -- \"${word#=}\")\n"
    "        else\n"
    "            COMPREPLY+=(\"$entry\")\n"
    "        fi\n"
    "    done < <(\"${COMP_WORDS[0]}\" completion words \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _puad puad\n";

static const char *const script_zsh =
    "#compdef puad\n"
    "local -a entries\n"
    "local name text\n"
    "while IFS=$'\\t' read -r name text; do\n"
    "    if [[ $name == :files ]]; then\n"
    "        _files\n"
    "    else\n"
    "        entries+=(\"${name//:/\\\\:}:$text\")\n"
    "    fi\n"
    "done < <(${words[1]} completion words \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
    "(( $#entries )) && _describe puad entries\n";

static const char *const script_fish =
    "function __puad_complete\n"
    "    set -l typed (commandline -opc) (commandline -ct)\n"
    "    for entry in ($typed[1] completion words $typed[2..-1] 2>/dev/null)\n"
    "        if test \"$entry\" = :files\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        else\n"
    "            echo $entry\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c puad -f -a '(__puad_complete)'\n";

static void offer(const char *typed, const char *prefix, const char *name, size_t length, const char *text)
{
    char entry[128];
    snprintf(entry, sizeof entry, "%s%.*s", prefix, (int)length, name);
    if (strncmp(entry, typed, strlen(typed)) == 0) printf("%s\t%.*s\n", entry, (int)help_clause(text), text);
}

static void offer_choices(const char *typed, const char *choices)
{
    for (const char *entry = choices; *entry;) {
        size_t size = strcspn(entry, "|");
        offer(typed, "", entry, size, "");
        entry += size + (entry[size] == '|');
    }
}

static void offer_commands(const program *self, const char *typed)
{
    for (size_t i = 0; i < self->command_count; i++) {
        const command *which = self->commands[i].which;
        offer(typed, "", which->name, strlen(which->name), which->summary);
    }
    offer(typed, "", "help", 4, "help about a command");
    offer(typed, "", "completion", 10, "completion for a shell");
}

static void offer_options(const command *which, const char *typed)
{
    for (size_t i = 0; i < which->option_count; i++)
        offer(typed, "--", which->options[i].name, strlen(which->options[i].name), which->options[i].help);
    offer(typed, "--", "help", 4, "all options");
}

static void offer_values(const option *row, const char *typed)
{
    if (row->type == OPTION_CHOICE)
        offer_choices(typed, row->choices);
    else if (row->type == OPTION_TEXT || row->type == OPTION_LIST)
        puts(":files");
}

/* The option that a word names if it takes a value, or NULL. */
static const option *option_of(const command *which, const char *word)
{
    size_t index = which->option_count;
    if (strncmp(word, "--", 2) == 0)
        index = options_find(which->options, which->option_count, word + 2);
    else if (word[0] == '-' && word[1] && !word[2])
        for (index = 0; index < which->option_count && which->options[index].letter != word[1];) index++;
    if (index == which->option_count || which->options[index].type == OPTION_FLAG) return NULL;
    return &which->options[index];
}

/* Shells may split "--alpha=0.1" at the equals sign, so "=" can be a word. */
static void complete_command(const command *which, char **words, int count)
{
    const char *typed = words[count - 1], *before = count > 1 ? words[count - 2] : "";
    const option *row = option_of(which, before);
    bool equals = strcmp(typed, "=") == 0;
    if (!row && strcmp(before, "=") == 0 && count > 2)
        row = option_of(which, words[count - 3]);
    else if (row && row->bare && !equals)
        row = NULL; /* its value must follow '=' */
    if (row)
        offer_values(row, equals ? "" : typed);
    else if (*typed == '-')
        offer_options(which, typed);
    else if (which->argument_choices && count == 1)
        offer_choices(typed, which->argument_choices);
    else
        puts(":files");
}

static puad_status complete_words(const program *self, char **words, int count)
{
    if (count <= 1 || (count == 2 && strcmp(words[0], "help") == 0)) {
        const char *typed = count ? words[count - 1] : "";
        offer_commands(self, typed);
        if (count == 2) offer(typed, "", "input", 5, "options of every command that reads rows");
        return PUAD_OK;
    }
    if (strcmp(words[0], "completion") == 0) {
        offer_choices(words[count - 1], "bash|zsh|fish");
        return PUAD_OK;
    }
    const command *which = program_find(self, words[0]);
    if (!which) return PUAD_OK;
    if (which->program) return exec_program(which->program, words - 3, which->description);
    AUTO_ARENA arena memory = {0};
    command settled;
    TRY(command_settle(&settled, &memory, which));
    if (settled.narrow && count > 2) settled = *settled.narrow(&settled, words[1]);
    complete_command(&settled, words + 1, count - 1);
    return PUAD_OK;
}

puad_status completion_run(const program *self, char **words, int count)
{
    static const char *const shells = "bash|zsh|fish";
    const char *shell = count ? words[0] : "";
    char hint[SIMILAR_CAPACITY];
    if (strcmp(shell, "words") == 0) return complete_words(self, words + 1, count - 1);
    if (strcmp(shell, "bash") == 0) return fputs(script_bash, stdout), PUAD_OK;
    if (strcmp(shell, "zsh") == 0) return fputs(script_zsh, stdout), PUAD_OK;
    if (strcmp(shell, "fish") == 0) return fputs(script_fish, stdout), PUAD_OK;
    FAIL(PUAD_INVALID, "usage: puad completion %s%s", shells, similar_choice(hint, shell, shells));
}
