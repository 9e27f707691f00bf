// Who asks S3: found when it is first needed, kept, renewed before it is over, and shared by all
// files that are opened with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dsi/base/status.h"
#include "dsi/io/aws/aws_keys_internal.h"
#include "dsi/io/aws/aws_profile_internal.h"
#include "dsi/io/remote_options.h"

namespace dsi {

// Thread safety: calls from many threads. A process that was forked goes on with what was found
// before, and renews by itself: no lock of its parent's is waited for.
class S3Credentials {
 public:
  // Nothing: nobody says who asks, and requests are not signed.
  using Find = std::function<Result<std::optional<internal::AwsKeys>>()>;
  // `profile_name`: see S3Options::profile.
  S3Credentials(Find find, std::string profile_name);
  ~S3Credentials();
  S3Credentials(const S3Credentials&) = delete;
  S3Credentials& operator=(const S3Credentials&) = delete;

  // Null: requests are not signed. Keys live as long as this. Those that end are renewed five
  // minutes before (or a quarter of their time): one thread asks, others go on with what they have
  // as long as it is good. Where renewing fails it is tried again later, and is an error once the
  // keys are over.
  Result<const internal::AwsKeys*> Get();

  // After a server said that these keys are over: others, found now or meanwhile by another thread.
  // kIo: there are none.
  Result<const internal::AwsKeys*> Renew(const internal::AwsKeys* refused);

  // What regions and endpoints are read from; found once.
  Result<const internal::AwsProfile*> Profile();

 private:
  struct Found;
  struct Asking;

  Asking* AskingOfThisProcess();
  Result<const internal::AwsKeys*> Ask(const Found* found, bool must);
  const internal::AwsKeys* Keep(std::optional<internal::AwsKeys> keys);

  const Find find_;
  const std::string profile_name_;
  // The newest; those before it are kept, for requests may be signed with them: some 2 KB an hour.
  std::atomic<const Found*> found_{nullptr};
  std::atomic<Asking*> asking_{nullptr};
  std::atomic<int64_t> not_before_ns_{0};  // Of the next asking while keys are good.
  std::atomic<const internal::AwsProfile*> profile_{nullptr};
};

namespace internal {

std::shared_ptr<S3Credentials> MakeS3Credentials(const S3Options& options,
                                                 const std::string& ca_file);

// " (keys of …)", or that there are none: what helps who was refused.
std::string WhoAsked(const AwsKeys* keys);

// Whether an answer of S3 says that the keys are over: the first words of its error.
bool IsAboutExpiry(std::string_view error);

}  // namespace internal
}  // namespace dsi
