/* Writes the page: a template with style, script, the report as one JSON object, and drawn sections. */
#include "base/file.h"
#include "cli/report/page_texts.h"
#include "cli/report/report.h"
#include "plot/canvas.h"

#include <string.h>

static puad_status make_json(char **out, report *self, const char *title)
{
    AUTO_JSON cJSON *all = cJSON_CreateObject();
    cJSON_AddNumberToObject(all, "schema", 1);
    cJSON_AddStringToObject(all, "title", title);
    TRY(report_json_model(all, self));
    TRY(report_json_inputs(all, self));
    TRY(report_json_thresholds(all, self));
    TRY(report_json_quality(all, self));
    TRY(report_json_baseline(all, self));
    TRY(report_json_rows(all, self));
    TRY(report_json_groups(all, self));
    TRY(report_json_compare(all, self));
    TRY(report_json_audit(all, self));
    *out = json_text_of(all, false);
    if (!*out || self->lacks_memory) FAIL(PUAD_MEMORY, "no memory for the page");
    return PUAD_OK;
}

/* '<' is escaped, so that no string can close the element. */
static void put_json(FILE *to, const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at == '<')
            fputs("\\u003c", to);
        else
            fputc(*at, to);
}

typedef struct page_parts {
    const char *title, *json, *drawn;
} page_parts;

/* Writes the template with {{names}} replaced. */
static void put_page(FILE *to, const page_parts *with)
{
    const char *at = report_html;
    for (const char *open; (open = strstr(at, "{{")) != NULL;) {
        const char *name = open + 2, *close = strstr(name, "}}");
        fwrite(at, 1, (size_t)(open - at), to);
        at = close + 2;
        size_t length = (size_t)(close - name);
        if (strncmp(name, "title", length) == 0) text_escape(to, with->title);
        if (strncmp(name, "style", length) == 0) fputs(report_css, to);
        if (strncmp(name, "json", length) == 0) put_json(to, with->json);
        if (strncmp(name, "drawn", length) == 0) fputs(with->drawn, to);
        if (strncmp(name, "script", length) == 0) fputs(report_js, to);
    }
    fputs(at, to);
}

static puad_status add_drawn(page *on, report *self)
{
    if (!self->stop_count) return PUAD_OK;
    if (self->image) return report_add_pictures(on, self);
    return self->window ? report_add_series(on, self) : PUAD_OK;
}

static const char *default_title(report *self)
{
    const char *names[2] = {self->train_path ? self->train_path : "", ""};
    for (size_t i = 0; i < self->input_count && i < 2; i++) {
        const char *slash = strrchr(self->inputs[i].path, '/');
        names[i] = slash && slash[1] ? slash + 1 : self->inputs[i].path;
    }
    if (self->compares) return report_text(self, "%s compared with %s", names[1], names[0]);
    return report_text(self, "Anomalies in %s", names[0]);
}

puad_status report_page_write(report *self, const char *path, const char *title)
{
    AUTO_FREE char *json = NULL;
    AUTO_OUTPUT file_output out = {0};
    if (!title) title = default_title(self);
    TRY(make_json(&json, self, title));
    page *drawn = NULL;
    TRY(page_new(&drawn, title, NULL));
    puad_status status = add_drawn(drawn, self);
    page_parts parts = {.title = title, .json = json};
    if (status == PUAD_OK) status = page_body(&parts.drawn, drawn);
    if (status == PUAD_OK && self->lacks_memory) status = status_fail(PUAD_MEMORY, "%s: no memory", path);
    if (status == PUAD_OK) status = file_create(&out, path);
    if (status == PUAD_OK) {
        put_page(out.stream, &parts);
        status = file_commit(&out);
    }
    page_free(drawn);
    return status;
}
