/* The model of a service, replaced without interruption. */
#include "serve/served_model.h"
#include "cli/library_values.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { SPARE_SCORERS = 64 }; /* scorers kept for later requests */

struct model_version {
    puad_detector *detector;
    puad_decider *decider;
    puad_scorer *spare[SPARE_SCORERS];
    size_t spare_count;
    size_t users; /* number of requests, plus 1 while it is the current version */
    unsigned long number;
    pthread_mutex_t lock; /* guards `spare` */
};

/* Identifies the state of a file. */
typedef struct file_state {
    struct timespec changed;
    off_t size;
    ino_t inode;
} file_state;

struct served_model {
    const char *path;
    const puad_options *options;
    pthread_mutex_t lock; /* guards `current` and the user counts */
    pthread_mutex_t refreshing;
    model_version *current;
    file_state state;
};

static void version_free(model_version *version)
{
    if (!version) return;
    for (size_t i = 0; i < version->spare_count; i++) puad_scorer_free(version->spare[i]);
    puad_decider_free(version->decider);
    puad_detector_free(version->detector);
    pthread_mutex_destroy(&version->lock);
    free(version);
}

static void version_cleanup(model_version **owner)
{
    version_free(*owner);
}

static puad_status check_detector(const puad_detector *detector)
{
    if ((double)info_of(detector).window > 0)
        FAIL(PUAD_INVALID, "models of time series cannot be served; use 'puad score MODEL -'");
    if (info_of(detector).image > 0 || !info_of(detector).column_count)
        FAIL(PUAD_INVALID, "models of images cannot be served; use 'puad score'");
    return PUAD_OK;
}

static puad_status version_load(model_version **out, const char *path, const puad_options *options)
{
    __attribute__((cleanup(version_cleanup))) model_version *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "the model"));
    pthread_mutex_init(&made->lock, NULL);
    made->users = 1;
    TRY(puad_detector_load(&made->detector, path));
    TRY(check_detector(made->detector));
    TRY(puad_decider_new(&made->decider, made->detector, options));
    TRY(puad_decider_settle(made->decider));
    *out = made;
    made = NULL;
    return PUAD_OK;
}

static puad_status state_of(file_state *out, const char *path)
{
    struct stat found;
    if (stat(path, &found) != 0) FAIL(PUAD_IO, "%s: cannot read", path);
    *out = (file_state){.changed = found.st_mtim, .size = found.st_size, .inode = found.st_ino};
    return PUAD_OK;
}

static bool same_state(const file_state *a, const file_state *b)
{
    return a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec &&
           a->size == b->size && a->inode == b->inode;
}

puad_status served_model_open(served_model **out, const char *path, const puad_options *options)
{
    AUTO_FREE served_model *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "the model"));
    made->path = path;
    made->options = options;
    TRY(state_of(&made->state, path));
    TRY(version_load(&made->current, path, options));
    made->current->number = 1;
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->refreshing, NULL);
    *out = made;
    made = NULL;
    return PUAD_OK;
}

void served_model_free(served_model *self)
{
    if (!self) return;
    version_free(self->current);
    pthread_mutex_destroy(&self->lock);
    pthread_mutex_destroy(&self->refreshing);
    free(self);
}

model_version *served_model_acquire(served_model *self)
{
    pthread_mutex_lock(&self->lock);
    model_version *version = self->current;
    version->users++;
    pthread_mutex_unlock(&self->lock);
    return version;
}

void served_model_release(served_model *self, model_version *version)
{
    if (!version) return;
    pthread_mutex_lock(&self->lock);
    bool last = --version->users == 0;
    pthread_mutex_unlock(&self->lock);
    if (last) version_free(version);
}

static puad_status refresh(served_model *self, bool always, bool *out_changed)
{
    file_state now;
    model_version *made = NULL;
    TRY(state_of(&now, self->path));
    if (!always && same_state(&now, &self->state)) return PUAD_OK;
    self->state = now; /* an unusable file is not read again until it changes */
    TRY(version_load(&made, self->path, self->options));
    pthread_mutex_lock(&self->lock);
    model_version *before = self->current;
    made->number = before->number + 1;
    self->current = made;
    pthread_mutex_unlock(&self->lock);
    served_model_release(self, before);
    *out_changed = true;
    return PUAD_OK;
}

puad_status served_model_refresh(served_model *self, bool always, bool *out_changed)
{
    *out_changed = false;
    pthread_mutex_lock(&self->refreshing);
    puad_status status = refresh(self, always, out_changed);
    pthread_mutex_unlock(&self->refreshing);
    return status;
}

const puad_detector *version_detector(const model_version *version)
{
    return version->detector;
}

const puad_decider *version_decider(const model_version *version)
{
    return version->decider;
}

unsigned long version_number(const model_version *version)
{
    return version->number;
}

puad_status version_scorer_acquire(puad_scorer **out, model_version *version)
{
    *out = NULL;
    pthread_mutex_lock(&version->lock);
    if (version->spare_count > 0) *out = version->spare[--version->spare_count];
    pthread_mutex_unlock(&version->lock);
    if (*out) return PUAD_OK;
    /* Requests run in parallel, each on one thread. */
    puad_options *options = NULL;
    TRY(puad_options_new(&options));
    puad_status status = puad_options_set_number(options, "threads", 1);
    if (status == PUAD_OK) status = puad_scorer_new(out, version->detector, options);
    puad_options_free(options);
    return status;
}

void version_scorer_release(model_version *version, puad_scorer *scorer)
{
    if (!scorer) return;
    pthread_mutex_lock(&version->lock);
    bool kept = version->spare_count < SPARE_SCORERS;
    if (kept) version->spare[version->spare_count++] = scorer;
    pthread_mutex_unlock(&version->lock);
    if (!kept) puad_scorer_free(scorer);
}
