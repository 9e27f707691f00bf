// Keys that were found are published by one store and never changed, so that reading them takes no
// lock. The lock of those who ask belongs to one process: one that is forked while another thread
// holds it makes its own, and leaves its parent's as it is.
#include "dsi/io/aws/s3_credentials_internal.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi {

using internal::AwsKeys;
using internal::AwsProfile;

namespace {

using Clock = std::chrono::system_clock;

constexpr auto kRenewBefore = std::chrono::minutes(5);
// Of keys that were over when they came.
constexpr auto kWaitOfOld = std::chrono::seconds(1);
// Who waited for somebody else's asking takes its failure, rather than asking the same again.
constexpr auto kFailureIsFresh = std::chrono::seconds(1);

int64_t Nanoseconds(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

// How long before their end keys of so much time are renewed.
Clock::duration MarginOf(Clock::duration left) {
  return std::clamp<Clock::duration>(left / 4, Clock::duration(0), kRenewBefore);
}

// How long they are not asked for again, whatever came of it.
Clock::duration WaitOf(Clock::duration margin) {
  return margin > Clock::duration(0) ? margin / 4 : kWaitOfOld;
}

}  // namespace

struct S3Credentials::Found {
  std::optional<AwsKeys> keys;
  Clock::duration margin;
  std::unique_ptr<const Found> before;

  const AwsKeys* get() const { return keys ? &*keys : nullptr; }
};

struct S3Credentials::Asking {
  const pid_t process = ::getpid();
  std::mutex mutex;
  Status failure;
  std::chrono::steady_clock::time_point failed_at;

  bool HasFailedJustNow() const {
    return !failure.ok() && std::chrono::steady_clock::now() - failed_at < kFailureIsFresh;
  }
  void Fail(Status status) {
    failure = std::move(status);
    failed_at = std::chrono::steady_clock::now();
  }
};

S3Credentials::S3Credentials(Find find, std::string profile_name)
    : find_(std::move(find)), profile_name_(std::move(profile_name)) {}

S3Credentials::~S3Credentials() {
  delete found_.load();
  delete profile_.load();
  Asking* const asking = asking_.load();
  if (asking != nullptr && asking->process == ::getpid()) delete asking;
}

Result<const AwsProfile*> S3Credentials::Profile() {
  if (const AwsProfile* const known = profile_.load(std::memory_order_acquire)) return known;
  DSI_ASSIGN_OR_RETURN(AwsProfile loaded, AwsProfile::Load(profile_name_));
  auto mine = std::make_unique<const AwsProfile>(std::move(loaded));
  const AwsProfile* known = nullptr;
  if (profile_.compare_exchange_strong(known, mine.get())) return mine.release();
  return known;
}

S3Credentials::Asking* S3Credentials::AskingOfThisProcess() {
  Asking* asking = asking_.load();
  const pid_t process = ::getpid();
  while (asking == nullptr || asking->process != process) {
    auto mine = std::make_unique<Asking>();
    if (asking_.compare_exchange_strong(asking, mine.get())) return mine.release();
  }
  return asking;
}

Result<const AwsKeys*> S3Credentials::Get() {
  const Found* const found = found_.load(std::memory_order_acquire);
  if (found == nullptr) return Ask(nullptr, true);
  const AwsKeys* const keys = found->get();
  if (keys == nullptr || !keys->expires) return keys;
  const Clock::time_point now = Clock::now();
  if (now < *keys->expires - found->margin) return keys;
  const bool is_over = now >= *keys->expires;
  const bool was_over = found->margin == Clock::duration(0);
  if ((!is_over || was_over) && Nanoseconds(now) < not_before_ns_.load()) return keys;
  return Ask(found, is_over);
}

// `must`: what was found is no good any more.
Result<const AwsKeys*> S3Credentials::Ask(const Found* found, bool must) {
  Asking* const asking = AskingOfThisProcess();
  std::unique_lock lock(asking->mutex, std::defer_lock);
  if (must) {
    lock.lock();
  } else if (!lock.try_lock()) {
    return found->get();
  }
  const Found* const newest = found_.load(std::memory_order_acquire);
  if (newest != found) return newest->get();
  if (must && asking->HasFailedJustNow()) return asking->failure;
  auto keys = find_();
  if (keys.ok()) return Keep(*std::move(keys));
  if (found != nullptr) not_before_ns_ = Nanoseconds(Clock::now() + WaitOf(found->margin));
  asking->Fail(keys.status());
  if (must) return keys.status();
  return found->get();
}

// Under the lock. What was found may be what was there, or be over already: a source that has
// nothing better is asked again after a while, and a machine's keys that are over may still be
// taken by S3.
const AwsKeys* S3Credentials::Keep(std::optional<AwsKeys> keys) {
  const Clock::time_point now = Clock::now();
  const bool ends = keys && keys->expires;
  const Clock::duration margin = ends ? MarginOf(*keys->expires - now) : Clock::duration(0);
  auto found =
      std::make_unique<Found>(Found{.keys = std::move(keys), .margin = margin, .before = {}});
  not_before_ns_ = Nanoseconds(now + WaitOf(margin));
  found->before.reset(found_.load());
  const AwsKeys* const kept = found->get();
  found_.store(found.release(), std::memory_order_release);
  return kept;
}

Result<const AwsKeys*> S3Credentials::Renew(const AwsKeys* refused) {
  Asking* const asking = AskingOfThisProcess();
  const std::unique_lock lock(asking->mutex);
  const Found* const newest = found_.load(std::memory_order_acquire);
  if (newest != nullptr && newest->get() != refused) return newest->get();
  if (asking->HasFailedJustNow()) return asking->failure;
  auto keys = find_();
  if (keys.ok() && *keys && !(*keys)->IsSame(*refused)) return Keep(*std::move(keys));
  asking->Fail(keys.ok() ? internal::Error(StatusCode::kIo, "asked again, {} gave the same keys",
                                           refused->source)
                         : keys.status());
  return asking->failure;
}

}  // namespace dsi
