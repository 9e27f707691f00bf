#include "dsi/io/remote_listing_internal.h"

#include <cstddef>
#include <span>
#include <utility>

#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

// A page of S3 is 1,000 keys of 1 KiB, escaped; a folder of nginx all its files.
constexpr uint64_t kMostBytes = 64 << 20;

}  // namespace

Result<std::unique_ptr<RemoteListing>> RemoteListing::Make(const std::string& url,
                                                           const OpenOptions& options) {
  auto target = SchemeOf(url) == "s3" ? S3BucketTarget(url, options.remote, options.s3)
                                      : HttpTarget(url, options.remote);
  if (!target.ok()) return target.status();
  std::unique_ptr<RemoteListing> listing(new RemoteListing(*std::move(target)));
  listing->region_ = listing->target_.origin.region;
  DSI_ASSIGN_OR_RETURN(listing->transfers_, RangeTransfers::Make(&listing->target_));
  return listing;
}

Result<std::string> RemoteListing::Get(const std::string& url) {
  return Fetch({.url = EscapeUrl(url), .region = {}});
}

Result<std::string> RemoteListing::Query(const std::string& query) {
  target_.s3->query = "?" + query;
  auto answer = Fetch({.url = target_.s3->Url(region_), .region = region_});
  region_ = transfers_->place().region;  // The bucket may be elsewhere than was thought.
  return answer;
}

Result<std::string> RemoteListing::Fetch(RemotePlace place) {
  transfers_->GoTo(std::move(place));
  // Memory that is not written to costs nothing.
  const std::unique_ptr<std::byte[]> bytes(new std::byte[kMostBytes]);
  RangeFetch fetch{.size = kMostBytes, .parts = {{bytes.get(), kMostBytes}}, .is_whole = true};
  DSI_RETURN_IF_ERROR(transfers_->Run(nullptr, {&fetch, 1}));
  DSI_RETURN_IF_ERROR(fetch.status);
  return std::string(reinterpret_cast<const char*>(bytes.get()), fetch.range.end);
}

}  // namespace dsi::internal
