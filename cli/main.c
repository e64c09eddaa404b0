/* The program puad. */
#include "cli/common/program.h"

#define LABORATORY                                                                                           \
    "the laboratory is a program of its own, puad-lab: install it next to puad (cmake -DPUAD_LAB=ON, the "   \
    "default)"

static const command command_lab = {.name = "lab",
                                    .summary = "the experiments of the paper (puad-lab)",
                                    .description = LABORATORY,
                                    .program = (char[]){"puad-lab"}};
static const command command_fetch = {.name = "fetch",
                                      .summary = "download a public dataset (puad-lab)",
                                      .description = LABORATORY,
                                      .program = (char[]){"puad-lab"}};
static const command command_serve = {
    .name = "serve",
    .summary = "score rows over HTTP (puad-serve)",
    .description = "the service is a program of its own, puad-serve: install it next to puad (cmake "
                   "-DPUAD_SERVE=ON, the default)",
    .program = (char[]){"puad-serve"}};

#define COMMAND(name) extern const command command_##name;
#include "cli/commands.def"
#undef COMMAND

static const command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
#undef COMMAND
    &command_serve,
    &command_lab,
    &command_fetch,
};

int main(int argc, char **argv)
{
    static const program puad = {"puad",
                                 "anomaly detection for contaminated data, by positive-unlabeled learning",
                                 commands, sizeof commands / sizeof *commands};
    return program_main(&puad, argc, argv);
}
