/* The files of cli/report/page, which the build embeds as texts. */
#ifndef CLI_REPORT_PAGE_TEXTS_H
#define CLI_REPORT_PAGE_TEXTS_H

extern const char report_html[], report_css[], report_js[];

#endif
