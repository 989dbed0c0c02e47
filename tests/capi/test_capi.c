// Every function of the C API, from C: test_capi DIAGONAL_MODEL JOINT_MODEL STATE_FILE AGENT_MODEL EVENT_MODEL
// FRAMES_MODEL
#include <cmanp/cmanp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                    \
  do {                                                                                                      \
    if (!(condition)) {                                                                                     \
      fprintf(stderr, "%s:%d: %s\n  last error: %s\n", __FILE__, __LINE__, #condition, cmanp_last_error()); \
      exit(1);                                                                                              \
    }                                                                                                       \
  } while (0)
#define OK(call) CHECK((call) == CMANP_OK)
// A failure of this status whose message contains `words`.
#define FAILS(call, status, words)                    \
  do {                                                \
    CHECK((call) == (status));                        \
    CHECK(strstr(cmanp_last_error(), words) != NULL); \
  } while (0)

enum { DIM_X = 2, POINTS = 40, TARGETS = 3, DRAWS = 4 };

static double x[POINTS * DIM_X], y[POINTS];
static const double targets[TARGETS * DIM_X] = {0.1, -0.2, 0.7, 0.3, -1.1, 0.9};
static const double truths[TARGETS] = {0.2, -0.4, 1.0};

static void make_points(void) {
  for (int i = 0; i < POINTS; ++i) {
    x[2 * i] = -2.0 + 0.1 * i;
    x[2 * i + 1] = cos(0.7 * i);
    y[i] = sin(3.0 * x[2 * i]) + 0.5 * x[2 * i + 1];
  }
}

static void expect_close(const double* a, const double* b, size_t count) {
  for (size_t i = 0; i < count; ++i) CHECK(fabs(a[i] - b[i]) < 1e-5);
}

static void test_version(void) {
  unsigned major = 0, minor = 0, patch = 0;
  CHECK(sscanf(cmanp_version(), "%u.%u.%u", &major, &minor, &patch) == 3);
  CHECK(cmanp_version_number() == major * 10000 + minor * 100 + patch);
  CHECK(strcmp(cmanp_last_error(), "") == 0);
}

static void test_model(const char* path) {
  cmanp_model* model = NULL;
  OK(cmanp_model_load(path, &model));
  size_t dim_x = 0, dim_y = 0, parameters = 0;
  OK(cmanp_model_dims(model, &dim_x, &dim_y));
  CHECK(dim_x == DIM_X && dim_y == 1);
  OK(cmanp_model_parameters(model, &parameters));
  CHECK(parameters > 1000 && parameters < 100000);
  const char* hash = NULL;
  OK(cmanp_model_hash(model, &hash));
  CHECK(strlen(hash) == 32 && strspn(hash, "0123456789abcdef") == 32);

  // The same model out of memory.
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  static unsigned char bytes[1 << 20];
  const size_t size = fread(bytes, 1, sizeof(bytes), file);
  CHECK(feof(file));
  fclose(file);
  cmanp_model* twin = NULL;
  OK(cmanp_model_from_bytes(bytes, size, &twin));
  const char* twin_hash = NULL;
  OK(cmanp_model_hash(twin, &twin_hash));
  CHECK(strcmp(hash, twin_hash) == 0);
  cmanp_model_free(twin);

  FAILS(cmanp_model_from_bytes(bytes, size / 2, &twin), CMANP_BAD_DATA, "");
  CHECK(twin == NULL && strlen(cmanp_last_error()) > 0);
  FAILS(cmanp_model_from_bytes(NULL, 10, &twin), CMANP_BAD_ARGUMENT, "bytes is NULL");
  FAILS(cmanp_model_load("no/such/file", &twin), CMANP_SYSTEM, "no/such/file");
  CHECK(twin == NULL);
  FAILS(cmanp_model_load(NULL, &twin), CMANP_BAD_ARGUMENT, "path is NULL");
  FAILS(cmanp_model_load(path, NULL), CMANP_BAD_ARGUMENT, "model is NULL");
  FAILS(cmanp_model_dims(NULL, &dim_x, &dim_y), CMANP_BAD_ARGUMENT, "model is NULL");
  FAILS(cmanp_model_dims(model, NULL, &dim_y), CMANP_BAD_ARGUMENT, "dim_x is NULL");
  FAILS(cmanp_model_parameters(NULL, &parameters), CMANP_BAD_ARGUMENT, "model is NULL");
  FAILS(cmanp_model_hash(model, NULL), CMANP_BAD_ARGUMENT, "hash is NULL");
  cmanp_memory memory;
  FAILS(cmanp_model_memory(NULL, 1, 1, &memory), CMANP_BAD_ARGUMENT, "model is NULL");
  cmanp_model_free(model);
  cmanp_model_free(NULL);
}

static void test_context(const cmanp_model* model, const char* state_path) {
  cmanp_context *whole = NULL, *half = NULL, *other = NULL, *copy = NULL, *restored = NULL;
  double mean[TARGETS], std[TARGETS], again_mean[TARGETS], again_std[TARGETS];
  OK(cmanp_context_create(model, 1, 0, &whole));

  // It answers before the first observation, and otherwise after.
  OK(cmanp_context_predict(whole, targets, TARGETS * DIM_X, again_mean, TARGETS, again_std, TARGETS));
  OK(cmanp_context_observe(whole, x, POINTS * DIM_X, y, POINTS));
  OK(cmanp_context_predict(whole, targets, TARGETS * DIM_X, mean, TARGETS, std, TARGETS));
  for (int i = 0; i < TARGETS; ++i) CHECK(isfinite(mean[i]) && std[i] > 0 && mean[i] != again_mean[i]);
  uint64_t points = 0;
  OK(cmanp_context_size(whole, &points));
  CHECK(points == POINTS);

  // Two halves merged are the whole; a copy goes its own way.
  enum { FIRST = 13 };
  OK(cmanp_context_create(model, 2, 5, &half));
  OK(cmanp_context_observe(half, x, FIRST * DIM_X, y, FIRST));
  OK(cmanp_context_create(model, 0, 0, &other));
  OK(cmanp_context_observe(other, x + FIRST * DIM_X, (POINTS - FIRST) * DIM_X, y + FIRST, POINTS - FIRST));
  OK(cmanp_context_copy(half, &copy));
  OK(cmanp_context_merge(half, other));
  OK(cmanp_context_predict(half, targets, TARGETS * DIM_X, again_mean, TARGETS, again_std, TARGETS));
  expect_close(mean, again_mean, TARGETS);
  expect_close(std, again_std, TARGETS);
  OK(cmanp_context_size(copy, &points));
  CHECK(points == FIRST);

  // Through a file.
  OK(cmanp_context_save(whole, state_path));
  OK(cmanp_context_load(model, state_path, 1, 0, &restored));
  OK(cmanp_context_size(restored, &points));
  CHECK(points == POINTS);
  OK(cmanp_context_predict(restored, targets, TARGETS * DIM_X, again_mean, TARGETS, again_std, TARGETS));
  expect_close(mean, again_mean, TARGETS);

  OK(cmanp_context_reset(restored));
  OK(cmanp_context_size(restored, &points));
  CHECK(points == 0);

  // Memory is what was predicted, and not a byte more after the observations.
  cmanp_memory predicted, used;
  OK(cmanp_model_memory(model, 1, 0, &predicted));
  OK(cmanp_context_memory(whole, &used));
  CHECK(predicted.weights > 0 && predicted.state > 0 && predicted.cache > 0 && predicted.scratch > 0);
  CHECK(memcmp(&predicted, &used, sizeof(used)) == 0);

  cmanp_context_free(whole);
  cmanp_context_free(half);
  cmanp_context_free(other);
  cmanp_context_free(copy);
  cmanp_context_free(restored);
  cmanp_context_free(NULL);
}

static void test_answers(const cmanp_model* model) {
  cmanp_context* context = NULL;
  OK(cmanp_context_create(model, 1, TARGETS, &context));
  OK(cmanp_context_observe(context, x, POINTS * DIM_X, y, POINTS));

  double mean[TARGETS], factor[TARGETS * TARGETS];
  OK(cmanp_context_predict_joint(context, targets, TARGETS * DIM_X, mean, TARGETS, factor, TARGETS * TARGETS));
  for (int row = 0; row < TARGETS; ++row) {
    CHECK(isfinite(mean[row]) && factor[row * TARGETS + row] > 0);
    for (int column = row + 1; column < TARGETS; ++column) CHECK(factor[row * TARGETS + column] == 0);
  }

  double draws[DRAWS * TARGETS], same[DRAWS * TARGETS];
  OK(cmanp_context_sample(context, targets, TARGETS * DIM_X, DRAWS, 2, 42, draws, DRAWS * TARGETS));
  OK(cmanp_context_sample(context, targets, TARGETS * DIM_X, DRAWS, 2, 42, same, DRAWS * TARGETS));
  CHECK(memcmp(draws, same, sizeof(draws)) == 0);
  CHECK(draws[0] != draws[TARGETS] && isfinite(draws[0]));
  OK(cmanp_context_sample(context, targets, TARGETS * DIM_X, DRAWS, 0, 43, same, DRAWS * TARGETS));
  CHECK(memcmp(draws, same, sizeof(draws)) != 0);

  // One block of all targets: the density of the joint normal distribution, divided by their number.
  double score = 0, expected = 0, residual[TARGETS];
  OK(cmanp_context_score(context, targets, TARGETS * DIM_X, truths, TARGETS, TARGETS, &score));
  for (int row = 0; row < TARGETS; ++row) {
    residual[row] = truths[row] - mean[row];
    for (int column = 0; column < row; ++column) residual[row] -= factor[row * TARGETS + column] * residual[column];
    residual[row] /= factor[row * TARGETS + row];
    expected -= 0.5 * residual[row] * residual[row] + log(factor[row * TARGETS + row]) + 0.9189385332046727;
  }
  CHECK(fabs(score - expected / TARGETS) < 1e-5 * (1 + fabs(score)));
  uint64_t points = 0;
  OK(cmanp_context_size(context, &points));
  CHECK(points == POINTS);
  cmanp_context_free(context);
}

static void test_mistakes(const cmanp_model* model, const cmanp_model* stranger, const char* state_path) {
  cmanp_context *context = NULL, *foreign = NULL, *made = NULL;
  double out[16], value = 0;
  uint64_t points = 0;
  cmanp_memory memory;
  OK(cmanp_context_create(model, 1, 2, &context));
  OK(cmanp_context_create(stranger, 1, 2, &foreign));

  FAILS(cmanp_context_create(NULL, 1, 1, &made), CMANP_BAD_ARGUMENT, "model is NULL");
  FAILS(cmanp_context_create(model, 1, 1, NULL), CMANP_BAD_ARGUMENT, "context is NULL");
  FAILS(cmanp_context_copy(NULL, &made), CMANP_BAD_ARGUMENT, "context is NULL");
  FAILS(cmanp_context_reset(NULL), CMANP_BAD_ARGUMENT, "context is NULL");
  FAILS(cmanp_context_size(context, NULL), CMANP_BAD_ARGUMENT, "points is NULL");
  FAILS(cmanp_context_memory(NULL, &memory), CMANP_BAD_ARGUMENT, "context is NULL");

  FAILS(cmanp_context_observe(NULL, x, 2, y, 1), CMANP_BAD_ARGUMENT, "context is NULL");
  FAILS(cmanp_context_observe(context, NULL, 2, y, 1), CMANP_BAD_ARGUMENT, "x is NULL");
  FAILS(cmanp_context_observe(context, x, 3, y, 1), CMANP_BAD_ARGUMENT, "x holds 3 numbers");
  FAILS(cmanp_context_observe(context, x, 4, y, 1), CMANP_BAD_ARGUMENT,
        "y holds 1 numbers where the 2 points of x need 2");
  const double bad[] = {0.0, NAN};
  FAILS(cmanp_context_observe(context, bad, 2, y, 1), CMANP_BAD_DATA, "x2 is nan");
  OK(cmanp_context_observe(context, NULL, 0, NULL, 0));
  OK(cmanp_context_size(context, &points));
  CHECK(points == 0);

  FAILS(cmanp_context_merge(context, NULL), CMANP_BAD_ARGUMENT, "other is NULL");
  FAILS(cmanp_context_merge(context, foreign), CMANP_WRONG_MODEL, "model");
  FAILS(cmanp_context_predict(context, targets, 4, out, 2, out, 1), CMANP_BAD_ARGUMENT, "std holds 1 numbers where 2");
  FAILS(cmanp_context_predict(context, targets, 4, NULL, 2, out, 2), CMANP_BAD_ARGUMENT, "mean is NULL");
  FAILS(cmanp_context_predict_joint(context, targets, 6, out, 3, out + 3, 9), CMANP_BAD_ARGUMENT, "2 jointly at most");
  FAILS(cmanp_context_predict_joint(context, targets, 4, out, 2, out + 2, 3), CMANP_BAD_ARGUMENT, "scale_tril holds 3");
  FAILS(cmanp_context_sample(context, targets, 4, 3, 1, 0, out, 5), CMANP_BAD_ARGUMENT, "out holds 5");
  FAILS(cmanp_context_sample(context, targets, 4, SIZE_MAX / 2 + 2, 1, 0, out, 2), CMANP_BAD_ARGUMENT, "out holds 2");
  FAILS(cmanp_context_score(context, targets, 4, truths, 1, 0, &value), CMANP_BAD_ARGUMENT, "y holds 1");
  FAILS(cmanp_context_score(context, targets, 4, truths, 2, 0, NULL), CMANP_BAD_ARGUMENT, "log_likelihood is NULL");

  FAILS(cmanp_context_save(context, "no/such/folder/state"), CMANP_SYSTEM, "no/such/folder");
  FAILS(cmanp_context_save(context, NULL), CMANP_BAD_ARGUMENT, "path is NULL");
  FAILS(cmanp_context_load(stranger, state_path, 1, 1, &made), CMANP_WRONG_MODEL, state_path);
  CHECK(made == NULL);
  FAILS(cmanp_context_load(model, "no/such/file", 1, 1, &made), CMANP_SYSTEM, "no/such/file");
  FAILS(cmanp_context_create(model, SIZE_MAX / 2, 1, &made), CMANP_BAD_ARGUMENT, "threads");
  CHECK(made == NULL);

  cmanp_context_free(context);
  cmanp_context_free(foreign);
}

// Two features, two arms.
static void test_agent(const char* model_path, const char* state_path) {
  cmanp_model* model = NULL;
  cmanp_agent *agent = NULL, *loaded = NULL;
  OK(cmanp_model_load(model_path, &model));
  OK(cmanp_agent_create(model, 2, CMANP_THOMPSON, 1.5, 3, &agent));
  for (int i = 0; i < 20; ++i) OK(cmanp_agent_learn(agent, x + 2 * i, 2, (size_t)(i % 2), y[i]));
  OK(cmanp_agent_save(agent, state_path));
  OK(cmanp_agent_load(model, 2, state_path, CMANP_THOMPSON, 1.5, 3, &loaded));
  uint64_t rounds = 0;
  OK(cmanp_agent_rounds(loaded, &rounds));
  CHECK(rounds == 20);
  size_t arm = 9, same = 8;
  OK(cmanp_agent_choose(agent, targets, 2, &arm));
  OK(cmanp_agent_choose(loaded, targets, 2, &same));
  CHECK(arm == same && arm < 2);
  double mean[2], std[2], other_mean[2], other_std[2];
  OK(cmanp_agent_predict(agent, targets, 2, mean, 2, std, 2));
  OK(cmanp_agent_predict(loaded, targets, 2, other_mean, 2, other_std, 2));
  expect_close(mean, other_mean, 2);
  expect_close(std, other_std, 2);

  cmanp_agent* none = agent;
  FAILS(cmanp_agent_create(model, 4, CMANP_UCB, 1, 0, &none), CMANP_WRONG_MODEL, "4 arms");
  CHECK(none == NULL);
  FAILS(cmanp_agent_create(model, 2, (cmanp_policy)3, 1, 0, &none), CMANP_BAD_ARGUMENT, "policy");
  FAILS(cmanp_agent_create(NULL, 2, CMANP_UCB, 1, 0, &none), CMANP_BAD_ARGUMENT, "model is NULL");
  FAILS(cmanp_agent_choose(agent, targets, 1, &arm), CMANP_BAD_ARGUMENT, "context has 1 features, the model takes 2");
  FAILS(cmanp_agent_learn(agent, targets, 2, 2, 1), CMANP_BAD_ARGUMENT, "no arm 2");
  FAILS(cmanp_agent_learn(agent, targets, 2, 0, NAN), CMANP_BAD_DATA, "");
  FAILS(cmanp_agent_predict(agent, targets, 2, mean, 1, std, 2), CMANP_BAD_ARGUMENT, "mean holds 1");
  // The same by options, and through bytes.
  cmanp_agent_options options = CMANP_AGENT_OPTIONS_INIT;
  options.policy = CMANP_THOMPSON;
  options.exploration = 1.5;
  options.seed = 3;
  cmanp_bytes* bytes = NULL;
  OK(cmanp_agent_to_bytes(agent, &bytes));
  cmanp_agent* twin = NULL;
  OK(cmanp_agent_from_bytes(model, 2, cmanp_bytes_data(bytes), cmanp_bytes_size(bytes), &options, &twin));
  OK(cmanp_agent_choose(twin, targets, 2, &same));
  CHECK(arm == same);
  cmanp_agent_free(twin);
  OK(cmanp_agent_load_with(model, 2, state_path, NULL, &twin));
  OK(cmanp_agent_rounds(twin, &rounds));
  CHECK(rounds == 20);
  cmanp_agent_free(twin);
  OK(cmanp_agent_create_with(model, 2, &options, &twin));
  cmanp_agent_free(twin);
  cmanp_bytes_free(bytes);

  cmanp_agent_free(agent);
  cmanp_agent_free(loaded);
  cmanp_model_free(model);
}

// Structs of other versions of the header: shorter ones leave defaults, longer ones may ask for nothing more.
static void test_options(const cmanp_model* model) {
  cmanp_context* context = NULL;
  cmanp_memory small, large;
  struct {
    cmanp_context_options options;
    size_t more;
  } newer = {CMANP_CONTEXT_OPTIONS_INIT, 0};
  newer.options.size = sizeof(newer);
  newer.options.block = 100;
  OK(cmanp_context_create_with(model, &newer.options, &context));
  OK(cmanp_context_memory(context, &large));
  cmanp_context_free(context);
  newer.more = 1;
  FAILS(cmanp_context_create_with(model, &newer.options, &context), CMANP_BAD_ARGUMENT, "does not know");
  CHECK(context == NULL);

  cmanp_context_options older = CMANP_CONTEXT_OPTIONS_INIT;
  older.block = 100;
  older.size = offsetof(cmanp_context_options, block);
  OK(cmanp_context_create_with(model, &older, &context));
  OK(cmanp_context_memory(context, &small));
  CHECK(small.scratch < large.scratch);
  cmanp_context_free(context);
  older.size = 0;
  FAILS(cmanp_context_create_with(model, &older, &context), CMANP_BAD_ARGUMENT, "size 0");
  older.size = SIZE_MAX;
  FAILS(cmanp_context_create_with(model, &older, &context), CMANP_BAD_ARGUMENT, "size");
  OK(cmanp_context_create_with(model, NULL, &context));

  cmanp_sample_options drawing = CMANP_SAMPLE_OPTIONS_INIT;
  double one[TARGETS], other[TARGETS];
  drawing.seed = 4;
  OK(cmanp_context_sample_with(context, targets, TARGETS * DIM_X, &drawing, one, TARGETS));
  OK(cmanp_context_sample(context, targets, TARGETS * DIM_X, 1, 0, 4, other, TARGETS));
  CHECK(memcmp(one, other, sizeof(one)) == 0);
  drawing.growth = -1;
  FAILS(cmanp_context_sample_with(context, targets, TARGETS * DIM_X, &drawing, one, TARGETS), CMANP_BAD_ARGUMENT,
        "growth");
  cmanp_context_free(context);
}

static void test_bytes(const cmanp_model* model, const cmanp_model* stranger) {
  cmanp_context *context = NULL, *restored = NULL;
  cmanp_bytes* bytes = NULL;
  OK(cmanp_context_create_with(model, NULL, &context));
  OK(cmanp_context_observe(context, x, POINTS * DIM_X, y, POINTS));
  OK(cmanp_context_to_bytes(context, &bytes));
  const void* data = cmanp_bytes_data(bytes);
  const size_t size = cmanp_bytes_size(bytes);
  CHECK(data != NULL && size > 100);
  OK(cmanp_context_from_bytes(model, data, size, NULL, &restored));
  uint64_t points = 0;
  OK(cmanp_context_size(restored, &points));
  CHECK(points == POINTS);
  double mean[TARGETS], std[TARGETS], again_mean[TARGETS], again_std[TARGETS];
  OK(cmanp_context_predict(context, targets, TARGETS * DIM_X, mean, TARGETS, std, TARGETS));
  OK(cmanp_context_predict(restored, targets, TARGETS * DIM_X, again_mean, TARGETS, again_std, TARGETS));
  CHECK(memcmp(mean, again_mean, sizeof(mean)) == 0 && memcmp(std, again_std, sizeof(std)) == 0);
  cmanp_context_free(restored);
  FAILS(cmanp_context_from_bytes(stranger, data, size, NULL, &restored), CMANP_WRONG_MODEL, "another model");
  FAILS(cmanp_context_from_bytes(model, data, size - 1, NULL, &restored), CMANP_BAD_DATA, "");
  FAILS(cmanp_context_from_bytes(model, NULL, size, NULL, &restored), CMANP_BAD_ARGUMENT, "bytes is NULL");
  CHECK(restored == NULL);
  cmanp_bytes_free(bytes);
  cmanp_bytes_free(NULL);
  CHECK(cmanp_bytes_data(NULL) == NULL && cmanp_bytes_size(NULL) == 0);
  cmanp_context_free(context);
}

static void test_events(const char* model_path, const char* other_path, const char* state_path) {
  cmanp_event_model *model = NULL, *none = NULL;
  cmanp_event_stream *stream = NULL, *loaded = NULL;
  cmanp_event_forecast *forecast = NULL, *same = NULL;
  OK(cmanp_event_model_load(model_path, &model));
  const char *hash = NULL, *name = NULL;
  OK(cmanp_event_model_hash(model, &hash));
  CHECK(strlen(hash) == 32);
  size_t marks = 0, sequences = 0;
  OK(cmanp_event_model_marks(model, &marks));
  CHECK(marks == 3);
  uint32_t mark = 9;
  OK(cmanp_event_model_mark_name(model, 2, &name));
  OK(cmanp_event_model_mark_number(model, name, &mark));
  CHECK(mark == 2);
  FAILS(cmanp_event_model_mark_name(model, 3, &name), CMANP_BAD_ARGUMENT, "no mark number 3");
  FAILS(cmanp_event_model_mark_number(model, "no such", &mark), CMANP_BAD_ARGUMENT, "no mark");
  FAILS(cmanp_event_model_load(other_path, &none), CMANP_WRONG_MODEL, "cmhp");
  FAILS(cmanp_event_model_from_bytes("x", 1, &none), CMANP_BAD_DATA, "");
  CHECK(none == NULL);

  OK(cmanp_event_stream_create(model, &stream));
  for (int i = 0; i < 10; ++i) OK(cmanp_event_stream_observe(stream, "ann", 0.5 * i, (uint32_t)(i % 3)));
  FAILS(cmanp_event_stream_observe(stream, "ann", 1, 0), CMANP_BAD_DATA, "order of time");
  FAILS(cmanp_event_stream_observe(stream, "ann", 9, 3), CMANP_BAD_ARGUMENT, "no mark number 3");
  FAILS(cmanp_event_stream_observe(stream, NULL, 9, 0), CMANP_BAD_ARGUMENT, "sequence is NULL");
  uint64_t events = 0;
  OK(cmanp_event_stream_events(stream, "ann", &events));
  CHECK(events == 10);

  // A forecast is a distribution, and the same after a file and after bytes.
  OK(cmanp_event_stream_forecast(stream, "ann", &forecast));
  double median = 0, half = 0, mean = 0, rate = 0, again = 0, kinds[3];
  OK(cmanp_event_forecast_quantile(forecast, 0.5, &median));
  OK(cmanp_event_forecast_cdf(forecast, median, &half));
  CHECK(fabs(half - 0.5) < 1e-9);
  OK(cmanp_event_forecast_mean_up_to(forecast, 1e3, &mean));
  OK(cmanp_event_forecast_intensity(forecast, median, &rate));
  CHECK(mean > 0 && rate > 0);
  OK(cmanp_event_forecast_marks(forecast, kinds, 3));
  CHECK(fabs(kinds[0] + kinds[1] + kinds[2] - 1) < 1e-9);
  FAILS(cmanp_event_forecast_marks(forecast, kinds, 2), CMANP_BAD_ARGUMENT, "probabilities holds 2");
  FAILS(cmanp_event_forecast_quantile(forecast, NAN, &median), CMANP_BAD_ARGUMENT, "probability");
  FAILS(cmanp_event_forecast_intensity(forecast, 0, &rate), CMANP_BAD_ARGUMENT, "above 0");

  OK(cmanp_event_stream_save(stream, state_path));
  OK(cmanp_event_stream_load(model, state_path, &loaded));
  OK(cmanp_event_stream_forecast(loaded, "ann", &same));
  OK(cmanp_event_forecast_quantile(same, 0.5, &again));
  CHECK(again == median);
  cmanp_event_forecast_free(same);
  cmanp_event_stream_free(loaded);
  cmanp_bytes* bytes = NULL;
  OK(cmanp_event_stream_to_bytes(stream, &bytes));
  OK(cmanp_event_stream_from_bytes(model, cmanp_bytes_data(bytes), cmanp_bytes_size(bytes), &loaded));
  OK(cmanp_event_stream_size(loaded, &sequences));
  CHECK(sequences == 1);
  OK(cmanp_event_stream_forget(loaded, "ann"));
  OK(cmanp_event_stream_size(loaded, &sequences));
  CHECK(sequences == 0);
  cmanp_event_stream_free(loaded);
  cmanp_bytes_free(bytes);
  FAILS(cmanp_event_stream_load(model, other_path, &loaded), CMANP_BAD_DATA, other_path);
  OK(cmanp_event_stream_copy(stream, &loaded));
  OK(cmanp_event_stream_events(loaded, "ann", &events));
  CHECK(events == 10);

  // A stream keeps its model alive.
  cmanp_event_model_free(model);
  OK(cmanp_event_stream_observe(stream, "eve", 1, 0));
  cmanp_event_stream_free(stream);
  cmanp_event_stream_free(loaded);
  cmanp_event_forecast_free(forecast);
  cmanp_event_model_free(NULL);
  cmanp_event_stream_free(NULL);
  cmanp_event_forecast_free(NULL);
}

// A series in units of its own, in the order of time: 0 to 3600 s, 20 to 25 degrees.
static void test_frames(const char* path) {
  enum { READINGS = 1000 };
  static double seconds[READINGS], degrees[READINGS];
  for (int i = 0; i < READINGS; ++i) {
    seconds[i] = 3.6 * i;
    degrees[i] = 22.5 + 2.5 * sin(0.01 * i);
  }
  cmanp_model* model = NULL;
  cmanp_context *whole = NULL, *stream = NULL, *given = NULL, *none = NULL;
  OK(cmanp_model_load(path, &model));
  int found = 7;
  double x_frame[2] = {9, 9}, y_frame[2] = {9, 9}, range[2] = {9, 9}, same_x[2], same_y[2];

  // As a stream, the first readings say how far x goes, and later ones are beyond it; as a whole, all of them do.
  OK(cmanp_context_create_with(model, NULL, &stream));
  FAILS(cmanp_context_observe(stream, seconds, READINGS, degrees, READINGS), CMANP_BAD_DATA, "outside of the range");
  OK(cmanp_context_frame(stream, &found, x_frame, 2, y_frame, 2));
  CHECK(found == 0 && x_frame[0] == 9);
  OK(cmanp_context_range(stream, &found, range, 2));
  CHECK(found == 0 && range[0] == 9);
  OK(cmanp_context_create_with(model, NULL, &whole));
  OK(cmanp_context_observe_whole(whole, seconds, READINGS, degrees, READINGS));
  uint64_t points = 0;
  OK(cmanp_context_size(whole, &points));
  CHECK(points == READINGS);
  OK(cmanp_context_frame(whole, &found, x_frame, 2, y_frame, 2));
  CHECK(found == 1 && x_frame[0] > 0 && x_frame[1] < 3600 && fabs(x_frame[0] + x_frame[1] - 3.6 * 999) < 1e-6);
  CHECK(y_frame[0] < 20 && y_frame[1] > 25);
  OK(cmanp_context_range(whole, &found, range, 2));
  CHECK(found == 1 && range[0] < -1000 && range[1] > 4600);
  OK(cmanp_model_find_frame(model, seconds, READINGS, degrees, READINGS, same_x, 2, same_y, 2));
  CHECK(same_x[0] == x_frame[0] && same_x[1] == x_frame[1] && same_y[0] == y_frame[0] && same_y[1] == y_frame[1]);

  // Halves that are given the same frame and range are one; others are not.
  const double wide[] = {-10000, 10000};
  cmanp_context_options options = CMANP_CONTEXT_OPTIONS_INIT;
  options.x_frame = x_frame;
  options.x_frame_count = 2;
  FAILS(cmanp_context_create_with(model, &options, &none), CMANP_BAD_ARGUMENT, "y_frame is NULL");
  options.y_frame = y_frame;
  options.y_frame_count = 1;
  FAILS(cmanp_context_create_with(model, &options, &none), CMANP_BAD_ARGUMENT, "no pairs");
  options.y_frame_count = 2;
  OK(cmanp_context_create_with(model, &options, &given));
  OK(cmanp_context_observe(given, seconds, READINGS, degrees, READINGS));
  OK(cmanp_context_merge(given, whole));
  OK(cmanp_context_size(given, &points));
  CHECK(points == 2 * READINGS);
  cmanp_context_free(given);
  options.range = wide;
  options.range_count = 2;
  OK(cmanp_context_create_with(model, &options, &given));
  OK(cmanp_context_range(given, &found, range, 2));
  CHECK(found == 1 && range[0] <= -10000 && range[1] >= 10000);
  cmanp_context_free(given);
  options.range = NULL;
  options.x_frame = wide;
  OK(cmanp_context_create_with(model, &options, &given));
  FAILS(cmanp_context_merge(given, whole), CMANP_BAD_ARGUMENT, "different frames");
  CHECK(strstr(cmanp_last_error(), "-10000:10000") != NULL);
  const double empty[] = {5, 5};
  options.x_frame = empty;
  FAILS(cmanp_context_create_with(model, &options, &none), CMANP_BAD_ARGUMENT, "from 5 to 5");

  // A stream that goes on: with a window, its frame and range go with it.
  cmanp_context_options rolling = CMANP_CONTEXT_OPTIONS_INIT;
  rolling.window = 64;
  cmanp_context* latest = NULL;
  OK(cmanp_context_create_with(model, &rolling, &latest));
  OK(cmanp_context_observe(latest, seconds, READINGS, degrees, READINGS));
  OK(cmanp_context_frame(latest, &found, same_x, 2, same_y, 2));
  CHECK(found == 1 && same_x[0] > 2000);
  cmanp_context_free(latest);

  FAILS(cmanp_context_observe_whole(NULL, seconds, 1, degrees, 1), CMANP_BAD_ARGUMENT, "context is NULL");
  FAILS(cmanp_context_frame(whole, &found, x_frame, 1, y_frame, 2), CMANP_BAD_ARGUMENT, "x_frame holds 1 numbers");
  FAILS(cmanp_context_frame(whole, NULL, x_frame, 2, y_frame, 2), CMANP_BAD_ARGUMENT, "found is NULL");
  FAILS(cmanp_context_range(whole, &found, range, 4), CMANP_BAD_ARGUMENT, "range holds 4 numbers where 2 belong");
  FAILS(cmanp_model_find_frame(model, seconds, 2, degrees, 1, same_x, 2, same_y, 2), CMANP_BAD_ARGUMENT, "y holds 1");
  cmanp_context_free(whole);
  cmanp_context_free(stream);
  cmanp_context_free(given);
  cmanp_model_free(model);
}

// The models' points are pixels: two x, a grey y.
static void test_pictures(const cmanp_model* model, const char* agent_path) {
  enum { HEIGHT = 6, WIDTH = 5, PIXELS = HEIGHT * WIDTH, SAMPLES = 2 };
  uint8_t pixels[PIXELS], known[PIXELS], mean[PIXELS], again[PIXELS], samples[SAMPLES * PIXELS];
  float deviation[PIXELS];
  for (int i = 0; i < PIXELS; ++i) {
    pixels[i] = (uint8_t)(8 * i);
    known[i] = i % 3 == 0;
  }
  OK(cmanp_complete(model, HEIGHT, WIDTH, 1, pixels, PIXELS, known, PIXELS, NULL, mean, PIXELS, deviation, PIXELS, NULL,
                    0));
  for (int i = 0; i < PIXELS; ++i) CHECK(known[i] ? mean[i] == pixels[i] : deviation[i] > 0);

  // What a pixel that is not given holds does not matter.
  for (int i = 0; i < PIXELS; ++i) {
    if (!known[i]) pixels[i] = 77;
  }
  cmanp_completion_options options = CMANP_COMPLETION_OPTIONS_INIT;
  options.samples = SAMPLES;
  options.seed = 3;
  options.threads = 2;
  options.grain = 1;
  OK(cmanp_complete(model, HEIGHT, WIDTH, 1, pixels, PIXELS, known, PIXELS, &options, again, PIXELS, NULL, 0, samples,
                    SAMPLES * PIXELS));
  CHECK(memcmp(mean, again, PIXELS) == 0);
  CHECK(memcmp(samples, samples + PIXELS, PIXELS) != 0);
  for (int i = 0; i < PIXELS; ++i) CHECK(!known[i] || samples[i] == pixels[i]);

  // In tiles, and an older header's options, which end before the rest.
  options = (cmanp_completion_options)CMANP_COMPLETION_OPTIONS_INIT;
  options.tile = 4;
  options.samples = 1000;
  options.size = offsetof(cmanp_completion_options, samples);
  OK(cmanp_complete(model, HEIGHT, WIDTH, 1, pixels, PIXELS, known, PIXELS, &options, again, PIXELS, NULL, 0, NULL, 0));
  CHECK(memcmp(mean, again, PIXELS) != 0);

#define COMPLETE(model, height, channels, pixel_count, known, mean_count, deviation_count, sample_count)          \
  cmanp_complete(model, height, WIDTH, channels, pixels, pixel_count, known, PIXELS, &options, again, mean_count, \
                 deviation, deviation_count, samples, sample_count)
  options = (cmanp_completion_options)CMANP_COMPLETION_OPTIONS_INIT;
  options.samples = SAMPLES;
  memset(again, 99, PIXELS);
  const size_t all = SAMPLES * PIXELS;
  FAILS(COMPLETE(NULL, HEIGHT, 1, PIXELS, known, PIXELS, 0, all), CMANP_BAD_ARGUMENT, "model is NULL");
  FAILS(COMPLETE(model, HEIGHT, 1, PIXELS, NULL, PIXELS, 0, all), CMANP_BAD_ARGUMENT, "known is NULL");
  FAILS(COMPLETE(model, HEIGHT, 1, PIXELS, known, PIXELS - 1, 0, all), CMANP_BAD_ARGUMENT, "mean holds 29");
  FAILS(COMPLETE(model, HEIGHT, 1, PIXELS, known, PIXELS, 3, all), CMANP_BAD_ARGUMENT, "deviation holds 3");
  FAILS(COMPLETE(model, HEIGHT, 1, PIXELS, known, PIXELS, 0, PIXELS), CMANP_BAD_ARGUMENT, "samples holds 30");
  FAILS(COMPLETE(model, HEIGHT + 1, 1, PIXELS, known, PIXELS, 0, all), CMANP_BAD_ARGUMENT, "where 35 belong");
  FAILS(COMPLETE(model, SIZE_MAX / 2, 1, PIXELS, known, PIXELS, 0, all), CMANP_BAD_ARGUMENT, "pixels");
  FAILS(COMPLETE(model, HEIGHT, 2, PIXELS, known, PIXELS, 0, all), CMANP_BAD_ARGUMENT, "1 or 3 channels");
  options.size = 3;
  FAILS(COMPLETE(model, HEIGHT, 1, PIXELS, known, PIXELS, 0, all), CMANP_BAD_ARGUMENT, "options of size 3");
  options.size = sizeof(options);
  cmanp_model* no_pictures = NULL;
  OK(cmanp_model_load(agent_path, &no_pictures));
  FAILS(COMPLETE(no_pictures, HEIGHT, 1, PIXELS, known, PIXELS, 0, all), CMANP_WRONG_MODEL, "no model for pictures");
  cmanp_model_free(no_pictures);
  for (int i = 0; i < PIXELS; ++i) CHECK(again[i] == 99);  // nothing was written
#undef COMPLETE
}

int main(int argc, char** argv) {
  CHECK(argc == 7);
  make_points();
  test_version();
  test_model(argv[1]);
  cmanp_model *diagonal = NULL, *joint = NULL;
  OK(cmanp_model_load(argv[1], &diagonal));
  OK(cmanp_model_load(argv[2], &joint));
  test_context(diagonal, argv[3]);
  test_answers(diagonal);
  test_answers(joint);
  test_mistakes(diagonal, joint, argv[3]);
  test_options(diagonal);
  test_bytes(diagonal, joint);
  test_pictures(diagonal, argv[4]);
  test_pictures(joint, argv[4]);
  test_agent(argv[4], argv[3]);
  test_events(argv[5], argv[1], argv[3]);
  test_frames(argv[6]);

  // A context keeps its model alive.
  cmanp_context* context = NULL;
  OK(cmanp_context_create(joint, 1, 0, &context));
  cmanp_model_free(diagonal);
  cmanp_model_free(joint);
  OK(cmanp_context_observe(context, x, 2, y, 1));
  cmanp_context_free(context);
  puts("all of the C API answered as it should");
  return 0;
}
