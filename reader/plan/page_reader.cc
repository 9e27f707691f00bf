// Reads planned ranges as their pages are asked for, and hands out pages whose seal has been
// checked.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/reader/open/range_memory_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"

namespace dsi::internal {

#ifdef DSI_BENCH_WITHOUT_SEALS
// By the environment, so that bench/seals compares one program with itself: another would lie in
// memory in another way, which costs more time than seals do.
const bool kChecksSeals = std::getenv("DSI_BENCH_NO_SEALS") == nullptr;
#else
constexpr bool kChecksSeals = true;
#endif

struct PageReader::State {
  State(const OpenFile* the_file, MemoryBudget* the_budget)
      : file(the_file), budget(the_budget), scratch(the_budget) {}

  // Held for all but checking seals and reading ranges, …
  std::mutex mutex;
  // … which is done by one thread at a time. Taken before the other one.
  std::mutex reading;

  const OpenFile* file;
  MemoryBudget* budget;
  const StripePlan* plan = nullptr;
  // Parallel to plan->ranges: bytes that everybody who decodes a page of it has a share in; empty:
  // not in memory.
  std::vector<std::shared_ptr<const std::byte>> ranges;
  std::vector<uint32_t> expected;  // Nodes of a range that somebody will still ask for.
  std::vector<uint8_t> verified;  // Parallel to plan->pages: seal checked since the range was read.
  // The same: what compressed pages hold, once somebody asked.
  std::vector<std::shared_ptr<RangeMemory>> contents;
  DecodeScratch scratch;
  std::shared_ptr<FetchedRanges> fetched;
  bool letting_go = false;
  uint64_t bytes_read = 0;
  uint64_t reads = 0;
  double seconds_waited = 0;

  void Release(uint32_t range) {
    if (ranges[range] == nullptr) return;
    const PlannedRange& r = plan->ranges[range];
    std::fill_n(verified.begin() + r.first_page, r.num_pages, uint8_t{0});
    for (uint32_t i = 0; i < r.num_pages; ++i) contents[r.first_page + i].reset();
    ranges[range].reset();
  }

  // F-065.
  Status OpenContent(uint32_t page, std::span<const std::byte> bytes) {
    const PlannedPage& p = plan->pages[page];
    const uint32_t size = p.record.content_size();
    auto memory = std::make_shared<RangeMemory>(budget);
    DSI_RETURN_IF_ERROR(memory->Reserve(size));
    if (Status status = DecompressBytes(bytes, &scratch, {memory->bytes(), size}); !status.ok()) {
      return status.At(
          fmt::format("stripe {}, page {} at {}", plan->stripe, p.ordinal, p.record.offset));
    }
    contents[page] = std::move(memory);
    return Status::Ok();
  }

  Result<std::shared_ptr<const std::byte>> Load(uint32_t range) {
    if (fetched != nullptr) {
      auto bytes = fetched->Take(range);
      if (bytes != nullptr) return bytes;
    }
    const PlannedRange& r = plan->ranges[range];
    auto memory = std::make_shared<RangeMemory>(budget);
    DSI_RETURN_IF_ERROR(memory->Reserve(r.size));
    DSI_RETURN_IF_ERROR(file->file().ReadAt(r.offset, {memory->bytes(), r.size}));
    std::byte* const bytes = memory->bytes();
    return std::shared_ptr<const std::byte>(std::move(memory), bytes);
  }

  std::shared_ptr<const std::byte> Find(uint32_t range) {
    const std::lock_guard lock(mutex);
    return ranges[range];
  }

  // The bytes of a range, read if they are not there.
  Result<std::shared_ptr<const std::byte>> Range(uint32_t range) {
    auto bytes = Find(range);
    if (bytes != nullptr) return bytes;
    const std::lock_guard one_reads(reading);
    bytes = Find(range);
    if (bytes != nullptr) return bytes;
    const auto start = std::chrono::steady_clock::now();
    DSI_ASSIGN_OR_RETURN(bytes, Load(range));
    const std::lock_guard lock(mutex);
    seconds_waited +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Keep(range, bytes);
    return bytes;
  }

  void Keep(uint32_t range, std::shared_ptr<const std::byte> bytes) {
    ranges[range] = std::move(bytes);
    bytes_read += plan->ranges[range].size;
    ++reads;
  }

  uint32_t RangeOf(const PlannedStream& stream, uint32_t k) const {
    return plan->pages[stream.first_planned_page + k].range;
  }
};

PageReader::PageReader(const OpenFile* file, MemoryBudget* budget)
    : state_(std::make_unique<State>(file, budget)) {}

PageReader::~PageReader() = default;

void PageReader::Start(const StripePlan* plan, const LookAhead* ahead,
                       std::shared_ptr<FetchedRanges> fetched) {
  State& s = *state_;
  Stop();
  s.fetched = std::move(fetched);
  s.plan = plan;
  s.ranges.resize(plan->ranges.size());
  s.verified.assign(plan->pages.size(), 0);
  s.contents.resize(plan->pages.size());
  s.expected.assign(plan->ranges.size(), 0);
  s.letting_go = false;
  if (ahead == nullptr) return;
  for (uint32_t range = 0; range < plan->ranges.size(); ++range) {
    auto bytes = ahead->Find(plan->ranges[range].offset, plan->ranges[range].size);
    if (bytes == nullptr) continue;
    if (s.fetched != nullptr) s.fetched->Skip(range);
    s.Keep(range, std::move(bytes));
  }
}

// The plan may be gone: nothing here may look at it.
void PageReader::Stop() {
  state_->ranges.clear();
  state_->contents.clear();
  state_->fetched.reset();
  state_->plan = nullptr;
}

Result<PageBytes> PageReader::Page(uint32_t page) {
  State& s = *state_;
  const PlannedPage& p = s.plan->pages[page];
  DSI_ASSIGN_OR_RETURN(std::shared_ptr<const std::byte> memory, s.Range(p.range));
  const std::span<const std::byte> bytes(
      memory.get() + (p.record.offset - s.plan->ranges[p.range].offset), p.record.stored_size);
  // Two threads may check a page that several streams lie in; no harm is done.
  std::unique_lock lock(s.mutex);
  if (kChecksSeals && s.verified[page] == 0) {
    lock.unlock();
    const uint64_t seal = Seal(bytes, SealKind::kPage, p.record.offset, s.file->salt());
    if (seal != p.record.seal) {
      return Corrupt("stripe {}, page {} at {}..{}: seal {:016x}, expected {:016x} (F-010)",
                     s.plan->stripe, p.ordinal, p.record.offset, p.record.offset + bytes.size(),
                     seal, p.record.seal);
    }
    lock.lock();
    // Unless the bytes are those of a range that was let go meanwhile.
    if (s.ranges[p.range] == memory) s.verified[page] = 1;
  }
  if (!p.record.compressed()) return PageBytes{bytes, std::move(memory)};
  if (s.contents[page] == nullptr) DSI_RETURN_IF_ERROR(s.OpenContent(page, bytes));
  return PageBytes{{s.contents[page]->bytes(), p.record.content_size()}, s.contents[page]};
}

Result<PageBytes> PageReader::Node(const PlannedStream& stream, uint32_t k) {
  DSI_ASSIGN_OR_RETURN(PageBytes node, Page(stream.first_planned_page + k));
  if (stream.record.form == StreamForm::kPacked) {
    // The plan checked that it lies inside (F-064).
    node.bytes = node.bytes.subspan(stream.record.offset_in_page, stream.record.size);
  }
  return node;
}

void PageReader::Expect(const PlannedStream& stream) {
  const std::lock_guard lock(state_->mutex);
  for (uint32_t k = 0; k < stream.record.num_pages; ++k)
    ++state_->expected[state_->RangeOf(stream, k)];
}

void PageReader::Done(const PlannedStream& stream, uint32_t k) {
  const std::lock_guard lock(state_->mutex);
  uint32_t& expected = state_->expected[state_->RangeOf(stream, k)];
  if (expected != 0 && --expected == 0 && state_->letting_go)
    state_->Release(state_->RangeOf(stream, k));
}

void PageReader::LetGo() {
  const std::lock_guard lock(state_->mutex);
  state_->letting_go = true;
  for (uint32_t range = 0; range < state_->ranges.size(); ++range) {
    if (state_->expected[range] == 0) state_->Release(range);
  }
}

uint64_t PageReader::bytes_read() const {
  const std::lock_guard lock(state_->mutex);
  return state_->bytes_read;
}

uint64_t PageReader::reads() const {
  const std::lock_guard lock(state_->mutex);
  return state_->reads;
}

double PageReader::seconds_waited() const {
  const std::lock_guard lock(state_->mutex);
  return state_->seconds_waited;
}

}  // namespace dsi::internal
