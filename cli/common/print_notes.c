/* Prints notes about an input. */
#include "cli/common/print_notes.h"

#include "cli/common/message.h"
#include "cli/library_values.h"

static void print_note(const invocation *call, const char *note)
{
    char message[SPOKEN_CAPACITY];
    message_print(MESSAGE_NOTE, call->command->name, "%s", speak(message, call->command, note));
}

void print_notes(const invocation *call, const puad_dataset *data)
{
    for (size_t i = 0; !is_given(call, "quiet") && i < dataset_of(data).note_count; i++)
        print_note(call, puad_dataset_note(data, i));
}

void print_stream_notes(const invocation *call, puad_stream *stream)
{
    if (is_given(call, "quiet")) return;
    const char *note;
    for (size_t i = 0; (note = puad_stream_note(stream, i)); i++) print_note(call, note);
}
