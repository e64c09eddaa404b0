/* Shared printing of notes about an input. */
#ifndef CLI_COMMON_PRINT_NOTES_H
#define CLI_COMMON_PRINT_NOTES_H

#include "cli/common/command.h"

#include <puad/dataset.h>
#include <puad/stream.h>

/* Prints one line per note on standard error, unless --quiet. */
void print_notes(const invocation *call, const puad_dataset *data);
void print_stream_notes(const invocation *call, puad_stream *stream);

#endif
