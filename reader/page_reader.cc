// Reads planned ranges as their pages are asked for, and hands out pages whose seal has been
// checked.
#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "dsi/format/block_memory_internal.h"
#include "dsi/format/error_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/reader/page_plan_internal.h"

namespace dsi::internal {
namespace {

// Memory of a range. Not a vector: it is filled by a read, and zeroing it first would cost a pass.
struct FreeBytes {
  size_t capacity = 0;
  void operator()(std::byte* bytes) const { FreeBlock(bytes, capacity); }
};
using Buffer = std::unique_ptr<std::byte[], FreeBytes>;

}  // namespace

struct PageReader::State {
  const OpenFile* file = nullptr;
  const StripePlan* plan = nullptr;
  std::vector<Buffer> ranges;        // Parallel to plan->ranges; empty: not in memory.
  std::vector<uint32_t> range_uses;  // Uses left of all pages of a range.
  std::vector<uint8_t> verified;  // Parallel to plan->pages: seal checked since the range was read.
  uint64_t bytes_read = 0;
  uint64_t reads = 0;
  uint64_t bytes_held = 0;

  void Release(uint32_t range) {
    Buffer& buffer = ranges[range];
    if (buffer == nullptr) return;
    bytes_held -= plan->ranges[range].size;
    const PlannedRange& r = plan->ranges[range];
    std::fill_n(verified.begin() + r.first_page, r.num_pages, uint8_t{0});
    buffer.reset();
  }

  Status ReadRange(uint32_t range) {
    const PlannedRange& r = plan->ranges[range];
    size_t capacity = 0;
    // Ranges of nearly the same size take turns in blocks; what is not written costs nothing.
    std::byte* const block = AllocateBlock(std::bit_ceil(r.size), &capacity);
    if (block == nullptr)
      return Error(StatusCode::kResourceExhausted, "no memory for a read of {} bytes", r.size);
    Buffer buffer(block, {capacity});
    DSI_RETURN_IF_ERROR(file->file().ReadAt(r.offset, {block, r.size}));
    ranges[range] = std::move(buffer);
    bytes_read += r.size;
    bytes_held += r.size;
    ++reads;
    return Status::Ok();
  }
};

PageReader::PageReader(const OpenFile* file) : state_(std::make_unique<State>()) {
  state_->file = file;
}

PageReader::~PageReader() = default;

void PageReader::Start(const StripePlan* plan) {
  State& s = *state_;
  // The plan before may be gone: nothing here may look at it.
  s.ranges.clear();
  s.bytes_held = 0;
  s.plan = plan;
  s.ranges.resize(plan->ranges.size());
  s.verified.assign(plan->pages.size(), 0);
  s.range_uses.assign(plan->ranges.size(), 0);
  for (const PlannedPage& page : plan->pages) s.range_uses[page.range] += page.num_uses;
}

Result<std::span<const std::byte>> PageReader::Page(uint32_t page) {
  State& s = *state_;
  const PlannedPage& p = s.plan->pages[page];
  if (s.ranges[p.range] == nullptr) DSI_RETURN_IF_ERROR(s.ReadRange(p.range));
  const std::span<const std::byte> bytes(
      s.ranges[p.range].get() + (p.record.offset - s.plan->ranges[p.range].offset),
      p.record.stored_size);
  if (s.verified[page] == 0) {
    const uint64_t seal = Seal(bytes, SealKind::kPage, p.record.offset, s.file->salt());
    if (seal != p.record.seal) {
      return Corrupt("stripe {}, page {} at {}..{}: seal {:016x}, expected {:016x} (F-010)",
                     s.plan->stripe, p.ordinal, p.record.offset, p.record.offset + bytes.size(),
                     seal, p.record.seal);
    }
    s.verified[page] = 1;
  }
  return bytes;
}

Result<std::span<const std::byte>> PageReader::Node(const PlannedStream& stream, uint32_t k) {
  DSI_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, Page(stream.first_planned_page + k));
  if (stream.record.form == StreamForm::kPacked) {
    // The plan checked that it lies inside (F-064).
    bytes = bytes.subspan(stream.record.offset_in_page, stream.record.size);
  }
  return bytes;
}

void PageReader::Done(const PlannedStream& stream, uint32_t k) {
  State& s = *state_;
  const uint32_t range = s.plan->pages[stream.first_planned_page + k].range;
  if (s.range_uses[range] != 0 && --s.range_uses[range] == 0) s.Release(range);
}

Status PageReader::Load(uint32_t first, uint32_t n) {
  for (uint32_t i = first; i < first + n; ++i) {
    DSI_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, Page(i));
    (void)bytes;
  }
  return Status::Ok();
}

uint64_t PageReader::bytes_read() const { return state_->bytes_read; }
uint64_t PageReader::reads() const { return state_->reads; }
uint64_t PageReader::bytes_held() const { return state_->bytes_held; }

}  // namespace dsi::internal
