// The C API: observe, predict, sample and score from C, or from any language that can call C.
//
// Every function that can fail returns a status; the reason is in cmanp_last_error(). No function lets a C++
// exception out. A handle that could not be made is set to NULL.
// Arrays of numbers come with the count of doubles they hold. Points are row-major, in the units of the raw data:
// n points have n * dim_x numbers x and n * dim_y numbers y.
//
// Options are structs whose first member is their own size, so that they can grow: begin with their INIT, then set
// what you want otherwise. NULL stands for all defaults.
//
// A model may be used from many threads at once; anything else belongs to one thread at a time.
#ifndef CMANP_CMANP_H
#define CMANP_CMANP_H

#include <cmanp/export.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a call came to. More may follow: treat one that you do not know as CMANP_FAILED.
typedef enum cmanp_status {
  CMANP_OK = 0,
  CMANP_BAD_ARGUMENT = 1,   // a mistake of the caller: a NULL, counts that do not fit the model or each other
  CMANP_FAILED = 2,         // anything that is none of the others
  CMANP_OUT_OF_MEMORY = 3,  // nothing was changed
  CMANP_BAD_DATA = 4,       // numbers or contents of files that cannot be used
  CMANP_SYSTEM = 5,         // a file, thread or other resource that the system does not give
  CMANP_WRONG_MODEL = 6     // a state of another model, or a model of another kind than the call needs
} cmanp_status;

// What went wrong in the last call of this thread that failed; "" if none has. Valid until the next that fails.
CMANP_API const char* cmanp_last_error(void);

CMANP_API const char* cmanp_version(void);      // "0.1.0"
CMANP_API uint32_t cmanp_version_number(void);  // major * 10000 + minor * 100 + patch

// Memory in bytes, exact.
typedef struct cmanp_memory {
  size_t weights;  // shared by every context of the model
  size_t state;    // what the observations left behind; constant in their number
  size_t cache;    // keys and values that queries read
  size_t scratch;  // working space
} cmanp_memory;

// --- Bytes that the library made. ---------------------------------------------------------------------------------

typedef struct cmanp_bytes cmanp_bytes;

CMANP_API const void* cmanp_bytes_data(const cmanp_bytes* bytes);  // NULL of NULL; they live as long as the handle
CMANP_API size_t cmanp_bytes_size(const cmanp_bytes* bytes);       // 0 of NULL
CMANP_API void cmanp_bytes_free(cmanp_bytes* bytes);               // NULL is fine

// --- Models: immutable, read from one file. -----------------------------------------------------------------------

typedef struct cmanp_model cmanp_model;

CMANP_API cmanp_status cmanp_model_load(const char* path, cmanp_model** model);
CMANP_API cmanp_status cmanp_model_from_bytes(const void* bytes, size_t count, cmanp_model** model);
CMANP_API void cmanp_model_free(cmanp_model* model);  // NULL is fine; contexts of the model stay usable

CMANP_API cmanp_status cmanp_model_dims(const cmanp_model* model, size_t* dim_x, size_t* dim_y);
CMANP_API cmanp_status cmanp_model_parameters(const cmanp_model* model, size_t* parameters);
// 32 hexadecimal digits; they live as long as the model.
CMANP_API cmanp_status cmanp_model_hash(const cmanp_model* model, const char** hash);
// The frame of data that are at hand as a whole, by robust statistics: a pair (from, to) for each x, and for each y.
// Contexts over parts of the data, on several machines, that are given the same frame can be merged.
CMANP_API cmanp_status cmanp_model_find_frame(const cmanp_model* model, const double* x, size_t x_count,
                                              const double* y, size_t y_count, double* x_frame, size_t x_frame_count,
                                              double* y_frame, size_t y_frame_count);
// What a context of these options will allocate, known before there is one.
CMANP_API cmanp_status cmanp_model_memory(const cmanp_model* model, size_t threads, size_t block, cmanp_memory* memory);

// --- Contexts: what a model knows of one task. --------------------------------------------------------------------
// Wherever `threads` or `block` is 0, the default stands: one thread; five targets predicted jointly at most.
//
// A model that was trained on data in frames serves data of any units: a frame brings them to its own scale. It is
// given, or found from the first 32 observations (cmanp_context_observe), or from data that are at hand as a whole
// (cmanp_context_observe_whole). Frames and ranges are pairs of numbers, a pair for each x or y.

typedef struct cmanp_context cmanp_context;

typedef struct cmanp_context_options {
  size_t size;     // sizeof(cmanp_context_options)
  size_t threads;  // for observing many points, predicting many targets and drawing many samples
  size_t block;    // the largest number of targets predicted jointly at once
  // x_frame: from where to where x goes; y_frame: between which nearly all y lie; both or neither. NULL: no frame, or
  // one that is found.
  const double* x_frame;
  size_t x_frame_count;  // 2 * dim_x
  const double* y_frame;
  size_t y_frame_count;  // 2 * dim_y
  const double* range;   // where x may lie, of a model in relative coordinates; NULL: the model's own
  size_t range_count;    // 2 * dim_x
  size_t window;   // above 0: it rests on its latest observations, so many to twice as many; 0: nothing is forgotten
  int no_seasons;  // 0: with a frame that is found, what comes again, such as the hours of a day, is taken off y
  int no_widths;   // 0: with a frame that is found, deviations are corrected by what held-out observations say of them
} cmanp_context_options;
#define CMANP_CONTEXT_OPTIONS_INIT \
  { sizeof(cmanp_context_options), 0, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0 }

CMANP_API cmanp_status cmanp_context_create(const cmanp_model* model, size_t threads, size_t block,
                                            cmanp_context** context);
CMANP_API cmanp_status cmanp_context_create_with(const cmanp_model* model, const cmanp_context_options* options,
                                                 cmanp_context** context);
CMANP_API cmanp_status cmanp_context_copy(const cmanp_context* context, cmanp_context** copy);
CMANP_API void cmanp_context_free(cmanp_context* context);  // NULL is fine

// Takes in one point or many. Refuses NaN and infinity, and then keeps nothing of the call.
CMANP_API cmanp_status cmanp_context_observe(cmanp_context* context, const double* x, size_t x_count, const double* y,
                                             size_t y_count);
// The same of data that are at hand as a whole: a frame that is yet to be found is found from all of them.
CMANP_API cmanp_status cmanp_context_observe_whole(cmanp_context* context, const double* x, size_t x_count,
                                                   const double* y, size_t y_count);
// Adds all that `other`, of the same model and the same frame, has observed.
CMANP_API cmanp_status cmanp_context_merge(cmanp_context* context, const cmanp_context* other);
CMANP_API cmanp_status cmanp_context_reset(cmanp_context* context);
CMANP_API cmanp_status cmanp_context_size(const cmanp_context* context, uint64_t* points);
CMANP_API cmanp_status cmanp_context_memory(const cmanp_context* context, cmanp_memory* memory);
// The frame, and where x may lie. `found` is 0 where there is none, or none yet: then nothing is written.
CMANP_API cmanp_status cmanp_context_frame(const cmanp_context* context, int* found, double* x_frame,
                                           size_t x_frame_count, double* y_frame, size_t y_frame_count);
CMANP_API cmanp_status cmanp_context_range(const cmanp_context* context, int* found, double* range, size_t range_count);

// The state as one file, replaced atomically; it can only be loaded into the model it was made with.
CMANP_API cmanp_status cmanp_context_save(const cmanp_context* context, const char* path);
CMANP_API cmanp_status cmanp_context_load(const cmanp_model* model, const char* path, size_t threads, size_t block,
                                          cmanp_context** context);
CMANP_API cmanp_status cmanp_context_load_with(const cmanp_model* model, const char* path,
                                               const cmanp_context_options* options, cmanp_context** context);

// The same without a file: the very bytes that cmanp_context_save writes.
CMANP_API cmanp_status cmanp_context_to_bytes(const cmanp_context* context, cmanp_bytes** bytes);
CMANP_API cmanp_status cmanp_context_from_bytes(const cmanp_model* model, const void* bytes, size_t count,
                                                const cmanp_context_options* options, cmanp_context** context);

// --- Answers. -----------------------------------------------------------------------------------------------------

// Mean and standard deviation of each of n targets by itself: n * dim_y numbers each.
CMANP_API cmanp_status cmanp_context_predict(cmanp_context* context, const double* x, size_t x_count, double* mean,
                                             size_t mean_count, double* std, size_t std_count);

// The joint distribution of up to `block` targets: k = n * dim_y means, and the lower Cholesky factor of their
// covariance, k * k numbers, row-major; index = target * dim_y + channel.
CMANP_API cmanp_status cmanp_context_predict_joint(cmanp_context* context, const double* x, size_t x_count,
                                                   double* mean, size_t mean_count, double* scale_tril,
                                                   size_t scale_tril_count);

typedef struct cmanp_sample_options {
  size_t size;  // sizeof(cmanp_sample_options)
  size_t draws;
  size_t block;   // targets drawn jointly before they are fed back, up to the context's own block; 0: that
  uint64_t seed;  // the same seed gives the same draws
  double growth;  // draws wait to be fed back until they are this share of all that was seen; 0: block by block
} cmanp_sample_options;
#define CMANP_SAMPLE_OPTIONS_INIT \
  { sizeof(cmanp_sample_options), 1, 0, 0, 0.0 }

// Joint draws over any number of targets, `block` at a time: out[draw][target][channel], draws * n * dim_y numbers.
CMANP_API cmanp_status cmanp_context_sample(const cmanp_context* context, const double* x, size_t x_count, size_t draws,
                                            size_t block, uint64_t seed, double* out, size_t out_count);
CMANP_API cmanp_status cmanp_context_sample_with(const cmanp_context* context, const double* x, size_t x_count,
                                                 const cmanp_sample_options* options, double* out, size_t out_count);

// Mean log-likelihood per target point. `block` 0: a diagonal model scores each target by the context alone, another
// by the chain rule in blocks of the context's own size; above 0: the chain rule in blocks of that size.
CMANP_API cmanp_status cmanp_context_score(const cmanp_context* context, const double* x, size_t x_count,
                                           const double* y, size_t y_count, size_t block, double* log_likelihood);

// --- Pictures: completed from some of their pixels. ----------------------------------------------------------------
// Pixels have 8 bits a channel, rows from the top: [height][width][channels], of 1 channel (grey) or 3 (red, green,
// blue). The model's x is a pixel's row and column, its y are the channels.

typedef struct cmanp_completion_options {
  size_t size;     // sizeof(cmanp_completion_options)
  size_t tile;     // side of the squares that a large picture is completed in; 0: it is one, of any shape
  size_t samples;  // alternatives
  size_t block;    // pixels that a not-diagonal model draws jointly; 0: five
  uint64_t seed;   // of the samples
  size_t threads;  // 0: one
  size_t grain;    // not 0: samples have every pixel drawn, with its noise; else some, and the mean given those
} cmanp_completion_options;
#define CMANP_COMPLETION_OPTIONS_INIT \
  { sizeof(cmanp_completion_options), 0, 0, 0, 0, 0, 0 }

// `known` [height][width] is not 0 where a pixel is given; what `pixels` holds elsewhere does not matter. Out come
// `mean`, given pixels as they are and missing ones by their mean; `deviation` [height][width], of values from 0 to 1,
// or NULL with a count of 0; and `samples`, as many pictures as the options ask for. Where it fails, nothing is
// written.
CMANP_API cmanp_status cmanp_complete(const cmanp_model* model, size_t height, size_t width, size_t channels,
                                      const uint8_t* pixels, size_t pixel_count, const uint8_t* known,
                                      size_t known_count, const cmanp_completion_options* options, uint8_t* mean,
                                      size_t mean_count, float* deviation, size_t deviation_count, uint8_t* samples,
                                      size_t sample_count);

// --- Agents: choosing while learning. -----------------------------------------------------------------------------
// The model's x is the context's features followed by the arm, one-hot; its one y is the reward.

typedef enum cmanp_policy {
  CMANP_UCB = 0,      // the largest mean + exploration * deviation
  CMANP_GREEDY = 1,   // the largest mean
  CMANP_THOMPSON = 2  // the largest of one draw for each arm
} cmanp_policy;

typedef struct cmanp_agent cmanp_agent;

typedef struct cmanp_agent_options {
  size_t size;  // sizeof(cmanp_agent_options)
  cmanp_policy policy;
  double exploration;  // times the deviation, of CMANP_UCB and CMANP_THOMPSON
  uint64_t seed;       // of CMANP_THOMPSON's draws
} cmanp_agent_options;
#define CMANP_AGENT_OPTIONS_INIT \
  { sizeof(cmanp_agent_options), CMANP_UCB, 1.0, 0 }

CMANP_API cmanp_status cmanp_agent_create(const cmanp_model* model, size_t arms, cmanp_policy policy,
                                          double exploration, uint64_t seed, cmanp_agent** agent);
CMANP_API cmanp_status cmanp_agent_create_with(const cmanp_model* model, size_t arms,
                                               const cmanp_agent_options* options, cmanp_agent** agent);
CMANP_API void cmanp_agent_free(cmanp_agent* agent);  // NULL is fine

// The arm to play, 0 to arms - 1; changes nothing.
CMANP_API cmanp_status cmanp_agent_choose(cmanp_agent* agent, const double* context, size_t context_count, size_t* arm);
// Takes in what an arm paid, chosen by the agent or not.
CMANP_API cmanp_status cmanp_agent_learn(cmanp_agent* agent, const double* context, size_t context_count, size_t arm,
                                         double reward);
// Mean and standard deviation of what each arm would pay: arms numbers each.
CMANP_API cmanp_status cmanp_agent_predict(cmanp_agent* agent, const double* context, size_t context_count,
                                           double* mean, size_t mean_count, double* std, size_t std_count);
CMANP_API cmanp_status cmanp_agent_rounds(const cmanp_agent* agent, uint64_t* rounds);  // learnt

CMANP_API cmanp_status cmanp_agent_save(const cmanp_agent* agent, const char* path);
CMANP_API cmanp_status cmanp_agent_load(const cmanp_model* model, size_t arms, const char* path, cmanp_policy policy,
                                        double exploration, uint64_t seed, cmanp_agent** agent);
CMANP_API cmanp_status cmanp_agent_load_with(const cmanp_model* model, size_t arms, const char* path,
                                             const cmanp_agent_options* options, cmanp_agent** agent);
CMANP_API cmanp_status cmanp_agent_to_bytes(const cmanp_agent* agent, cmanp_bytes** bytes);
CMANP_API cmanp_status cmanp_agent_from_bytes(const cmanp_model* model, size_t arms, const void* bytes, size_t count,
                                              const cmanp_agent_options* options, cmanp_agent** agent);

// --- Events: when the next one comes, and of which kind. ----------------------------------------------------------

typedef struct cmanp_event_model cmanp_event_model;

CMANP_API cmanp_status cmanp_event_model_load(const char* path, cmanp_event_model** model);
CMANP_API cmanp_status cmanp_event_model_from_bytes(const void* bytes, size_t count, cmanp_event_model** model);
CMANP_API void cmanp_event_model_free(cmanp_event_model* model);  // NULL is fine; streams of the model stay usable

// 32 hexadecimal digits; they live as long as the model.
CMANP_API cmanp_status cmanp_event_model_hash(const cmanp_event_model* model, const char** hash);
// How many kinds of events there are; 0 where they are not told apart.
CMANP_API cmanp_status cmanp_event_model_marks(const cmanp_event_model* model, size_t* marks);
// The name of a kind, which lives as long as the model, and the kind of a name.
CMANP_API cmanp_status cmanp_event_model_mark_name(const cmanp_event_model* model, uint32_t mark, const char** name);
CMANP_API cmanp_status cmanp_event_model_mark_number(const cmanp_event_model* model, const char* name, uint32_t* mark);

// Sequences of events that come in, by name (UTF-8).
typedef struct cmanp_event_stream cmanp_event_stream;

CMANP_API cmanp_status cmanp_event_stream_create(const cmanp_event_model* model, cmanp_event_stream** stream);
CMANP_API cmanp_status cmanp_event_stream_copy(const cmanp_event_stream* stream, cmanp_event_stream** copy);
CMANP_API void cmanp_event_stream_free(cmanp_event_stream* stream);  // NULL is fine

// Takes in an event; a sequence begins with its first. `mark` is ignored by a model without marks.
CMANP_API cmanp_status cmanp_event_stream_observe(cmanp_event_stream* stream, const char* sequence, double time,
                                                  uint32_t mark);
CMANP_API cmanp_status cmanp_event_stream_size(const cmanp_event_stream* stream, size_t* sequences);
// Taken in; 0 of a sequence that it does not know.
CMANP_API cmanp_status cmanp_event_stream_events(const cmanp_event_stream* stream, const char* sequence,
                                                 uint64_t* events);
// Lets go of a sequence, if there is one.
CMANP_API cmanp_status cmanp_event_stream_forget(cmanp_event_stream* stream, const char* sequence);

CMANP_API cmanp_status cmanp_event_stream_save(const cmanp_event_stream* stream, const char* path);
CMANP_API cmanp_status cmanp_event_stream_load(const cmanp_event_model* model, const char* path,
                                               cmanp_event_stream** stream);
CMANP_API cmanp_status cmanp_event_stream_to_bytes(const cmanp_event_stream* stream, cmanp_bytes** bytes);
CMANP_API cmanp_status cmanp_event_stream_from_bytes(const cmanp_event_model* model, const void* bytes, size_t count,
                                                     cmanp_event_stream** stream);

// What comes next in a sequence; times count from its last event on. It does not change with the stream.
typedef struct cmanp_event_forecast cmanp_event_forecast;

CMANP_API cmanp_status cmanp_event_stream_forecast(cmanp_event_stream* stream, const char* sequence,
                                                   cmanp_event_forecast** forecast);
CMANP_API void cmanp_event_forecast_free(cmanp_event_forecast* forecast);  // NULL is fine

// The time by which the next event comes with this probability, between 0 and 1.
CMANP_API cmanp_status cmanp_event_forecast_quantile(const cmanp_event_forecast* forecast, double probability,
                                                     double* time);
// The probability of an event by then.
CMANP_API cmanp_status cmanp_event_forecast_cdf(const cmanp_event_forecast* forecast, double time, double* probability);
// The rate of events then, given that none came yet; time above 0.
CMANP_API cmanp_status cmanp_event_forecast_intensity(const cmanp_event_forecast* forecast, double time,
                                                      double* intensity);
// The mean time to the next event or the limit, whichever comes first; limit above 0.
CMANP_API cmanp_status cmanp_event_forecast_mean_up_to(const cmanp_event_forecast* forecast, double limit,
                                                       double* time);
// The probability of each kind: as many numbers as the model has marks.
CMANP_API cmanp_status cmanp_event_forecast_marks(const cmanp_event_forecast* forecast, double* probabilities,
                                                  size_t count);

#ifdef __cplusplus
}
#endif

#endif
