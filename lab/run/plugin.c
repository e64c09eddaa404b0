/* Loads an objective, and finds objectives by their names in a ledger. */
#include "lab/run/plugin.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "lab/fetch/md5.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 40, DIGITS = 8 };

static struct {
    char name[2 * WORD_MAX + DIGITS + 4];
    puad_objective objective;
} loaded;

/* Never called: lab_check_objective comes before every training. */
static double not_here(void *context, const puad_objective_batch *batch)
{
    (void)context, (void)batch;
    return 0;
}

static const puad_objective elsewhere = {.name = "plug-in",
                                         .title = "an objective of another library",
                                         .labels = PUAD_USES_UNLABELED | PUAD_USES_ANOMALIES |
                                                   PUAD_USES_NORMALS | PUAD_USES_ALPHA,
                                         .options = "weight balance soft eta",
                                         .evaluate = not_here};

/* Characters of a name that can be part of keys, comma-separated lists and tables. */
static bool is_word(const char *text)
{
    size_t length = strlen(text);
    for (const char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at)) return false;
    return length > 0 && length <= WORD_MAX;
}

static puad_status digest_of(char out[33], const char *path)
{
    AUTO_FREE unsigned char *bytes = NULL;
    size_t size;
    TRY(file_read(&bytes, &size, path, 1u << 30));
    md5 sum = md5_begin();
    md5_add(&sum, bytes, size);
    md5_end(out, &sum);
    return PUAD_OK;
}

/* Converts an object pointer to a function pointer, which ISO C has no conversion for. */
static void find_call(void *out, size_t size, void *library, const char *name)
{
    void *found = dlsym(library, name);
    memcpy(out, &found, size);
}

puad_status lab_plugin_load(const char **out_name, const char *path)
{
    char digest[33], *slashed = NULL;
    const puad_objective *(*objective)(void) = NULL;
    const char *(*version)(void) = NULL;
    TRY(digest_of(digest, path));
    /* a bare name must not refer to a system library */
    slashed = strchr(path, '/') ? strdup(path) : file_join(".", path);
    if (!slashed) FAIL(PUAD_MEMORY, "no memory for a file name");
    void *library = dlopen(slashed, RTLD_NOW | RTLD_LOCAL);
    free(slashed);
    if (!library) FAIL(PUAD_FORMAT, "%s: cannot be loaded: %s", path, dlerror());
    find_call(&objective, sizeof objective, library, "puad_objective_plugin");
    find_call(&version, sizeof version, library, "puad_objective_plugin_version");
    const puad_objective *made = objective ? objective() : NULL;
    const char *message = version ? version() : "0";
    if (!made)
        FAIL(PUAD_FORMAT,
             "%s: has no puad_objective_plugin(), which returns a puad_objective (<puad/objective.h>)", path);
    if (!made->name || !is_word(made->name) || !message || !is_word(message))
        FAIL(PUAD_FORMAT,
             "%s: name and version of an objective are letters, digits, '.', '_' and '-', at most %d", path,
             WORD_MAX);
    if (!made->evaluate || !made->options || !(made->labels & PUAD_USES_UNLABELED))
        FAIL(PUAD_FORMAT,
             "%s: objective '%s' has no evaluate, no options (\"\" for none) or does not use unlabeled rows",
             path, made->name);
    snprintf(loaded.name, sizeof loaded.name, "%s-%s@%.*s", made->name, message, DIGITS, digest);
    loaded.objective = *made;
    *out_name = loaded.name;
    return PUAD_OK;
}

const puad_objective *lab_objective_find(const char *name)
{
    const puad_objective *built_in = puad_objective_find(name);
    if (built_in) return built_in;
    if (*loaded.name && strcmp(loaded.name, name) == 0) return &loaded.objective;
    return strchr(name, '@') ? &elsewhere : NULL;
}

bool lab_objective_is_here(const char *name)
{
    return lab_objective_find(name) != &elsewhere;
}
