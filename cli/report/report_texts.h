/* report.css and report.js, which the build makes texts of the program. */
#ifndef CLI_REPORT_REPORT_TEXTS_H
#define CLI_REPORT_REPORT_TEXTS_H

extern const char report_css[], report_js[];

#endif
