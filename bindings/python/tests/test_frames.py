"""Frames: data in units of their own, found from an array as a whole, given, read back, merged."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import cmanp

SECONDS = np.arange(1000) * 3.6  # an hour, in the order of time


def temperature(x):
    return 22.5 + 2.5 * np.sin(x / 400)


@pytest.fixture
def sensor():
    context = cmanp.Context("universal")
    context.observe(SECONDS, temperature(SECONDS) + np.random.default_rng(1).normal(0, 0.05, 1000))
    return context


def test_an_array_in_its_own_units_simply_works(sensor):
    asked = np.linspace(100, 3500, 50)
    mean, std = sensor.predict(asked)
    np.testing.assert_allclose(mean, temperature(asked), atol=0.5)
    assert (np.abs(mean - temperature(asked)) < 3 * std).mean() > 0.9
    assert len(sensor) == 1000
    assert sensor.frame == sensor.model.find_frame(SECONDS, temperature(SECONDS))._replace(y=sensor.frame.y)
    low, high = sensor.range
    assert low < -1000 and high > 4600


def test_is_the_frame_that_the_program_finds(tmp_path, sensor):
    table = tmp_path / "sensor.csv"
    values = temperature(SECONDS) + np.random.default_rng(1).normal(0, 0.05, 1000)
    table.write_text("x,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(SECONDS.tolist(), values.tolist())))
    state = tmp_path / "state"
    subprocess.run([sys.executable, "-m", "cmanp", "condition", "--model", "universal", "--state", state, table], check=True,
                   capture_output=True)
    loaded = cmanp.Context.load("universal", state)
    assert loaded.frame == sensor.frame
    np.testing.assert_allclose(loaded.predict([1000.0, 2000.0]), sensor.predict([1000.0, 2000.0]), rtol=1e-6)


def test_a_stream_waits_for_its_first_32_however_they_come():
    x, y = SECONDS[:40] * 10, temperature(SECONDS[:40])
    one_by_one, batches = cmanp.Context("universal"), cmanp.Context("universal")
    for number, (a, b) in enumerate(zip(x, y)):
        assert (one_by_one.frame is None) == (number < 32)
        one_by_one.observe(a, b)
    for start in range(0, 40, 8):
        batches.observe(x[start : start + 8], y[start : start + 8])
    assert one_by_one.to_bytes() == batches.to_bytes()
    stream = cmanp.Context("universal")
    stream.observe(x, y, whole=False)
    assert stream.to_bytes() == batches.to_bytes()


def test_few_points_may_be_all_there_are():
    context = cmanp.Context("universal")
    context.observe([0.0, 10.0, 20.0], [1.0, 2.0, 3.0], whole=True)
    assert context.frame.x == (0.0, 20.0)
    assert abs(context.predict(10.0)[0] - 2) < 1


def test_it_can_be_given():
    context = cmanp.Context("universal", x_frame=(0, 3600), y_frame=[20, 25], range=(0, 86400))
    assert context.frame == cmanp.Frame((0.0, 3600.0), (20.0, 25.0))
    low, high = context.range
    assert low <= 0 and high >= 86400
    context.observe(SECONDS + 80000, temperature(SECONDS))
    with pytest.raises(cmanp.Error, match="outside of the range"):
        context.observe(-90000.0, 22.0)
    # Of a model with a scale of its own, too.
    gp, framed = cmanp.Context("gp-nano"), cmanp.Context("gp-nano", x_frame=(0, 4), y_frame=(-2, 2))
    gp.observe([0.1, 0.2], [1.0, 2.0])
    framed.observe([2.1, 2.2], [1.0, 2.0])
    np.testing.assert_allclose(framed.predict(2.15), gp.predict(0.15), rtol=1e-4)
    assert gp.frame is None and gp.range == (-2, 2)
    assert cmanp.Context("gp-absolute-nano").range is None
    picture = cmanp.Context("fashion-and", x_frame=[(0, 27), (0, 27)])
    assert picture.frame.x == ((0.0, 27.0), (0.0, 27.0))


def test_it_goes_with_copies_pickles_and_states(sensor):
    asked = [500.0, 1500.0]
    for other in (copy.copy(sensor), pickle.loads(pickle.dumps(sensor)), sensor.copy(threads=2),
                  cmanp.Context.from_bytes("universal", sensor.to_bytes())):
        assert other.frame == sensor.frame and other.range == sensor.range
        np.testing.assert_allclose(other.predict(asked), sensor.predict(asked), rtol=1e-6)


def test_halves_of_one_frame_merge_and_others_are_refused(sensor):
    frame = sensor.frame
    x_frame, y_frame = frame
    half = cmanp.Context("universal", x_frame=x_frame, y_frame=y_frame)
    half.observe(SECONDS[::2], temperature(SECONDS[::2]))
    half.merge(sensor)
    assert len(half) == 1500
    other = cmanp.Context("universal", x_frame=(0, 7200), y_frame=y_frame)
    with pytest.raises(cmanp.Error, match=r"different frames.*0:7200"):
        other.merge(sensor)


@pytest.mark.parametrize("options, words", [
    ({"x_frame": (0, 1)}, "go together"), ({"x_frame": 3, "y_frame": (0, 1)}, "x_frame is not a pair"),
    ({"x_frame": (0, 1), "y_frame": "ab"}, "y_frame is not a pair"), ({"x_frame": (1, 1), "y_frame": (0, 1)}, "from 1 to 1"),
    ({"x_frame": (0, np.nan), "y_frame": (0, 1)}, "nan"), ({"range": (0, 1, 2)}, "range is not a pair"),
    ({"x_frame": (0, 1), "y_frame": (0, 1), "range": (5, 4)}, "range"),
])
def test_what_is_no_frame_is_refused(options, words):
    with pytest.raises(cmanp.Error, match=words):
        cmanp.Context("universal", **options)


def test_a_stream_without_end_rests_on_its_latest(tmp_path):
    from cmanp.online import OnlineRegressor

    stream = cmanp.Context("universal", window=256)
    x = np.arange(20000.0)
    drifting = 20 + x / 400 + 3 * np.sin(x / 50)
    stream.observe(x, drifting)
    assert stream.window == 256 and stream.frame.x[0] > 19000
    assert abs(stream.predict(19990.5)[0] - (20 + 19990.5 / 400 + 3 * np.sin(19990.5 / 50))) < 1
    for other in (pickle.loads(pickle.dumps(stream)), copy.copy(stream)):
        assert other.window == 256
        np.testing.assert_allclose(other.predict([19900.0]), stream.predict([19900.0]), rtol=1e-6)
    with pytest.raises(cmanp.Error, match="do not merge"):
        stream.merge(cmanp.Context("universal"))
    one = OnlineRegressor("universal", features=["t"], window=64)
    for t in range(1000):
        one.learn_one({"t": t}, float(t))
    assert abs(one.predict_one({"t": 995}) - 995) < 20


def test_what_is_refused_leaves_nothing_behind():
    context = cmanp.Context("universal")
    x = SECONDS.copy()
    x[-1] = np.nan
    with pytest.raises(cmanp.Error, match="point 1000"):
        context.observe(x, temperature(SECONDS))
    assert len(context) == 0 and context.frame is None
