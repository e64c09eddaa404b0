/* Decides about color. */
#include "cli/common/message.h"

#include "cli/common/spinner.h"
#include "cli/common/standard_streams.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *when_to_color = "auto";

void message_set_color(const char *when)
{
    when_to_color = when;
}

static bool has_color(void)
{
    const char *forbidden = getenv("NO_COLOR");
    if (strcmp(when_to_color, "auto") != 0) return strcmp(when_to_color, "always") == 0;
    return !(forbidden && *forbidden) && streams_can_redraw();
}

void message_print(message_kind kind, const char *name, const char *format, ...)
{
    static const struct {
        const char *word, *color;
    } looks[] = {{"error", "\033[1;31m"}, {"warning", "\033[1;33m"}, {"note", ""}};
    bool colored = has_color() && *looks[kind].color;
    va_list arguments;
    activity_touch();
    fprintf(stderr, "puad%s%s: %s%s:%s ", name ? " " : "", name ? name : "", colored ? looks[kind].color : "",
            looks[kind].word, colored ? "\033[0m" : "");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
