/* Options: an opaque set of named values, so that a new one breaks no program.
 *
 *     puad_options *options = NULL;
 *     puad_options_new(&options);
 *     puad_options_set(options, "epochs", "20");
 *     puad_options_set_number(options, "lr", 1e-3);
 *     puad_options_add(options, "ignore", "account");
 *     ...
 *     puad_options_free(options);
 *
 * One table has the names, kinds, defaults, bounds and help of all options; puad_option_count() and the calls
 * behind it read it. What is set is checked at once against the table; names of methods, columns and files by
 * the call that uses them. A call that takes options uses those that concern it and leaves the others alone;
 * NULL stands for the default of all.
 *
 * Ownership: texts are copied. Threads: an options object belongs to one thread at a time; calls only read
 * it. Texts are UTF-8. */
#ifndef PUAD_OPTIONS_H
#define PUAD_OPTIONS_H

#include <puad/puad.h>

#ifdef __cplusplus
extern "C" {
#endif

PUAD_API puad_status puad_options_copy(puad_options **out, const puad_options *from); /* NULL: all default */
/* Sets an option from a number. Errors: as puad_options_set. */
PUAD_API puad_status puad_options_set_integer(puad_options *options, const char *name, long long value);
PUAD_API puad_status puad_options_set_number(puad_options *options, const char *name, double value);
PUAD_API puad_status puad_options_add(puad_options *options, const char *name,
                                      const char *text); /* to a list */

/* What an option is: as it was set, else its default; NULL when there is neither, or no such option. Of a
 * list the last entry. Borrowed until the option is set again. */
PUAD_API const char *puad_options_get(const puad_options *options, const char *name);
PUAD_API int puad_options_is_set(const puad_options *options, const char *name);
PUAD_API size_t puad_options_list_count(const puad_options *options, const char *name);
PUAD_API const char *puad_options_list_at(const puad_options *options, const char *name, size_t index);

/* The table. */
typedef enum puad_option_type {
    PUAD_OPTION_FLAG, /* "yes" or "no" */
    PUAD_OPTION_INTEGER,
    PUAD_OPTION_NUMBER,
    PUAD_OPTION_TEXT,
    PUAD_OPTION_LIST,   /* texts */
    PUAD_OPTION_CHOICE, /* one of its choices */
} puad_option_type;

typedef enum puad_option_group {
    PUAD_GROUP_INPUT,    /* how a file is read */
    PUAD_GROUP_MORE,     /* further files of rows of one label */
    PUAD_GROUP_FIT,      /* how a detector is trained */
    PUAD_GROUP_METHOD,   /* what only some methods take */
    PUAD_GROUP_COMMON,   /* seed, threads */
    PUAD_GROUP_DECISION, /* what is made of scores */
    PUAD_GROUP_HIDDEN,   /* not on a command line */
    PUAD_GROUP_ANSWERS,  /* files of answers about rows of the input */
} puad_option_group;

/* An option. Strings that do not apply are NULL. */
typedef struct puad_option {
    size_t struct_size;
    const char *name;
    puad_option_type type;
    puad_option_group group;
    const char *help;
    const char *standard;   /* the default; NULL: none, or by the data */
    const char *choices;    /* "a|b|c" */
    const char *value_name; /* what help calls the value: "FILE" */
    const char *bare;       /* the value of an option that is named without one */
    double min, max;
} puad_option;

PUAD_API size_t puad_option_count(void);
PUAD_API puad_status puad_option_at(puad_option *out, size_t index); /* PUAD_INVALID past the end */
PUAD_API size_t puad_option_find(const char *name);                  /* puad_option_count() if unknown */

/* What a progress callback is told, after every mini-batch and at the end of every epoch (batch == batches).
 * Fields may be added behind these. */
typedef struct puad_progress {
    int pretraining; /* the phase: 1 while a distance detector is pre-trained as an autoencoder */
    size_t epoch, epochs, batch, batches;
    double train_loss, valid_loss; /* NaN before the first */
    size_t best_epoch;
    double seconds; /* since the phase began */
} puad_progress;

typedef enum puad_answer {
    PUAD_GO_ON = 0,
    PUAD_FINISH, /* stop after this epoch and keep the best weights so far; while pre-training: train one
                    epoch */
    PUAD_ABORT,  /* stop now; the fit fails with PUAD_CANCELLED */
} puad_answer;

/* Called from the calling thread. */
typedef puad_answer puad_progress_call(void *context, const puad_progress *now);
PUAD_API void puad_options_set_progress(puad_options *options, puad_progress_call *call, void *context);

/* Stops a long call from another thread or from a signal handler. Fits, estimates of alpha, operating
 * tables, queries and scores of tables check the token regularly and fail with PUAD_CANCELLED after
 * puad_stop_request(), which is async-signal-safe. A request cannot be taken back: use a new token for the
 * next call. The options borrow the token, which must outlive the calls; NULL removes it. */
typedef struct puad_stop puad_stop;
PUAD_API puad_status puad_stop_new(puad_stop **out);
PUAD_API void puad_stop_request(puad_stop *stop); /* NULL is fine */
PUAD_API void puad_stop_free(puad_stop *stop);    /* NULL is fine */
PUAD_API void puad_options_set_stop(puad_options *options, const puad_stop *stop);

/* What a call wants people to know and does not fail for: one line of text, valid during the callback. */
typedef enum puad_note_kind { PUAD_NOTE, PUAD_WARNING } puad_note_kind;
typedef void puad_note_call(void *context, puad_note_kind kind, const char *text);
PUAD_API void puad_options_set_note(puad_options *options, puad_note_call *call, void *context);

/* A warning with the name of its guard ("leaking_column"; docs/reference/warnings.md has the list) and, where it is about
 * one, the column of the input, else NULL. Valid during the callback. Fields may be added behind these. Who
 * sets this callback gets warnings here and not by the note callback. */
typedef struct puad_warning {
    const char *name, *column, *text;
} puad_warning;
typedef void puad_warning_call(void *context, const puad_warning *warning);
PUAD_API void puad_options_set_warning(puad_options *options, puad_warning_call *call, void *context);

/* An objective or a score head of your own instead of the method's (<puad/objective.h>, <puad/detector.h>);
 * borrowed, they must outlive the fits. */
struct puad_objective;
struct puad_own_head;
PUAD_API void puad_options_set_objective(puad_options *options, const struct puad_objective *objective);
PUAD_API void puad_options_set_head(puad_options *options, const struct puad_own_head *head);

/* One fit by several processes ("ranks"), as `mpirun -n 4 puad fit` does it: every rank makes the same calls
 * with the same rows and options, each computes its part of every mini-batch and of the estimate of alpha,
 * and each ends with the same model. The functions are called by all ranks in the same order with the same
 * sizes, from the calling thread: sums over all ranks, element by element, whose results must be the same to
 * the bit on every rank (added in pairs, (0 + 1) + (2 + 3), two and four ranks have the bits of one); and
 * bytes of rank 0 for all. The first failure ends the fit with its status. The checkpoint is written and read
 * by rank 0. Only methods with a network can be divided. Borrowed, it must outlive the fits; NULL, or a size
 * of 1, for a fit by one process. */
typedef struct puad_ranks {
    int rank, size; /* which one this is, from 0, and how many there are */
    puad_status (*sum_floats)(void *context, float *values, size_t count);
    puad_status (*sum_doubles)(void *context, double *values, size_t count);
    puad_status (*broadcast)(void *context, void *bytes, size_t size);
    void *context;
} puad_ranks;
PUAD_API void puad_options_set_ranks(puad_options *options, const puad_ranks *ranks);

#ifdef __cplusplus
}
#endif
#endif
