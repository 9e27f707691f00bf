// Keys that are over, renewed by one thread for all.
#include "dsi/io/aws/s3_credentials_internal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace dsi::internal {
namespace {

using std::chrono::milliseconds;

AwsKeys KeysFor(int number, milliseconds time) {
  return {.access_key_id = "key" + std::to_string(number),
          .secret_access_key = "secret",
          .expires = std::chrono::system_clock::now() + time,
          .source = "the test"};
}

// Keys number 1, 2, … each good for the time that is said of it.
class Source {
 public:
  explicit Source(std::vector<milliseconds> times) : times_(std::move(times)) {}

  S3Credentials::Find find() {
    return [this]() -> Result<std::optional<AwsKeys>> {
      std::this_thread::sleep_for(milliseconds(20));
      const size_t i = asked++;
      if (fails) return Status(StatusCode::kIo, "down");
      return std::optional<AwsKeys>(
          KeysFor(static_cast<int>(i) + 1, times_[std::min(i, times_.size() - 1)]));
    };
  }

  std::atomic<size_t> asked{0};
  std::atomic<bool> fails{false};

 private:
  std::vector<milliseconds> times_;
};

std::string IdOf(const Result<const AwsKeys*>& keys) {
  return keys.ok() ? (*keys)->access_key_id : keys.status().ToString();
}

void Sleep(milliseconds time) { std::this_thread::sleep_for(time); }

TEST(S3CredentialsTest, KeysAreAskedForOnceAndRenewedInTime) {
  Source source({milliseconds(800), std::chrono::hours(1)});
  S3Credentials credentials(source.find(), "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(IdOf(credentials.Get()), "key1");
  EXPECT_EQ(source.asked, 1u);
  Sleep(milliseconds(650));  // Three quarters of their time are over.
  EXPECT_EQ(IdOf(credentials.Get()), "key2");
  EXPECT_EQ(IdOf(credentials.Get()), "key2");
  EXPECT_EQ(source.asked, 2u);
}

TEST(S3CredentialsTest, ManyThreadsAskOnce) {
  Source source({milliseconds(150), milliseconds(150), std::chrono::hours(1)});
  S3Credentials credentials(source.find(), "");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  std::atomic<bool> may_start{false};
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&] {
      while (!may_start) std::this_thread::yield();
      while (true) {
        const auto keys = credentials.Get();
        if (!keys.ok() || (*keys)->source != "the test") ++wrong;
        if (IdOf(keys) != "key1" && IdOf(keys) != "key2") return;
      }
    });
  }
  may_start = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(source.asked, 3u);
}

TEST(S3CredentialsTest, OldKeysAreUsedWhileRenewingFails) {
  Source source({milliseconds(2000)});
  S3Credentials credentials(source.find(), "");
  const auto first = credentials.Get();
  ASSERT_EQ(IdOf(first), "key1");
  const auto end = *(*first)->expires;
  source.fails = true;
  std::this_thread::sleep_until(end - milliseconds(200));
  const auto second = credentials.Get();
  const auto third = credentials.Get();
  if (std::chrono::system_clock::now() < end) {
    EXPECT_EQ(IdOf(second), "key1");
    EXPECT_EQ(IdOf(third), "key1");
    EXPECT_EQ(source.asked, 2u);  // Not again at once.
  }
  std::this_thread::sleep_until(end - milliseconds(45));
  (void)credentials.Get();
  std::this_thread::sleep_until(end + milliseconds(10));
  // However shortly before they were asked for.
  EXPECT_EQ(IdOf(credentials.Get()), "i/o error: down");
  // Those who waited for it share it.
  const size_t asked = source.asked;
  EXPECT_EQ(IdOf(credentials.Get()), "i/o error: down");
  EXPECT_EQ(source.asked, asked);
}

TEST(S3CredentialsTest, KeysThatAServerRefuses) {
  int asked = 0;
  S3Credentials credentials(
      [&]() -> Result<std::optional<AwsKeys>> {
        AwsKeys keys = KeysFor(std::min(++asked, 2), std::chrono::hours(1));
        return std::optional<AwsKeys>(std::move(keys));
      },
      "");
  const auto first = credentials.Get();
  EXPECT_EQ(IdOf(first), "key1");
  const auto second = credentials.Renew(*first);
  EXPECT_EQ(IdOf(second), "key2");
  EXPECT_EQ((*first)->access_key_id, "key1");  // Requests may still be signed with them.
  EXPECT_EQ(IdOf(credentials.Renew(*first)), "key2");
  EXPECT_EQ(asked, 2);
  // Of many requests that are refused together one asks.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(IdOf(credentials.Renew(*second)),
              "i/o error: asked again, the test gave the same keys");
  }
  EXPECT_EQ(asked, 3);
}

TEST(S3CredentialsTest, NobodyAsks) {
  int asked = 0;
  S3Credentials credentials(
      [&]() -> Result<std::optional<AwsKeys>> {
        ++asked;
        return std::optional<AwsKeys>();
      },
      "");
  EXPECT_EQ(*credentials.Get(), nullptr);
  EXPECT_EQ(*credentials.Get(), nullptr);
  EXPECT_EQ(asked, 1);
}

// While a thread of the parent asks, and holds the lock, a child must not wait for it.
TEST(S3CredentialsTest, AForkedProcessRenewsByItself) {
  std::atomic<bool> is_asking{false};
  std::atomic<bool> may_go_on{false};
  const pid_t parent = ::getpid();
  S3Credentials credentials(
      [&]() -> Result<std::optional<AwsKeys>> {
        if (::getpid() != parent) return std::optional<AwsKeys>(KeysFor(7, std::chrono::hours(1)));
        is_asking = true;
        while (!may_go_on) std::this_thread::yield();
        return std::optional<AwsKeys>(KeysFor(1, std::chrono::hours(1)));
      },
      "");
  std::thread asking([&] { EXPECT_EQ(IdOf(credentials.Get()), "key1"); });
  while (!is_asking) std::this_thread::yield();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(IdOf(credentials.Get()) == "key7" ? 0 : 1);
  int status = -1;
  for (int i = 0; i < 500 && ::waitpid(child, &status, WNOHANG) == 0; ++i) Sleep(milliseconds(10));
  if (status == -1) ::kill(child, SIGKILL);
  EXPECT_EQ(status, 0) << "the child waited for its parent's lock, or did not renew";
  may_go_on = true;
  asking.join();
}

}  // namespace
}  // namespace dsi::internal
