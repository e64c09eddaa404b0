/* An objective from a shared library, used like the built-in ones under a unique name. */
#ifndef LAB_RUN_PLUGIN_H
#define LAB_RUN_PLUGIN_H

#include <puad/objective.h>
#include <stdbool.h>

/* Loads a library with
 *     const puad_objective *puad_objective_plugin(void);
 *     const char *puad_objective_plugin_version(void);    optional
 * and returns its name in the ledger: NAME-VERSION@DIGEST, with the first eight digits of the file's MD5.
 * It stays loaded; one at a time. Borrowed. */
puad_status lab_plugin_load(const char **out_name, const char *path);

/* A built-in objective, the loaded one, or for a name with '@' that is not loaded, a placeholder that
 * accepts all options: a ledger can be read without the libraries it was made with. NULL for other names. */
const puad_objective *lab_objective_find(const char *name);
bool lab_objective_is_here(const char *name); /* true if it is not a placeholder */

#endif
