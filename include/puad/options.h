/* Options: named values in an opaque set, so that new options break no program.
 *
 *     puad_options *options = NULL;
 *     puad_options_new(&options);
 *     puad_options_set(options, "epochs", "20");
 *     puad_options_set_number(options, "lr", 1e-3);
 *     puad_options_add(options, "ignore", "account");
 *     ...
 *     puad_options_free(options);
 *
 * One table has names, types, defaults, bounds and help of all options (puad_option_at). Values are checked
 * against it when they are set; names of methods, columns and files are checked by the call that uses them.
 *
 * Ownership: strings are copied; callbacks, stop tokens and custom objectives are borrowed. */
#ifndef PUAD_OPTIONS_H
#define PUAD_OPTIONS_H

#include <puad/puad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies options; `source` NULL gives the defaults.
 * Errors: PUAD_MEMORY. */
PUAD_API puad_status puad_options_copy(puad_options **out, const puad_options *source);

/* Sets an option from a number. Errors: as puad_options_set. */
PUAD_API puad_status puad_options_set_number(puad_options *options, const char *name, double value);

/* Appends an entry to a list option. Errors: as puad_options_set. */
PUAD_API puad_status puad_options_add(puad_options *options, const char *name, const char *text);

/* Returns the value of an option as a string: as it was set, else its default; NULL if it has neither, or
 * there is no such option. For a list: the last entry.
 * Ownership: valid until the option is set again. */
PUAD_API const char *puad_options_get(const puad_options *options, const char *name);

/* Returns entry `index` of an option that was set; NULL past the end, and if the option has its default. An
 * option that is not a list has one entry.
 * Ownership: as puad_options_get. */
PUAD_API const char *puad_options_entry(const puad_options *options, const char *name, size_t index);

typedef enum puad_option_type {
    PUAD_OPTION_FLAG, /* "yes" or "no" */
    PUAD_OPTION_INTEGER,
    PUAD_OPTION_NUMBER,
    PUAD_OPTION_TEXT,
    PUAD_OPTION_LIST,   /* strings */
    PUAD_OPTION_CHOICE, /* one of its choices */
} puad_option_type;

typedef enum puad_option_group {
    PUAD_GROUP_INPUT,    /* how the input is read */
    PUAD_GROUP_MORE,     /* additional files whose rows all have one label */
    PUAD_GROUP_FIT,      /* how a detector is trained */
    PUAD_GROUP_METHOD,   /* options of some methods only */
    PUAD_GROUP_COMMON,   /* seed, threads */
    PUAD_GROUP_DECISION, /* p-values and flags */
    PUAD_GROUP_HIDDEN,   /* not available on a command line */
    PUAD_GROUP_ANSWERS,  /* answer files about rows of the input */
} puad_option_group;

/* An option. Strings that do not apply are NULL. */
typedef struct puad_option {
    size_t struct_size;
    const char *name;
    puad_option_type type;
    puad_option_group group;
    const char *help;
    const char *standard;   /* the default; NULL: none, or it depends on the data */
    const char *choices;    /* "a|b|c" */
    const char *value_name; /* name of the value in help: "FILE" */
    const char *bare;       /* value of an option that is named without one */
    double min, max;
} puad_option;

/* Returns the number of options in the table. */
PUAD_API size_t puad_option_count(void);

/* Fills *out with an option. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_option_at(puad_option *out, size_t index);

/* Returns the index of an option; puad_option_count() for an unknown name. */
PUAD_API size_t puad_option_find(const char *name);

/* Progress information, after every mini-batch and at the end of every epoch (batch == batches). A method
 * without a network is an epoch per model: the model of all rows and those of cross-fitting ("calibrate"), with
 * losses of NaN. Fields may be appended in later versions. */
typedef struct puad_progress {
    int pretraining; /* 1 while a distance detector is pretrained as an autoencoder */
    size_t epoch, epochs, batch, batches;
    double train_loss, valid_loss; /* NaN before the first */
    size_t best_epoch;
    double seconds; /* since the phase began */
} puad_progress;

typedef enum puad_answer {
    PUAD_GO_ON = 0,
    PUAD_FINISH, /* stop after this epoch and keep the best weights so far; while pretraining: then train for
                    one epoch */
    PUAD_ABORT,  /* stop now; the fit fails with PUAD_CANCELLED */
} puad_answer;

/* Called from the thread that called puad_detector_fit. */
typedef puad_answer puad_progress_call(void *context, const puad_progress *now);

/* Sets the progress callback; NULL removes it. */
PUAD_API void puad_options_set_progress(puad_options *options, puad_progress_call *call, void *context);

/* A token that stops a long call from another thread or from a signal handler. Fits, estimates of alpha,
 * operating tables, queries and scoring of tables check it regularly and fail with PUAD_CANCELLED after
 * puad_stop_request(). A request cannot be taken back: use a new token for the next call.
 * Ownership: options borrow the token, which must outlive the calls. */
typedef struct puad_stop puad_stop;

/* Creates a token. Errors: PUAD_MEMORY. */
PUAD_API puad_status puad_stop_new(puad_stop **out);

/* Requests a stop; async-signal-safe. */
PUAD_API void puad_stop_request(puad_stop *stop);

PUAD_API void puad_stop_free(puad_stop *stop);

/* Sets the token that calls with these options check; NULL removes it. */
PUAD_API void puad_options_set_stop(puad_options *options, const puad_stop *stop);

/* Messages about a call that does not fail: one line of text, valid during the callback. */
typedef enum puad_note_kind { PUAD_NOTE, PUAD_WARNING } puad_note_kind;
typedef void puad_note_call(void *context, puad_note_kind kind, const char *text);

/* Sets the note callback; NULL removes it. */
PUAD_API void puad_options_set_note(puad_options *options, puad_note_call *call, void *context);

/* A warning. `name` is its guard ("leaking_column", see docs/reference/warnings.md); `column` is a column of
 * the input, or NULL if the warning is not about one. If a warning callback is set, warnings go to it instead
 * of the note callback. Valid during the callback. Fields may be appended in later versions. */
typedef struct puad_warning {
    const char *name, *column, *text;
} puad_warning;
typedef void puad_warning_call(void *context, const puad_warning *warning);

/* Sets the warning callback; NULL removes it. */
PUAD_API void puad_options_set_warning(puad_options *options, puad_warning_call *call, void *context);

struct puad_objective;
struct puad_own_head;

/* Set a custom objective (<puad/objective.h>) or score head (<puad/detector.h>) instead of that of the
 * method.
 * Ownership: borrowed; they must outlive the fits. */
PUAD_API void puad_options_set_objective(puad_options *options, const struct puad_objective *objective);
PUAD_API void puad_options_set_head(puad_options *options, const struct puad_own_head *head);

/* One fit by several processes ("ranks"), as in `mpirun -n 4 puad fit`. Every rank makes the same calls with
 * the same rows and options, computes its part of every mini-batch and of the estimate of alpha, and ends
 * with the same model. Rank 0 reads and writes the checkpoint. Only methods with a network can be divided.
 *
 * All ranks call the functions in the same order with the same sizes, from the calling thread. The sums add
 * element by element over all ranks, and every rank must get the same bits. (If they are added in pairs, (0 +
 * 1) + (2 + 3), two and four ranks give the bits of one.) `broadcast` sends the bytes of rank 0 to all. The
 * first failure ends the fit with its status. */
typedef struct puad_ranks {
    int rank, size; /* index of this process, from 0; number of processes */
    puad_status (*sum_floats)(void *context, float *values, size_t count);
    puad_status (*sum_doubles)(void *context, double *values, size_t count);
    puad_status (*broadcast)(void *context, void *bytes, size_t size);
    void *context;
} puad_ranks;

/* Sets the ranks of a fit; NULL, or a size of 1, means one process.
 * Ownership: borrowed; they must outlive the fits. */
PUAD_API void puad_options_set_ranks(puad_options *options, const puad_ranks *ranks);

#ifdef __cplusplus
}
#endif
#endif
