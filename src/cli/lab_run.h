/* The options of 'puad lab run', for the table in cmd_lab.c. */
#ifndef CLI_LAB_RUN_H
#define CLI_LAB_RUN_H

#define LAB_RUN_OPTIONS                                                                                      \
    {.name = "plan",                                                                                         \
     .type = OPTION_TEXT,                                                                                    \
     .value = "NAME",                                                                                        \
     .help = "run: a grid of the paper: table1, table2, seen-unseen, alpha, contamination, all"},            \
        {.name = "normal",                                                                                   \
         .type = OPTION_TEXT,                                                                                \
         .value = "CLASSES",                                                                                 \
         .help = "run: normal classes, separated by commas; all of the set's if not given"},                 \
        {.name = "seed-list",                                                                                \
         .type = OPTION_TEXT,                                                                                \
         .value = "LIST",                                                                                    \
         .help = "run: seeds, separated by commas, instead of --seeds"},                                     \
        {.name = "alphas",                                                                                   \
         .type = OPTION_TEXT,                                                                                \
         .value = "LIST",                                                                                    \
         .help = "run: values of alpha, separated by commas; 0.1 if not given"},                             \
        {.name = "contamination",                                                                            \
         .type = OPTION_TEXT,                                                                                \
         .value = "LIST",                                                                                    \
         .help = "run: numbers of hidden anomalies among the training rows; alpha then is at its true "      \
                 "value unless --alphas is given"},                                                          \
        {.name = "epochs",                                                                                   \
         .type = OPTION_INTEGER,                                                                             \
         .standard = "200",                                                                                  \
         .min = 0,                                                                                           \
         .max = 1e6,                                                                                         \
         .value = "N",                                                                                       \
         .help = "run: of training"},                                                                        \
        {.name = "pretrain-epochs",                                                                          \
         .type = OPTION_INTEGER,                                                                             \
         .min = 0,                                                                                           \
         .max = 1e6,                                                                                         \
         .value = "N",                                                                                       \
         .help = "run: of distance methods; as --epochs if not given"},                                      \
        {.name = "patience",                                                                                 \
         .type = OPTION_INTEGER,                                                                             \
         .standard = "0",                                                                                    \
         .min = 0,                                                                                           \
         .max = 1e6,                                                                                         \
         .value = "N",                                                                                       \
         .help = "run: 0 for none"},                                                                         \
        {.name = "set",                                                                                      \
         .type = OPTION_LIST,                                                                                \
         .value = "NAME=VALUE",                                                                              \
         .help = "run: an option of all cells: embedding, weight, balance, objective, extra ...; several "   \
                 "values with commas run each (embedding=bn,linear); may be given more than once"},          \
        {.name = "data-dir",                                                                                 \
         .type = OPTION_TEXT,                                                                                \
         .value = "DIR",                                                                                     \
         .help = "run: where the data sets are; PUAD_DATA if not given"},                                    \
        {.name = "threads",                                                                                  \
         .type = OPTION_INTEGER,                                                                             \
         .standard = "0",                                                                                    \
         .min = 0,                                                                                           \
         .max = 1024,                                                                                        \
         .value = "N",                                                                                       \
         .help = "run: 0 for one per processor"},                                                            \
        {.name = "again", .type = OPTION_FLAG, .help = "run: cells that are in the ledger too"},             \
    {                                                                                                        \
        .name = "dry-run", .type = OPTION_FLAG, .help = "run: only list the cells and estimate the time"     \
    }

#endif
