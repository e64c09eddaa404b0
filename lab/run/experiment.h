/* One experiment of the laboratory: its options (lab_cell) and its result. */
#ifndef LAB_RUN_EXPERIMENT_H
#define LAB_RUN_EXPERIMENT_H

#include "base/memory.h"
#include "base/status.h"

typedef enum field_type { FIELD_TEXT, FIELD_INTEGER, FIELD_REAL } field_type;

#define FIELD_MEMBER_TEXT const char *
#define FIELD_MEMBER_INTEGER long long
#define FIELD_MEMBER_REAL double

/* Strings are borrowed and never NULL. Begin with lab_cell_standard(). */
typedef struct lab_cell {
#define OPTION(type, name, standard, absent) FIELD_MEMBER_##type name;
#include "lab/run/experiment.def"
#undef OPTION
} lab_cell;

/* Begin with lab_result_unknown(). */
typedef struct lab_result {
#define RESULT(type, name) FIELD_MEMBER_##type name;
#include "lab/run/result.def"
#undef RESULT
} lab_result;

typedef struct lab_record {
    lab_cell cell;
    lab_result result;
} lab_record;

/* The protocols of experiments other than the paper's split. */
#define LAB_ADBENCH "adbench"
#define LAB_ADBENCH_PUBLISHED "adbench-published"

lab_cell lab_cell_standard(void);
lab_result lab_result_unknown(void);

/* The fields as a table, for code that treats them all alike. Options come first, in both. */
typedef struct field {
    const char *name;
    field_type type;
    size_t offset;      /* in lab_record */
    const char *absent; /* see experiment.def */
    bool option;        /* an option of the experiment, rather than a field of the result */
} field;

const field *lab_fields(size_t *out_count);
const field *lab_field(const char *name); /* NULL if there is none */
extern const size_t lab_option_count;     /* number of fields that are options */

/* A field as a string: numbers in the shortest form that reads back as the same number, NaN as "". `out`
 * has FIELD_CAPACITY bytes; strings are returned without a copy. */
enum { FIELD_CAPACITY = 40 };
const char *field_text(char out[FIELD_CAPACITY], const lab_record *record, const field *which);

/* Sets a field from a string; strings are copied into `memory`. */
puad_status field_set(lab_record *to, const field *which, const char *text, arena *memory);

/* Sets options that the experiment's method does not use to their absent value, so that a sweep over them
 * does not repeat the same run: epochs of a forest, pretraining of an autoencoder, alpha of a method
 * without it ... Unknown methods are rejected. */
puad_status lab_cell_settle(lab_cell *cell);

/* Whether a detector has this name; and all their names, for messages. */
bool lab_method_exists(const char *name);
const char *lab_method_names(void);

/* Number of training rows requested. */
long long lab_rows(const lab_cell *cell);

/* Normalizes the names of the normal and the unseen classes to the form used in ledgers: numbers, or the
 * name of the set's group; the set's default unseen classes if none are given. Strings go into `memory`. */
puad_status lab_cell_name_classes(lab_cell *cell, arena *memory);

/* Whether its unseen classes are the paper's for the set. */
bool lab_unseen_is_own(const lab_cell *cell);

/* Whether the experiment's method does not use an option: its absent value is then not a setting (an alpha
 * of 0 is one for a method that uses alpha). */
bool lab_option_means_nothing(const lab_cell *cell, const field *which);

/* Whether these options are at their default, which is the paper's, or are not used. */
bool lab_has_standard(const lab_cell *cell, const char *const *options, size_t count);

/* Whether the paper has a result for it: its sizes, alpha and unseen classes. The budget and the options
 * of the method may differ. */
bool lab_is_papers_task(const lab_cell *cell);

/* Which fraction the experiment's alpha is: "alpha_all" or "alpha_U" of the requested sizes (a reduced
 * split keeps them up to rounding), or "given" for another value; "" if the method does not use alpha. */
const char *lab_alpha_kind(const lab_cell *cell);

/* Whether a field is equal in two records. */
bool field_same(const lab_record *one, const lab_record *other, const field *which);

/* Whether an option has its default value. */
bool field_is_standard(const lab_cell *cell, const field *which);

/* "alpha=0.2;dataset=mnist;...": all options that are not at their default, in the order of
 * experiment.def. On the heap. */
puad_status lab_cell_key(char **out, const lab_cell *cell);

/* Strings in a key must not contain ';' or control characters, nor be longer than 1000; numbers must be
 * finite. */
puad_status lab_cell_check(const lab_cell *cell);

/* A result as bytes that another process of the same program can read. *out is on the heap; strings of
 * *out go into `memory`. */
puad_status lab_result_pack(char **out, size_t *out_size, const lab_result *result);
puad_status lab_result_unpack(lab_result *out, const char *bytes, size_t size, arena *memory);

#endif
