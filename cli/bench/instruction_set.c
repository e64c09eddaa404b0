/* The instruction set that --version reports. */
#include "cli/bench/instruction_set.h"

#include "kernels/kernels.h"

const char *instruction_set_name(void)
{
    return kernels_best()->name;
}
