#include "dsi/writer/spill/record_sorter_internal.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "dsi/base/bytes_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kBlockBytes = 64 << 10;
// Runs read side by side, each with a block in memory.
constexpr size_t kMostRuns = 128;
constexpr size_t kFewestHeld = 1'024;

uint64_t PrefixOf(const std::byte* record) { return __builtin_bswap64(LoadLE<uint64_t>(record)); }

}  // namespace

// One run, block by block.
class RecordSorter::RunReader {
 public:
  RunReader(const SpillFile& file, const Run& run, uint32_t width)
      : file_(file), run_(run), width_(width) {}

  // Null at the end.
  const std::byte* record() const { return at_ < block_.size() ? block_.data() + at_ : nullptr; }
  Status Advance() {
    at_ += width_;
    return at_ < block_.size() ? Status::Ok() : NextBlock();
  }
  Status NextBlock() {
    at_ = 0;
    block_.clear();
    if (next_ == run_.blocks.size()) return Status::Ok();
    return file_.Read(run_.blocks[next_++], &block_);
  }

 private:
  const SpillFile& file_;
  const Run& run_;
  uint32_t width_;
  size_t next_ = 0;
  std::vector<std::byte> block_;
  size_t at_ = 0;
};

// The runs as one: a heap of readers by their records.
class RecordSorter::Merge {
 public:
  Merge(const RecordSorter& sorter, std::span<const Run> runs) : key_bytes_(sorter.key_bytes_) {
    for (const Run& run : runs) readers_.emplace_back(sorter.file_, run, sorter.width_);
  }

  Status Start() {
    for (RunReader& reader : readers_) {
      DSI_RETURN_IF_ERROR(reader.NextBlock());
      if (reader.record() != nullptr) heap_.push_back(&reader);
    }
    std::make_heap(heap_.begin(), heap_.end(), Later{key_bytes_});
    return Status::Ok();
  }

  Result<const std::byte*> Next() {
    if (taken_ != nullptr) {
      DSI_RETURN_IF_ERROR(taken_->Advance());
      if (taken_->record() != nullptr) {
        heap_.push_back(taken_);
        std::push_heap(heap_.begin(), heap_.end(), Later{key_bytes_});
      }
      taken_ = nullptr;
    }
    if (heap_.empty()) return static_cast<const std::byte*>(nullptr);
    std::pop_heap(heap_.begin(), heap_.end(), Later{key_bytes_});
    taken_ = heap_.back();
    heap_.pop_back();
    return taken_->record();
  }

 private:
  struct Later {
    size_t key_bytes;
    bool operator()(const RunReader* a, const RunReader* b) const {
      return std::memcmp(a->record(), b->record(), key_bytes) > 0;
    }
  };

  size_t key_bytes_;
  std::vector<RunReader> readers_;
  std::vector<RunReader*> heap_;
  RunReader* taken_ = nullptr;
};

RecordSorter::RecordSorter(uint32_t width, uint32_t key_bytes, uint64_t memory_bytes,
                           std::string folder)
    : width_(width),
      key_bytes_(key_bytes),
      most_held_(static_cast<size_t>(
          std::clamp<uint64_t>(memory_bytes / (width + sizeof(Entry)), kFewestHeld, UINT32_MAX))),
      file_(std::move(folder)) {}

RecordSorter::~RecordSorter() = default;

Status RecordSorter::Add(const std::byte* record) {
  if (entries_.size() == most_held_) DSI_RETURN_IF_ERROR(SpillHeld());
  entries_.push_back({PrefixOf(record), static_cast<uint32_t>(entries_.size())});
  records_.insert(records_.end(), record, record + width_);
  return Status::Ok();
}

bool RecordSorter::Less(const Entry& a, const Entry& b) const {
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  constexpr size_t kPrefix = sizeof(uint64_t);
  return std::memcmp(Record(a.index) + kPrefix, Record(b.index) + kPrefix, key_bytes_ - kPrefix) <
         0;
}

void RecordSorter::SortHeld() {
  const auto less = [this](const Entry& a, const Entry& b) { return Less(a, b); };
  if (!std::is_sorted(entries_.begin(), entries_.end(), less))
    std::sort(entries_.begin(), entries_.end(), less);
}

Status RecordSorter::SpillHeld() {
  SortHeld();
  Run run;
  std::vector<std::byte> block;
  const size_t most = std::max<size_t>(kBlockBytes / width_, 1) * width_;
  block.reserve(most);
  for (size_t i = 0; i < entries_.size(); ++i) {
    const std::byte* record = Record(entries_[i].index);
    block.insert(block.end(), record, record + width_);
    if (block.size() < most && i + 1 < entries_.size()) continue;
    DSI_ASSIGN_OR_RETURN(run.blocks.emplace_back(), file_.Append(block));
    block.clear();
  }
  runs_.push_back(std::move(run));
  entries_.clear();
  records_.clear();
  return runs_.size() < kMostRuns ? Status::Ok() : MergeRuns();
}

Status RecordSorter::MergeRuns() {
  Merge merge(*this, runs_);
  DSI_RETURN_IF_ERROR(merge.Start());
  Run run;
  std::vector<std::byte> block;
  const size_t most = std::max<size_t>(kBlockBytes / width_, 1) * width_;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const std::byte* record, merge.Next());
    if (record != nullptr) block.insert(block.end(), record, record + width_);
    if (block.size() == most || (record == nullptr && !block.empty())) {
      DSI_ASSIGN_OR_RETURN(run.blocks.emplace_back(), file_.Append(block));
      block.clear();
    }
    if (record == nullptr) break;
  }
  runs_.clear();
  runs_.push_back(std::move(run));
  return Status::Ok();
}

Status RecordSorter::Sort() {
  if (runs_.empty()) {
    SortHeld();
    return Status::Ok();
  }
  if (!entries_.empty()) DSI_RETURN_IF_ERROR(SpillHeld());
  entries_ = {};
  records_ = {};
  return Rewind();
}

Status RecordSorter::Rewind() {
  next_ = 0;
  if (runs_.empty()) return Status::Ok();
  merge_ = std::make_unique<Merge>(*this, runs_);
  return merge_->Start();
}

Result<const std::byte*> RecordSorter::Next() {
  if (merge_ != nullptr) return merge_->Next();
  return next_ == entries_.size() ? nullptr : Record(entries_[next_++].index);
}

}  // namespace dsi::internal
