// Readers of a dataset: opened once, by whoever comes first; a forked child opens for itself.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dsi/dataset/files/reader_pool_internal.h"
#include "dsi/tests/dataset/model_dataset.h"
#include "dsi/tests/support/forked_child.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::internal {
namespace {

class ReaderPoolTest : public ::testing::Test {
 protected:
  ReaderPoolTest() {
    path_ = folder_.File("table.dsi");
    test::WriteBytes(path_, test::WriteTable(test::HistoryTable(4, 10), {}));
  }

  // Opening waits until it may.
  ReaderPool Pool() {
    return ReaderPool(4, [this](size_t) {
      ++num_opened_;
      is_opening_ = true;
      while (!may_open_) std::this_thread::yield();
      return Reader::Open(path_);
    });
  }

  test::TempFolder folder_;
  std::string path_;
  std::atomic<int> num_opened_ = 0;
  std::atomic<bool> is_opening_ = false;
  std::atomic<bool> may_open_ = false;
};

TEST_F(ReaderPoolTest, ManyThreadsOpenAFileOnce) {
  ReaderPool pool = Pool();
  std::vector<std::shared_ptr<const Reader>> readers(4);
  std::vector<std::thread> threads;
  for (auto& reader : readers) {
    threads.emplace_back([&] {
      auto acquired = pool.Acquire(0);
      if (acquired.ok()) reader = *std::move(acquired);
    });
  }
  while (!is_opening_) std::this_thread::yield();
  may_open_ = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(readers[0], nullptr);
  for (const auto& reader : readers) EXPECT_EQ(reader, readers[0]);
  EXPECT_EQ(num_opened_, 1);
}

TEST_F(ReaderPoolTest, AForkedChildOpensWhatAThreadThatIsNotThereWasOpening) {
  ReaderPool pool = Pool();
  std::thread opens([&] { EXPECT_TRUE(pool.Acquire(0).ok()); });
  while (!is_opening_) std::this_thread::yield();
  EXPECT_TRUE(test::InForkedChild([&] {
    may_open_ = true;
    const auto first = pool.Acquire(0);
    const auto second = pool.Acquire(0);
    return first.ok() && second.ok() && *first == *second;
  }));
  may_open_ = true;
  opens.join();
}

}  // namespace
}  // namespace dsi::internal
