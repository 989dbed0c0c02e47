"""Training from Python: runs are the program's own."""

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
