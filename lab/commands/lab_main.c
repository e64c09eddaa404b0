/* The program puad-lab. "puad-lab run" is short for "puad-lab lab run"; "puad lab run" also starts it. */
#include "base/memory.h"
#include "cli/program/program.h"

#include <stdio.h>
#include <string.h>

extern const command command_lab, command_sets, command_fetch, command_lab_demo;
static const program_entry commands[] = {
    {NULL, &command_lab}, {NULL, &command_sets}, {NULL, &command_fetch}, {NULL, &command_lab_demo}};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static bool is_action(const char *word)
{
#define ACTION(name, usage, arguments, takes, help)                                                          \
    if (strcmp(word, #name) == 0) return true;
#include "lab/commands/lab_actions.def"
#undef ACTION
    return false;
}

int main(int argc, char **argv)
{
    static const program laboratory = {
        "puad-lab", "the laboratory of puad: public datasets and experiments", NULL, commands, COMMAND_COUNT,
        NULL};
    if (argc < 2 || !is_action(argv[1])) return program_main(&laboratory, argc, argv);
    AUTO_FREE char **words = NULL;
    if (memory_new(&words, (size_t)argc + 2, sizeof *words, "the command line") != PUAD_OK) {
        fprintf(stderr, "puad-lab: %s\n", puad_last_error());
        return 1;
    }
    words[0] = argv[0];
    words[1] = (char[]){"lab"};
    memcpy(words + 2, argv + 1, (size_t)argc * sizeof *words);
    return program_main(&laboratory, argc + 1, words);
}
