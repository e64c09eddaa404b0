/* Completion of command lines in bash, zsh and fish. */
#ifndef CLI_PROGRAM_COMPLETION_H
#define CLI_PROGRAM_COMPLETION_H

#include "cli/program/program.h"

/* 'puad completion bash|zsh|fish' prints the shell's script; 'puad completion words WORD...' prints the
 * candidates for the last word, one per line with a tab and a description, or ":files". `words` are those
 * after "completion". */
puad_status completion_run(const program *self, char **words, int count);

#endif
