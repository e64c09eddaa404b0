/* The program puad. */
#include "cli/bench/instruction_set.h"
#include "cli/common/job.h"
#include "cli/program/program.h"

#define LABORATORY                                                                                           \
    "the laboratory is a separate program, puad-lab: install it next to puad (cmake -DPUAD_LAB=ON, the "     \
    "default)"

#define COMMAND(heading, name) extern const command command_##name;
#include "cli/commands.def"
#undef COMMAND

const command command_lab = {.name = "lab",
                             .summary = "the experiments of the paper (puad-lab)",
                             .description = LABORATORY,
                             .program = (char[]){"puad-lab"}};
const command command_fetch = {.name = "fetch",
                               .summary = "download a public dataset (puad-lab)",
                               .description = LABORATORY,
                               .program = (char[]){"puad-lab"}};

const command command_serve = {.name = "serve",
                               .summary = "score rows over HTTP (puad-serve)",
                               .description = "the service is a separate program, puad-serve: install it "
                                              "next to puad (cmake -DPUAD_SERVE=ON, the default)",
                               .program = (char[]){"puad-serve"}};

static const program_entry commands[] = {
#define COMMAND(heading, name) {heading, &command_##name},
#include "cli/commands.def"
#undef COMMAND
};

static const char *version_details(void)
{
    static char text[64];
    snprintf(text, sizeof text, "%s%s", instruction_set_name(), job_is_mpi ? ", MPI" : "");
    return text;
}

int main(int argc, char **argv)
{
    static const program puad = {"puad",
                                 "find anomalies in data that already contains some, from a few labels",
                                 "puad report train.csv new.csv --label-column status --positive fraud",
                                 commands,
                                 sizeof commands / sizeof *commands,
                                 version_details};
    return program_main(&puad, argc, argv);
}
