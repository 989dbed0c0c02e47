// Tables without an order: rows that are learnt from, and others that are asked about.
#include <cmath>

#include "training/trainer/table_program.hpp"

namespace cmanp::testing {
namespace {

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
    return training(
        "places.csv", out,
        "--x lat --x lon --x soil --window 48 --nhead 2 --d-model 16 --num-layers 2 --num-latents 8 --batch 8 "
        "--lr 4e-3 --ema 0.9 --threads 1",
        more);
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

}  // namespace
}  // namespace cmanp::testing
