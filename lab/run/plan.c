/* Expands lists of choices into experiments. */
#include "lab/run/plan.h"

#include "lab/sets/set.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char all_methods[] =
    "if,ae,abc,pu,puae,deepsvdd,loe,deepsad,soel,pusvdd"; /* distance methods last, together */
static const char all_seeds[] = "0,1,2,3,4";

#define ALPHA_MAX 0.999
#define ROWS_MAX 1000000000LL /* rows; small enough that a sum of three sizes does not overflow */

/* The list's arena owns the keys. */
static void keep_key(void *key)
{
    (void)key;
}

static int compare_keys(const void *left, const void *right)
{
    return strcmp(left, right);
}

void cell_list_free(cell_list *owner)
{
    tdestroy(owner->keys, keep_key);
    arena_free(&owner->memory);
    *owner = (cell_list){0};
}

puad_status parts_of(const char ***out, size_t *out_count, arena *memory, const char *text)
{
    size_t capacity = 1, count = 0;
    for (const char *at = text; *at; at++) capacity += *at == ',';
    char *copy = arena_text(memory, text);
    if (!copy) FAIL(PUAD_MEMORY, "no memory for a list");
    TRY(arena_new(memory, out, capacity, sizeof **out));
    for (char *part; (part = strsep(&copy, ","));)
        if (*part) (*out)[count++] = part;
    *out_count = count;
    return PUAD_OK;
}

puad_status plan_whole(long long *out, const char *text, long long min, long long max)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (end == text || *end || errno || *out < min || *out > max)
        FAIL(PUAD_INVALID, "'%s' is not an integer from %lld to %lld", text, min, max);
    return PUAD_OK;
}

static puad_status alpha_of(double *out, const char *text)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || !(*out >= 0 && *out <= ALPHA_MAX))
        FAIL(PUAD_INVALID, "'%s' is not a number from 0 to %g", text, ALPHA_MAX);
    return PUAD_OK;
}

static puad_status add_cell(cell_list *out, lab_cell cell)
{
    AUTO_FREE char *key = NULL;
    TRY(lab_cell_settle(&cell));
    TRY(lab_cell_key(&key, &cell));
    if (tfind(key, &out->keys, compare_keys)) return PUAD_OK;
    char *kept = arena_text(&out->memory, key);
    if (!kept || !tsearch(kept, &out->keys, compare_keys)) FAIL(PUAD_MEMORY, "no memory for an experiment");
    if (out->count == out->capacity) {
        lab_cell *more = NULL;
        size_t capacity = out->capacity ? 2 * out->capacity : 64;
        TRY(arena_new(&out->memory, &more, capacity, sizeof *more));
        if (out->count) memcpy(more, out->cells, out->count * sizeof *more);
        out->cells = more;
        out->capacity = capacity;
    }
    out->cells[out->count++] = cell;
    return PUAD_OK;
}

/* The choices of a request as lists. */
typedef struct choices {
    const char **methods, **normals, **seeds, **alphas, **hidden;
    size_t method_count, normal_count, seed_count, alpha_count, hidden_count;
} choices;

static const char *or_standard(const char *given, const char *standard)
{
    return given && *given ? given : standard;
}

enum { AS_VARIANT = -1 }; /* no list was given, so the variant's value is used */

static puad_status check_sizes(const lab_cell *cell)
{
    const long long sizes[] = {cell->normals, cell->hidden, cell->labeled};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] < 0 || sizes[i] > ROWS_MAX)
            FAIL(PUAD_INVALID, "normals, hidden and labeled: %lld is not a number from 0 to %lld", sizes[i],
                 ROWS_MAX);
    return PUAD_OK;
}

/* The experiments of each variant with one choice of each list; the fields of `chosen` are the choices. */
static puad_status expand_variants(cell_list *out, const plan_request *request, const lab_cell *chosen)
{
    for (size_t v = 0; v < request->variant_count; v++) {
        lab_cell cell = request->variants[v];
        TRY(check_sizes(&cell));
        long long rows = cell.normals + cell.hidden + cell.labeled;
        if (chosen->hidden != AS_VARIANT) cell.hidden = chosen->hidden;
        if (cell.hidden >= rows - cell.labeled)
            FAIL(PUAD_INVALID,
                 "%lld hidden and %lld labeled of %lld rows leave no normal row; see --contamination, --set",
                 cell.hidden, cell.labeled, rows);
        cell.dataset = chosen->dataset;
        cell.normal = chosen->normal;
        cell.unseen = chosen->unseen;
        cell.method = chosen->method;
        cell.seed = chosen->seed;
        cell.normals = rows - cell.hidden - cell.labeled; /* keeps the number of training rows */
        if (chosen->alpha != AS_VARIANT) cell.alpha = chosen->alpha;
        if (request->alpha_from == ALPHA_FROM_ALL)
            cell.alpha = (double)(cell.labeled + cell.hidden) / (double)rows;
        if (request->alpha_from == ALPHA_FROM_UNLABELED)
            cell.alpha = (double)cell.hidden / (double)(rows - cell.labeled);
        TRY(add_cell(out, cell));
    }
    return PUAD_OK;
}

/* All experiments of one dataset and normal class. */
static puad_status expand_class(cell_list *out, const plan_request *request, const choices *list,
                                lab_cell cell)
{
    for (size_t s = 0; s < list->seed_count; s++)
        for (size_t h = 0; h < list->hidden_count || h == 0; h++)
            for (size_t m = 0; m < list->method_count; m++)
                for (size_t a = 0; a < list->alpha_count || a == 0; a++) {
                    cell.alpha = AS_VARIANT;
                    cell.hidden = AS_VARIANT;
                    TRY(plan_whole(&cell.seed, list->seeds[s], 0, PLAN_SEED_MAX));
                    if (list->hidden_count) TRY(plan_whole(&cell.hidden, list->hidden[h], 0, ROWS_MAX));
                    if (list->alpha_count) TRY(alpha_of(&cell.alpha, list->alphas[a]));
                    cell.method = list->methods[m];
                    TRY(expand_variants(out, request, &cell));
                }
    return PUAD_OK;
}

/* All experiments of one normal class, by any of its names. */
static puad_status expand_normal(cell_list *out, const plan_request *request, const choices *list,
                                 lab_cell cell, const char *normal)
{
    cell.normal = normal;
    TRY(lab_cell_name_classes(&cell, &out->memory));
    return expand_class(out, request, list, cell);
}

static puad_status expand_set(cell_list *out, const plan_request *request, const choices *list,
                              const char *name)
{
    const set_row *about = NULL;
    set_cell cells[SET_CELLS_MAX];
    TRY(set_find(&about, name));
    lab_cell cell = request->variants[0];
    cell.dataset = about->name;
    if (about->reader->normal && list->hidden_count)
        FAIL(PUAD_INVALID, "%s has fixed sizes: its number of hidden anomalies cannot be changed",
             about->name);
    if (list->normal_count == 0)
        for (size_t i = 0, count = set_cells(cells, about); i < count; i++)
            TRY(expand_normal(out, request, list, cell, cells[i].name));
    for (size_t i = 0; i < list->normal_count; i++)
        TRY(expand_normal(out, request, list, cell, list->normals[i]));
    return PUAD_OK;
}

/* A list as given, or the default; a given list must not be empty. */
static puad_status list_of(const char ***out, size_t *out_count, arena *memory, const char *given,
                           const char *standard)
{
    TRY(parts_of(out, out_count, memory, or_standard(given, standard)));
    if (given && *given && *out_count == 0) FAIL(PUAD_INVALID, "'%s' is an empty list", given);
    return PUAD_OK;
}

puad_status plan_expand(cell_list *out, const plan_request *request)
{
    choices list;
    const char **sets;
    size_t set_count;
    arena *memory = &out->memory;
    TRY(list_of(&sets, &set_count, memory, request->datasets, "glyphs"));
    TRY(list_of(&list.methods, &list.method_count, memory, request->methods, all_methods));
    TRY(list_of(&list.normals, &list.normal_count, memory, request->normals, ""));
    TRY(list_of(&list.seeds, &list.seed_count, memory, request->seeds, all_seeds));
    TRY(list_of(&list.alphas, &list.alpha_count, memory, request->alphas, ""));
    TRY(list_of(&list.hidden, &list.hidden_count, memory, request->hidden, ""));
    for (size_t i = 0; i < set_count; i++) TRY(expand_set(out, request, &list, sets[i]));
    return PUAD_OK;
}

/* Options for which a request has lists. */
static puad_status refuse_listed(const char *name)
{
    static const char *const listed[][2] = {{"dataset", "--datasets"},
                                            {"normal", "--normal-class"},
                                            {"method", "--methods"},
                                            {"seed", "--seed-list"},
                                            {"alpha", "--alphas"}};
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
        if (strcmp(name, listed[i][0]) == 0) FAIL(PUAD_INVALID, "'%s' is set by %s", name, listed[i][1]);
    return PUAD_OK;
}

puad_status plan_vary(lab_cell **variants, size_t *count, const char *text, arena *memory)
{
    char name[32];
    size_t length = strcspn(text, "="), values = 1;
    if (text[length] != '=' || length >= sizeof name) FAIL(PUAD_INVALID, "'%s' is not NAME=VALUE", text);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const field *which = lab_field(name);
    if (!which || !which->option) FAIL(PUAD_INVALID, "an experiment has no option '%s'", name);
    TRY(refuse_listed(name));
    bool one = strcmp(name, "extra") == 0 || strcmp(name, "unseen") == 0;
    char *rest = arena_text(memory, text + length + 1);
    if (!rest) FAIL(PUAD_MEMORY, "no memory for an option");
    for (const char *at = rest; *at && !one; at++) values += *at == ',';
    lab_cell *more = NULL;
    TRY(arena_new(memory, &more, values * *count, sizeof *more));
    for (size_t v = 0; v < values; v++) {
        const char *value = one ? rest : strsep(&rest, ",");
        for (size_t i = 0; i < *count; i++) {
            lab_record record = {.cell = (*variants)[i]};
            TRY(field_set(&record, which, value, memory));
            more[v * *count + i] = record.cell;
        }
    }
    *variants = more;
    *count *= values;
    return PUAD_OK;
}

static const struct {
    const char *name, *varied;
    plan_request request;
} plans[] = {
#define PLAN(name_, sets_, methods_, normals_, alphas_, hidden_, from_, varied_)                             \
    {name_,                                                                                                  \
     varied_,                                                                                                \
     {.datasets = sets_,                                                                                     \
      .methods = methods_,                                                                                   \
      .normals = normals_,                                                                                   \
      .alphas = alphas_,                                                                                     \
      .hidden = hidden_,                                                                                     \
      .alpha_from = ALPHA_FROM_##from_}},
#include "lab/run/plans.def"
#undef PLAN
};

static puad_status plan_names(const char **out, arena *memory)
{
    char text[256] = "";
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        if (i == 0 || strcmp(plans[i].name, plans[i - 1].name) != 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s, ", plans[i].name);
    snprintf(text + strlen(text), sizeof text - strlen(text), "all, adbench");
    *out = arena_text(memory, text);
    if (!*out) FAIL(PUAD_MEMORY, "no memory for the names of the plans");
    return PUAD_OK;
}

/* Those of a plan's methods that are in the given list, if any. */
static puad_status common_methods(const char **out, arena *memory, const char *own, const char *given)
{
    const char **mine, **wanted;
    size_t mine_count, wanted_count, used = 0;
    *out = own;
    if (!given) return PUAD_OK;
    char *text;
    TRY(parts_of(&mine, &mine_count, memory, own));
    TRY(parts_of(&wanted, &wanted_count, memory, given));
    TRY(arena_new(memory, &text, strlen(own) + 1, 1));
    for (size_t i = 0; i < mine_count; i++) {
        bool among = false;
        for (size_t j = 0; j < wanted_count; j++) among = among || strcmp(mine[i], wanted[j]) == 0;
        if (among) used += (size_t)sprintf(text + used, "%s%s", used ? "," : "", mine[i]);
    }
    *out = text;
    return PUAD_OK;
}

/* The variants of a request, each once with each value that the plan varies. */
static puad_status vary_all(plan_request *request, const char *varied, arena *memory)
{
    lab_cell *variants = NULL;
    if (!*varied) return PUAD_OK;
    TRY(arena_new(memory, &variants, request->variant_count, sizeof *variants));
    memcpy(variants, request->variants, request->variant_count * sizeof *variants);
    TRY(plan_vary(&variants, &request->variant_count, varied, memory));
    request->variants = variants;
    return PUAD_OK;
}

puad_status plan_paper(cell_list *out, const char *name, const plan_request *common)
{
    bool found = false;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        if (strcmp(name, "all") != 0 && strcmp(name, plans[i].name) != 0) continue;
        plan_request request = plans[i].request;
        if (common->datasets) request.datasets = common->datasets;
        if (*plans[i].varied) { /* other methods do not use the varied option */
            TRY(common_methods(&request.methods, &out->memory, request.methods, common->methods));
            found = true;
            if (!*request.methods) continue;
        } else if (common->methods) {
            request.methods = common->methods;
        }
        if (common->normals) request.normals = common->normals;
        if (common->hidden) request.hidden = common->hidden;
        if (!request.alpha_from && !*request.alphas) request.alpha_from = common->alpha_from;
        if (common->alphas) {
            request.alphas = common->alphas;
            request.alpha_from = ALPHA_FROM_VARIANT;
        }
        request.seeds = common->seeds;
        request.variants = common->variants;
        request.variant_count = common->variant_count;
        TRY(vary_all(&request, plans[i].varied, &out->memory));
        TRY(plan_expand(out, &request));
        found = true;
    }
    if (found) return PUAD_OK;
    const char *names;
    TRY(plan_names(&names, &out->memory));
    FAIL(PUAD_INVALID, "there is no plan '%s'; there are %s", name, names);
}
