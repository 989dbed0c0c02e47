#include "runs/settings_file.hpp"

#include <gtest/gtest.h>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::runs {
namespace {

using testing::error_message;

TEST(SettingsFile, IsHostile) {
  const testing::TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    return error_message([&] { read_settings_file(folder.write("s.json", text)); });
  };
  EXPECT_NE(message("{\"lr\": }").find("s.json"), std::string::npos);
  EXPECT_NE(message("{\"lr\": }").find("byte 8"), std::string::npos) << message("{\"lr\": }");
  EXPECT_NE(message("{\"lr\": 1, \"lr\": 2}").find("'lr' stands there twice"), std::string::npos);
  EXPECT_NE(message("[]").find("JSON object"), std::string::npos);
  EXPECT_NE(message("").find("s.json"), std::string::npos);
  EXPECT_NE(error_message([&] { read_settings_file(folder / "none.json"); }).find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::runs
