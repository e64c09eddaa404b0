/* The program puad-serve: one command, started by 'puad serve'. */
#include "serve/server.h"

#include "base/threads.h"
#include "cli/program/program.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>

static const option options[] = {
    {.name = "listen",
     .type = OPTION_TEXT,
     .standard = "127.0.0.1:8080",
     .value = "HOST:PORT",
     .help = "address to listen on; port 0 takes any free one"},
    SHARED_OPTION("threshold", "flag rows that score at least S"),
    SHARED_OPTION(
        "flag-rate",
        "flag rows that score like this fraction of the training rows; 'alpha': the model's contamination"),
    {.name = "threads",
     .type = OPTION_INTEGER,
     .standard = "0",
     .min = 0,
     .max = 1024,
     .value = "N",
     .help = "threads that answer requests; 0 for one per processor"},
    {.name = "max-rows",
     .type = OPTION_INTEGER,
     .standard = "10000",
     .min = 1,
     .max = 1e6,
     .value = "N",
     .help = "maximum number of rows per request"},
    {.name = "max-body",
     .type = OPTION_INTEGER,
     .standard = "4194304",
     .min = 1024,
     .max = 1e9,
     .value = "BYTES",
     .help = "maximum number of bytes per request"},
    {.name = "max-connections",
     .type = OPTION_INTEGER,
     .standard = "512",
     .min = 1,
     .max = 65535,
     .value = "N",
     .help = "maximum number of connections"},
    {.name = "timeout",
     .type = OPTION_INTEGER,
     .standard = "10",
     .min = 1,
     .max = 3600,
     .value = "SECONDS",
     .help = "time limit for a client to send a request"},
    {.name = "name",
     .type = OPTION_TEXT,
     .value = "NAME",
     .help = "name of the model in the paths /v2/models/NAME; default: the name of the file"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no access log on standard output"},
};

/* "fraud" for models/fraud.safetensors. */
static void name_of(char *out, size_t capacity, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, capacity, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot != out) *dot = '\0';
}

static puad_status run(const invocation *call)
{
    char name[128];
    const char *given = value_of(call, "name")->text;
    AUTO_CALL_OPTIONS puad_options *decisions = NULL;
    TRY(call_options(&decisions, call));
    name_of(name, sizeof name, call->arguments[0]);
    if (given && (strchr(given, '/') || strlen(given) >= sizeof name))
        FAIL(PUAD_INVALID, "option 'name': '%s': expected a short name without '/'", given);
    const server_settings settings = {
        .model_path = call->arguments[0],
        .model_name = given ? given : name,
        .address = value_of(call, "listen")->text,
        .options = decisions,
        .threads = value_of(call, "threads")->integer ? (int)value_of(call, "threads")->integer
                                                      : threads_available(),
        .connections = (int)value_of(call, "max-connections")->integer,
        .seconds = (int)value_of(call, "timeout")->integer,
        .body_bytes = (size_t)value_of(call, "max-body")->integer,
        .rows = (size_t)value_of(call, "max-rows")->integer,
        .access_log = !is_given(call, "quiet"),
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    return server_run(&settings);
}

static const command command_serve = {
    .name = "serve",
    .summary = "score rows over HTTP",
    .usage = "MODEL [OPTIONS]",
    .description =
        "Serves a model of a table over HTTP until SIGINT or SIGTERM. POST /score takes rows as JSON or "
        "CSV and returns scores, and p-values, probabilities and flags if the model and the options "
        "provide them; ?explain=K adds the K columns that contribute most. POST /v2/models/NAME/infer is "
        "the same in the Open Inference Protocol. GET /health, /metrics (Prometheus), /model and "
        "/v2/models/NAME describe the service. If the model file changes, or on SIGHUP, it is loaded again "
        "without dropping a request; a file that cannot be used is reported and the old model stays. The "
        "service writes no file. It has no authentication and no TLS: put it behind a proxy that has.",
    .example = "puad serve fraud.safetensors --flag-rate 1%\n"
               "curl -d '[{\"amount\": 12.5, \"country\": \"home\"}]' http://127.0.0.1:8080/score\n"
               "curl -H 'Content-Type: text/csv' --data-binary @new.csv http://127.0.0.1:8080/score",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 1,
    .arguments_most = 1,
    .run = run,
};

int main(int argc, char **argv)
{
    static const program_entry commands[] = {{NULL, &command_serve}};
    static const program service = {"puad-serve", "score rows over HTTP", NULL, commands, 1, NULL};
    return program_main(&service, argc, argv);
}
