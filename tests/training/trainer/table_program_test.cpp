// Tables of one's own as users train on them, forecast them and judge by them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class TableProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::string table = "station,hour,wind\n";
    for (int station = 1; station <= 4; ++station) {
      for (int hour = 0; hour < 60; ++hour) {
        table += "s" + std::to_string(station) + "," + std::to_string(hour) + "," +
                 std::to_string(station * (5 + std::sin(0.5236 * hour) + 0.1 * std::sin(37.0 * hour))) + "\n";
      }
    }
    folder_->write("stations.csv", table);
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string path(const std::string& name) { return (*folder_ / name).string(); }

  static ProcessResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), CMANP_PROGRAM);
    return run_process(arguments);
  }

  static std::string output_of(const std::vector<std::string>& arguments) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments[0] << ": " << result.err;
    return result.out;
  }

  // A run of two steps, trained once.
  static std::string trained(const std::string& model, const std::string& horizon = "6") {
    const std::string name = model + (horizon == "6" ? "" : "-" + horizon);
    if (!std::filesystem::exists(path(name))) {
      output_of({"train",   "--task",   "table",     "--data",    path("stations.csv"),
                 "--model", model,      "--out",     path(name),  "--horizon",
                 horizon,   "--season", "12",        "--steps",   "2",
                 "--nhead", "2",        "--d-model", "8",         "--num-layers",
                 "1",       "--batch",  "2",         "--threads", "1",
                 "--json"});
    }
    return path(name);
  }

  static void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.err << result.signal;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

 private:
  static std::unique_ptr<TemporaryFolder> folder_;
};

std::unique_ptr<TemporaryFolder> TableProgram::folder_;

TEST_F(TableProgram, JudgesBesideTheRivalsThatAreAskedFor) {
  const std::string all = output_of({"judge", trained("cmanp")});
  for (const char* const rival : {"\nlast value ", "\nlast season ", "\nsmoother ", "\ngp "}) {
    EXPECT_NE(all.find(rival), std::string::npos) << all;
  }
  const std::string some = output_of({"judge", trained("cmanp"), "--rivals", "gp,linear"});
  EXPECT_NE(some.find("\ngp "), std::string::npos) << some;
  EXPECT_EQ(some.find("\nsmoother "), std::string::npos) << some;
  const std::string none = output_of({"judge", trained("cmanp"), "--rivals", "none"});
  EXPECT_EQ(none.find("rival"), std::string::npos) << none;
  expect_refused({"judge", trained("cmanp"), "--rivals", "gpp"}, {"no rival \"gpp\"", "did you mean \"gp\"?"});
}

// Of what a table without training gives; every other message is of what reads the table.
TEST_F(TableProgram, SaysWhatIsLeftOutOrAveraged) {
  const auto write = [](const char* name, const std::string& text) {
    std::ofstream(path(name)) << "s,t,y\n" << text;
    return path(name);
  };
  const auto forecast = [](const std::string& file) {
    return run({"forecast", "--model", "universal", "--data", file, "--horizon", "2", "--group", "s"});
  };
  std::string rows;
  for (int i = 0; i < 40; ++i) rows += "a," + std::to_string(i) + "," + std::to_string(i % 7) + "\n";
  const ProcessResult told = forecast(write("some.csv", rows + "a,3,5\nb,1,2\nc,1,\n"));
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.err.find("left out: 1 series with less than two values"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("left out: 1 series without a value"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("1 rows have the 't' of another row of their group: averaged"), std::string::npos)
      << told.err;
  // Its window holds nothing but itself.
  const ProcessResult far = forecast(write("far.csv", rows + "a,1e308,5\n"));
  EXPECT_EQ(far.exit_code, 1) << far.signal << far.err;
  EXPECT_NE(far.err.find("no series has two values within the last 200 steps of 1"), std::string::npos) << far.err;
  const ProcessResult none = forecast(write("none.csv", ""));
  EXPECT_EQ(none.exit_code, 1) << none.err;
  EXPECT_NE(none.err.find("none.csv: the table has no rows"), std::string::npos) << none.err;
}

// Task signals has a key of that name that is a number.
TEST_F(TableProgram, PartsMayBeGroups) {
  const auto train = [](const std::string& parts) {
    return run({"train",
                "--task",
                "table",
                "--data",
                path("stations.csv"),
                "--parts",
                parts,
                "--steps",
                "1",
                "--d-model",
                "8",
                "--nhead",
                "2",
                "--num-layers",
                "1",
                "--batch",
                "2",
                "--threads",
                "1",
                "--out",
                path("parts-" + parts)});
  };
  EXPECT_EQ(train("group").exit_code, 0) << train("group").err;
  const ProcessResult wrong = train("grup");
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_NE(wrong.err.find("parts"), std::string::npos) << wrong.err;
}

TEST_F(TableProgram, FillsIn) {
  std::string rows = "t,y\n";
  for (int i = 0; i < 40; ++i)
    rows += std::to_string(i) + "," + (i == 20 || i == 3 ? "" : std::to_string(2 * i)) + "\n";
  std::ofstream(path("holes.csv")) << rows;
  const std::vector<std::string> ask{"forecast", "--model", "universal", "--data", path("holes.csv"), "--horizon", "1"};
  EXPECT_EQ(lines_of(output_of(ask)).size(), 2U);
  std::vector<std::string> fill = ask;
  fill.emplace_back("--fill");
  const std::vector<std::string> lines = lines_of(output_of(fill));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[1].starts_with("3,y,")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("20,y,")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("40,y,")) << lines[3];
  EXPECT_NEAR(std::stod(lines[2].substr(5)), 40, 8) << lines[2];
  fill.insert(fill.end(), {"--window", "10"});
  EXPECT_EQ(lines_of(output_of(fill)).size(), 2U);  // all that is missing lies before
}

TEST_F(TableProgram, SamplesAreOfJointModelsOnly) {
  const std::vector<std::string> ask{"forecast", "--data", path("stations.csv"), "--samples", "3", "--model"};
  const auto with = [&](const std::string& model, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = ask;
    all.push_back(model);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string csv = output_of(with(trained("cmanpand")));
  const std::vector<std::string> lines = lines_of(csv);
  ASSERT_EQ(lines.size(), 25U) << csv;  // four series of six steps
  EXPECT_EQ(lines[0], "station,hour,column,mean,std,low_90,high_90,low_95,high_95,sample1,sample2,sample3");
  EXPECT_EQ(std::count(lines[1].begin(), lines[1].end(), ','), 11) << lines[1];
  EXPECT_EQ(csv, output_of(with(trained("cmanpand"))));
  EXPECT_NE(csv, output_of(with(trained("cmanpand"), {"--seed", "1"})));
  // The same numbers as a document, a list a draw.
  const nlohmann::json document =
      nlohmann::json::parse(lines_of(output_of(with(trained("cmanpand"), {"--json"}))).at(0));
  ASSERT_EQ(document["samples"].size(), 3U);
  ASSERT_EQ(document["samples"][0].size(), 6U);
  const double second = std::stod(lines[1].substr(lines[1].rfind(',') + 1));
  EXPECT_NEAR(document["samples"][2][0].get<double>(), second, 1e-5 * std::abs(second));
  // They are as wide as the bands.
  const std::string bands = trained("cmanpand") + "/bands.json";
  nlohmann::json widths = nlohmann::json::parse(std::ifstream(bands));
  widths["band_scales"][2] = 4 * widths["band_scales"][2].get<double>();
  std::ofstream(bands) << widths;
  const auto distance = [](const std::string& line) {
    std::vector<double> numbers;
    std::istringstream rest(line.substr(line.find("wind,") + 5));
    for (std::string field; std::getline(rest, field, ',');) numbers.push_back(std::stod(field));
    return numbers.back() - numbers.front();
  };
  const double narrow = distance(lines[1]), wide = distance(lines_of(output_of(with(trained("cmanpand"))))[1]);
  EXPECT_NEAR(wide, 4 * narrow, 1e-4 * std::abs(wide) + 1e-4);
  std::filesystem::remove(bands);  // is found anew
  expect_refused(with(trained("cmanp")), {"--samples", "a cmanp knows each value by itself", "--model cmanpand"});
}

TEST_F(TableProgram, SeveralRunsAnswerTogether) {
  const auto ask = [](const std::string& model, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"forecast", "--data", path("stations.csv"), "--json", "--model", model};
    all.insert(all.end(), more.begin(), more.end());
    return nlohmann::json::parse(lines_of(output_of(all)).at(0));
  };
  const std::string one = trained("cmanp"), other = trained("cmanpand");
  const nlohmann::json first = ask(one), second = ask(other), both = ask(one, {"--with", other});
  for (std::size_t i = 0; i < 6; ++i) {
    const double a = first["mean"][i], b = second["mean"][i], s = first["std"][i], t = second["std"][i];
    EXPECT_NEAR(both["mean"][i].get<double>(), (a + b) / 2, 1e-4);
    EXPECT_NEAR(both["std"][i].get<double>(), std::sqrt((s * s + t * t) / 2 + (a - b) * (a - b) / 4), 1e-4);
  }
  // Samples are of each in its turn.
  const nlohmann::json drawn = ask(other, {"--with", other, "--samples", "3"});
  EXPECT_EQ(drawn["samples"].size(), 3U);
  EXPECT_NE(output_of({"judge", one, "--with", other, "--rivals", "none"}).find("2 together"), std::string::npos);
  const std::vector<std::string> data{"--data", path("stations.csv")};
  expect_refused({"forecast", "--model", one, "--with", trained("cmanp", "5"), data[0], data[1]},
                 {"--with", "other columns, windows"});
  expect_refused({"forecast", "--model", "universal", "--with", one, "--horizon", "6", data[0], data[1]},
                 {"--with: ", "was trained on no table"});
}

TEST_F(TableProgram, StartsAsTheUniversalModel) {
  const auto train = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> all{"train",        "--task",  "table",     "--data",  path("stations.csv"),
                                 "--out",        path(out), "--horizon", "6",       "--season",
                                 "12",           "--steps", "2",         "--batch", "2",
                                 "--num-layers", "1",       "--threads", "1",       "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string told = "universal.cmanp where they agree";
  const ProcessResult usual = run(train("usual", {})), named = run(train("named", {"--start", "universal"}));
  const ProcessResult fresh = run(train("fresh", {"--start", "none"}));
  EXPECT_NE(usual.err.find(told), std::string::npos) << usual.err;
  EXPECT_NE(named.err.find(told), std::string::npos) << named.err;
  EXPECT_EQ(fresh.err.find(told), std::string::npos) << fresh.err;
  const auto loss = [](const ProcessResult& result) { return nlohmann::json::parse(result.out)["loss"].get<double>(); };
  EXPECT_EQ(loss(usual), loss(named));
  EXPECT_NE(loss(usual), loss(fresh));
  expect_refused(train("other", {"--start", "universl"}), {"'universl'", "no model of that name is installed"});
}

// Stations whose wind is stronger where the pressure is low: said for the hours to come, or not.
std::string with_pressure(double to_come, int until) {
  std::string table = "station,hour,wind,pressure,coast\n";
  for (int station = 1; station <= 3; ++station) {
    for (int hour = 0; hour < until; ++hour) {
      const double pressure = hour < 60 ? 1000 + 10 * std::sin(0.9 * hour + station) : to_come;
      const std::string wind = hour < 60 ? std::to_string(5 - 0.1 * (pressure - 1000)) : "";
      table += "s" + std::to_string(station) + "," + std::to_string(hour) + "," + wind + "," +
               std::to_string(pressure) + "," + (station == 1 ? "yes" : "no") + "\n";
    }
  }
  return table;
}

TEST_F(TableProgram, KnowsOtherColumnsBesides) {
  for (const auto& [name, until, to_come] :
       {std::tuple{"low.csv", 66, 990.0}, {"high.csv", 66, 1010.0}, {"short.csv", 64, 990.0}}) {
    std::ofstream(path(name)) << with_pressure(to_come, until);
  }
  for (const std::string model : {"cmanp", "cmanpand", "tnpd"}) {
    const std::string run = path("known-" + model);
    output_of({"train",
               "--task",
               "table",
               "--data",
               path("low.csv"),
               "--y",
               "wind",
               "--also",
               "pressure",
               "--also",
               "coast",
               "--model",
               model,
               "--out",
               run,
               "--horizon",
               "6",
               "--steps",
               "2",
               "--nhead",
               "2",
               "--d-model",
               "8",
               "--num-layers",
               "1",
               "--batch",
               "2",
               "--threads",
               "1",
               "--season",
               "12",
               "--json"});
    const auto forecast = [&](const std::string& place, const std::string& table) {
      return std::vector<std::string>{"forecast", "--model", place, "--data", path(table)};
    };
    const std::string low = output_of(forecast(run, "low.csv"));
    EXPECT_EQ(lines_of(low).size(), 19U) << low;
    EXPECT_EQ(lines_of(low).at(1).substr(0, 11), "s1,60,wind,");
    EXPECT_NE(low, output_of(forecast(run, "high.csv"))) << model;
    expect_refused(forecast(run, "short.csv"), {"'s1', wind at 64: 'pressure' is in no row", "an empty wind"});
    expect_refused(forecast(run, "stations.csv"), {"no column 'pressure'"});
    const std::string file = path(model + "-known.cmanp");
    output_of({"export", run, "-o", file});
    EXPECT_EQ(output_of(forecast(file, "low.csv")), low);
    EXPECT_NE(output_of({"judge", run, "--rivals", "last value"}).find("\nlast value"), std::string::npos);
  }
}

// Two columns, of which the second is the first as it was six hours ago: nothing of its own past says what comes.
// Every ninth value of the first is missing. `until`: how far the first is known; the second ends at 300.
std::string with_echo(int until, double to_come = 0) {
  std::string table = "station,hour,wind,echo\n";
  std::uint64_t state = 1;
  const auto noise = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 40) / (1 << 24) - 0.5;
  };
  for (int station = 1; station <= 4; ++station) {
    std::vector<double> wind{0, 0, 0, 0, 0, 0};
    for (int hour = 0; hour < std::max(300, until); ++hour) {
      wind.push_back(hour < 300 ? 0.7 * wind.back() + noise() : to_come);
      const std::size_t now = wind.size() - 1;
      const bool missing = hour % 9 == 4 || hour >= until;
      table += "s" + std::to_string(station) + "," + std::to_string(hour) + "," +
               (missing ? "" : std::to_string(wind[now])) + "," +
               (hour < 300 ? std::to_string(station * (10 + wind[now - 6] + 0.02 * noise())) : "") + "\n";
    }
  }
  return table;
}

class JointTableProgram : public TableProgram {
 protected:
  static std::string train(const std::string& out, const std::string& steps, const std::vector<std::string>& more) {
    std::ofstream(path("echo.csv")) << with_echo(300);
    std::vector<std::string> all{"train",
                                 "--task",
                                 "table",
                                 "--data",
                                 path("echo.csv"),
                                 "--group",
                                 "station",
                                 "--x",
                                 "hour",
                                 "--y",
                                 "wind",
                                 "--y",
                                 "echo",
                                 "--horizon",
                                 "6",
                                 "--window",
                                 "24",
                                 "--steps",
                                 steps,
                                 "--nhead",
                                 "2",
                                 "--d-model",
                                 "16",
                                 "--num-layers",
                                 "2",
                                 "--start",
                                 "none",
                                 "--batch",
                                 "8",
                                 "--lr",
                                 "4e-3",
                                 "--ema",
                                 "0.9",
                                 "--threads",
                                 "1",
                                 "--out",
                                 path(out)};
    all.insert(all.end(), more.begin(), more.end());
    output_of(all);
    return path(out);
  }
};

TEST_F(JointTableProgram, AColumnThatEchoesAnotherIsForecastBetterWithIt) {
  const auto crps = [](const std::string& run) {
    const std::string judged = output_of({"judge", run, "--rivals", "last value", "--json"});
    return nlohmann::json::parse(judged)["measures"]["model"]["crps"]["value"].get<double>();
  };
  const double jointly = crps(train("echo-joint", "200", {"--jointly"}));
  const double alone = crps(train("echo-alone", "200", {}));
  EXPECT_LT(jointly, 0.8 * alone);
}

TEST_F(JointTableProgram, ForecastsByWhatIsKnownOfSomeColumns) {
  for (const std::string model : {"cmanpand", "tnpd"}) {
    const std::string run = train("joint-" + model, "2", {"--jointly", "--model", model});
    std::ofstream(path("low.csv")) << with_echo(306, -3);
    std::ofstream(path("high.csv")) << with_echo(306, 3);
    const auto forecast = [&](const std::string& place, const std::string& table) {
      return std::vector<std::string>{"forecast", "--model", place, "--data", path(table)};
    };
    // Both are asked for where neither is known, one where the other is.
    EXPECT_EQ(lines_of(output_of(forecast(run, "echo.csv"))).size(), 49U);
    const std::vector<std::string> low = lines_of(output_of(forecast(run, "low.csv")));
    ASSERT_EQ(low.size(), 25U + 4U) << low.at(1);  // hour 301 of wind is among those that are missing
    EXPECT_EQ(low[1].substr(0, 12), "s1,301,wind,");
    EXPECT_EQ(low[2].substr(0, 12), "s1,300,echo,");
    EXPECT_NE(output_of(forecast(run, "low.csv")), output_of(forecast(run, "high.csv"))) << model;
    const std::string file = path(model + "-joint.cmanp");
    output_of({"export", run, "-o", file});
    EXPECT_EQ(lines_of(output_of(forecast(file, "low.csv"))), low);
    std::vector<std::string> one = forecast(run, "low.csv");
    one.insert(one.end(), {"--y", "wind"});
    expect_refused(one, {"--y", "2 columns jointly (wind,echo)"});
    EXPECT_NE(output_of({"eval", run}).find("test"), std::string::npos);
    std::vector<std::string> fill = forecast(run, "low.csv");
    fill.insert(fill.end(), {"--fill", "--window", "9"});
    EXPECT_EQ(lines_of(output_of(fill)).size(), low.size() + 4U);
  }
  std::vector<std::string> draws{"forecast",  "--model", path("joint-cmanpand"), "--data", path("echo.csv"),
                                 "--samples", "3"};
  EXPECT_EQ(lines_of(output_of(draws)).size(), 49U);
}

// A plane with a step between two soils, and a second column that is the first upside down.
std::string places(int from, int to, bool values = true) {
  std::string table = values ? "soil,lon,lat,rain,dry\n" : "lat,soil,lon\n";
  for (int i = from; i < to; ++i) {
    const double lat = 50 + std::sin(12.9898 * i), lon = 1000 * std::cos(78.233 * i);
    const bool clay = i % 2 == 0;
    const double rain = 100 + 20 * (lat - 50) + 0.01 * lon + (clay ? 15 : 0);
    const std::string soil = clay ? "clay" : "sand";
    if (values) {
      table += soil + "," + std::to_string(lon) + "," + std::to_string(lat) + "," + std::to_string(rain) + "," +
               (i % 7 == 3 ? "" : std::to_string(-rain)) + "\n";
    } else {
      table += std::to_string(lat) + "," + soil + "," + std::to_string(lon) + "\n";
    }
  }
  return table;
}

class RowsProgram : public TableProgram {
 protected:
  static std::vector<std::string> train(const std::string& out, const std::vector<std::string>& more) {
    std::ofstream(path("places.csv")) << places(0, 300);
    std::vector<std::string> all{"train",
                                 "--task",
                                 "table",
                                 "--data",
                                 path("places.csv"),
                                 "--x",
                                 "lat",
                                 "--x",
                                 "lon",
                                 "--x",
                                 "soil",
                                 "--window",
                                 "48",
                                 "--nhead",
                                 "2",
                                 "--d-model",
                                 "16",
                                 "--num-layers",
                                 "2",
                                 "--num-latents",
                                 "8",
                                 "--batch",
                                 "8",
                                 "--lr",
                                 "4e-3",
                                 "--ema",
                                 "0.9",
                                 "--threads",
                                 "1",
                                 "--out",
                                 path(out)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(RowsProgram, LearnsFromRowsAndAnswersAboutOthersInTheTablesUnits) {
  output_of(train("places", {"--steps", "300"}));
  const auto judged = nlohmann::json::parse(output_of({"judge", path("places"), "--json"}))["measures"];
  const double crps = judged["model"]["crps"]["value"], mean = judged["mean"]["crps"]["value"];
  EXPECT_LT(crps, 0.7 * mean);
  for (const char* const rival : {"nearest", "regression"}) EXPECT_TRUE(judged.contains(rival)) << rival;
  std::ofstream(path("known.csv")) << places(300, 340);
  std::ofstream(path("asked.csv")) << places(340, 350, false);
  const auto ask = [](const std::string& model, const std::string& asked) {
    return std::vector<std::string>{"predict", "--model", model, "--context", path("known.csv"), "--targets", asked};
  };
  const std::string csv = output_of(ask(path("places"), path("asked.csv")));
  const std::vector<std::string> lines = lines_of(csv);
  ASSERT_EQ(lines.size(), 21U) << csv;
  EXPECT_EQ(lines[0], "lat,lon,soil,column,mean,std,low_90,high_90,low_95,high_95");
  EXPECT_NE(lines[1].find(",clay,rain,"), std::string::npos) << lines[1];
  EXPECT_NE(lines[4].find(",sand,dry,-"), std::string::npos) << lines[4];
  EXPECT_NEAR(std::stod(lines[1].substr(lines[1].find("rain,") + 5)), 107, 50) << lines[1];
  // The same from the file alone, by the lean program's name.
  output_of({"export", path("places"), "-o", path("places.cmanp")});
  EXPECT_EQ(output_of(ask(path("places.cmanp"), path("asked.csv"))), csv);
  // What is known of a row is not asked for, and tells about the rest of it.
  const auto dry = [&](const char* rain) {
    std::ofstream(path("partly.csv")) << "lat,lon,soil,rain\n50,0,sand," << rain << "\n";
    const std::vector<std::string> answer = lines_of(output_of(ask(path("places"), path("partly.csv"))));
    EXPECT_EQ(answer.size(), 2U);
    return std::stod(answer.at(1).substr(answer.at(1).find("dry,") + 4));
  };
  EXPECT_NE(dry("60"), dry("140"));
  const nlohmann::json line = nlohmann::json::parse(lines_of(output_of([&] {
                                                      std::vector<std::string> json =
                                                          ask(path("places"), path("asked.csv"));
                                                      json.emplace_back("--json");
                                                      return json;
                                                    }()))
                                                        .at(0));
  EXPECT_EQ(line["soil"], "clay");
  EXPECT_EQ(line["column"], "rain");

  const auto refused = [&](const std::string& text, const std::vector<std::string>& parts) {
    std::ofstream(path("bad.csv")) << text;
    expect_refused(ask(path("places"), path("bad.csv")), parts);
  };
  refused("lat,lom,soil\n1,2,clay\n", {"bad.csv", "no column 'lon' (did you mean 'lom'?)"});
  refused("lat,lon,soil\n1,2,peat\n", {"bad.csv:2", "'peat' was not there in training"});
  refused("lat,lon,soil\nx,2,clay\n", {"bad.csv:2", "'x' is not a number"});
  refused("lat,lon,soil\n,2,clay\n", {"bad.csv:2", "'lat' is missing here, and never was in training"});
  refused("lat,lon,soil\n", {"bad.csv", "no rows to predict"});
  refused("lat,lon,soil,rain,dry\n50,2,clay,1,2\n", {"all of rain,dry are known"});
  std::vector<std::string> renamed = ask(path("places"), path("asked.csv"));
  renamed.insert(renamed.end(), {"--y", "rain"});
  expect_refused(renamed, {"was trained on a table, and knows its columns"});
  expect_refused({"forecast", "--model", path("places"), "--data", path("places.csv")},
                 {"have no order to forecast along", "cmanp predict"});
}

TEST_F(RowsProgram, RefusesWhatMakesNoSenseOfSeveralX) {
  expect_refused(train("no", {"--split", "forecast"}), {"split \"forecast\" is along one x", "--split random"});
  expect_refused(train("no", {"--horizon", "6"}), {"horizon is along one x"});
  expect_refused(train("no", {"--parts", "time"}), {"parts \"time\" is along one x"});
  expect_refused(train("no", {"--parts", "group"}), {"which column tells the groups apart? (--group)"});
  expect_refused(train("no", {"--coordinates", "relative"}), {"coordinates relative is along one x"});
  expect_refused(train("no", {"--y", "rian"}), {"no column 'rian'", "did you mean 'rain'?"});
  expect_refused(train("no", {"--x", "lat"}), {"column 'lat' is named twice"});
}

TEST_F(TableProgram, RefusesColumnsThatCannotBeKnown) {
  std::ofstream(path("low.csv")) << with_pressure(990, 66);
  const auto train = [&](const std::string& also) {
    return std::vector<std::string>{"train", "--task", "table", "--data", path("low.csv"), "--y",
                                    "wind",  "--also", also,    "--out",  path("no")};
  };
  expect_refused(train("presure"), {"no column 'presure'", "did you mean 'pressure'?"});
  expect_refused(train("wind"), {"column 'wind' is named twice"});
}

TEST_F(TableProgram, ForecastsWithoutTraining) {
  const std::string csv = output_of(
      {"forecast", "--model", "universal", "--data", path("stations.csv"), "--horizon", "4", "--season", "12"});
  const std::vector<std::string> lines = lines_of(csv);
  ASSERT_EQ(lines.size(), 17U) << csv;
  EXPECT_EQ(lines[0], "station,hour,column,mean,std,low_90,high_90,low_95,high_95");
  EXPECT_TRUE(lines[1].starts_with("s1,60,wind,")) << lines[1];
  expect_refused({"forecast", "--model", "universal", "--data", path("stations.csv")}, {"--horizon"});
  expect_refused({"forecast", "--model", "gp", "--data", path("stations.csv"), "--horizon", "4"},
                 {"was trained on task gp", "universal"});
  expect_refused({"forecast", "--model", "universal", "--data", path("stations.csv"), "--horizon", "4", "--y", "wnd"},
                 {"no column 'wnd'", "did you mean 'wind'?"});
  const std::string judged = output_of({"judge", "universal", "--data", path("stations.csv"), "--horizon", "6",
                                        "--season", "12", "--rivals", "last value"});
  EXPECT_NE(judged.find("\nuniversal "), std::string::npos) << judged;
  EXPECT_NE(judged.find("The model is ahead in crps"), std::string::npos) << judged;
  expect_refused({"judge", trained("cmanp"), "--horizon", "3"}, {"--horizon", "knows it"});
}

// Series that rise end farther from a window's mean than those that are noise: their deviations get factors by the
// validation windows, beside the run and in its file, and a series of another name gets none.
TEST_F(TableProgram, SeriesHaveWidthsOfTheirOwn) {
  const auto table = [](const char* prefix) {
    std::string rows = "s,t,y\n";
    for (int s = 0; s < 16; ++s) {
      for (int t = 0; t < 80; ++t) {
        const double noise = std::sin(37.0 * t * t + 5.0 * s);
        rows += prefix + std::to_string(s) + "," + std::to_string(t) + "," +
                std::to_string(s % 2 == 0 ? noise : t + 0.1 * noise) + "\n";
      }
    }
    return rows;
  };
  std::ofstream(path("widths.csv")) << table("known");
  std::ofstream(path("others.csv")) << table("new");
  output_of({"train",
             "--task",
             "table",
             "--data",
             path("widths.csv"),
             "--out",
             path("widths"),
             "--horizon",
             "4",
             "--window",
             "12",
             "--steps",
             "2",
             "--d-model",
             "8",
             "--nhead",
             "2",
             "--num-layers",
             "1",
             "--batch",
             "2",
             "--blend",
             "0.5",
             "--validation-windows",
             "4",
             "--threads",
             "1",
             "--json"});
  const auto forecast = [](const std::string& model, const std::string& data) {
    return lines_of(output_of({"forecast", "--model", path(model), "--data", path(data)}));
  };
  const auto deviation = [](const std::string& line) {  // s,t,column,mean,std,…
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 5; ++i) std::getline(fields, field, ',');
    return std::stod(field);
  };
  const std::vector<std::string> known = forecast("widths", "widths.csv"), others = forecast("widths", "others.csv");
  ASSERT_EQ(known.size(), 65U);
  ASSERT_EQ(others.size(), 65U);
  const nlohmann::json kept = nlohmann::json::parse(std::ifstream(path("widths") + "/bands.json"));
  ASSERT_EQ(kept["series_scales"].size(), 16U) << kept;
  const double noisy = deviation(known[1]) / deviation(others[1]), rising = deviation(known[5]) / deviation(others[5]);
  EXPECT_LT(noisy, 1);
  EXPECT_GT(rising, 1);
  EXPECT_EQ(kept["series_scales"][0][0], "y");
  EXPECT_EQ(kept["series_scales"][0][1], "known0");
  EXPECT_NEAR(kept["series_scales"][0][2].get<double>(), noisy, 1e-4);
  EXPECT_NE(output_of({"judge", path("widths"), "--rivals", "none"}).find("\ndeviations      of each series times"),
            std::string::npos);
  // The file alone says the same.
  output_of({"export", path("widths"), "-o", path("widths.cmanp")});
  EXPECT_EQ(forecast("widths.cmanp", "widths.csv"), known);
  EXPECT_EQ(forecast("widths.cmanp", "others.csv"), others);
  // What somebody wrote into the run's file is not believed: they are found anew.
  std::ofstream(path("widths") + "/bands.json")
      << R"({"step":2,"band_scales":[1,1,1],"series_scales":[["y","known0",-1]]})";
  EXPECT_EQ(forecast("widths", "widths.csv"), known);
}

// Noise with nothing in it to learn, and a rate that is far too high: whatever is learnt is wrong elsewhere.
TEST_F(TableProgram, KeepsTheWeightsThatAreBestOnValidation) {
  std::string rows = "t,y\n";
  for (int t = 0; t < 120; ++t) rows += std::to_string(t) + "," + std::to_string(std::sin(37.0 * t * t)) + "\n";
  std::ofstream(path("noise.csv")) << rows;
  const auto train = [](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> all{"train",
                                 "--task",
                                 "table",
                                 "--data",
                                 path("noise.csv"),
                                 "--x",
                                 "t",
                                 "--y",
                                 "y",
                                 "--out",
                                 path(out),
                                 "--horizon",
                                 "3",
                                 "--steps",
                                 "30",
                                 "--nhead",
                                 "2",
                                 "--d-model",
                                 "8",
                                 "--start",
                                 "none",
                                 "--num-layers",
                                 "1",
                                 "--batch",
                                 "2",
                                 "--lr",
                                 "0.05",
                                 "--ema",
                                 "0",
                                 "--warmup",
                                 "0",
                                 "--schedule",
                                 "constant",
                                 "--eval-every",
                                 "5",
                                 "--json",
                                 "--threads",
                                 "1"};
    all.insert(all.end(), more.begin(), more.end());
    const ProcessResult result = run(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  };
  const ProcessResult best = train("kept", {}), last = train("as-ever", {"--keep", "last"});
  const nlohmann::json told = nlohmann::json::parse(best.out), as_ever = nlohmann::json::parse(last.out);
  EXPECT_EQ(told["log_likelihood"], as_ever["log_likelihood"]);
  EXPECT_FALSE(as_ever.contains("kept_step"));
  ASSERT_LT(told["kept_step"], 30) << told;
  EXPECT_GT(told["kept_log_likelihood"], told["log_likelihood"]);
  const std::string step = std::to_string(told["kept_step"].get<int>());
  EXPECT_NE(best.err.find("kept step " + step + ", validation "), std::string::npos) << best.err;
  EXPECT_NE(best.err.find("; the last had "), std::string::npos) << best.err;
  EXPECT_NE(output_of({"judge", path("kept"), "--rivals", "none"}).find(step + " steps of 30, the best on the"),
            std::string::npos);
  const auto inspected = nlohmann::json::parse(output_of({"inspect", path("kept"), "--json"}));
  EXPECT_EQ(inspected["kept_step"], told["kept_step"]);
  EXPECT_NEAR(inspected["kept_log_likelihood"].get<double>(), told["kept_log_likelihood"].get<double>(), 1e-12);
  EXPECT_FALSE(nlohmann::json::parse(output_of({"inspect", path("as-ever"), "--json"})).contains("kept_step"));
  // The file is of the same weights.
  output_of({"export", path("kept"), "-o", path("kept.cmanp")});
  const auto forecast = [](const std::string& model) {
    return output_of({"forecast", "--model", path(model), "--data", path("noise.csv")});
  };
  EXPECT_EQ(forecast("kept.cmanp"), forecast("kept"));
  EXPECT_NE(forecast("kept"), forecast("as-ever"));
}

TEST_F(TableProgram, DeviationsAreWidenedAsBandsAre) {
  trained("cmanp");
  const auto forecast = [] {
    const ProcessResult result = run({"forecast", "--model", path("cmanp"), "--data", path("stations.csv"), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return std::pair{nlohmann::json::parse(lines_of(result.out).at(0)), result.err};
  };
  forecast();
  const std::string bands = path("cmanp") + "/bands.json";
  nlohmann::json widths = nlohmann::json::parse(std::ifstream(bands));
  const auto with = [&](const std::vector<double>& scales) {
    widths["band_scales"] = scales;
    std::ofstream(bands) << widths;
    return forecast();
  };
  const auto [narrow, nothing] = with({1, 1, 1});
  const auto [mixed, silent] = with({0.9, 1.5, 8});  // most is as far off as it says
  EXPECT_EQ(mixed["std"], narrow["std"]);
  EXPECT_EQ(silent.find("by heart"), std::string::npos) << silent;
  const auto [wide, warned] = with({4, 6, 8});
  EXPECT_EQ(nothing.find("by heart"), std::string::npos) << nothing;
  EXPECT_NE(warned.find("its errors are 4 times what it says"), std::string::npos) << warned;
  EXPECT_NE(warned.find("by heart; train it with fewer steps"), std::string::npos) << warned;
  for (std::size_t i = 0; i < 6; ++i) {
    const double mean = wide["mean"][i], std = wide["std"][i];
    EXPECT_NEAR(std, 4 * narrow["std"][i].get<double>(), 1e-4 * std);
    const auto times = [&](const char* band) {
      return (wide[band][i].get<double>() - mean) / (narrow[band][i].get<double>() - mean);
    };
    EXPECT_NEAR(times("high_90"), 6, 1e-2);
    EXPECT_NEAR(times("high_95"), 8, 1e-2);
  }
  EXPECT_NE(output_of({"judge", path("cmanp"), "--rivals", "none"}).find("; deviations 4 times"), std::string::npos);
  std::filesystem::remove(bands);  // is found anew
}

// Most of these series have nothing before validation and test; the others have two seasons and more.
TEST_F(TableProgram, ShortSeriesDoNotShortenWindows) {
  std::string rows = "s,t,y\n";
  for (const auto& [name, length] : {std::pair{"a", 120}, {"b", 60}, {"c", 10}, {"d", 2}, {"e", 1}}) {
    for (int t = 0; t < length; ++t) {
      rows +=
          std::string(name) + "," + std::to_string(t) + "," + std::to_string(t % 7 + 0.1 * std::sin(37.0 * t)) + "\n";
    }
  }
  std::ofstream(path("unequal.csv")) << rows;
  const ProcessResult result = run({"train",
                                    "--task",
                                    "table",
                                    "--data",
                                    path("unequal.csv"),
                                    "--out",
                                    path("unequal"),
                                    "--horizon",
                                    "7",
                                    "--season",
                                    "7",
                                    "--d-model",
                                    "8",
                                    "--nhead",
                                    "2",
                                    "--num-layers",
                                    "1",
                                    "--steps",
                                    "1",
                                    "--batch",
                                    "2",
                                    "--threads",
                                    "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(path("unequal") + "/settings.json"))["window"], 14);
  EXPECT_NE(result.err.find("left out: 3 series that are too short"), std::string::npos) << result.err;
}

TEST_F(TableProgram, SaysWhyThereIsNothingToEvaluateOn) {
  std::ofstream(path("three.csv")) << "s,t,y\na,0,1\na,1,2\na,2,4\nb,0,5\nb,1,7\nb,2,6\nc,0,3\nc,1,3\nc,2,9\n";
  expect_refused({"train", "--task", "table", "--data", path("three.csv"), "--horizon", "5", "--parts", "group",
                  "--out", path("three")},
                 {"nothing to evaluate on in the part validation", "3 series of 9 rows in all, of 3 the longest",
                  "2 rows to go by", "a smaller --horizon, 5 now"});
}

TEST_F(TableProgram, ForecastsOfARunNeedItsDataNoMore) {
  const std::string moved = path("moved.csv");
  trained("cmanp");
  std::filesystem::remove(path("cmanp") + "/bands.json");
  std::filesystem::rename(path("stations.csv"), moved);
  const ProcessResult result = run({"forecast", "--model", path("cmanp"), "--data", moved, "--horizon", "2"});
  std::filesystem::rename(moved, path("stations.csv"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("stations.csv"), std::string::npos) << result.err;
  EXPECT_EQ(lines_of(result.out).size(), 9U);
  EXPECT_FALSE(std::filesystem::exists(path("cmanp") + "/bands.json"));
  // With its data they are kept.
  output_of({"forecast", "--model", path("cmanp"), "--data", path("stations.csv"), "--horizon", "2"});
  EXPECT_TRUE(std::filesystem::exists(path("cmanp") + "/bands.json"));
}

}  // namespace
}  // namespace cmanp::testing
