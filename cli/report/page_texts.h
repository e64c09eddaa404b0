/* The files of cli/report/page, embedded as strings by the build. */
#ifndef CLI_REPORT_PAGE_TEXTS_H
#define CLI_REPORT_PAGE_TEXTS_H

extern const char report_html[], report_css[], report_js[];

#endif
