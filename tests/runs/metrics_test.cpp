#include "runs/metrics.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace cmanp::runs {
namespace {

using testing::TemporaryFolder;

TEST(Metrics, AResumedRunWritesLaterLinesAnew) {
  const TemporaryFolder folder;
  const auto file = folder.write("m.jsonl", "{\"step\":1}\n{\"step\":2}\nnonsense\n{\"step\":3}\n{\"step\":4,\"lo");
  MetricsFile metrics(file, 2);
  metrics.append({{"step", 3}, {"loss", 0.5}});
  EXPECT_EQ(testing::read_file(file), "{\"step\":1}\n{\"step\":2}\n{\"step\":3,\"loss\":0.5}\n");
}

}  // namespace
}  // namespace cmanp::runs
