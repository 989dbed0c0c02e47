// Exchange between processes; here they are threads, which Gloo does not know.
#include "training/distributed/group.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>

#include "free_port.hpp"
#include "support/error_message.hpp"

namespace cmanp::training {
namespace {

using testing::error_message;

constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(60);

World world(int rank, int size, std::uint16_t port) {
  World result;
  result.rank = rank;
  result.size = size;
  result.address = "127.0.0.1";
  result.port = port;
  return result;
}

// Runs `work` as each of `size` processes.
void as_each(int size, const std::function<void(const Group&)>& work) {
  const std::uint16_t port = testing::free_port();
  std::vector<std::future<void>> all;
  for (int rank = 0; rank < size; ++rank) {
    all.push_back(std::async(std::launch::async, [&, rank] { work(Group(world(rank, size, port), kPatience)); }));
  }
  for (auto& one : all) one.get();
}

TEST(Group, ExchangesTensorsWishesAndTexts) {
  as_each(3, [](const Group& group) {
    const auto rank = static_cast<float>(group.rank());
    torch::Tensor many = torch::arange(1000, torch::kFloat) + rank, one = torch::full({}, rank);
    group.add_up({many, one});
    EXPECT_TRUE(torch::equal(many, 3 * torch::arange(1000, torch::kFloat) + 3));
    EXPECT_EQ(one.item<float>(), 3);
    EXPECT_FALSE(group.any(false));
    EXPECT_TRUE(group.any(group.rank() == 2));
    torch::Tensor taken = torch::full({5}, rank + 1);
    group.take_from_first(taken);
    EXPECT_TRUE(torch::equal(taken, torch::ones({5})));
    EXPECT_EQ(group.take_from_first(group.first() ? "{\"steps\": 3}" : "other"), "{\"steps\": 3}");
    EXPECT_EQ(group.take_from_first(group.first() ? "" : "other"), "");
    group.part();
  });
}

TEST(Group, AloneEverythingStaysAsItIs) {
  const Group group;
  torch::Tensor values = torch::ones({3});
  group.add_up({values});
  group.take_from_first(values);
  EXPECT_TRUE(torch::equal(values, torch::ones({3})));
  EXPECT_TRUE(group.any(true));
  EXPECT_FALSE(group.any(false));
  EXPECT_EQ(group.take_from_first("text"), "text");
  group.part();
}

TEST(Group, NoticesThatAnotherIsGone) {
  as_each(2, [](const Group& group) {
    group.any(false);
    if (group.first()) return;
    EXPECT_THROW(
        {
          for (int i = 0; i < 100; ++i) group.any(false);
        },
        GroupError);
  });
}

TEST(Group, SaysWhyItCouldNotMeet) {
  const auto meet = [](int rank, std::uint16_t port) {
    return error_message([&] { Group(world(rank, 2, port), std::chrono::seconds(1)); });
  };
  const std::uint16_t port = testing::free_port();
  EXPECT_NE(meet(1, port).find(fmt::format("found nobody at MASTER_ADDR 127.0.0.1 and MASTER_PORT {}", port)),
            std::string::npos)
      << meet(1, port);
  EXPECT_NE(meet(0, port).find("cannot connect all of 2 processes within 1 s"), std::string::npos) << meet(0, port);
  const testing::TakenPort taken;
  EXPECT_NE(meet(0, taken.number()).find(fmt::format("cannot open MASTER_PORT {}", taken.number())), std::string::npos)
      << meet(0, taken.number());
}

}  // namespace
}  // namespace cmanp::training
