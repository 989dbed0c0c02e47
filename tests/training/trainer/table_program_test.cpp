// Tables of one's own as users train on them, forecast them and judge by them.
#include <cmath>
#include <tuple>

#include "training/trainer/table_program.hpp"

namespace cmanp::testing {
namespace {

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
    return run(training("stations.csv", "parts-" + parts, "--steps 1 " + std::string(kTiny), {"--parts", parts}));
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
    return training("stations.csv", out,
                    "--horizon 6 --season 12 --steps 2 --batch 2 --num-layers 1 --threads 1 --json", more);
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
    output_of(
        training("low.csv", "known-" + model,
                 "--y wind --also pressure --also coast --horizon 6 --steps 2 --season 12 --json " + std::string(kTiny),
                 {"--model", model}));
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

TEST_F(TableProgram, RefusesColumnsThatCannotBeKnown) {
  std::ofstream(path("low.csv")) << with_pressure(990, 66);
  const auto train = [&](const std::string& also) { return training("low.csv", "no", "--y wind", {"--also", also}); };
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

TEST_F(TableProgram, SaysWhyThereIsNothingToEvaluateOn) {
  std::ofstream(path("three.csv")) << "s,t,y\na,0,1\na,1,2\na,2,4\nb,0,5\nb,1,7\nb,2,6\nc,0,3\nc,1,3\nc,2,9\n";
  expect_refused(training("three.csv", "three", "--horizon 5 --parts group"),
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
