// What the environment says about a process, and what it may not say.
#include "training/distributed/world.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/error_message.hpp"
#include "training/distributed/local_address.hpp"

namespace cmanp::training {
namespace {

using Variables = std::map<std::string, std::string>;

World world(const Variables& variables) {
  return read_world([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

const Variables kSecondOfThree{
    {"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "10.0.0.7"}, {"MASTER_PORT", "29500"}};

Variables with(const std::string& name, const std::string& value) {
  Variables variables = kSecondOfThree;
  variables[name] = value;
  return variables;
}

TEST(World, IsReadAsTorchrunWritesIt) {
  const World alone = world({});
  EXPECT_EQ(alone.rank, 0);
  EXPECT_EQ(alone.size, 1);
  const World one = world({{"RANK", "0"}, {"WORLD_SIZE", "1"}});  // needs no meeting point
  EXPECT_EQ(one.size, 1);
  const World second = world(kSecondOfThree);
  EXPECT_EQ(second.rank, 1);
  EXPECT_EQ(second.size, 3);
  EXPECT_EQ(second.address, "10.0.0.7");
  EXPECT_EQ(second.port, 29500);
  EXPECT_EQ(second.on_this_machine, 1);
  EXPECT_FALSE(second.kept_by_launcher);
  EXPECT_EQ(world(with("LOCAL_WORLD_SIZE", "2")).on_this_machine, 2);
  EXPECT_TRUE(world(with("TORCHELASTIC_USE_AGENT_STORE", "True")).kept_by_launcher);
}

TEST(World, SaysWhatIsMissingOrWrong) {
  const auto expect = [](const Variables& variables, const std::string& part) {
    const std::string message = testing::error_message([&] { world(variables); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect({{"RANK", "0"}}, "RANK is set, WORLD_SIZE is not");
  expect({{"WORLD_SIZE", "2"}}, "WORLD_SIZE is set, RANK is not");
  expect({{"RANK", "0"}, {"WORLD_SIZE", "2"}}, "MASTER_ADDR is not");
  expect({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}, "MASTER_PORT is not");
  expect(with("RANK", "3"), "RANK 3 is not below WORLD_SIZE 3");
  for (const std::string bad : {"-1", "one", "1x", " 1", "99999999999999999999"})
    expect(with("RANK", bad), "RANK must");
  for (const std::string bad : {"0", "-2", "1e3"}) expect(with("WORLD_SIZE", bad), "WORLD_SIZE must");
  for (const std::string bad : {"0", "65536", "http"}) expect(with("MASTER_PORT", bad), "MASTER_PORT must");
  expect(with("LOCAL_WORLD_SIZE", "4"), "LOCAL_WORLD_SIZE must");
}

TEST(World, KnowsByWhichAddressOthersSeeThisMachine) {
  EXPECT_EQ(address_towards("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(address_towards("no such host"), "");
}

}  // namespace
}  // namespace cmanp::training
