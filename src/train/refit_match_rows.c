/* Finds the rows that the earlier model remembers: those held out, to hold them out again, and those with
 * answers, so that no answer is lost. */
#include "dataset/row_keys.h"
#include "decide/query.h"
#include "detector/known_rows.h"
#include "detector/model/model_input_options.h"
#include "train/fit_job.h"

#include <string.h>

/* For rows that cannot be read again: assumes that remembered rows have not moved. */
static puad_status assume_places(known_rows *out, const fit_job *job)
{
    const puad_detector *source = job->source;
    const calibration *held = &source->held_out;
    size_t rows = job->rows->rows;
    TRY(memory_new(&out->keys, rows, sizeof *out->keys, "rows"));
    out->rows = out->capacity = rows;
    if (job->rows->row_numbers) return PUAD_OK; /* of a sample: nothing is known of the places */
    for (size_t i = 0; i < source->answer_count; i++)
        if (source->answer_rows[i] < rows) out->keys[source->answer_rows[i]] = source->answer_keys[i];
    for (size_t i = 0; i < held->unlabeled_count + held->anomaly_count; i++)
        if (held->rows[i] < rows) out->keys[held->rows[i]] = held->keys[i];
    return PUAD_OK;
}

/* Of the rows that were read, those that are in the sample. */
static void keep_sample(known_rows *known, const fit_job *job)
{
    const dataset *rows = job->rows;
    if (!rows->row_numbers || known->rows != rows->rows_read) return;
    for (size_t i = 0; i < rows->rows; i++) known->keys[i] = known->keys[rows->row_numbers[i]];
    size_t main_rows = 0;
    while (main_rows < rows->rows && rows->row_numbers[main_rows] < known->main_rows) main_rows++;
    known->main_rows = main_rows;
    known->rows = rows->rows;
}

static puad_status read_rows(known_rows *out, const fit_job *job, const puad_dataset *data)
{
    data_options plain;
    TRY(dataset_reading(&plain, data, job->workers));
    if (!data->path || read_once(plain.kept, data->path)) return assume_places(out, job);
    const char *anomalies = plain.anomalies, *normals = plain.normals;
    plain.anomalies = plain.normals = NULL;
    TRY(known_rows_read(out, job->source, data->path, &plain));
    out->main_rows = out->rows;
    plain.label_column = plain.id_column = plain.y = NULL;
    if (anomalies) TRY(known_rows_read(out, job->source, anomalies, &plain));
    if (normals) TRY(known_rows_read(out, job->source, normals, &plain));
    keep_sample(out, job);
    if (out->rows != job->rows->rows)
        FAIL(PUAD_FORMAT, "%s had %zu rows and then %zu: is another program writing to it?", data->path,
             job->rows->rows, out->rows);
    return PUAD_OK;
}

static puad_status recall_answers(const fit_job *job, const known_rows *rows)
{
    const puad_detector *source = job->source;
    AUTO_ARENA arena memory = {0};
    uint8_t *covered;
    size_t missing, gone;
    const char *files = NULL;
    if (source->answer_count == 0) return PUAD_OK;
    TRY(arena_new(&memory, &covered, rows->rows, 1));
    for (size_t i = 0; i < rows->rows; i++)
        covered[i] = (job->asked && job->asked[i]) || job->labels[i] != PUAD_LABEL_UNLABELED;
    TRY(known_rows_answers(&missing, &gone, NULL, rows, source, covered));
    TRY(model_label_files(&files, source, NULL, &memory));
    if (missing)
        FAIL(PUAD_INVALID,
             "the model has %zu answers, %zu of them missing; give their files again, with new ones%s%s%s",
             source->answer_count, missing, *files ? " (" : "", files, *files ? ")" : "");
    if (gone)
        options_tell(job->request, PUAD_NOTE,
                     "%zu of the %zu rows that the earlier model has answers for are no longer in the input",
                     gone, source->answer_count);
    return PUAD_OK;
}

/* If all known rows kept their position, rows appended at the end are new. */
static bool only_longer(const size_t *places, const calibration *held)
{
    for (size_t i = 0; i < held->unlabeled_count; i++)
        if (places[i] != held->rows[i]) return false;
    return true;
}

static puad_status recall_held(fit_job *job, const known_rows *rows)
{
    const calibration *held = &job->source->held_out;
    size_t count = held->unlabeled_count + held->anomaly_count, found;
    AUTO_FREE size_t *places = NULL;
    if (held->unlabeled_count == 0) return PUAD_OK;
    TRY(memory_new(&places, count, sizeof *places, "rows"));
    TRY(known_rows_held(places, &found, rows, held, job->asked));
    TRY(arena_new(&job->memory, &job->before, rows->rows, 1));
    /* Rows of further files come after those of the first, whether old or new. */
    size_t last = rows->main_rows ? rows->main_rows : rows->rows, more = rows->rows - last;
    size_t old = job->source->rows + held->unlabeled_count + (held->folded ? 0 : held->anomaly_count);
    if (only_longer(places, held))
        for (size_t i = old > more ? old - more : 0; i < last; i++) job->before[i] = CALIBRATION_NEW;
    for (size_t i = 0; i < count; i++)
        if (places[i] != SIZE_MAX) job->before[places[i]] = CALIBRATION_HELD_BEFORE;
    return PUAD_OK;
}

puad_status fit_recall(fit_job *job, const puad_dataset *data)
{
    AUTO_KNOWN_ROWS known_rows rows = {0};
    if (!job->source || !job->source->table) return PUAD_OK;
    if (!job->source->answer_count && !job->source->held_out.unlabeled_count) return PUAD_OK;
    TRY(read_rows(&rows, job, data));
    TRY(recall_answers(job, &rows));
    return recall_held(job, &rows);
}

void fit_tell_held(const fit_job *job, const calibration_parts *parts)
{
    if (!job->before) return;
    const calibration *held = &job->source->held_out;
    size_t old = held->unlabeled_count + (held->folded ? 0 : held->anomaly_count);
    size_t now = parts->unlabeled + parts->anomalies;
    size_t again = 0;
    for (size_t i = 0; i < now; i++) again += job->before[parts->held[i]] == CALIBRATION_HELD_BEFORE;
    if (again == old && again == now) return;
    options_tell(job->request, PUAD_NOTE,
                 "rows or labels have changed: of %zu rows held out before, %zu are again, and %zu others",
                 old, again, now - again);
}

puad_status fit_record_answers(puad_detector *model, const fit_job *job)
{
    size_t count = 0, columns = job->rows->columns;
    AUTO_FREE float *row = NULL;
    for (size_t i = 0; job->asked && i < job->rows->rows; i++) count += job->asked[i] == ANSWER_GIVEN;
    if (count == 0) return PUAD_OK;
    TRY(memory_new(&row, columns, sizeof *row, "a row"));
    TRY(arena_new(&model->memory, &model->answer_rows, count, sizeof *model->answer_rows));
    TRY(arena_new(&model->memory, &model->answer_keys, count, sizeof *model->answer_keys));
    for (size_t i = 0; i < job->rows->rows; i++) {
        if (job->asked[i] != ANSWER_GIVEN) continue;
        memcpy(row, job->rows->values + i * columns, columns * sizeof *row);
        if (model->table) transform_second_step(row, model->table);
        model->answer_rows[model->answer_count] = (uint32_t)dataset_row_number(job->rows, i);
        model->answer_keys[model->answer_count++] = row_key(row, columns);
    }
    return PUAD_OK;
}
