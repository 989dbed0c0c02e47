"""Agents, event streams, pictures, and the package itself."""

import ast
import copy
import doctest
import os
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest

import cmanp
from cmanp import _cmanp


def play(agent, rounds=20):
    random = np.random.default_rng(1)
    arms = []
    for _ in range(rounds):
        features = random.uniform(-0.5, 0.5, 2)
        arms.append(agent.choose(features))
        agent.learn(features, arms[-1], float(arms[-1] == 0))
    return arms


@pytest.mark.parametrize("policy", ["ucb", "greedy", "thompson"])
def test_agents_learn_and_travel(tmp_path, policy):
    agent = cmanp.Agent("wheel", 5, policy=policy, seed=3)
    assert (agent.arms, agent.features, agent.policy) == (5, 2, policy)
    arms = play(agent)
    assert agent.rounds == 20 and set(arms) <= set(range(5))
    assert play(cmanp.Agent("wheel", 5, policy=policy, seed=3)) == arms
    agent.save(tmp_path / "state")
    options = {"policy": policy, "seed": 3}
    others = [
        copy.copy(agent), pickle.loads(pickle.dumps(agent)),
        cmanp.Agent.load("wheel", 5, tmp_path / "state", **options),
        cmanp.Agent.from_bytes("wheel", 5, agent.to_bytes(), **options),
    ]
    for other in others:
        assert other.rounds == 20 and other.model is agent.model
        np.testing.assert_array_equal(other.predict([0.1, 0.2]), agent.predict([0.1, 0.2]))
        assert other.choose([0.1, 0.2]) == agent.choose([0.1, 0.2])


def test_agents_refuse():
    agent = cmanp.Agent("wheel", 5)
    for work in (
        lambda: cmanp.Agent("wheel", 5, policy="best"), lambda: cmanp.Agent("gp", 5), lambda: agent.choose([1.0]),
        lambda: agent.choose(np.zeros((2, 2))), lambda: agent.learn([0, 0], 5, 1.0),
        lambda: agent.learn([0, 0], 1, float("nan")), lambda: cmanp.Agent.from_bytes("wheel", 5, b"x"),
    ):
        with pytest.raises(cmanp.Error):
            work()
    assert agent.rounds == 0


def test_event_streams(tmp_path):
    stream = cmanp.EventStream("cascades")
    unknown = stream.forecast("ann").gap.quantile(0.5)
    for i in range(10):
        stream.observe("ann", 0.5 * i, mark=str(i % 4))
        stream.observe("bob", 0.25 * i, i % 2)
    assert stream.sequences() == ["ann", "bob"] and len(stream) == 2
    assert stream.events("ann") == 10 and stream.last_time("ann") == 4.5 and stream.last_time("eve") is None
    forecast = stream.forecast("ann")
    assert sum(forecast.marks.values()) == pytest.approx(1) and list(forecast.marks) == ["0", "1", "2", "3"]
    gap = forecast.gap
    assert gap.quantile(0.5) != unknown
    assert gap.cdf(gap.quantile(0.3)) == pytest.approx(0.3)
    times = np.array([[0.1, 0.2], [0.4, 0.8]])
    assert gap.cdf(times).shape == (2, 2)
    with pytest.raises(cmanp.Error, match="time has 1 masked"):
        gap.cdf(np.ma.masked_greater(times, 0.5))
    np.testing.assert_allclose(np.exp(gap.log_survival(times)), 1 - gap.cdf(times))
    np.testing.assert_allclose(gap.intensity(times), np.exp(gap.log_density(times) - gap.log_survival(times)))
    assert 0 < gap.mean_up_to(stream.model.longest_gap) <= stream.model.longest_gap
    assert np.sum(gap.weights) == pytest.approx(1)
    stream.save(tmp_path / "states")
    others = [
        copy.copy(stream), pickle.loads(pickle.dumps(stream)), cmanp.EventStream.load("cascades", tmp_path / "states"),
        cmanp.EventStream.from_bytes(stream.model, stream.to_bytes()),
    ]
    for other in others:
        assert other.model is stream.model
        assert other.forecast("ann").gap.quantile(0.5) == gap.quantile(0.5)
        assert other.forget("ann") and not other.forget("ann") and "ann" not in other
    assert "ann" in stream


def test_times_of_events_may_be_dates():
    import datetime

    stream = cmanp.EventStream("cascades")
    stream.observe("ann", datetime.datetime(2024, 5, 31, 12), "0")  # without a zone: UTC
    assert stream.last_time("ann") == 1717156800.0
    berlin = datetime.timezone(datetime.timedelta(hours=2))
    stream.observe("ann", datetime.datetime(2024, 5, 31, 14, 0, 1, tzinfo=berlin), "0")
    assert stream.last_time("ann") == 1717156801.0
    pd = pytest.importorskip("pandas")
    stream.observe("ann", pd.Timestamp("2024-05-31 12:00:02"), "0")
    assert stream.last_time("ann") == 1717156802.0
    with pytest.raises(TypeError):
        stream.observe("ann", "tomorrow", "0")


def test_event_streams_refuse():
    stream = cmanp.EventStream("cascades")
    stream.observe("ann", 2.0, 1)
    for time, mark in ((1.0, 1), (float("nan"), 1), (3.0, 4), (3.0, "none"), (3.0, None)):
        with pytest.raises(cmanp.Error):
            stream.observe("ann", time, mark)
    assert stream.events("ann") == 1
    with pytest.raises(cmanp.Error) as caught:
        cmanp.EventStream("gp")
    assert caught.value.kind == "wrong_model"


def test_pictures():
    picture = np.arange(28 * 28, dtype=np.uint8).reshape(28, 28)
    given = np.zeros((28, 28), bool)
    given[::3] = True
    mean, deviation, samples = cmanp.complete("fashion-and", picture, given, samples=2, seed=1)
    assert mean.dtype == np.uint8 and deviation.dtype == np.float32
    for done in (mean, *samples):
        np.testing.assert_array_equal(done[given], picture[given])
    assert not np.array_equal(*samples)
    again, _, none = cmanp.complete("fashion-and", np.where(given, picture, 7).astype(np.uint8)[..., None], given)
    np.testing.assert_array_equal(again[..., 0], mean)
    assert none == []
    for wrong in ((picture.astype(float), given), (picture, given[1:]), (picture, given.astype(float)),
                  (np.ma.array(picture, mask=~given), given), (picture, np.ma.array(given, mask=~given)),
                  (picture[0], given), (np.dstack([picture] * 3), given), (picture[:0], given[:0])):
        with pytest.raises(cmanp.Error):
            cmanp.complete("fashion-and", *wrong)


def test_models_by_name(tmp_path, monkeypatch):
    assert {"gp", "gp-nano", "gp-and", "wheel", "cascades", "fashion-and"} <= set(cmanp.models())
    (tmp_path / "mine.cmanp").write_bytes(open(cmanp.Model.load("gp-nano").path, "rb").read())
    monkeypatch.setenv("CMANP_MODELS", str(tmp_path))
    assert "mine" in cmanp.models()
    assert cmanp.Model.load("mine").hash == cmanp.Model.load("gp-nano").hash
    assert cmanp.Model.load(b"mine").dim_x == 1


def test_the_program_comes_along(tmp_path):
    run = subprocess.run([sys.executable, "-m", "cmanp", "--version"], capture_output=True, text=True)
    assert run.stdout == f"cmanp {cmanp.__version__}\n"
    assert subprocess.run([sys.executable, "-m", "cmanp", "nosuch"], capture_output=True).returncode == 2


def test_the_libraries_that_it_needs_come_along():
    with open("/proc/self/maps", encoding="utf-8") as file:
        mapped = {line.split(maxsplit=5)[5].strip() for line in file if "libhwy.so" in line or "libfmt.so" in line}
    package = os.path.dirname(cmanp.__file__)
    assert len(mapped) == 2 and all(path.startswith(os.path.join(package, "lib")) for path in mapped)


def documented():
    """All that is public and has a text: names, and members of classes."""
    for name in [*cmanp.__all__]:
        thing = getattr(cmanp, name)
        yield name, thing
        if isinstance(thing, type) and thing is not cmanp.Error:
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", value.__func__ if isinstance(value, staticmethod) else value


def test_everything_public_is_explained():
    bare = [name for name, thing in documented() if not getattr(thing, "__doc__", None)]
    assert not bare


@pytest.mark.parametrize("name, text", [(name, thing.__doc__) for name, thing in documented()] + [("cmanp", cmanp.__doc__)])
def test_examples_run(name, text):
    test = doctest.DocTestParser().get_doctest(text or "", {}, name, None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_stubs_name_what_there_is():
    with open(os.path.join(os.path.dirname(cmanp.__file__), "_cmanp.pyi"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    stubs = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            stubs[node.name] = {one.name for one in node.body if not one.name.startswith("__")}
        elif isinstance(node, ast.FunctionDef):
            stubs[node.name] = None
    actual = {}
    for name, thing in vars(_cmanp).items():
        if isinstance(thing, type):
            actual[name] = {member for member in vars(thing) if not member.startswith("_")}
        elif isinstance(thing, types.BuiltinFunctionType) and not name.startswith("_"):
            actual[name] = None
    assert stubs == actual


def test_importing_is_light():
    code = "import sys, cmanp; print([name for name in ('numpy', 'pandas', 'sklearn', 'dask', 'torch') if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
