/* Chooses the kernels once. This file is built with baseline flags. */
#include "kernels/kernels.h"

#include "base/status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTIONS(name, condition, automatic) extern const kernels kernels_##name;
#include "kernels/isa.def"
#undef INSTRUCTIONS

enum { MOST = 8 };
static const kernels *runnable[MOST + 1];
static const kernels *chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose(void)
{
    size_t count = 0;
    const char *wish = getenv("PUAD_ISA");
    const kernels *wished = NULL;
#ifdef __x86_64__
    __builtin_cpu_init(); /* glibc before 2.34 skips constructors of programs linked with a later version */
#endif
#define INSTRUCTIONS(name_, condition, automatic)                                                            \
    if (condition) {                                                                                         \
        runnable[count++] = &kernels_##name_;                                                                \
        if ((automatic) && !chosen) chosen = &kernels_##name_;                                               \
        if (wish && strcmp(wish, #name_) == 0) wished = &kernels_##name_;                                    \
    }
#include "kernels/isa.def"
#undef INSTRUCTIONS
    if (wished) chosen = wished;
}

puad_status kernels_check(void)
{
    const char *wish = getenv("PUAD_ISA");
    char names[128] = "";
    if (!wish || !*wish || kernels_named(wish)) return PUAD_OK;
    for (const kernels *const *table = kernels_all(); *table; table++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", (*table)->name);
    FAIL(PUAD_INVALID, "PUAD_ISA is '%s', which this machine does not support; it supports%s", wish, names);
}

const kernels *kernels_best(void)
{
    pthread_once(&once, choose);
    return chosen;
}

const kernels *const *kernels_all(void)
{
    pthread_once(&once, choose);
    return runnable;
}

const kernels *kernels_named(const char *name)
{
    for (const kernels *const *table = kernels_all(); *table; table++)
        if (strcmp((*table)->name, name) == 0) return *table;
    return NULL;
}
