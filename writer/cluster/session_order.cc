#include "dsi/writer/cluster/session_order_internal.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

std::string TimeText(int64_t time) {
  return time == kNoTime ? std::string("none") : fmt::format("{}", time);
}

}  // namespace

Status SessionOrder::Add(std::span<const std::byte> records,
                         const std::function<Status(const ListedRow&)>& visit) {
  const size_t num_levels = keys_.keys.size();
  const size_t width = KeyRecordBytes(keys_);
  for (size_t at = 0; at < records.size(); at += width) {
    const std::byte* const record = records.data() + at;
    ListedRow row = RowAt(record + num_levels * kKeyHashBytes);
    row.input_row = num_rows_;
    if (num_levels != 0) {
      // The innermost hash has the keys outside of it.
      const std::byte* const hash = record + (num_levels - 1) * kKeyHashBytes;
      row.starts_session = num_rows_ == 0 || std::memcmp(session_.data(), hash, kKeyHashBytes) != 0;
      if (row.starts_session) {
        DSI_ASSIGN_OR_RETURN(const std::optional<SessionAgain> again, seen_.Add(hash, num_rows_));
        if (again) return ComesAgain(*again);
        std::copy_n(hash, kKeyHashBytes, session_.data());
      }
    }
    if (num_rows_ != 0 && !row.starts_session && row.time < time_) return TimeGoesBack(row);
    time_ = row.time;
    ++num_rows_;
    DSI_RETURN_IF_ERROR(visit(row));
  }
  return Status::Ok();
}

Status SessionOrder::Finish() {
  DSI_ASSIGN_OR_RETURN(const std::optional<SessionAgain> again, seen_.Finish());
  return again ? ComesAgain(*again) : Status::Ok();
}

Status SessionOrder::TimeGoesBack(const ListedRow& row) const {
  return BadInput(
      "rows do not come clustered as was said: of row {} (the first is 0) the time \"{}\" is {}, "
      "and {} of the row before it{}; expected times that do not go back, none before any: where "
      "nothing is said of the order, rows are sorted",
      row.input_row, schema_.features[static_cast<size_t>(keys_.time)].name, TimeText(row.time),
      TimeText(time_), keys_.keys.empty() ? "" : " in its session");
}

Status SessionOrder::ComesAgain(const SessionAgain& again) const {
  std::string names;
  for (const size_t feature : keys_.keys)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", schema_.features[feature].name);
  return BadInput(
      "rows do not come clustered as was said: row {} (the first is 0) is of the session by {} "
      "that row {} began, with others between; expected the rows of a session behind each other: "
      "where nothing is said of the order, rows are sorted",
      again.row, names, again.first_row);
}

Result<RowList> ClusteredInput(const Schema& schema, const ClusterKeys& keys,
                               const ForEachRecords& records, const ClusterMemory& memory,
                               const std::function<Status()>& poll) {
  RowList list(!keys.keys.empty(), memory.bytes / 8, memory.spill_folder);
  SessionOrder order(schema, keys, memory);
  const auto add = [&](std::span<const std::byte> some) -> Status {
    DSI_RETURN_IF_ERROR(poll());
    return order.Add(some, [&](const ListedRow& row) { return list.Append(row); });
  };
  DSI_RETURN_IF_ERROR(records(add));
  DSI_RETURN_IF_ERROR(order.Finish());
  return list;
}

}  // namespace dsi::internal
