// What Python's help() says. Examples are run by the tests; a first line that ends in "--" is the signature.
#pragma once

namespace cmanp::python::doc {

inline constexpr const char* kMemory = "Memory in bytes, exact: what is allocated, no more and no less.";

inline constexpr const char* kModel =
    R"(A trained model: immutable, shared by all that use it, safe to use from many threads.

>>> import cmanp
>>> model = cmanp.Model.load("gp")
>>> model
<cmanp.Model cmanp, 1 in x, 1 in y, 856226 parameters>
>>> cmanp.Model.load("gp") is model
True
)";

inline constexpr const char* kModelLoad = R"(load(name)
--

Loads a model: a file, or the name of one that is installed (`cmanp.models()` lists them).

The same model is loaded once in a process, whatever file it comes from.
)";

inline constexpr const char* kModelFromBytes = R"(from_bytes(content, name='model')
--

The same out of a file's content; `name` stands for the file in messages.
)";

inline constexpr const char* kHash = "32 hexadecimal digits; a saved state names the model that it belongs to by it.";
inline constexpr const char* kParameters = "How many numbers were learnt.";
inline constexpr const char* kPath = "The file that it was loaded from; None where it came as bytes.";
inline constexpr const char* kUnits =
    R"(How data become what the network sees, (value - shift) / scale: a dict of x_shift, x_scale, y_shift, y_scale.

All calls take and give the units of the data.
)";

inline constexpr const char* kFrames =
    "Whether it was trained on data in frames: contexts of it serve data of any units.";

inline constexpr const char* kFindFrame = R"(find_frame($self, x, y)
--

The frame of data that are at hand as a whole, by robust statistics. Contexts over parts of the data that are given the same
can be merged.

>>> import cmanp, numpy
>>> seconds = numpy.arange(0, 3600, 60.0)
>>> frame = cmanp.Model.load("universal").find_frame(seconds, 22.5 + numpy.sin(seconds / 400))
>>> frame.x
(0.0, 3540.0)
)";

inline constexpr const char* kModelMemory = R"(memory($self, *, threads=1, block=5)
--

What a context of this model will take, known before there is one. It does not grow with the points.

>>> import cmanp
>>> model = cmanp.Model.load("gp-nano")
>>> memory = model.memory()
>>> memory.context == cmanp.Context(model).memory.context
True
)";

inline constexpr const char* kContext =
    R"(What a model knows of one task, in memory that does not grow with the number of observations.

>>> import cmanp
>>> context = cmanp.Context("gp")
>>> context.observe([0.4, 0.5], [0.9, 1.0])
>>> mean, std = context.predict(0.45)
>>> round(mean, 2), round(std, 2)
(0.96, 0.04)

Points are arrays of shape (n, dim_x) and (n, dim_y), in the units of the data. Where a model has one number in x or y,
its axis may be left out, and answers leave it out. A point by itself is answered by itself. Arrays of float64 are read
where they are; questions in float32 are answered in float32.

A context can be copied and pickled. Calls from several threads wait for each other; contexts of their own do not.
)";

inline constexpr const char* kContextInit =
    R"(Context(model, *, threads=1, block=5, x_frame=None, y_frame=None, range=None, window=0, seasons=True, widths=True)

`model` is a Model, a file or a model's name; `threads` are used where there are many points; `block` is the largest
number of points that are predicted jointly.

A frame brings data of any units to the scale that a model knows: `x_frame` is a pair, from where to where x goes, and
`y_frame` another, between which nearly all y lie. A model that was trained on data in frames (`Model.frames`) finds them
where they are not given; another has a scale of its own. `range` is a pair as well, where x may lie at all, of models such
as 'universal' that are laid out over one: by default ten times the width of `x_frame`.

A `window` above 0 is for streams that drift or have no end: the context rests on its latest observations, so many to twice as
many, and a frame that it finds by itself, and its range, go with them. Such contexts do not merge.

With a frame that it finds by itself, a context also finds `seasons`: what comes again in the data, such as the hours of a day.
They are carried into gaps and into the future. And it corrects its deviations by what observations that it held out for a
moment say of them, unless `widths` is False.
)";

inline constexpr const char* kSeasons = R"(The periods of what was found to come again, in units of x; mostly none.

>>> import cmanp, numpy
>>> hours = numpy.arange(240.0)
>>> context = cmanp.Context("universal")
>>> context.observe(hours, 20 + 5 * numpy.sin(hours * numpy.pi / 12) + numpy.sin(hours ** 2))
>>> context.seasons
[24.0]
)";

inline constexpr const char* kWindow = R"(How many of its latest observations it rests on; 0: on all of them.

>>> import cmanp
>>> context = cmanp.Context("universal", window=100)
>>> for second in range(2000):
...     context.observe(float(second), second % 7)
>>> context.window, context.frame.x[0] > 1000
(100, True)
)";

inline constexpr const char* kFrame = R"(A Frame, its pairs x and y; None where there is none, or none yet.

>>> import cmanp
>>> cmanp.Context("universal", x_frame=(0, 3600), y_frame=(20, 25)).frame
Frame(x=(0.0, 3600.0), y=(20.0, 25.0))
)";
inline constexpr const char* kRange =
    "Where x may lie, a pair, or one for each x; None: anywhere, or no frame was found yet.";

inline constexpr const char* kObserve = R"(observe($self, x, y, *, whole=None)
--

Takes in one point or many. Refuses NaN and infinity, and then keeps nothing of the call.

A context whose frame is yet to be found takes a first call with more than 32 points for all that there is, and finds it
from them. Fewer wait until there are 32, as the beginning of a stream: answers are the prior's until then. `whole=True` and
`whole=False` say which of the two is meant.

>>> import cmanp, numpy
>>> context = cmanp.Context("gp-nano")
>>> x = numpy.linspace(-2, 2, 1000)
>>> context.observe(x, numpy.sin(3 * x))
>>> len(context)
1000
)";

inline constexpr const char* kMerge = R"(merge($self, other)
--

Adds all that `other`, of the same model, has observed: as if it had been observed here.

>>> import cmanp
>>> monday, tuesday = cmanp.Context("gp-nano"), cmanp.Context("gp-nano")
>>> monday.observe(0.1, 1.0); tuesday.observe(0.3, 2.0)
>>> monday.merge(tuesday)
>>> len(monday)
2
)";

inline constexpr const char* kReset = R"(reset($self)
--

Back to having seen nothing.
)";

inline constexpr const char* kPredict = R"(predict($self, x)
--

Mean and standard deviation of y at each x by itself; before the first observation, too.

>>> import cmanp
>>> context = cmanp.Context("gp")
>>> context.observe([0.4, 0.5], [0.9, 1.0])
>>> mean, std = context.predict([0.45, 1.9])
>>> mean.shape, bool(std[0] < std[1])
((2,), True)
)";

inline constexpr const char* kPredictJoint = R"(predict_joint($self, x)
--

The joint distribution at up to `block` points: the mean, and the lower Cholesky factor of the covariance, with index
point * dim_y + channel. Of a model that is not of the kind 'cmanpand', the factor is diagonal.

>>> import cmanp
>>> context = cmanp.Context("gp-and", block=3)
>>> mean, factor = context.predict_joint([0.1, 0.2, 0.3])
>>> covariance = factor @ factor.T
>>> covariance.shape
(3, 3)
)";

inline constexpr const char* kSample = R"(sample($self, x, draws=1, *, seed=0, block=0, growth=0.0)
--

Joint draws over any number of points, of shape (draws, n), each a function that fits what was observed. Draw number s
of a seed is the same whatever the number of draws and threads. The context stays as it was.

>>> import cmanp
>>> cmanp.Context("gp-nano").sample([0.0, 0.1, 0.2], draws=5).shape
(5, 3)
)";

inline constexpr const char* kScore = R"(score($self, x, y, *, block=0)
--

The log-likelihood of points that were not observed: mean per point, summed over channels, in the units of the data. A
`block` above 0 asks for the chain rule in blocks of that size. The context stays as it was.

>>> import cmanp
>>> context = cmanp.Context("gp")
>>> context.observe([0.4, 0.5], [0.9, 1.0])
>>> context.score(0.45, 0.98) > context.score(0.45, 0.5)
True
)";

inline constexpr const char* kCopy = R"(copy($self, *, threads=None, block=None)
--

A deep copy, independent from then on; with threads and block of its own where they are given.
)";

inline constexpr const char* kSave = R"(save($self, path)
--

Writes all that is known to a file, replaced atomically. It can only be loaded with the model it was made with.
)";

inline constexpr const char* kLoad = R"(Loads what save() wrote; the program `cmanp` reads and writes the same files.)";

inline constexpr const char* kToBytes = R"(to_bytes($self)
--

The very bytes that save() writes.

>>> import cmanp
>>> context = cmanp.Context("gp-nano")
>>> context.observe(0.5, 1.0)
>>> len(cmanp.Context.from_bytes("gp-nano", context.to_bytes()))
1
)";

inline constexpr const char* kFromBytes = R"(The same as load(), out of what to_bytes() gave.)";

inline constexpr const char* kAgent =
    R"(Chooses one of several arms while it learns what they pay: a contextual bandit whose rounds all cost the same.

>>> import cmanp
>>> agent = cmanp.Agent("wheel", arms=5)
>>> arm = agent.choose([0.3, -0.2])
>>> agent.learn([0.3, -0.2], arm, 1.2)
>>> agent.rounds
1
)";

inline constexpr const char* kAgentInit = R"(Agent(model, arms, *, policy='ucb', exploration=1.0, seed=0)

The model's x is the context's features followed by the arm, one-hot; its y is the reward. `policy` is 'ucb' (the
largest mean + exploration * deviation), 'greedy' (the largest mean) or 'thompson' (the largest of one draw each).
)";

inline constexpr const char* kChoose = R"(choose($self, context)
--

The arm to play. The same rounds, context and seed give the same arm; it changes nothing.
)";

inline constexpr const char* kLearn = R"(learn($self, context, arm, reward)
--

Takes in what an arm paid, whoever chose it, in any order.
)";

inline constexpr const char* kAgentPredict = R"(predict($self, context)
--

Mean and standard deviation of what each arm would pay.
)";

inline constexpr const char* kAgentLoad = R"(load(model, arms, path, *, policy='ucb', exploration=1.0, seed=0)
--

Loads what save() wrote.
)";

inline constexpr const char* kAgentFromBytes =
    R"(from_bytes(model, arms, state, *, policy='ucb', exploration=1.0, seed=0)
--

The same out of what to_bytes() gave.
)";

inline constexpr const char* kEventModel = R"(A trained model of events: when the next one comes, and of which kind.

>>> import cmanp
>>> cmanp.EventModel.load("cascades").mark_names
['0', '1', '2', '3']
)";

inline constexpr const char* kEventModelLoad = R"(load(name)
--

Loads a model of events: a file, or the name of one that is installed.
)";

inline constexpr const char* kMixture = R"(What a model says of the time to the next event: a mixture of log-normals.

All functions take a number, or an array of any shape.
)";

inline constexpr const char* kLogDensity = R"(log_density($self, time)
--

Log density of the next event at a time above zero.
)";
inline constexpr const char* kCdf = R"(cdf($self, time)
--

Probability of an event by then.
)";
inline constexpr const char* kLogSurvival = R"(log_survival($self, time)
--

Log probability of none by then.
)";
inline constexpr const char* kIntensity = R"(intensity($self, time)
--

Density given that none came yet.
)";
inline constexpr const char* kQuantile = R"(quantile($self, share)
--

The time by which the next event comes with probability `share`.
)";
inline constexpr const char* kMeanUpTo = R"(mean_up_to($self, limit)
--

Mean of the time to the next event or the limit, whichever comes first.
)";

inline constexpr const char* kForecast = "Of the next event of a sequence: `gap`, the time to it, and `marks`.";

inline constexpr const char* kEventStream =
    R"(Sequences of events that come in, by name, each in memory that does not grow with its events.

>>> import cmanp
>>> stream = cmanp.EventStream("cascades")
>>> for time in 1.0, 2.0, 3.5:
...     stream.observe("ann", time, mark="0")
>>> stream.events("ann"), "bob" in stream
(3, False)
>>> gap = stream.forecast("ann").gap
>>> gap.quantile(0.1) < gap.quantile(0.9)
True
>>> sorted(stream.forecast("ann").marks)
['0', '1', '2', '3']
)";

inline constexpr const char* kEventStreamInit =
    R"(EventStream(model): `model` is an EventModel, a file or a model's name.)";

inline constexpr const char* kEventObserve = R"(observe($self, sequence, time, mark=None)
--

Takes in an event; a sequence begins with its first. The time is a number in the model's unit, or a datetime, which is its seconds
since 1970. A mark is a name or a number, and needed where the model has some.
)";
inline constexpr const char* kEventForecast = R"(forecast($self, sequence)
--

What comes next. Of a sequence that it does not know: what would come first.
)";
inline constexpr const char* kSequences = R"(sequences($self)
--

Their names, in the order of names.
)";
inline constexpr const char* kEvents = R"(events($self, sequence)
--

How many events of a sequence were taken in; 0 of one that it does not know.
)";
inline constexpr const char* kLastTime = R"(last_time($self, sequence)
--

Of a sequence's last event; None of one that it does not know.
)";
inline constexpr const char* kForget = R"(forget($self, sequence)
--

Lets go of a sequence; whether there was one.
)";

inline constexpr const char* kComplete =
    R"(complete(model, picture, given, *, tile=0, samples=0, block=5, seed=0, threads=1, grain=False)
--

Completes a picture from some of its pixels: the completed picture, the deviation of each pixel (of values from 0 to 1),
and a list of alternatives.

`picture` is uint8 of shape (height, width) or (height, width, 3); `given` is True where a pixel is known. A large
picture is completed in squares of the side `tile`. Alternatives have the noise of each pixel with `grain`.

>>> import cmanp, numpy
>>> picture = numpy.full((28, 28), 200, numpy.uint8)
>>> given = numpy.zeros((28, 28), bool); given[:14] = True
>>> mean, deviation, alternatives = cmanp.complete("fashion-and", picture, given, samples=2)
>>> mean.shape, deviation.shape, len(alternatives)
((28, 28), (28, 28), 2)
)";

}  // namespace cmanp::python::doc
