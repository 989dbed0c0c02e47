"""Context and Model: answers, shapes, precisions, and what is refused."""

import copy
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import cmanp


def test_answers_as_the_program_does(tmp_path, points):
    x, y = points
    table = tmp_path / "points.csv"
    table.write_text("x,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(x.tolist(), y.tolist())))
    targets = tmp_path / "targets.csv"
    targets.write_text("x\n0.25\n-1.5\n")
    run = [sys.executable, "-m", "cmanp"]
    state = tmp_path / "state"
    subprocess.run([*run, "condition", "--model", "gp-nano", "--state", state, table], check=True)
    shown = subprocess.run(
        [*run, "predict", "--model", "gp-nano", "--state", state, "--targets", targets],
        check=True, capture_output=True, text=True,
    ).stdout
    expected = np.array([[float(cell) for cell in line.split(",")] for line in shown.splitlines()[1:]])
    context = cmanp.Context("gp-nano")
    context.observe(x, y)
    mean, std = context.predict([0.25, -1.5])
    np.testing.assert_allclose(mean, expected[:, 1], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(std, expected[:, 2], rtol=1e-6)
    loaded = cmanp.Context.load("gp-nano", state)
    assert len(loaded) == 300
    np.testing.assert_allclose(loaded.predict([0.25, -1.5])[0], mean, rtol=1e-6, atol=1e-7)


def test_shapes_follow_the_question(context):
    number = context.predict(0.5)
    assert all(isinstance(one, float) for one in number)
    flat = context.predict([0.5, 0.6])
    column = context.predict(np.array([[0.5], [0.6]]))
    assert flat[0].shape == column[0].shape == (2,)
    np.testing.assert_array_equal(flat, column)
    assert flat[0][0] == number[0]
    assert context.predict(np.empty(0))[0].shape == (0,)
    assert context.sample([0.1, 0.2, 0.3], draws=4).shape == (4, 3)
    assert context.sample(0.1, draws=4).shape == (4,)
    picture = cmanp.Context("fashion-and")
    picture.observe([[0.0, 0.0], [0.5, 0.5]], [0.1, 0.2])
    assert picture.predict(np.zeros((4, 2)))[0].shape == (4,)
    assert isinstance(picture.predict([0.0, 0.0])[0], float)


@pytest.mark.parametrize("make", [
    lambda x: x.astype(np.float32), lambda x: np.repeat(x, 2)[::2], lambda x: x[::-1][::-1],
    lambda x: x.astype(">f8"), lambda x: x.tolist(), lambda x: x.reshape(-1, 1), lambda x: np.asfortranarray(x[:, None]),
])
def test_any_layout_gives_the_same(points, make):
    x, y = (np.round(part * 64) / 64 for part in points)  # exact in float32
    plain, other = cmanp.Context("gp-nano"), cmanp.Context("gp-nano")
    plain.observe(x, y)
    other.observe(make(x), make(y))
    assert plain.to_bytes() == other.to_bytes()


def test_misaligned_and_read_only_arrays(points):
    x, y = points
    raw = np.frombuffer(b"." + x.tobytes(), np.uint8)[1:].view(np.float64)
    assert not raw.flags.aligned and not raw.flags.writeable
    plain, other = cmanp.Context("gp-nano"), cmanp.Context("gp-nano")
    plain.observe(x, y)
    other.observe(raw, y)
    assert plain.to_bytes() == other.to_bytes()


def test_float32_is_answered_in_float32(context):
    x = np.float32([0.25, 0.5])
    for answer in (*context.predict(x), *context.predict_joint(x), context.sample(x)):
        assert answer.dtype == np.float32
    np.testing.assert_allclose(context.predict(x)[0], context.predict(x.astype(float))[0], rtol=1e-6)


@pytest.mark.parametrize("x, y, words", [
    ([1, 2], [3], "x has 2 points and y has 1"),
    (np.zeros((3, 2)), np.zeros(3), r"x has shape \(3, 2\) where"),
    (np.zeros((3, 1, 1)), np.zeros(3), r"x has shape \(3, 1, 1\)"),
    ([0.0], np.zeros((1, 2)), r"y has shape \(1, 2\)"),
    ("abc", [1], "x holds text"),
    ([object()], [1], "x holds objects"),
    ([1j], [1], "x holds complex"),
    (np.array(["2020-01-01"], "M8[D]"), [1], "x holds dates"),
    ([[1], [2, 3]], [1], "x"),
    ([None], [1], "x holds objects"),
    ([np.nan], [1.0], "point 1: x1 is nan"),
    ([1.0], [np.inf], "y1 is inf"),
    ([10**400], [1.0], "x holds objects"),
])
def test_what_is_no_point_is_refused(context, x, y, words):
    before = context.to_bytes()
    with pytest.raises(cmanp.Error, match=words):
        context.observe(x, y)
    assert context.to_bytes() == before


def test_errors_have_a_kind(tmp_path, context):
    def kind(work):
        with pytest.raises(cmanp.Error) as caught:
            work()
        assert pickle.loads(pickle.dumps(caught.value)).kind == caught.value.kind
        return caught.value.kind

    assert kind(lambda: cmanp.Context("nosuch")) == "argument"
    assert kind(lambda: cmanp.Context("gp-nano", threads=0)) == "argument"
    assert kind(lambda: context.predict_joint(np.zeros(6))) == "argument"
    assert kind(lambda: cmanp.Model.load(tmp_path / "none.cmanp")) == "system"
    assert kind(lambda: context.save(tmp_path / "none" / "state")) == "system"
    assert kind(lambda: cmanp.Model.from_bytes(b"nothing")) == "data"
    assert kind(lambda: cmanp.Context.from_bytes("gp", context.to_bytes())) == "wrong_model"
    with pytest.raises(TypeError):
        context.merge(None)


@pytest.mark.parametrize("work, words", [
    (lambda _: cmanp.Context("universal", window=-3), "window is -3; give a whole number"),
    (lambda _: cmanp.Context("gp-nano", threads=-1), "threads is -1"),
    (lambda _: cmanp.Context("gp-nano", block=2.5), "block is 2.5"),
    (lambda context: context.sample([0.0], draws=-1), "draws is -1"),
    (lambda context: context.sample([0.0], seed=10**30), "seed is 1000"),
    (lambda context: context.copy(threads="two"), "threads is 'two'"),
    (lambda context: context.model.memory(block=-1), "block is -1"),
    (lambda _: cmanp.Agent("wheel", -5), "arms is -5"),
])
def test_what_is_no_number_of_things_is_refused_by_name(context, work, words):
    with pytest.raises(cmanp.Error, match=words) as caught:
        work(context)
    assert caught.value.kind == "argument"


def test_what_is_masked_is_refused(context):
    plain, hidden = np.ma.array([0.1, 0.2], mask=False), np.ma.array([0.1, 0.2], mask=[0, 1])
    before = context.to_bytes()
    for work in (context.observe, context.score, context.model.find_frame):
        for x, y, words in ((hidden, plain, "x has 1 masked of 2"), (plain, hidden, "y has 1 masked of 2")):
            with pytest.raises(cmanp.Error, match=words):
                work(x, y)
    for work in (context.predict, context.predict_joint, context.sample):
        with pytest.raises(cmanp.Error, match="x has 1 masked of 2"):
            work(hidden)
    with pytest.raises(cmanp.Error, match="x_frame has 1 masked"):
        cmanp.Context("gp-nano", x_frame=hidden)
    assert context.to_bytes() == before
    context.observe(plain, plain)  # nothing is masked
    assert len(context) == 302


def test_a_state_goes_through_bytes_and_files(tmp_path, context):
    again = cmanp.Context.from_bytes("gp-nano", bytearray(context.to_bytes()))
    assert again.to_bytes() == context.to_bytes()
    context.save(tmp_path / "state")
    assert cmanp.Context.load(context.model, tmp_path / "state").to_bytes() == context.to_bytes()


def test_copies_are_independent(context):
    for other in (context.copy(), copy.copy(context), copy.deepcopy(context), pickle.loads(pickle.dumps(context))):
        assert other.model is context.model and len(other) == 300
        other.observe(0.5, 7.0)
        assert len(other) == 301 and len(context) == 300
    other = context.copy(threads=2, block=9)
    assert (other.threads, other.block) == (2, 9)
    assert pickle.loads(pickle.dumps(other)).block == 9


def test_merging_is_as_observing(points):
    x, y = points
    whole, left, right = (cmanp.Context("gp-nano") for _ in range(3))
    whole.observe(x, y)
    left.observe(x[:100], y[:100])
    right.observe(x[100:], y[100:])
    left.merge(right)
    assert len(left) == 300
    np.testing.assert_allclose(left.predict(x), whole.predict(x), atol=1e-6)
    left.merge(left)
    assert len(left) == 600


def test_a_model_is_there_once():
    model = cmanp.Model.load("gp-nano")
    with open(model.path, "rb") as file:
        assert cmanp.Model.from_bytes(file.read()) is model
    assert pickle.loads(pickle.dumps(model)) is model
    assert model == copy.deepcopy(model) and {model: 1}[model] == 1


def in_another_process(code, data):
    return subprocess.run([sys.executable, "-c", code], input=data, capture_output=True)


def test_a_pickled_context_finds_its_model_elsewhere(context):
    code = "import pickle, sys; context = pickle.load(sys.stdin.buffer); print(len(context), context.model.hash)"
    done = in_another_process(code, pickle.dumps(context))
    assert done.stdout.decode().split() == ["300", context.model.hash], done.stderr
    assert len(pickle.dumps(context)) < len(context.to_bytes()) + 1000  # the model is named, not carried


def test_a_model_file_that_vanishes(tmp_path):
    own = tmp_path / "own.cmanp"
    code = """if True:
        import os, pickle, shutil, sys, cmanp
        own = sys.stdin.read()
        shutil.copy(os.path.join(os.path.dirname(cmanp.__file__), "share/cmanp/models/gp-nano.cmanp"), own)
        model = cmanp.Model.load(own)
        state = pickle.dumps(cmanp.Context(model))
        os.remove(own)
        cmanp.Context(model).predict(0.5)  # what is loaded stays
        for work in (lambda: pickle.dumps(model), lambda: cmanp.Model.load(own)):
            try:
                work()
            except cmanp.Error as error:
                print(error.kind)
        del model
        try:
            pickle.loads(state)
        except cmanp.Error as error:
            print(error.kind)
    """
    done = in_another_process(code, str(own).encode())
    assert done.stdout.decode().split() == ["system"] * 3, done.stderr


def test_threads_may_share_a_context(points):
    x, y = points
    context = cmanp.Context("gp-nano")
    failures = []

    def work():
        try:
            for i in range(30):
                context.observe(x[i : i + 5], y[i : i + 5])
                context.predict(x[:20])
                context.copy().merge(context)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and len(context) == 4 * 30 * 5


def test_two_contexts_that_merge_each_other():
    first, second = cmanp.Context("gp-nano"), cmanp.Context("gp-nano")

    def work(one, other):
        for _ in range(200):
            one.merge(other)

    threads = [threading.Thread(target=work, args=pair) for pair in ((first, second), (second, first))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)


def test_computing_lets_other_threads_run():
    context = cmanp.Context("gp")
    x = np.linspace(-2, 2, 20000)
    turns, done = [0], threading.Event()

    def count():
        while not done.is_set():
            turns[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = turns[0]
    context.observe(x, x)
    after = turns[0]
    done.set()
    thread.join()
    assert after > before


def test_a_fork_goes_on(context):
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no fork")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        answers = pool.map(context.predict, [0.25, 0.5])
    assert answers == [context.predict(0.25), context.predict(0.5)]


def test_memory_is_told_beforehand_and_stays(points):
    model = cmanp.Model.load("gp-nano")
    context = cmanp.Context(model, threads=2, block=8)
    told = model.memory(threads=2, block=8)
    for _ in range(3):
        assert repr(context.memory) == repr(told)
        context.observe(*points)
    assert told.total == told.weights + told.state + told.cache + told.scratch


def test_float64_is_read_where_it_is():
    x = np.linspace(-2, 2, 1_000_000)
    y = np.sin(x)
    context = cmanp.Context("gp-nano")
    context.observe(x[:1000], y[:1000])
    before = peak_memory()
    context.observe(x, y)
    assert peak_memory() - before < 4 << 20  # a copy of one array is 8 MB


def peak_memory():
    gc.collect()
    with open(f"/proc/{os.getpid()}/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))


def test_sampling_and_scoring(context, points):
    x, y = points
    draws = context.sample(x[:50], draws=3, seed=7)
    np.testing.assert_array_equal(draws[:2], context.sample(x[:50], draws=2, seed=7))
    assert not np.array_equal(draws, context.sample(x[:50], draws=3, seed=8))
    assert context.score(x, y) > context.score(x, y + 1)
    mean, std = context.predict(x)
    expected = np.mean(-0.5 * ((y - mean) / std) ** 2 - np.log(std) - 0.5 * np.log(2 * np.pi))
    assert context.score(x, y) == pytest.approx(expected, rel=1e-5)
    assert len(context) == 300


def test_joint_predictions(points):
    context = cmanp.Context("gp-and", block=4)
    context.observe(*points)
    mean, factor = context.predict_joint([0.1, 0.11, 0.5, 1.0])
    assert np.allclose(factor, np.tril(factor)) and (np.diag(factor) > 0).all()
    single_mean, _ = context.predict([0.1, 0.11, 0.5, 1.0])
    np.testing.assert_allclose(mean, single_mean, atol=1e-5)
