#include "dsi/writer/cluster/sessions_seen_internal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/probe_internal.h"
#include "dsi/writer/cluster/key_record_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kShare = 32;  // Of the memory, for those held and for those being sorted each.
constexpr uint64_t kMostBytes = 8ULL << 20;
constexpr size_t kFewestSlots = 64;
constexpr size_t kRecordBytes = kKeyHashBytes + sizeof(uint32_t);

}  // namespace

SessionsSeen::SessionsSeen(uint64_t memory_bytes, std::string folder)
    : most_bytes_(std::min(memory_bytes / kShare, kMostBytes)),
      folder_(std::move(folder)),
      slots_(kFewestSlots, 0) {}

void SessionsSeen::Grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (uint32_t i = 0; i < held_.size(); ++i)
    slots_[Probe(slots_, held_[i].hash[0], [](uint32_t slot) { return slot == 0; })] = i + 1;
}

Result<std::optional<SessionAgain>> SessionsSeen::Add(const std::byte* hash, uint32_t row) {
  const Session session{{LoadLE<uint64_t>(hash), LoadLE<uint64_t>(hash + 8)}, row};
  const size_t at = Probe(slots_, session.hash[0], [&](uint32_t slot) {
    return slot == 0 || held_[slot - 1].hash == session.hash;
  });
  if (slots_[at] != 0)
    return std::optional<SessionAgain>({.first_row = held_[slots_[at] - 1].row, .row = row});
  held_.push_back(session);
  slots_[at] = static_cast<uint32_t>(held_.size());
  if (held_.size() * 2 <= slots_.size()) return std::optional<SessionAgain>();
  if (2 * slots_.size() * sizeof(uint32_t) + 2 * held_.size() * sizeof(Session) <= most_bytes_) {
    Grow();
  } else {
    DSI_RETURN_IF_ERROR(MoveToSorter());
  }
  return std::optional<SessionAgain>();
}

Status SessionsSeen::MoveToSorter() {
  if (!sorter_) sorter_.emplace(kRecordBytes, kRecordBytes, most_bytes_, folder_);
  std::array<std::byte, kRecordBytes> record;
  for (const Session& session : held_) {
    StoreLE(record.data(), session.hash[0]);
    StoreLE(record.data() + 8, session.hash[1]);
    PutRow(session.row, record.data() + kKeyHashBytes);
    DSI_RETURN_IF_ERROR(sorter_->Add(record.data()));
  }
  held_.clear();
  std::fill(slots_.begin(), slots_.end(), 0);
  return Status::Ok();
}

Result<std::optional<SessionAgain>> SessionsSeen::Finish() {
  std::optional<SessionAgain> again;
  if (!sorter_) return again;
  DSI_RETURN_IF_ERROR(MoveToSorter());
  DSI_RETURN_IF_ERROR(sorter_->Sort());
  const auto row_of = [](const std::byte* record) {
    return __builtin_bswap32(LoadLE<uint32_t>(record + kKeyHashBytes));
  };
  std::array<std::byte, kRecordBytes> before{};  // Of a session the first row, then the ones after.
  bool is_first = true;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const std::byte* record, sorter_->Next());
    if (record == nullptr) return again;
    if (!is_first && std::memcmp(before.data(), record, kKeyHashBytes) == 0 &&
        (!again || row_of(record) < again->row))
      again = {.first_row = row_of(before.data()), .row = row_of(record)};
    std::copy_n(record, kRecordBytes, before.data());
    is_first = false;
  }
}

}  // namespace dsi::internal
