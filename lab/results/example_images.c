/* Draws example images of a split. */
#include "lab/results/example_images.h"

#include <stdio.h>
#include <string.h>

enum { EXAMPLES = 8 }; /* per part */

typedef enum part { UNLABELED_NORMAL, UNLABELED_ANOMALY, LABELED_ANOMALY, TEST_UNSEEN } part;

static const char *const titles[EXAMPLE_PARTS] = {"unlabeled: normal", "unlabeled: hidden anomalies",
                                                  "labeled anomalies", "test: unseen anomalies"};

static bool belongs(const split_plan *plan, part which, size_t row)
{
    if (which == TEST_UNSEEN) return plan->test_groups[row] == GROUP_UNSEEN;
    return (plan->train_labels[row] == PUAD_LABEL_ANOMALY) == (which == LABELED_ANOMALY) &&
           (plan->train_truth[row] == 1) == (which != UNLABELED_NORMAL);
}

puad_status examples_panels(plot_panel out[EXAMPLE_PARTS], arena *memory, const split *parts,
                            const char *name)
{
    if (!parts->train.image) FAIL(PUAD_INVALID, "%s has no images to show", name ? name : "the dataset");
    for (size_t which = 0; which < EXAMPLE_PARTS; which++) {
        const dataset *source = which == TEST_UNSEEN ? &parts->test : &parts->train;
        float *images;
        size_t count = 0;
        char title[96];
        TRY(arena_new(memory, &images, EXAMPLES * source->columns, sizeof *images));
        for (size_t i = 0; i < source->rows && count < EXAMPLES; i++)
            if (belongs(&parts->plan, (part)which, i))
                memcpy(images + count++ * source->columns, source->values + i * source->columns,
                       source->columns * sizeof *images);
        bool named = name && which == 0; /* label only one row */
        snprintf(title, sizeof title, "%s%s", named ? name : "", named ? ", normal" : titles[which]);
        out[which] = (plot_panel){.kind = PLOT_IMAGES,
                                  .title = arena_text(memory, title),
                                  .images = images,
                                  .image_count = count,
                                  .image_columns = 4,
                                  .image_height = source->height,
                                  .image_width = source->width,
                                  .image_channels = source->channels};
        if (!out[which].title) FAIL(PUAD_MEMORY, "no memory for example images");
    }
    return PUAD_OK;
}

plot_figure examples_figure(const plot_panel *panels, size_t splits)
{
    return (plot_figure){.panels = panels,
                         .panel_count = splits * EXAMPLE_PARTS,
                         .columns = EXAMPLE_PARTS,
                         .panel_width = 250, /* four per row on a page */
                         .panel_height = 165};
}
