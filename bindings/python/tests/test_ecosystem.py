"""scikit-learn, river's manner, pandas, matplotlib."""

import pickle

import numpy as np
import pytest

import cmanp


def noisy_wave(count, seed=0):
    random = np.random.default_rng(seed)
    x = random.uniform(0, 100, (count, 1))
    return x, 500 + 40 * np.sin(x[:, 0] / 10) + random.normal(0, 0.5, count)


def strangers_series():
    """A thousand days of temperatures: their dates, readings, the truth by days, and readings of half a day later."""
    import pandas as pd

    def truth(day):
        return 11 + 9 * np.sin(2 * np.pi * (day - 110) / 365.25) + 1.5 * np.sin(2 * np.pi * day / 90)

    random = np.random.default_rng(3)
    days = pd.date_range("2019-03-01", periods=1000, freq="D", name="day")
    readings = pd.Series(truth(np.arange(1000)) + random.normal(0, 1, 1000), days, name="celsius")
    return days, readings, truth, truth(np.arange(1000) + 0.5) + random.normal(0, 1, 1000)


def day_of(hours):
    return 15 + 5 * np.sin(hours * np.pi / 12) + hours / 60


def ten_days():
    """Of hours: them, and readings of a sensor, with the day in them."""
    hours = np.arange(240.0)
    return hours, day_of(hours) + np.random.default_rng(1).uniform(-0.5, 0.5, (3, 240)).sum(axis=0)


class TestSklearn:
    sklearn = pytest.importorskip("sklearn")

    def make(self, **options):
        from cmanp.sklearn import NeuralProcessRegressor

        return NeuralProcessRegressor(**options)

    def test_fits_data_of_any_units(self):
        x, y = noisy_wave(500)
        regressor = self.make().fit(x, y)
        asked = np.linspace(5, 95, 50).reshape(-1, 1)
        mean, std = regressor.predict(asked, return_std=True)
        np.testing.assert_allclose(mean, 500 + 40 * np.sin(asked[:, 0] / 10), atol=8)
        assert mean.shape == std.shape == (50,) and (std > 0).all()
        assert regressor.score(x, y) > 0.95
        draws = regressor.sample_y(asked, 3, random_state=4)
        assert draws.shape == (50, 3)
        np.testing.assert_array_equal(draws, regressor.sample_y(asked, 3, random_state=4))

    def test_a_strangers_series_needs_no_flags(self):
        pd = pytest.importorskip("pandas")
        days, readings, truth, later = strangers_series()
        regressor = self.make().fit(days.to_frame(name="day"), readings)
        noon = days[:-1] + pd.Timedelta(hours=12)
        mean, std = regressor.predict(noon.to_frame(name="day"), return_std=True)
        expected = truth(np.arange(999) + 0.5)
        assert np.sqrt(np.mean((mean - expected) ** 2)) < 0.5  # of readings with noise of 1
        assert np.mean(np.abs(later[:-1] - mean) < 1.96 * std) > 0.8
        seconds = (noon.to_numpy() - np.datetime64(0, "s")) / np.timedelta64(1, "s")
        numbers = self.make().fit(days.to_numpy().reshape(-1, 1), readings.to_numpy())  # the same in NumPy's times
        np.testing.assert_allclose(numbers.predict(seconds.reshape(-1, 1)), mean, rtol=1e-6)
        from cmanp.frames import Signal

        np.testing.assert_allclose(Signal().observe(readings).predict(noon)["mean"], mean, rtol=1e-6)

    def test_is_as_good_as_a_context_ahead_of_the_data(self):
        hours, celsius = ten_days()
        ahead = 240 + np.arange(24.0)
        context = cmanp.Context("universal")
        context.observe(hours, celsius, whole=True)
        regressor = self.make().fit(hours.reshape(-1, 1), celsius)
        assert regressor.context_.seasons == context.seasons == [24.0]
        for answer, expected in zip(regressor.predict(ahead.reshape(-1, 1), return_std=True), context.predict(ahead)):
            np.testing.assert_array_equal(answer, expected)
        few = self.make().fit(hours[:20].reshape(-1, 1), celsius[:20])  # all that there is
        assert few.context_.frame.x == (0.0, 19.0)
        regressor.partial_fit(ahead.reshape(-1, 1), day_of(ahead))
        assert len(regressor.context_) == 264 and regressor.context_.seasons == [24.0]
        again = pickle.loads(pickle.dumps(regressor))
        np.testing.assert_array_equal(again.predict([[270.0]]), regressor.predict([[270.0]]))

    def test_goes_on_row_by_row_for_ever(self):
        from sklearn.base import clone

        x = np.linspace(0, 100, 500).reshape(-1, 1)
        y = 500 + 40 * np.sin(x[:, 0] / 10)
        regressor = self.make(window=128)
        for row in range(500):
            regressor.partial_fit(x[row : row + 1], y[row : row + 1])
        assert abs(regressor.predict([[99.0]])[0] - (500 + 40 * np.sin(9.9))) < 4
        assert regressor.context_.window == 128 and self.make().partial_fit(x, y).context_.window == 1024
        assert clone(regressor).window == 128 and regressor.fit(x, y).context_.window == 0
        assert self.make(window=0).partial_fit(x, y).context_.frame == regressor.context_.frame  # a first call with more than 32
        with pytest.raises(cmanp.Error, match="window is -3"):
            self.make(window=-3).partial_fit(x, y)

    def test_what_is_masked_is_refused(self):
        x, y = noisy_wave(50)
        hidden = np.zeros(50, bool)
        regressor = self.make().fit(np.ma.array(x, mask=False), y)  # nothing is
        hidden[3] = True
        masked_x, masked_y = np.ma.array(x, mask=hidden[:, None]), np.ma.array(y, mask=hidden)
        for work, words in (
            (lambda: self.make().fit(masked_x, y), "X has 1 masked of 50"),
            (lambda: self.make().fit(x, masked_y), "y has 1 masked"),
            (lambda: regressor.partial_fit(x, masked_y), "y has 1 masked"),
            (lambda: regressor.predict(masked_x), "X has 1 masked"),
            (lambda: regressor.log_likelihood(x, masked_y), "y has 1 masked"),
        ):
            with pytest.raises(cmanp.Error, match=words):
                work()

    def test_a_density_has_the_units_of_the_data(self):
        x, y = noisy_wave(300)
        regressor = self.make(model="gp-nano").fit(x[:200], y[:200])
        mean, std = regressor.predict(x[200:], return_std=True)
        expected = np.mean(-0.5 * ((y[200:] - mean) / std) ** 2 - np.log(std) - 0.5 * np.log(2 * np.pi))
        assert regressor.log_likelihood(x[200:], y[200:]) == pytest.approx(expected, rel=1e-4)

    def test_more_data_go_on(self):
        x, y = noisy_wave(400)
        whole = self.make(model="gp-nano", units="model").fit(x / 50, y / 100)
        parts = self.make(model="gp-nano", units="model").partial_fit(x[:150] / 50, y[:150] / 100)
        parts.partial_fit(x[150:] / 50, y[150:] / 100)
        assert len(parts.context_) == 400
        np.testing.assert_allclose(parts.predict(x / 50), whole.predict(x / 50), atol=1e-5)
        assert len(whole.fit(x[:10] / 50, y[:10] / 100).context_) == 10
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(whole)).predict(x), whole.predict(x))

    def test_in_a_pipeline_with_cross_validation(self):
        from sklearn.model_selection import cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        x, y = noisy_wave(200)
        assert cross_val_score(make_pipeline(StandardScaler(), self.make()), x, y, cv=3).min() > 0.9

    def test_another_number_of_columns_is_refused(self):
        with pytest.raises(ValueError, match="X has 2 columns"):
            self.make().fit(np.zeros((5, 2)), np.zeros(5))
        with pytest.raises(ValueError, match="units is"):
            self.make(units="metres").fit(np.zeros((5, 1)), np.zeros(5))

    # A neural process is trained for so many numbers in x; scikit-learn's checks bring any number of columns.
    def test_scikit_learns_own_checks(self):
        from sklearn.utils import estimator_checks

        if hasattr(estimator_checks, "estimator_checks_generator"):  # from scikit-learn 1.6 on
            checks = estimator_checks.estimator_checks_generator(self.make(model="gp-nano"), legacy=True)
        else:
            checks = estimator_checks.check_estimator(self.make(model="gp-nano"), generate_only=True)
        passed, refused = [], []
        for estimator, check in checks:
            name = getattr(check, "func", check).__name__
            try:
                check(estimator)
                passed.append(name)
            except ValueError as error:
                assert "this model knows 1 in x and 1 in y" in str(error), (name, error)
                refused.append(name)
            except AssertionError as error:  # another message than the one it was waiting for
                assert "this model knows 1 in x and 1 in y" in str(error.__context__ or error), (name, error)
                refused.append(name)
            except Exception as error:  # pytest's own skip is no Exception of the check
                if type(error).__name__ != "SkipTest":
                    raise
        assert len(passed) >= 12, (passed, refused)


class TestOnline:
    def test_learns_one_by_one(self):
        from cmanp.online import OnlineRegressor

        model = OnlineRegressor("fashion-and")
        context = cmanp.Context("fashion-and")
        for row, column, value in ((0.1, 0.2, 0.5), (-0.3, 0.4, 0.6)):
            model.learn_one({"row": row, "column": column}, value)
            context.observe([column, row], value)  # in the order of names
        assert model.features == ["column", "row"]
        assert model.predict_one_with_std({"column": 0.0, "row": 0.1}) == context.predict([0.0, 0.1])
        with pytest.raises(cmanp.Error, match="x has no 'row'"):
            model.predict_one({"column": 0.0})
        with pytest.raises(cmanp.Error, match="1 features"):
            OnlineRegressor("fashion-and", features=["one"])

    def test_goes_on_for_ever_in_any_units(self):
        from cmanp.online import OnlineRegressor

        model = OnlineRegressor()
        assert model.context.window == 1024
        model.learn_one({"t": 3}, 20.0)
        model = OnlineRegressor(window=64)
        for t in range(2000):
            model.learn_one({"t": 10 * t}, 20 + t / 100)
        assert abs(model.predict_one({"t": 20050}) - 40.05) < 1
        assert OnlineRegressor("gp-nano").context.window == 0
        assert OnlineRegressor(x_frame=(0, 1), y_frame=(0, 1)).context.window == 0


class TestFrames:
    pd = pytest.importorskip("pandas")

    def test_times_are_x(self):
        from cmanp.frames import Signal

        pd = self.pd
        hours = pd.date_range("2026-03-01", periods=500, freq="60min", tz="Europe/Berlin")
        values = 15 + 8 * np.sin(np.arange(500) / 40)
        signal = Signal("gp").observe(pd.Series(values, hours, name="degrees"))
        asked = hours[::25].tz_convert("UTC")
        answer = signal.predict(asked)
        assert answer.index.equals(asked)
        np.testing.assert_allclose(answer["mean"], values[::25], atol=1.5)
        assert signal.sample(asked, 2).shape == (20, 2)
        one = signal.predict(asked[3])
        assert list(one.index) == [asked[3]] and one["mean"].iloc[0] == pytest.approx(answer["mean"].iloc[3])
        with pytest.raises(cmanp.Error, match="numbers"):
            signal.predict([1.0, 2.0])
        with pytest.raises(cmanp.Error, match="times without a zone, and the one before times of a zone"):
            signal.predict(asked.tz_convert(None))
        with pytest.raises(cmanp.Error, match="times of a zone, and the one before times without a zone"):
            Signal().observe(pd.Series(values, hours.tz_convert(None))).predict(asked)

    def test_is_as_good_as_a_context_ahead_of_the_data(self):
        from cmanp.frames import Signal

        hours, celsius = ten_days()
        context = cmanp.Context("universal")
        context.observe(hours, celsius, whole=True)
        begin, hour = self.pd.Timestamp("2026-03-01"), self.pd.Timedelta(hours=1)
        signal = Signal().observe(self.pd.Series(celsius, begin + hours * hour))
        assert signal.context.seasons == [86400.0]
        ahead = 240 + np.arange(24.0)
        answer = signal.predict(begin + ahead * hour)
        for name, expected in zip(("mean", "std"), context.predict(ahead)):
            np.testing.assert_allclose(answer[name], expected, rtol=1e-3)
        assert np.abs(answer["mean"] - day_of(ahead)).max() < 1

    def test_a_window_goes_on_for_ever(self):
        from cmanp.frames import Signal

        signal = Signal(window=64)
        for start in range(0, 1000, 10):
            hours = np.arange(start, start + 10.0)
            signal.observe(self.pd.Series(day_of(hours), hours))
        assert signal.context.window == 64
        assert abs(signal.predict(999.5)["mean"].iloc[0] - day_of(999.5)) < 1
        with pytest.raises(cmanp.Error, match="extent and window"):
            Signal(window=64, extent=(0, 1))
        with pytest.raises(cmanp.Error, match="works in frames"):
            Signal("gp-nano", window=64)

    def test_few_readings_and_an_extent_set_the_scale(self):
        from cmanp.frames import Signal

        months = self.pd.date_range("2025-01-01", periods=12, freq="MS")
        values = 100 + 10 * np.arange(12.0)
        answer = Signal().observe(self.pd.Series(values, months)).predict(months[[3, 8]])
        np.testing.assert_allclose(answer["mean"], values[[3, 8]], atol=15)
        signal = Signal(extent=(0, 1000)).observe(self.pd.Series([1.0, 2.0, 3.0], [0.0, 1.0, 2.0]))
        assert signal.context.frame.x == (0.0, 1000.0)
        signal.observe(self.pd.Series([4.0], [900.0]))
        assert len(signal.context) == 4

    def test_gaps_are_left_out(self):
        from cmanp.frames import Signal

        series = self.pd.Series([1.0, np.nan, 3.0], [0.0, 1.0, np.nan])
        assert len(Signal("gp-nano").observe(series).context) == 1
        with pytest.raises(cmanp.Error, match="2 columns"):
            Signal("gp-nano").observe(self.pd.DataFrame({"a": [1.0], "b": [2.0]}))
        with pytest.raises(cmanp.Error, match="index holds (object|str)"):
            Signal("gp-nano").observe(self.pd.Series([1.0], ["monday"]))
        with pytest.raises(cmanp.Error, match="give a pandas Series"):
            Signal("gp-nano").observe([1.0, 2.0])
        with pytest.raises(cmanp.Error, match="index has 1 masked"):
            Signal("gp-nano").observe(series).predict(np.ma.array([0.0, 1.0], mask=[0, 1]))
        with pytest.raises(cmanp.Error, match="nothing was observed"):
            Signal("gp-nano").predict([1.0])


def test_times_of_tables_keep_their_zones(tmp_path):
    pd = pytest.importorskip("pandas")
    from cmanp import _table

    hours = pd.date_range("2026-03-01", periods=3, freq="60min")
    for zone, first in ((None, "2026-03-01T00:00:00.000000"), ("Europe/Berlin", "2026-02-28T23:00:00.000000Z")):
        path = _table.file_of(pd.DataFrame({"time": hours.tz_localize(zone), "y": 1.0}), tmp_path / "table.csv")
        with open(path, encoding="utf-8") as file:
            assert file.readlines()[1] == first + ",1.0\n"
        assert _table.names_zones(path, "time") == (zone is not None)
    for text, named in (("31-05-2024", False), ("2024-05-31T12:30+02:00", True), ("2024-05-31 12:30-05", True)):
        (tmp_path / "other.csv").write_text("time,y\n" + text + ",1\n")
        assert _table.names_zones(tmp_path / "other.csv", "time") == named
    assert _table.names_zones(tmp_path / "other.csv", "nosuch")


def test_a_stream_of_dicts_in_any_units():
    from cmanp.online import OnlineRegressor

    model = OnlineRegressor("universal", features=["second"], x_frame=(0, 3600), y_frame=(18, 28), range=(0, 86400))
    for second in range(0, 3600, 30):
        model.learn_one({"second": second}, 22.5 + 2 * np.sin(second / 400))
    assert abs(model.predict_one({"second": 1815}) - (22.5 + 2 * np.sin(1815 / 400))) < 0.5


def test_plots(context, points):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    import cmanp.plot

    axes = Figure().subplots()
    assert cmanp.plot.function(context, seen=points, truth=np.sin, draws=2, axes=axes) is axes
    np.testing.assert_array_equal(axes.lines[2].get_ydata(), context.predict(np.linspace(-2, 2, 400))[0])
    with pytest.raises(cmanp.Error):
        cmanp.plot.function(cmanp.Context("fashion-and"), axes=axes)
    sensor = cmanp.Context("universal", x_frame=(0, 3600), y_frame=(20, 25))
    mean = cmanp.plot.function(sensor, axes=Figure().subplots()).lines[0]
    assert (mean.get_xdata()[0], mean.get_xdata()[-1]) == (0.0, 3600.0)
    mean = cmanp.plot.function(sensor, seen=([10.0, 20.0], [21.0, 22.0]), axes=Figure().subplots()).lines[0]
    assert (mean.get_xdata()[0], mean.get_xdata()[-1]) == (10.0, 20.0)


def test_a_signal_is_drawn_over_its_times():
    matplotlib = pytest.importorskip("matplotlib")
    pd = pytest.importorskip("pandas")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    import cmanp.plot
    from cmanp.frames import Signal

    hours = pd.date_range("2026-03-01", periods=100, freq="60min", tz="Europe/Berlin")
    degrees = pd.Series(15 + 8 * np.sin(np.arange(100) / 10), hours)
    signal = Signal().observe(degrees)
    axes = cmanp.plot.signal(signal, readings=degrees, axes=Figure().subplots())
    mean, seen = axes.lines
    np.testing.assert_allclose(mean.get_ydata()[[0, -1]], signal.predict(hours[[0, -1]])["mean"])
    assert len(seen.get_xdata()) == 100
    later = hours[-1] + pd.Timedelta(days=1)
    axes = cmanp.plot.signal(signal, (hours[0], later), axes=Figure().subplots())
    assert pd.Timestamp(axes.lines[0].get_xdata()[-1]) == later.tz_localize(None)
    with pytest.raises(cmanp.Error, match="give the extent"):
        cmanp.plot.signal(signal)
    with pytest.raises(cmanp.Error, match="cmanp.plot.signal draws a Signal"):
        cmanp.plot.function(signal)
    with pytest.raises(cmanp.Error, match="cmanp.frames.Signal takes a pandas Series"):
        cmanp.Context("universal").observe(hours, degrees)
    with pytest.raises(cmanp.Error, match=r"pandas\.to_datetime\(index\)"):
        Signal().observe(degrees.set_axis(hours.astype(str)))
    with pytest.raises(cmanp.Error, match=r"to_timestamp"):
        Signal().observe(degrees.set_axis(hours.tz_convert(None).to_period("h")))


def test_data_lie_within_the_scale_that_was_found_from_them():
    from cmanp.sklearn import NeuralProcessRegressor

    random = np.random.default_rng(0)
    for offset in (0.0, 40.0, 1.7e9):
        for _ in range(100):
            x = offset + random.uniform(0, 100, 40)
            NeuralProcessRegressor("gp-nano").fit(x[:, None], np.sin(x))  # 128 of them were refused, for their own ends
