/* Progress of a training: whole epochs, and one time estimate for both phases. */
#ifndef CLI_FIT_DISPLAY_H
#define CLI_FIT_DISPLAY_H

#include "cli/common/command.h"
#include "cli/common/progress.h"

#include <puad/detector.h>

typedef struct fit_display {
    progress bar;
    int phase;      /* 1 in pretraining, 0 after it; -1 before the first call */
    size_t before;  /* epochs of pretraining */
    size_t epochs;  /* epochs of training as given; 0: as many as in pretraining */
    double seconds; /* seconds of pretraining */
    bool quiet;
} fit_display;

/* For a command with --epochs and --quiet. */
fit_display fit_display_begin(const invocation *call);
void fit_display_end(fit_display *display);

/* A puad_progress_call with the display as context. It never requests a stop. */
puad_answer fit_display_show(void *display, const puad_progress *now);

#endif
