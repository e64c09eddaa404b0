/* page.css and page.js, which the build embeds as texts. */
#ifndef PLOT_PLOT_TEXTS_H
#define PLOT_PLOT_TEXTS_H

extern const char page_css[], page_js[];

#endif
