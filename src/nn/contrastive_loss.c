/* The contrastive loss of a row's views: one number per row, which is its score.
 *
 * A question u must identify its answer among some vectors v by cosine similarity, at temperature t:
 *
 *     l(u) = -log( exp(cos(u, v_right) / t) / sum_v exp(cos(u, v) / t) )
 *
 * The score is the mean over the questions.
 *
 * pairs: view j is a question u_j and an answer v_j, and the v_j of the same view is right (internal
 * contrastive learning). Otherwise view 0 is the row and the right answer to all other views; the wrong
 * answers are the other views except the question (the deterministic contrastive loss). The length of a
 * vector is sqrt(|u|^2 + 1e-6), so that the zero vector has a gradient. */
#include "nn/layer.h"

#include <math.h>
#include <string.h>

/* Vectors of a row are `count` x `size`, consecutive; questions and answers are every `step`-th of them. */
typedef struct form {
    size_t count, size, wide; /* wide: padded to whole panels */
    size_t step, first_question, first_answer, questions, answers, answers_wide;
} form;

static form form_of(const layer *self, const kernels *k)
{
    size_t views = self->views, values = shape_size(self->in);
    form f = self->pairs ? (form){.count = 2 * views,
                                  .size = values / 2,
                                  .step = 2,
                                  .first_answer = 1,
                                  .questions = views,
                                  .answers = views}
                         : (form){.count = views,
                                  .size = values,
                                  .step = 1,
                                  .first_question = 1,
                                  .questions = views ? views - 1 : 0,
                                  .answers = views};
    f.wide = round_to(f.size, k->panel);
    f.answers_wide = round_to(f.answers, k->panel);
    return f;
}

/* keep: d score / d cosine [row][question][answer]. thread: unit vectors, their gradient, the transposed
 * answers, the cosines. */
static void plan(layer *self, const kernels *k, size_t rows)
{
    form f = form_of(self, k);
    self->out = (shape){1, 1, 1};
    self->views_out = 1;
    self->keep = rows / (self->views ? self->views : 1) * f.questions * f.answers;
    self->thread = 2 * f.count * f.wide + f.size * f.answers_wide + f.questions * f.answers_wide + f.count;
}

typedef struct contrast_job {
    const layer *self;
    const pass *now;
    form f;
    const float *in, *gradient;
    float *to;
} contrast_job;

/* Normalizes the vectors of a row to length 1; returns their lengths. */
static void make_units(const form *f, float *units, float *lengths, const float *row)
{
    for (size_t i = 0; i < f->count; i++, row += f->size, units += f->wide) {
        float square = CONTRAST_SQUARE_MIN;
        for (size_t j = 0; j < f->size; j++) square += row[j] * row[j];
        lengths[i] = sqrtf(square);
        for (size_t j = 0; j < f->size; j++) units[j] = row[j] / lengths[i];
        memset(units + f->size, 0, (f->wide - f->size) * sizeof *units);
    }
}

static void make_cosines(const contrast_job *job, float *cosines, float *turned, const float *units)
{
    const form *f = &job->f;
    size_t step = f->step * f->wide, panel = job->now->k->panel;
    const float *answers = units + f->first_answer * f->wide;
    for (size_t j = 0; j < f->size; j++)
        for (size_t a = 0; a < f->answers_wide; a++)
            turned[j * f->answers_wide + a] = a < f->answers ? answers[a * step + j] : 0;
    for (size_t column = 0; column < f->answers; column += panel) {
        multiply_job product = {.a = units + f->first_question * f->wide,
                                .a_row = (ptrdiff_t)step,
                                .a_step = 1,
                                .b = turned + column,
                                .b_step = (ptrdiff_t)f->answers_wide,
                                .c = cosines + column,
                                .c_row = (ptrdiff_t)f->answers_wide,
                                .rows = f->questions,
                                .columns = panel,
                                .segments = 1,
                                .depth = f->size};
        job->now->k->multiply(&product);
    }
}

/* The loss of one question, and its slope by each cosine times the temperature. A question is not an
 * answer to itself. */
static float ask(const form *f, float *slopes, const float *cosines, size_t question, bool pairs,
                 float temperature)
{
    size_t right = pairs ? question : 0, barred = pairs ? f->answers : question + 1;
    float highest = 0, others = 0, sum;
    for (size_t a = 0; a < f->answers; a++)
        if (a != barred && cosines[a] > highest + cosines[right]) highest = cosines[a] - cosines[right];
    for (size_t a = 0; a < f->answers; a++) {
        slopes[a] = a == barred ? 0 : expf((cosines[a] - cosines[right] - highest) / temperature);
        if (a != right) others += slopes[a];
    }
    sum = others + slopes[right];
    for (size_t a = 0; a < f->answers; a++) slopes[a] /= sum;
    slopes[right] = -others / sum;
    return highest > 0 ? highest / temperature + logf(sum) : log1pf(others);
}

static void score_row(void *context, size_t n, int thread)
{
    const contrast_job *job = context;
    const form *f = &job->f;
    float *units = thread_scratch(job->now, thread), *turned = units + 2 * f->count * f->wide,
          *cosines = turned + f->size * f->answers_wide, *lengths = cosines + f->questions * f->answers_wide;
    float *slopes = job->now->keep + n * f->questions * f->answers, sum = 0;
    make_units(f, units, lengths, job->in + n * f->count * f->size);
    make_cosines(job, cosines, turned, units);
    for (size_t q = 0; q < f->questions; q++)
        sum += ask(f, slopes + q * f->answers, cosines + q * f->answers_wide, q, job->self->pairs,
                   job->self->temperature);
    job->to[n] = sum / (float)f->questions;
}

static contrast_job job_of(const layer *self, const pass *now, const float *in, const float *gradient,
                           float *to)
{
    return (contrast_job){self, now, form_of(self, now->k), in, gradient, to};
}

static void forward(const layer *self, const pass *now, const float *in, float *out)
{
    contrast_job job = job_of(self, now, in, NULL, out);
    team_run(now->workers, now->rows / self->views, score_row, &job);
}

/* gradient (of questions or of answers) += slopes (or their transpose) x the other unit vectors */
static void add_products(const contrast_job *job, float *gradient, const float *units, const float *slopes,
                         bool of_answers)
{
    const form *f = &job->f;
    size_t step = f->step * f->wide, panel = job->now->k->panel;
    size_t to = of_answers ? f->first_answer : f->first_question,
           start = of_answers ? f->first_question : f->first_answer;
    for (size_t column = 0; column < f->size; column += panel) {
        multiply_job product = {.a = slopes,
                                .a_row = of_answers ? 1 : (ptrdiff_t)f->answers,
                                .a_step = of_answers ? (ptrdiff_t)f->answers : 1,
                                .b = units + start * f->wide + column,
                                .b_step = (ptrdiff_t)step,
                                .c = gradient + to * f->wide + column,
                                .c_row = (ptrdiff_t)step,
                                .rows = of_answers ? f->answers : f->questions,
                                .columns = panel,
                                .segments = 1,
                                .depth = of_answers ? f->questions : f->answers,
                                .add = true};
        job->now->k->multiply(&product);
    }
}

/* d unit / d vector = (1 - unit unit^T) / length; exact also with the constant in the length */
static void back_row(void *context, size_t n, int thread)
{
    const contrast_job *job = context;
    const form *f = &job->f;
    float *units = thread_scratch(job->now, thread), *gradient = units + f->count * f->wide,
          *lengths =
              gradient + f->count * f->wide + f->size * f->answers_wide + f->questions * f->answers_wide;
    const float *slopes = job->now->keep + n * f->questions * f->answers;
    float *to = job->to + n * f->count * f->size;
    float factor = job->gradient[n] / (job->self->temperature * (float)f->questions);
    make_units(f, units, lengths, job->in + n * f->count * f->size);
    memset(gradient, 0, f->count * f->wide * sizeof *gradient);
    add_products(job, gradient, units, slopes, false);
    add_products(job, gradient, units, slopes, true);
    for (size_t i = 0; i < f->count; i++, units += f->wide, gradient += f->wide, to += f->size) {
        float along = 0, scale = factor / lengths[i];
        for (size_t j = 0; j < f->size; j++) along += units[j] * gradient[j];
        for (size_t j = 0; j < f->size; j++) to[j] = scale * (gradient[j] - along * units[j]);
    }
}

static void backward(const layer *self, const pass *now, const float *in, const float *out,
                     const float *out_gradient, float *in_gradient)
{
    (void)out;
    contrast_job job = job_of(self, now, in, out_gradient, in_gradient);
    if (in_gradient) team_run(now->workers, now->rows / self->views, back_row, &job);
}

const layer_type layer_contrast = {
    .name = "contrast", .plan = plan, .forward = forward, .backward = backward};
