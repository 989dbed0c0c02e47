// Several columns of a table that are forecast together.
#include <algorithm>
#include <cmath>

#include "training/trainer/table_program.hpp"

namespace cmanp::testing {
namespace {

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
    output_of(training("echo.csv", out,
                       "--group station --x hour --y wind --y echo --horizon 6 --window 24 --nhead 2 --d-model 16 "
                       "--num-layers 2 --start none --batch 8 --lr 4e-3 --ema 0.9 --threads 1 --steps " +
                           steps,
                       more));
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

}  // namespace
}  // namespace cmanp::testing
