"""Many machines: partitions and their states, by Dask on processes of this one, and by Spark where it is installed."""

import os
import signal
import sys

import numpy as np
import pytest

import cmanp


def table(count=4000):
    import pandas as pd

    random = np.random.default_rng(5)
    x = random.uniform(-2, 2, count)
    return pd.DataFrame({"x": x, "y": np.sin(3 * x), "group": random.integers(0, 5, count)})


def whole(frame, model="gp-nano"):
    context = cmanp.Context(model, widths=False)  # parts are given their frame, and none of them can check widths
    context.observe(frame["x"].to_numpy(), frame["y"].to_numpy())
    return context


def assert_same(one, other):
    x = np.linspace(-2, 2, 50)
    assert len(one) == len(other)
    np.testing.assert_allclose(one.predict(x), other.predict(x), atol=1e-6)


@pytest.fixture(scope="module")
def cluster():
    pytest.importorskip("distributed")
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as local:
        with Client(local) as client:
            yield client


@pytest.mark.parametrize("partitions", [1, 3, 17])
def test_dask_is_as_one_machine(partitions):
    dask_frames = pytest.importorskip("dask.dataframe")
    import cmanp.dask

    frame = table()
    collection = dask_frames.from_pandas(frame, npartitions=partitions)
    context = cmanp.dask.condition(collection, "gp-nano", x="x", y="y", fan_in=4, scheduler="sync")
    assert_same(context, whole(frame))
    answers = cmanp.dask.predict(collection, context, x="x").compute(scheduler="sync")
    np.testing.assert_allclose(answers["mean"], context.predict(frame["x"].to_numpy())[0], atol=1e-6)


def test_dask_finds_one_frame_for_all_partitions():
    dask_frames = pytest.importorskip("dask.dataframe")
    import pandas as pd

    import cmanp.dask

    seconds = np.arange(20000) * 0.18  # in the order of time, so that every partition has its own part of x
    frame = pd.DataFrame({"x": seconds, "y": 22.5 + 2.5 * np.sin(seconds / 400)})
    asked = np.linspace(0, 3600, 50)
    for partitions in (1, 3, 17):
        collection = dask_frames.from_pandas(frame, npartitions=partitions)
        context = cmanp.dask.condition(collection, "universal", x="x", y="y", scheduler="sync")
        assert len(context) == 20000
        np.testing.assert_allclose(context.frame.x, context.model.find_frame(seconds, frame["y"].to_numpy()).x, rtol=1e-3)
        np.testing.assert_allclose(context.predict(asked)[0], 22.5 + 2.5 * np.sin(asked / 400), atol=0.5)
        x_frame, y_frame = context.frame
        given = cmanp.dask.condition(collection, "universal", x="x", y="y", x_frame=x_frame, y_frame=y_frame,
                                     scheduler="sync")
        one = cmanp.Context("universal", x_frame=x_frame, y_frame=y_frame)
        one.observe(seconds, frame["y"].to_numpy())
        np.testing.assert_allclose(given.predict(asked), one.predict(asked), rtol=1e-6, atol=1e-6)


def test_dask_on_processes(cluster):
    import dask.dataframe

    import cmanp.dask

    frame = table()
    collection = dask.dataframe.from_pandas(frame, npartitions=8)
    assert_same(cmanp.dask.condition(collection, "gp-nano", x="x", y="y"), whole(frame))
    groups = cmanp.dask.condition_groups(collection, "gp-nano", by="group", x="x", y="y").compute()
    assert sorted(groups["group"]) == [0, 1, 2, 3, 4] and groups["points"].sum() == len(frame)
    for row in groups.itertuples():
        assert_same(cmanp.Context.from_bytes("gp-nano", row.state), whole(frame[frame["group"] == row.group]))


def kill_once(frame, path):
    """Ends the worker that comes first: its work has to be done again by another."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return frame
    os.kill(os.getpid(), signal.SIGKILL)


def test_dask_with_a_worker_killed_in_the_middle(cluster, tmp_path):
    import dask.dataframe

    import cmanp.dask

    frame = table()
    path = str(tmp_path / "killed")
    collection = dask.dataframe.from_pandas(frame, npartitions=8).map_partitions(kill_once, path, meta=frame.iloc[:0])
    assert_same(cmanp.dask.condition(collection, "gp-nano", x="x", y="y"), whole(frame))
    assert os.path.exists(path)


def test_spark_is_as_one_machine(monkeypatch):
    pytest.importorskip("pyspark", reason="PySpark is not installed (Debian has no package of it)")
    from pyspark.sql import SparkSession

    import cmanp.spark

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # workers are to have the package, too
    spark = SparkSession.builder.master("local[2]").getOrCreate()
    frame = table()
    given = spark.createDataFrame(frame).repartition(5)
    assert_same(cmanp.spark.condition(given, "gp-nano", x="x", y="y"), whole(frame))


def test_sparks_functions_on_lists():
    """What Spark is given to run, run here: a stand-in for its frames that keeps rows in lists."""
    from types import SimpleNamespace

    import functools

    import cmanp.spark

    class Partitions:
        def __init__(self, parts):
            self.parts = parts

        def mapPartitions(self, function):
            return Partitions([list(function(iter(part))) for part in self.parts])

        def collect(self):
            return [one for part in self.parts for one in part]

        def getNumPartitions(self):
            return len(self.parts)

        def treeReduce(self, function, depth):
            assert depth == 2
            return functools.reduce(function, self.collect())

    frame = table(1000)
    rows = [[tuple(row) for row in part] for part in np.array_split(frame[["x", "y"]].to_numpy(), 4)] + [[]]
    context = SimpleNamespace(broadcast=lambda value: SimpleNamespace(value=value))
    stand_in = SimpleNamespace(sparkSession=SimpleNamespace(sparkContext=context),
                               select=lambda *names: SimpleNamespace(rdd=Partitions(rows)))
    assert_same(cmanp.spark.condition(stand_in, "gp-nano", x="x", y=["y"], rows_at_a_time=100), whole(frame))
    # One frame for all partitions, of a model that works so: all of them are sampled, and they are few.
    assert_same(cmanp.spark.condition(stand_in, "universal", x="x", y="y", rows_at_a_time=100), whole(frame, "universal"))
