#include "dsi/dataset/files/snapshot_head_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "dsi/base/json_text_internal.h"
#include "dsi/base/random_seed_internal.h"
#include "dsi/dataset/files/manifest_values_internal.h"

namespace dsi {
namespace {

constexpr std::string_view kOperations[] = {"create",  "append", "overwrite",
                                            "replace", "gc",     "abort"};

}  // namespace

std::string_view TableOperationName(TableOperation operation) {
  return kOperations[static_cast<size_t>(operation)];
}

bool ParseTableOperation(std::string_view name, TableOperation* operation) {
  const auto found = std::find(std::begin(kOperations), std::end(kOperations), name);
  if (found == std::end(kOperations)) return false;
  *operation = static_cast<TableOperation>(found - std::begin(kOperations));
  return true;
}

namespace internal {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kNumberDigits = 20;
constexpr size_t kTimeDigits = 13;  // Until the year 2286.
constexpr size_t kRandomDigits = 16;
constexpr std::string_view kSnapshotEnd = ".json";

// Those of one snapshot, which the newest has beside `horizon` and `history`.
constexpr std::string_view kNames[] = {"number", "operation", "job",     "message", "time",
                                       "files",  "rows",      "horizon", "history"};
constexpr size_t kNumRequired = 3;

Status ReadOne(dom::element value, TableSnapshot* out, SnapshotHead* head);

Status ReadMember(size_t place, dom::element value, TableSnapshot* out, SnapshotHead* head) {
  std::string word;
  switch (place) {
    case 0:
      return ReadNumber(value, INT64_MAX, &out->number);
    case 1:
      DSI_RETURN_IF_ERROR(ReadText(value, &word));
      if (ParseTableOperation(word, &out->operation)) return Status::Ok();
      return BadInput("{} is none that this version knows", QuoteForMessage(word));
    case 2:
      DSI_RETURN_IF_ERROR(ReadText(value, &out->job));
      return IsTableId(out->job) ? Status::Ok() : BadInput("expected an id of a job");
    case 3:
      DSI_RETURN_IF_ERROR(ReadText(value, &out->message));
      if (out->message.size() <= kMaxMessageBytes) return Status::Ok();
      return BadInput("more than {} bytes", kMaxMessageBytes);
    case 4:
      return ReadNumber(value, INT64_MAX, &out->time_ms);
    case 5:
      return ReadNumber(value, INT64_MAX, &out->num_files);
    case 6:
      return ReadNumber(value, INT64_MAX, &out->num_rows);
    default:
      break;
  }
  if (head == nullptr) return BadInput("not of one in the history");
  if (place == 7) return ReadNumber(value, INT64_MAX, &head->horizon_ms);
  return ReadArray(value, kMaxHistory, [&](uint64_t, dom::element item) {
    return ReadOne(item, &head->history.emplace_back(), nullptr);
  });
}

Status ReadOne(dom::element value, TableSnapshot* out, SnapshotHead* head) {
  uint32_t seen = 0;
  DSI_RETURN_IF_ERROR(ReadMembers(value, kNames, [&](size_t place, dom::element member) {
    seen |= uint32_t{1} << place;
    return ReadMember(place, member, out, head);
  }));
  for (size_t i = 0; i < kNumRequired; ++i) {
    if ((seen >> i & 1) == 0) return BadInput("expected {}", QuoteForMessage(kNames[i]));
  }
  return out->number == 0 ? BadInput("number 0; they begin with 1") : Status::Ok();
}

void AppendOne(const TableSnapshot& one, std::string* out) {
  *out += fmt::format("{{\"number\": {}, \"operation\": \"{}\", \"job\": ", one.number,
                      TableOperationName(one.operation));
  AppendJsonString(one.job, out);
  if (!one.message.empty()) {
    *out += ", \"message\": ";
    AppendJsonString(one.message, out);
  }
  *out += fmt::format(", \"time\": {}, \"files\": {}, \"rows\": {}", one.time_ms, one.num_files,
                      one.num_rows);
}

bool IsDigits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

// DS-032.
Status ReadSnapshotHead(dom::element value, SnapshotHead* out) {
  DSI_RETURN_IF_ERROR(ReadOne(value, &out->self, out));
  uint64_t expected = out->self.number;
  for (const TableSnapshot& one : out->history) {
    if (one.number != --expected || expected == 0)
      return BadInput("history: number {}, expected {}", one.number, expected);
  }
  return Status::Ok();
}

void AppendSnapshotHead(const SnapshotHead& head, std::string* out) {
  *out += "\"snapshot\": ";
  AppendOne(head.self, out);
  if (head.horizon_ms != 0) *out += fmt::format(", \"horizon\": {}", head.horizon_ms);
  *out += ",\n  \"history\": [";
  for (size_t i = 0; i < head.history.size(); ++i) {
    *out += i == 0 ? "\n  " : ",\n  ";
    AppendOne(head.history[i], out);
    *out += '}';
  }
  *out += "]},\n";
}

// DS-033.
bool IsTableId(std::string_view id) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !id.empty() && id.size() <= kMaxIdBytes && is_word(id[0]) &&
         std::all_of(id.begin(), id.end(),
                     [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

// DS-031.
std::string SnapshotName(uint64_t number) {
  return fmt::format("{}{:020}{}", kSnapshotFolder, number, kSnapshotEnd);
}

std::optional<uint64_t> SnapshotNumber(std::string_view name) {
  uint64_t number = 0;
  if (!name.starts_with(kSnapshotFolder) || !name.ends_with(kSnapshotEnd)) return std::nullopt;
  name.remove_prefix(kSnapshotFolder.size());
  name.remove_suffix(kSnapshotEnd.size());
  const bool is_number = name.size() == kNumberDigits && IsDigits(name) &&
                         ParseWhole(name, &number) && number != 0 && number <= INT64_MAX;
  return is_number ? std::optional(number) : std::nullopt;
}

// DS-036.
std::string MakeDataName(std::string_view job, std::string_view task, uint64_t time_ms) {
  return fmt::format("{}{}/{:013}-{}-{}.dsi", kDataFolder, job, time_ms, task, RandomDigits());
}

std::optional<DataName> ParseDataName(std::string_view name) {
  if (!name.starts_with(kDataFolder)) return std::nullopt;
  name.remove_prefix(kDataFolder.size());
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  DataName parsed{.job = std::string(name.substr(0, slash))};
  name.remove_prefix(slash + 1);
  const bool is_temporary = name.starts_with('.') && name.ends_with(".tmp");
  if (is_temporary) name.remove_prefix(1);
  if (!IsTableId(parsed.job) || name.find('/') != std::string_view::npos ||
      (!is_temporary && !name.ends_with(".dsi"))) {
    return std::nullopt;
  }
  const bool has_time = name.size() > kTimeDigits + kRandomDigits && name[kTimeDigits] == '-' &&
                        IsDigits(name.substr(0, kTimeDigits));
  if (!has_time || !ParseWhole(name.substr(0, kTimeDigits), &parsed.time_ms)) return std::nullopt;
  return parsed;
}

uint64_t TableClockMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return ms < 0 ? 0 : static_cast<uint64_t>(ms);
}

std::string RandomDigits() { return fmt::format("{:016x}", RandomSeed()); }

}  // namespace internal
}  // namespace dsi
