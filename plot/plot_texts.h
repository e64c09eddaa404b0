/* page.css and page.js, embedded as strings by the build. */
#ifndef PLOT_PLOT_TEXTS_H
#define PLOT_PLOT_TEXTS_H

extern const char page_css[], page_js[];

#endif
