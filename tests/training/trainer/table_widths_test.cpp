// What a run keeps beside its weights and how wide its answers are; windows of unequal series.
#include <cmath>
#include <utility>

#include "training/trainer/table_program.hpp"

namespace cmanp::testing {
namespace {

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
  output_of(
      training("widths.csv", "widths",
               "--horizon 4 --window 12 --steps 2 --blend 0.5 --validation-windows 4 --json " + std::string(kTiny)));
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
    const ProcessResult result =
        run(training("noise.csv", out,
                     "--x t --y y --horizon 3 --steps 30 --start none --lr 0.05 --ema 0 --warmup 0 --schedule constant "
                     "--eval-every 5 --json " +
                         std::string(kTiny),
                     more));
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
  const ProcessResult result =
      run(training("unequal.csv", "unequal", "--horizon 7 --season 7 --steps 1 " + std::string(kTiny)));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(path("unequal") + "/settings.json"))["window"], 14);
  EXPECT_NE(result.err.find("left out: 3 series that are too short"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cmanp::testing
