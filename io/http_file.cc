// A remote file: its ends are read when it is opened and kept, everything else is asked for with as
// many requests at once as there may be connections. Whoever reads drives the requests itself: no
// thread stands behind a file.
#include "dsi/io/http_file_internal.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/idle_pool_internal.h"
#include "dsi/io/range_pieces_internal.h"
#include "dsi/io/range_transfers_internal.h"
#include "dsi/io/read_ahead_internal.h"

namespace dsi::internal {
namespace {

// What is asked for to open a file: its header, and what reader/open takes for the trailer and the
// core footer where waiting is dear.
constexpr size_t kHeadBytes = 4 << 10;
constexpr size_t kTailBytes = 256 << 10;
// Long ranges are cut for all connections to have a share, unless it comes in less than this part
// of the latency.
constexpr uint64_t kShareOfLatency = 16;

class HttpFile final : public RandomAccessFile {
 public:
  explicit HttpFile(RemoteTarget target) : target_(std::move(target)) {}

  Status Open();

  uint64_t size() const override { return identity_.size; }
  const std::string& name() const override { return target_.name; }
  SourceCosts costs() const override { return *target_.options.costs; }
  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    const ReadRequest request{offset, dst};
    return ReadMany({&request, 1});
  }
  Status ReadMany(std::span<const ReadRequest> requests) const override {
    return NoThrow([&] { return Read(requests); });
  }

 private:
  Status Read(std::span<const ReadRequest> requests) const;
  Status ReadSmall(const ReadRequest& request) const;
  Status Fetch(std::span<const ReadRequest> requests) const;
  Status TakeEnds(RangeTransfers* transfers, RangeFetch* head, RangeFetch* tail);
  bool TakeKept(const ReadRequest& request) const;

  RemoteTarget target_;
  RemoteIdentity identity_;
  std::vector<std::byte> head_;
  std::vector<std::byte> tail_;
  mutable IdlePool<RangeTransfers> pool_;
  mutable ReadAhead ahead_;
};

// Both ends at once, over a connection each. Sizes and versions of the two must agree.
Status HttpFile::Open() {
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<RangeTransfers> transfers, RangeTransfers::Make(&target_));
  head_.resize(kHeadBytes);
  tail_.resize(kTailBytes);
  std::array<RangeFetch, 2> ends{RangeFetch{.size = kTailBytes, .parts = {tail_}, .from_end = true},
                                 RangeFetch{.size = kHeadBytes, .parts = {head_}}};
  std::vector<RangeFetch> fetches(ends.begin(), ends.end());
  std::byte first{};  // Of each the same.
  const uint32_t num_connections =
      std::min(target_.options.first_connections, target_.options.connections);
  while (fetches.size() < num_connections) {
    fetches.push_back({.size = 1, .parts = {{&first, 1}}, .is_optional = true});
  }
  DSI_RETURN_IF_ERROR(transfers->Run(nullptr, fetches));
  DSI_RETURN_IF_ERROR(TakeEnds(transfers.get(), &fetches[1], &fetches[0]));
  target_.place = transfers->place();
  pool_.Give(std::move(transfers));
  return Status::Ok();
}

Status HttpFile::TakeEnds(RangeTransfers* transfers, RangeFetch* head, RangeFetch* tail) {
  // Some servers know ranges, and not those from the end.
  if (!tail->status.ok() && head->status.ok() && tail->ignores_ranges) {
    const uint64_t size = head->range.total.value_or(0);
    const uint64_t tail_size = std::min<uint64_t>(size, kTailBytes);
    *tail = {.offset = size - tail_size, .size = tail_size, .parts = {tail_}};
    DSI_RETURN_IF_ERROR(transfers->Run(nullptr, {tail, 1}));
  }
  DSI_RETURN_IF_ERROR(tail->status);
  identity_ = {.size = tail->range.total.value_or(0),
               .etag = tail->answer.etag,
               .last_modified = tail->answer.last_modified};
  tail_.resize(tail->range.end - tail->range.begin);
  if (tail_.size() == identity_.size) {
    head_.clear();
    return Status::Ok();
  }
  DSI_RETURN_IF_ERROR(head->status);
  const std::string difference = DifferenceTo(identity_, head->answer);
  if (!difference.empty()) return Error(StatusCode::kIo, "{}: {}", name(), difference);
  head_.resize(head->range.end - head->range.begin);
  return Status::Ok();
}

bool HttpFile::TakeKept(const ReadRequest& request) const {
  const uint64_t tail_begin = identity_.size - tail_.size();
  const bool in_tail = request.offset >= tail_begin;
  if (!in_tail && request.offset + request.dst.size() > head_.size()) return false;
  const std::byte* const from =
      in_tail ? tail_.data() + (request.offset - tail_begin) : head_.data() + request.offset;
  if (!request.dst.empty()) std::memcpy(request.dst.data(), from, request.dst.size());
  return true;
}

Status HttpFile::Read(std::span<const ReadRequest> requests) const {
  std::vector<ReadRequest> rest;
  for (const ReadRequest& request : requests) {
    if (request.offset > size() || request.dst.size() > size() - request.offset) {
      return Error(StatusCode::kTruncated, "{}: {} bytes wanted at offset {}, and the file has {}",
                   name(), request.dst.size(), request.offset, size());
    }
    if (!TakeKept(request)) rest.push_back(request);
  }
  if (rest.size() == 1 && rest[0].dst.size() < ReadAhead::kSmall) return ReadSmall(rest[0]);
  return Fetch(rest);
}

// One small read: of a row of them more is read along.
Status HttpFile::ReadSmall(const ReadRequest& request) const {
  if (ahead_.Take(request.offset, request.dst)) return Status::Ok();
  const uint64_t tail_begin = size() - tail_.size();
  const uint64_t most =
      std::max(tail_begin - std::min(tail_begin, request.offset), uint64_t{request.dst.size()});
  const uint64_t wanted = std::min(ahead_.SizeFor(request.offset, request.dst.size()), most);
  if (wanted == request.dst.size()) return Fetch({&request, 1});
  std::vector<std::byte> bytes(wanted);
  const ReadRequest longer{request.offset, bytes};
  DSI_RETURN_IF_ERROR(Fetch({&longer, 1}));
  std::copy_n(bytes.begin(), request.dst.size(), request.dst.begin());
  ahead_.Keep(request.offset, std::move(bytes));
  return Status::Ok();
}

Status HttpFile::Fetch(std::span<const ReadRequest> requests) const {
  const uint64_t least = std::max<uint64_t>(1, BytesOfLatency(costs()) / kShareOfLatency);
  std::vector<RangeFetch> fetches;
  for (RangePiece& piece : MakePieces(requests, target_.options.connections, least)) {
    fetches.push_back(
        {.offset = piece.offset, .size = piece.size, .parts = std::move(piece.parts)});
  }
  if (fetches.empty()) return Status::Ok();
  std::unique_ptr<RangeTransfers> transfers = pool_.Take();
  if (transfers == nullptr) {
    DSI_ASSIGN_OR_RETURN(transfers, RangeTransfers::Make(&target_));
  }
  const Status status = transfers->Run(&identity_, fetches);
  pool_.Give(std::move(transfers));
  return status;
}

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> OpenHttpFile(RemoteTarget target) {
  auto file = std::make_unique<HttpFile>(std::move(target));
  DSI_RETURN_IF_ERROR(file->Open());
  return std::unique_ptr<RandomAccessFile>(std::move(file));
}

}  // namespace dsi::internal
