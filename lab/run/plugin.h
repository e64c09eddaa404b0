/* An objective from a shared library: trained and kept like the built-in ones, under a name of its own. */
#ifndef LAB_RUN_PLUGIN_H
#define LAB_RUN_PLUGIN_H

#include <puad/objective.h>
#include <stdbool.h>

/* Loads a library with
 *     const puad_objective *puad_objective_plugin(void);
 *     const char *puad_objective_plugin_version(void);    which may be missing
 * and gives the name that the ledger has for it: NAME-VERSION@DIGEST, with the first eight digits of the
 * file's MD5. It stays loaded; one at a time. Borrowed. */
puad_status lab_plugin_load(const char **out_name, const char *path);

/* A built-in objective, the one that was loaded, or for a name with '@' of one that was not, a stand-in that
 * takes all options: a ledger is read without the libraries it was made with. NULL for other names. */
const puad_objective *lab_objective_find(const char *name);
bool lab_objective_is_here(const char *name); /* and no stand-in */

#endif
