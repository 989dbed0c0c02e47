"""Training from Python: runs are the program's own."""

import numpy as np
import pytest

import cmanp
from cmanp import training

SMALL = {"d_model": 16, "nhead": 2, "dim_feedforward": 16, "num_layers": 1, "num_latents": 4, "num_latents_per_layer": 4,
         "batch": 2, "log_every": 5, "eval_batches": 1, "eval_every": 0}


@pytest.fixture(autouse=True)
def needs_the_training_half():
    try:
        training.program()
    except cmanp.Error as error:
        pytest.skip(str(error))


def small_run(folder, **settings):
    return cmanp.train("gp", out=folder, **{**SMALL, **settings})


def test_a_run_is_trained_and_used(tmp_path):
    told = []
    run = small_run(tmp_path / "run", steps=20, on_metrics=told.append)
    assert not run.running
    assert run.settings["steps"] == 20
    losses = [line["loss"] for line in run.metrics() if "loss" in line]
    assert len(losses) == 4 and told == run.metrics()
    assert list(run.frame()["loss"].dropna()) == losses
    context = cmanp.Context(run.export(tmp_path / "mine.cmanp"))
    context.observe([0.1, 0.2], [0.3, 0.4])
    assert context.predict(0.15)[1] > 0
    assert training.Run(tmp_path / "run").metrics() == run.metrics()


def test_a_callback_stops_a_run_and_it_goes_on(tmp_path):
    run = small_run(tmp_path / "run", steps=4000, on_metrics=lambda line: line["step"] >= 10)
    last = run.metrics()[-1]["step"]
    assert last < 4000

    def fail(line):
        raise RuntimeError("of the caller's own")

    with pytest.raises(RuntimeError, match="of the caller's own"):
        cmanp.train(out=tmp_path / "run", resume=True, on_metrics=fail)
    again = cmanp.train(out=tmp_path / "run", resume=True, wait=False)
    assert again.running
    again.stop()
    assert not again.running


def test_what_the_program_refuses_is_an_error(tmp_path):
    with pytest.raises(cmanp.Error, match="nosuch"):
        small_run(tmp_path / "run", steps=5, kernel="nosuch")
    with pytest.raises(cmanp.Error, match="--nosuch") as caught:
        small_run(tmp_path / "run", nosuch=1)
    assert caught.value.kind == "argument"
    with pytest.raises(cmanp.Error, match="metrics"):
        training.Run(tmp_path / "none").metrics()


def stations():
    """Ten days of four stations, by the hour, each in units of its own; as a frame with times."""
    import pandas as pd

    hours = pd.date_range("2026-01-01", periods=240, freq="60min", tz="UTC")
    wave = 5 + 2 * np.sin(2 * np.pi * np.arange(240) / 24)
    return pd.concat([pd.DataFrame({"station": f"s{s}", "time": hours, "wind": s * s * wave}) for s in range(1, 5)])


def test_tables(tmp_path):
    pd = pytest.importorskip("pandas")
    table = stations()
    few = {**SMALL, "horizon": 24, "steps": 10}
    run = cmanp.train(table, out=tmp_path / "run", group="station", x="time", y="wind", season=[24], **few)
    assert run.settings["task"] == "table" and run.settings["season"] == "24"
    answer = run.forecast(horizon=3)
    assert list(answer["station"]) == [f"s{s}" for s in range(1, 5) for _ in range(3)]
    assert (answer["time"].iloc[:3] == pd.date_range("2026-01-11", periods=3, freq="60min", tz="UTC")).all()
    naive = table.assign(time=table["time"].dt.tz_convert(None))  # times come back as they came
    assert (run.forecast(naive, horizon=3)["time"] == answer["time"].dt.tz_convert(None)).all()
    assert (answer["low_90"] < answer["mean"]).all() and (answer["mean"] < answer["high_90"]).all()
    judgement = run.judge(rivals="linear")
    assert set(judgement.measures.columns) == {"model", "linear"} and judgement.windows == 4
    assert (judgement.measures.loc["crps"] > 0).all() and judgement.verdict
    with open(judgement.report, encoding="utf-8") as page:
        assert "linear" in page.read()

    # The same table as a file is the same run; another may be asked of; it goes on from where its folder says.
    path = tmp_path / "stations.csv"
    table.assign(time=table["time"].dt.strftime("%Y-%m-%dT%H:%M:%S")).to_csv(path, index=False)
    again = cmanp.train(path, out=tmp_path / "again", group="station", x="time", y="wind", season=[24], **few)
    assert [line["loss"] for line in again.metrics()[:2]] == [line["loss"] for line in run.metrics()[:2]]
    assert len(again.forecast(table[table["station"] == "s2"], horizon=5)) == 5
    assert again.forecast(horizon=3)["time"].dt.tz is None
    assert cmanp.train(path, out=tmp_path / "again", resume=True, steps=15).metrics()[-1]["step"] == 15


def test_what_is_no_table_is_refused(tmp_path):
    pd = pytest.importorskip("pandas")
    with pytest.raises(cmanp.Error, match="nothing to learn from"):
        cmanp.train(pd.DataFrame(), out=tmp_path / "run")
    with pytest.raises(cmanp.Error, match="same name"):
        cmanp.train(pd.DataFrame([[1, 2]], columns=["a", "a"]), out=tmp_path / "run")
    with pytest.raises(cmanp.Error, match="nosuch.csv"):
        cmanp.train(str(tmp_path / "nosuch.csv"), out=tmp_path / "run")
    with pytest.raises(cmanp.Error, match="no table to forecast"):
        small_run(tmp_path / "gp", steps=5).forecast()


def lines(random):
    """Straight lines through a random point: a prior of one's own."""
    x = random.uniform(-2, 2, (4, 20))
    return x, random.normal(size=(4, 1)) + random.normal(size=(4, 1)) * x, int(random.integers(2, 15))


def test_functions_of_the_callers_own(tmp_path):
    run = cmanp.train(lines, out=tmp_path / "run", steps=20, **SMALL)
    losses = [line["loss"] for line in run.metrics() if "loss" in line]
    assert len(losses) == 4 and run.settings["task"] == "generator"
    again = cmanp.train(lines, out=tmp_path / "again", steps=20, **SMALL)
    assert [line["loss"] for line in again.metrics() if "loss" in line] == losses  # the same seeds, the same functions
    longer = cmanp.train(lines, out=tmp_path / "again", resume=True, steps=30)
    assert longer.metrics()[-1]["step"] == 30
    model = run.export(tmp_path / "lines.cmanp")
    assert (model.dim_x, model.dim_y) == (1, 1)
    assert np.isfinite(cmanp.Context(model).predict([0.0, 1.0])).all()


def test_two_inputs_and_three_outputs(tmp_path):
    def planes(random):
        x = random.uniform(-1, 1, (2, 12, 2))
        return x, x @ random.normal(size=(2, 2, 3)), 6

    run = cmanp.train(planes, out=tmp_path / "run", steps=5, **SMALL)
    model = run.export(tmp_path / "planes.cmanp")
    assert (model.dim_x, model.dim_y) == (2, 3)


def test_a_function_that_raises_or_returns_nonsense(tmp_path):
    calls = []

    def fails_later(random):
        calls.append(1)
        if len(calls) > 10:
            raise KeyError("of the caller's own")
        return lines(random)

    with pytest.raises(KeyError, match="of the caller's own"):
        cmanp.train(fails_later, out=tmp_path / "run", steps=1000, **SMALL)
    for number, (nonsense, words) in enumerate((
        (lambda random: None, "returns"), (lambda random: (np.zeros((2, 3)), np.zeros((2, 4)), 1), "tasks of 3 points"),
        (lambda random: (np.zeros((2, 3)), np.full((2, 3), np.nan), 1), "not finite"),
        (lambda random: (np.zeros((2, 3)), np.zeros((2, 3)), 3), "3 of 3 points are context"),
        (lambda random: (np.zeros(3), np.zeros(3), 1), "x has shape"),
        (lambda random: (np.ma.masked_less(np.zeros((2, 3)), 1), np.zeros((2, 3)), 1), "x has 6 masked"),
    )):
        with pytest.raises(cmanp.Error, match=words):
            cmanp.train(nonsense, out=tmp_path / str(number), steps=5, **SMALL)
        assert not (tmp_path / str(number)).exists()
    with pytest.raises(cmanp.Error, match="waits"):
        cmanp.train(lines, wait=False)
