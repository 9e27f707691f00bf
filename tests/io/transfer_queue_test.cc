// Transfers that run together, those that wait, and how long nobody does anything.
#include "dsi/io/transfer_queue_internal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "dsi/io/curl_handles_internal.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi::internal {
namespace {

struct Work {
  int number = 0;
  double not_before = 0;
};

struct Slot {
  Slot() : handle(::curl_easy_init()) {}
  CurlEasy handle;
  Work work;
  bool is_active = false;
  CURL* easy() const { return handle.get(); }
};

size_t Discard(char*, size_t size, size_t count, void*) { return size * count; }

class TransferQueueTest : public ::testing::Test {
 protected:
  TransferQueueTest() : queue_(CurlMulti(StartCurl() ? ::curl_multi_init() : nullptr)) {
    std::ofstream(folder_.File("there")) << "some bytes";
  }

  // Those of odd numbers ask for what is not there.
  Status Start(const Work& work) {
    started_.push_back(work.number);
    if (work.number == refused_) return {StatusCode::kIo, "refused"};
    Slot* const slot = queue_.FreeSlot();
    const std::string url = "file://" + folder_.File(work.number % 2 == 0 ? "there" : "missing");
    (void)::curl_easy_setopt(slot->easy(), CURLOPT_URL, url.c_str());
    (void)::curl_easy_setopt(slot->easy(), CURLOPT_WRITEFUNCTION, Discard);
    DSI_RETURN_IF_ERROR(queue_.Add(slot, "test"));
    slot->work = work;
    return Status::Ok();
  }
  Status StartDue(size_t limit) {
    return queue_.StartDue(limit, [&](const Work& work) { return Start(work); });
  }
  // Until all is done, or an error.
  Status Run(size_t limit) {
    while (true) {
      DSI_RETURN_IF_ERROR(StartDue(limit));
      if (queue_.is_empty()) return Status::Ok();
      DSI_RETURN_IF_ERROR(queue_.Step(
          "test", 10,
          [&](Slot* slot, CURLcode code) {
            EXPECT_FALSE(slot->is_active);
            finished_.emplace_back(slot->work.number, code);
            return slot->work.number == fails_ ? Status(StatusCode::kIo, "failed") : Status::Ok();
          },
          [&] { return queue_.NextDue(limit); }));
    }
  }
  size_t CountAll() const {
    return queue_.Count([](const Work&) { return true; });
  }
  size_t CountActive() const {
    return queue_.CountActive([](const Work&) { return true; });
  }

  test::TempFolder folder_;
  TransferQueue<Slot> queue_;
  int refused_ = -1, fails_ = -1;
  std::vector<int> started_;
  std::vector<std::pair<int, CURLcode>> finished_;
};

TEST_F(TransferQueueTest, EachIsToldHowItEnded) {
  for (int i = 0; i < 5; ++i) queue_.PushBack({.number = i});
  ASSERT_TRUE(Run(2).ok());
  ASSERT_EQ(finished_.size(), 5U);
  std::sort(finished_.begin(), finished_.end());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(finished_[static_cast<size_t>(i)].first, i);
    EXPECT_EQ(finished_[static_cast<size_t>(i)].second,
              i % 2 == 0 ? CURLE_OK : CURLE_FILE_COULDNT_READ_FILE);
  }
  EXPECT_EQ(started_, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(TransferQueueTest, NoMoreThanTheLimitAreOnTheirWay) {
  for (int i = 1; i < 5; ++i) queue_.PushBack({.number = i});
  queue_.PushFront({.number = 0});
  ASSERT_TRUE(StartDue(2).ok());
  EXPECT_EQ(started_, (std::vector<int>{0, 1}));
  EXPECT_EQ(CountActive(), 2U);
  EXPECT_EQ(CountAll(), 5U);
  EXPECT_EQ(queue_.Count([](const Work& work) { return work.number > 0 && work.number < 3; }), 2U);
  EXPECT_EQ(queue_.NextDue(2), std::numeric_limits<double>::infinity());
  EXPECT_EQ(queue_.NextDue(3), 0);
  ASSERT_TRUE(StartDue(3).ok());
  EXPECT_EQ(CountActive(), 3U);
  queue_.Clear();
  EXPECT_TRUE(queue_.is_empty());
  EXPECT_EQ(CountAll(), 0U);
  // What was given up does not come to an end later.
  queue_.PushBack({.number = 6});
  ASSERT_TRUE(Run(2).ok());
  ASSERT_EQ(finished_.size(), 1U);
  EXPECT_EQ(finished_[0].first, 6);
}

TEST_F(TransferQueueTest, OneWhoseTimeHasNotComeLetsOthersPass) {
  const double due = SteadySeconds() + 0.2;
  queue_.PushBack({.number = 2, .not_before = due});
  queue_.PushBack({.number = 4});
  ASSERT_TRUE(StartDue(4).ok());
  EXPECT_EQ(started_, std::vector<int>{4});
  EXPECT_EQ(queue_.NextDue(4), due);
  EXPECT_FALSE(queue_.is_empty());
  // It is slept for, and not for longer.
  ASSERT_TRUE(Run(4).ok());
  EXPECT_EQ(started_, (std::vector<int>{4, 2}));
  EXPECT_GE(SteadySeconds(), due);
  EXPECT_LT(SteadySeconds(), due + 5);
}

TEST_F(TransferQueueTest, AStepEndsWithItsLongestSleep) {
  queue_.PushBack({.number = 0, .not_before = SteadySeconds() + 1000});
  const double start = SteadySeconds();
  const auto finish = [](Slot*, CURLcode) { return Status::Ok(); };
  EXPECT_TRUE(queue_.Step("test", 0.05, finish, [&] { return queue_.NextDue(1); }).ok());
  EXPECT_GE(SteadySeconds(), start + 0.05);
  EXPECT_LT(SteadySeconds(), start + 5);
}

TEST_F(TransferQueueTest, ErrorsEndIt) {
  for (int i = 0; i < 4; ++i) queue_.PushBack({.number = i});
  refused_ = 1;
  EXPECT_EQ(StartDue(4).message(), "refused");
  EXPECT_EQ(started_, (std::vector<int>{0, 1}));
  EXPECT_EQ(CountAll(), 3U);  // The one that was refused is gone.
  fails_ = 2;
  EXPECT_EQ(Run(4).message(), "failed");
  EXPECT_EQ(finished_.back().first, 2);
}

TEST_F(TransferQueueTest, ASlotIsUsedAgain) {
  Slot* const first = queue_.FreeSlot();
  EXPECT_EQ(queue_.FreeSlot(), first);
  ASSERT_TRUE(Start({.number = 0}).ok());
  EXPECT_TRUE(first->is_active);
  EXPECT_NE(queue_.FreeSlot(), first);
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(queue_.FreeSlot(), first);
}

}  // namespace
}  // namespace dsi::internal
