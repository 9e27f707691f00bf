#include "dsi/writer/cluster/clustering_internal.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/writer/cluster/clustering_in_memory_internal.h"
#include "dsi/writer/cluster/key_record_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kPollEvery = 1U << 16;  // Rows.

// Reads one scalar or string feature row by row, in input order.
class KeyCursor {
 public:
  // From row `first` on.
  KeyCursor(const FeatureSource& source, size_t first)
      : rows_(*source.rows),
        width_(static_cast<size_t>(TypeWidth(source.spec->columns[0].type))),
        bytes_(source.has_lengths()),
        entry_(first) {
    if (!rows_.all_present) {
      entry_ = static_cast<size_t>(std::lower_bound(rows_.rows.begin(), rows_.rows.end(), first) -
                                   rows_.rows.begin());
    }
    offset_ = entry_ * width_;
    if (bytes_)
      offset_ = std::accumulate(rows_.lengths.begin(), rows_.lengths.begin() + entry_, size_t{0});
  }

  // The bytes of the row's value; `present` false when missing. Rows must be asked for in ascending
  // order, each once.
  std::string_view Next(uint32_t row, bool* present) {
    if (!rows_.all_present) {
      if (entry_ >= rows_.rows.size() || rows_.rows[entry_] != row) {
        *present = false;
        return {};
      }
    }
    *present = true;
    const size_t size = bytes_ ? rows_.lengths[entry_] : width_;
    const auto* data = reinterpret_cast<const char*>(rows_.values[0].data()) + offset_;
    offset_ += size;
    ++entry_;
    return {data, size};
  }

 private:
  const RowBatch::FeatureBuffer& rows_;
  size_t width_;
  bool bytes_;
  size_t entry_;
  size_t offset_;
};

std::vector<int64_t> ReadTimes(const FeatureSource* source, size_t first, size_t num_rows) {
  std::vector<int64_t> times(num_rows, std::numeric_limits<int64_t>::min());
  if (source == nullptr) return times;
  KeyCursor cursor(*source, first);
  for (size_t row = 0; row < num_rows; ++row) {
    bool present = false;
    const std::string_view bytes = cursor.Next(static_cast<uint32_t>(first + row), &present);
    if (present) std::memcpy(&times[row], bytes.data(), sizeof(int64_t));
  }
  return times;
}

// Records in the order of their keys, level by level: what the first time and the first position of
// each key are, told when the key ends.
class FirstMoments {
 public:
  FirstMoments(size_t num_levels, const ClusterMemory& memory) : last_(num_levels * kKeyHashBytes) {
    for (size_t i = 0; i < num_levels; ++i)
      levels_.push_back(Level{RecordList(kMomentBytes, memory.bytes / 16, memory.spill_folder)});
  }

  // Of which levels the record begins a new key: those from this one on.
  size_t Begins(const std::byte* record) {
    size_t level = 0;
    while (level < levels_.size() && !is_first_ &&
           std::memcmp(record + level * kKeyHashBytes, &last_[level * kKeyHashBytes],
                       kKeyHashBytes) == 0)
      ++level;
    is_first_ = false;
    std::copy_n(record, last_.size(), last_.data());
    return level;
  }

  Status Add(const std::byte* record) {
    const bool none_yet = is_first_;
    const size_t begins = Begins(record);
    const ListedRow row = RowAt(record + last_.size());
    for (size_t i = 0; i < levels_.size(); ++i) {
      Level& level = levels_[i];
      if (i >= begins) {
        if (!none_yet) DSI_RETURN_IF_ERROR(End(&level));
        level.time = row.time;
        level.row = row.input_row;
      }
      level.time = std::min(level.time, row.time);
      level.row = std::min(level.row, row.input_row);
    }
    return Status::Ok();
  }
  // After the last Add: Take goes through the same records again.
  Status Finish() {
    for (Level& level : levels_) {
      if (!is_first_) DSI_RETURN_IF_ERROR(End(&level));
    }
    is_first_ = true;
    return Status::Ok();
  }

  // The first moments of a record's keys, all levels one after another.
  Status Take(const std::byte* record, std::byte* moments) {
    const bool none_yet = is_first_;
    const size_t begins = Begins(record);
    for (size_t i = 0; i < levels_.size(); ++i) {
      if (i >= begins && !none_yet) ++levels_[i].at;
      DSI_ASSIGN_OR_RETURN(const std::byte* moment, levels_[i].moments.At(levels_[i].at));
      std::copy_n(moment, kMomentBytes, moments + i * kMomentBytes);
    }
    return Status::Ok();
  }

 private:
  struct Level {
    RecordList moments;
    int64_t time = 0;
    uint32_t row = 0;
    uint64_t at = 0;
  };

  static Status End(Level* level) {
    std::array<std::byte, kMomentBytes> moment;
    PutTime(level->time, moment.data());
    PutRow(level->row, moment.data() + kTimeBytes);
    return level->moments.Append(moment.data());
  }

  std::vector<Level> levels_;
  std::vector<std::byte> last_;  // Hashes of the record before.
  bool is_first_ = true;
};

// Lets the caller look after so many rows.
class Poller {
 public:
  explicit Poller(const std::function<Status()>& poll) : poll_(poll) {}
  Status Row() { return ++rows_ % kPollEvery == 0 ? poll_() : Status::Ok(); }

 private:
  const std::function<Status()>& poll_;
  uint32_t rows_ = 0;
};

}  // namespace

std::vector<uint32_t> RowsInTime(std::span<const ListedRow> rows) {
  std::vector<uint64_t> by_input(rows.size());
  for (uint32_t p = 0; p < rows.size(); ++p) by_input[p] = uint64_t{rows[p].input_row} << 32 | p;
  std::sort(by_input.begin(), by_input.end());
  std::vector<uint32_t> places(rows.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<uint32_t>(by_input[i]);
  const auto earlier = [&](uint32_t a, uint32_t b) { return rows[a].time < rows[b].time; };
  if (!std::is_sorted(places.begin(), places.end(), earlier))
    std::stable_sort(places.begin(), places.end(), earlier);
  return places;
}

Result<ClusterKeys> ResolveClusterKeys(const Schema& schema,
                                       const std::vector<std::string>& names) {
  ClusterKeys keys;
  for (size_t i = 0; i < names.size(); ++i) {
    const int feature = schema.FindFeature(names[i]);
    if (feature < 0)
      return InvalidArgument("cluster key \"{}\" is not a feature of the schema", names[i]);
    const FeatureSpec& spec = schema.features[static_cast<size_t>(feature)];
    if (IsListKind(spec.kind) || spec.kind == Kind::kEmbedding) {
      return InvalidArgument("cluster key \"{}\" is a {}; keys are scalars or strings", names[i],
                             KindName(spec.kind));
    }
    if (i + 1 == names.size() && spec.kind == Kind::kTimestamp) {
      keys.time = feature;
    } else {
      keys.keys.push_back(static_cast<size_t>(feature));
    }
  }
  return keys;
}

uint32_t KeyRecordBytes(const ClusterKeys& keys) {
  return static_cast<uint32_t>(keys.keys.size() * kKeyHashBytes + kMomentBytes + kSizeBytes);
}

void AppendKeyRecords(std::span<const FeatureSource> features, const ClusterKeys& keys,
                      uint32_t first_row, std::span<const uint64_t> row_bytes,
                      std::vector<std::byte>* records, size_t skipped) {
  const size_t num_rows = row_bytes.size();
  if (num_rows == 0) return;
  const size_t width = KeyRecordBytes(keys);
  const size_t base = records->size();
  records->resize(base + num_rows * width);
  const std::vector<int64_t> times = ReadTimes(
      keys.time < 0 ? nullptr : &features[static_cast<size_t>(keys.time)], skipped, num_rows);
  for (size_t level = 0; level < keys.keys.size(); ++level) {
    KeyCursor cursor(features[keys.keys[level]], skipped);
    std::byte* at = records->data() + base + level * kKeyHashBytes;
    for (uint32_t row = 0; row < num_rows; ++row, at += width) {
      bool present = false;
      const std::string_view bytes = cursor.Next(static_cast<uint32_t>(skipped + row), &present);
      // A missing key is a key of its own, and not the empty string.
      XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), present ? 1 : 0);
      if (level > 0) {
        std::array<std::byte, 2 * kKeyHashBytes> both;
        std::copy_n(at - kKeyHashBytes, kKeyHashBytes, both.data());
        StoreLE(both.data() + kKeyHashBytes, hash.low64);
        StoreLE(both.data() + kKeyHashBytes + 8, hash.high64);
        hash = XXH3_128bits(both.data(), both.size());
      }
      StoreLE(at, hash.low64);
      StoreLE(at + 8, hash.high64);
    }
  }
  std::byte* at = records->data() + base + keys.keys.size() * kKeyHashBytes;
  for (uint32_t row = 0; row < num_rows; ++row, at += width) {
    PutTime(times[row], at);
    PutRow(first_row + row, at + kTimeBytes);
    const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(row_bytes[row], UINT32_MAX));
    StoreLE(at + kMomentBytes, bytes);
    StoreLE(at + kMomentBytes + sizeof(uint32_t), bytes);
  }
}

std::vector<uint64_t> SessionsOf(const ClusterKeys& keys, std::span<const std::byte> records) {
  const size_t width = KeyRecordBytes(keys);
  std::vector<uint64_t> sessions;
  sessions.reserve(records.size() / width);
  for (size_t at = (keys.keys.size() - 1) * kKeyHashBytes; at < records.size(); at += width)
    sessions.push_back(LoadLE<uint64_t>(records.data() + at));
  return sessions;
}

void SubtractRepeats(const ClusterKeys& keys, std::span<const uint64_t> repeated,
                     std::span<std::byte> records) {
  const size_t width = KeyRecordBytes(keys);
  size_t at = width - sizeof(uint32_t);
  for (const uint64_t bytes : repeated) {
    std::byte* const stored = records.data() + at;
    const auto fresh = LoadLE<uint32_t>(stored);
    StoreLE(stored, static_cast<uint32_t>(fresh - std::min<uint64_t>(fresh, bytes)));
    at += width;
  }
}

Result<RowList> ClusterRows(const ClusterKeys& keys, size_t num_rows, const ForEachRecords& records,
                            const ClusterMemory& memory, const std::function<Status()>& poll) {
  const size_t num_levels = keys.keys.size();
  const size_t hashes = num_levels * kKeyHashBytes;
  const size_t moments = num_levels * kMomentBytes;
  const uint32_t width = KeyRecordBytes(keys);
  Poller poller(poll);
  RowList list(num_levels != 0, memory.bytes / 8, memory.spill_folder);
  const auto for_each = [&](const auto& visit) {
    return records([&](std::span<const std::byte> some) -> Status {
      for (size_t at = 0; at < some.size(); at += width) {
        DSI_RETURN_IF_ERROR(poller.Row());
        DSI_RETURN_IF_ERROR(visit(some.data() + at));
      }
      return Status::Ok();
    });
  };
  if (num_levels == 0 && keys.time < 0) {
    DSI_RETURN_IF_ERROR(
        for_each([&](const std::byte* record) { return list.Append(RowAt(record)); }));
    return list;
  }
  const uint64_t most_counted = memory.bytes / (memory.rows_are_held ? 4 : 2);
  if (ClusteringInMemory::Bytes(num_levels, num_rows) <= most_counted) {
    ClusteringInMemory in_memory(num_levels, num_rows);
    DSI_RETURN_IF_ERROR(for_each([&](const std::byte* record) {
      in_memory.Add(record);
      return Status::Ok();
    }));
    DSI_RETURN_IF_ERROR(in_memory.Finish(&list));
    return list;
  }

  // In file order: the first moments of its keys, its own moment, its sizes.
  const auto placed_width = static_cast<uint32_t>(moments + kMomentBytes + kSizeBytes);
  RecordSorter placed(placed_width, static_cast<uint32_t>(moments + kMomentBytes), memory.bytes / 8,
                      memory.spill_folder);
  if (num_levels == 0) {
    DSI_RETURN_IF_ERROR(for_each([&](const std::byte* record) { return placed.Add(record); }));
  } else {
    RecordSorter by_key(width, static_cast<uint32_t>(hashes + kMomentBytes), memory.bytes / 8,
                        memory.spill_folder);
    DSI_RETURN_IF_ERROR(for_each([&](const std::byte* record) { return by_key.Add(record); }));
    DSI_RETURN_IF_ERROR(by_key.Sort());
    FirstMoments firsts(num_levels, memory);
    const auto each_by_key = [&](const auto& visit) -> Status {
      while (true) {
        DSI_RETURN_IF_ERROR(poller.Row());
        DSI_ASSIGN_OR_RETURN(const std::byte* record, by_key.Next());
        if (record == nullptr) return Status::Ok();
        DSI_RETURN_IF_ERROR(visit(record));
      }
    };
    DSI_RETURN_IF_ERROR(each_by_key([&](const std::byte* record) { return firsts.Add(record); }));
    DSI_RETURN_IF_ERROR(firsts.Finish());
    DSI_RETURN_IF_ERROR(by_key.Rewind());
    std::vector<std::byte> record(placed_width);
    const auto place = [&](const std::byte* key) -> Status {
      DSI_RETURN_IF_ERROR(firsts.Take(key, record.data()));
      std::copy_n(key + hashes, kMomentBytes + kSizeBytes, record.data() + moments);
      return placed.Add(record.data());
    };
    DSI_RETURN_IF_ERROR(each_by_key(place));
  }
  DSI_RETURN_IF_ERROR(placed.Sort());
  std::vector<std::byte> session;
  while (true) {
    DSI_RETURN_IF_ERROR(poller.Row());
    DSI_ASSIGN_OR_RETURN(const std::byte* record, placed.Next());
    if (record == nullptr) break;
    ListedRow row = RowAt(record + moments);
    row.starts_session =
        num_levels != 0 && (session.empty() || std::memcmp(session.data(), record, moments) != 0);
    if (row.starts_session) session.assign(record, record + moments);
    DSI_RETURN_IF_ERROR(list.Append(row));
  }
  return list;
}

Result<RowList> ClusterHeldRows(std::span<const FeatureSource> features, const ClusterKeys& keys,
                                size_t num_rows) {
  std::vector<std::byte> records;
  AppendKeyRecords(features, keys, 0, std::vector<uint64_t>(num_rows, 0), &records);
  const ForEachRecords all = [&](const auto& visit) { return visit(records); };
  return ClusterRows(keys, num_rows, all, {}, [] { return Status::Ok(); });
}

}  // namespace dsi::internal
