// The C API: observe, predict, sample and score from C, or from any language that can call C.
//
// Every function that can fail returns a status; the reason is in cmanp_last_error(). No function lets a C++
// exception out. A handle that could not be made is set to NULL.
// Arrays of numbers come with the count of doubles they hold. Points are row-major, in the units of the raw data:
// n points have n * dim_x numbers x and n * dim_y numbers y.
//
// A model may be used from many threads at once; a context belongs to one thread at a time.
#ifndef CMANP_CMANP_H
#define CMANP_CMANP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cmanp_status {
  CMANP_OK = 0,
  CMANP_BAD_ARGUMENT = 1,  // a NULL, or counts that do not fit the model or each other
  CMANP_FAILED = 2,        // numbers or files that cannot be used, a failed write
  CMANP_OUT_OF_MEMORY = 3,
} cmanp_status;

// What went wrong in the last call of this thread that failed; "" if none has. Valid until the next that fails.
const char* cmanp_last_error(void);

const char* cmanp_version(void);      // "0.1.0"
uint32_t cmanp_version_number(void);  // major * 10000 + minor * 100 + patch

// Memory in bytes, exact.
typedef struct cmanp_memory {
  size_t weights;  // shared by every context of the model
  size_t state;    // what the observations left behind; constant in their number
  size_t cache;    // keys and values that queries read
  size_t scratch;  // working space
} cmanp_memory;

// --- Models: immutable, read from one file. -----------------------------------------------------------------------

typedef struct cmanp_model cmanp_model;

cmanp_status cmanp_model_load(const char* path, cmanp_model** model);
cmanp_status cmanp_model_from_bytes(const void* bytes, size_t count, cmanp_model** model);
void cmanp_model_free(cmanp_model* model);  // NULL is fine; contexts of the model stay usable

cmanp_status cmanp_model_dims(const cmanp_model* model, size_t* dim_x, size_t* dim_y);
cmanp_status cmanp_model_parameters(const cmanp_model* model, size_t* parameters);
// 32 hexadecimal digits; they live as long as the model.
cmanp_status cmanp_model_hash(const cmanp_model* model, const char** hash);
// What a context of these options will allocate, known before there is one.
cmanp_status cmanp_model_memory(const cmanp_model* model, size_t threads, size_t block, cmanp_memory* memory);

// --- Contexts: what a model knows of one task. --------------------------------------------------------------------
// Wherever `threads` or `block` is 0, the default stands: one thread; five targets predicted jointly at most.

typedef struct cmanp_context cmanp_context;

cmanp_status cmanp_context_create(const cmanp_model* model, size_t threads, size_t block, cmanp_context** context);
cmanp_status cmanp_context_copy(const cmanp_context* context, cmanp_context** copy);
void cmanp_context_free(cmanp_context* context);  // NULL is fine

// Takes in one point or many. Refuses NaN and infinity, and then keeps nothing of the call.
cmanp_status cmanp_context_observe(cmanp_context* context, const double* x, size_t x_count, const double* y,
                                   size_t y_count);
// Adds all that `other`, of the same model, has observed.
cmanp_status cmanp_context_merge(cmanp_context* context, const cmanp_context* other);
cmanp_status cmanp_context_reset(cmanp_context* context);
cmanp_status cmanp_context_size(const cmanp_context* context, uint64_t* points);
cmanp_status cmanp_context_memory(const cmanp_context* context, cmanp_memory* memory);

// The state as one file, replaced atomically; it can only be loaded into the model it was made with.
cmanp_status cmanp_context_save(const cmanp_context* context, const char* path);
cmanp_status cmanp_context_load(const cmanp_model* model, const char* path, size_t threads, size_t block,
                                cmanp_context** context);

// --- Answers. -----------------------------------------------------------------------------------------------------

// Mean and standard deviation of each of n targets by itself: n * dim_y numbers each.
cmanp_status cmanp_context_predict(cmanp_context* context, const double* x, size_t x_count, double* mean,
                                   size_t mean_count, double* std, size_t std_count);

// The joint distribution of up to `block` targets: k = n * dim_y means, and the lower Cholesky factor of their
// covariance, k * k numbers, row-major; index = target * dim_y + channel.
cmanp_status cmanp_context_predict_joint(cmanp_context* context, const double* x, size_t x_count, double* mean,
                                         size_t mean_count, double* scale_tril, size_t scale_tril_count);

// Joint draws over any number of targets, `block` at a time (0: as many as the context's own block):
// out[draw][target][channel], draws * n * dim_y numbers. The same seed gives the same draws.
cmanp_status cmanp_context_sample(const cmanp_context* context, const double* x, size_t x_count, size_t draws,
                                  size_t block, uint64_t seed, double* out, size_t out_count);

// Mean log-likelihood per target point. `block` 0: a diagonal model scores each target by the context alone, another
// by the chain rule in blocks of the context's own size; above 0: the chain rule in blocks of that size.
cmanp_status cmanp_context_score(const cmanp_context* context, const double* x, size_t x_count, const double* y,
                                 size_t y_count, size_t block, double* log_likelihood);

// --- Agents: choosing while learning. -----------------------------------------------------------------------------
// The model's x is the context's features followed by the arm, one-hot; its one y is the reward.

typedef enum cmanp_policy {
  CMANP_UCB = 0,      // the largest mean + exploration * deviation
  CMANP_GREEDY = 1,   // the largest mean
  CMANP_THOMPSON = 2  // the largest of one draw for each arm
} cmanp_policy;

typedef struct cmanp_agent cmanp_agent;

cmanp_status cmanp_agent_create(const cmanp_model* model, size_t arms, cmanp_policy policy, double exploration,
                                uint64_t seed, cmanp_agent** agent);
void cmanp_agent_free(cmanp_agent* agent);  // NULL is fine

// The arm to play, 0 to arms - 1; changes nothing.
cmanp_status cmanp_agent_choose(cmanp_agent* agent, const double* context, size_t context_count, size_t* arm);
// Takes in what an arm paid, chosen by the agent or not.
cmanp_status cmanp_agent_learn(cmanp_agent* agent, const double* context, size_t context_count, size_t arm,
                               double reward);
// Mean and standard deviation of what each arm would pay: arms numbers each.
cmanp_status cmanp_agent_predict(cmanp_agent* agent, const double* context, size_t context_count, double* mean,
                                 size_t mean_count, double* std, size_t std_count);
cmanp_status cmanp_agent_rounds(const cmanp_agent* agent, uint64_t* rounds);  // learnt

cmanp_status cmanp_agent_save(const cmanp_agent* agent, const char* path);
cmanp_status cmanp_agent_load(const cmanp_model* model, size_t arms, const char* path, cmanp_policy policy,
                              double exploration, uint64_t seed, cmanp_agent** agent);

#ifdef __cplusplus
}
#endif

#endif
