/* Figure 3 of the paper: the first images of the four parts of a split. */
#ifndef LAB_RESULTS_EXAMPLE_IMAGES_H
#define LAB_RESULTS_EXAMPLE_IMAGES_H

#include "lab/sets/split.h"
#include "plot/plot.h"

enum { EXAMPLE_PARTS = 4 };

/* A panel for each part, in `memory`; `name`, if not NULL, begins the first title. Only splits of images. */
puad_status examples_panels(plot_panel out[EXAMPLE_PARTS], arena *memory, const split *parts,
                            const char *name);

/* The figure of such panels, one split per row. */
plot_figure examples_figure(const plot_panel *panels, size_t splits);

#endif
