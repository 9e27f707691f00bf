#include "dsi/dataset/table/staged_file_internal.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_text_internal.h"
#include "dsi/dataset/files/manifest_values_internal.h"
#include "dsi/dataset/files/snapshot_head_internal.h"
#include "dsi/dataset/table/table_log_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/reader/reader_access_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kMaxMessageText = 4096;
constexpr uint64_t kVersion = 1;

}  // namespace

Result<std::unique_ptr<StagedPlace>> NewStagedPlace(std::shared_ptr<const TableStore> store,
                                                    const std::string& job,
                                                    const std::string& task) {
  DSI_RETURN_IF_ERROR(CheckTableId("job", job));
  DSI_RETURN_IF_ERROR(CheckTableId("task", task));
  auto place = std::make_unique<StagedPlace>();
  place->store = std::move(store);
  place->job = job;
  place->task = task;
  place->name = MakeDataName(job, task, TableClockMs());
  DSI_ASSIGN_OR_RETURN(place->path, place->store->NewPath(place->name));
  return place;
}

Result<std::string> FinishStaged(const StagedPlace& place) {
  DSI_RETURN_IF_ERROR(place.store->Adopt(place.path, place.name));
  return MessageOfStaged(place);
}

// What stands in the table is looked at, so that an upload that lost something is found by its
// task.
Result<std::string> MessageOfStaged(const StagedPlace& place) {
  DSI_ASSIGN_OR_RETURN(auto file,
                       OpenUri(place.store->root() + place.name, place.store->options()));
  DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(std::move(file)));
  return MessageToJson({.job = place.job,
                        .task = place.task,
                        .name = place.name,
                        .bytes = reader->info().file_bytes,
                        .num_rows = reader->info().num_rows,
                        .fingerprint = ReaderAccess::File(*reader).fingerprint()});
}

std::string MessageToJson(const StagedMessage& message) {
  std::string out = fmt::format("{{\"dsi_staged\": {}, \"job\": ", kVersion);
  AppendJsonString(message.job, &out);
  out += ", \"task\": ";
  AppendJsonString(message.task, &out);
  out += ", \"path\": ";
  AppendJsonString(message.name, &out);
  out += fmt::format(", \"bytes\": {}, \"rows\": {}, \"fingerprint\": \"{:016x}\"}}", message.bytes,
                     message.num_rows, message.fingerprint);
  return out;
}

// DS-037.
Result<StagedMessage> ParseMessage(std::string_view json) {
  constexpr std::string_view kNames[] = {"dsi_staged", "job",  "task",       "path",
                                         "bytes",      "rows", "fingerprint"};
  dom::parser parser;
  DSI_ASSIGN_OR_RETURN(const dom::element root,
                       ParseJson(json, kMaxMessageText, "message of a staged file", &parser));
  StagedMessage message;
  uint64_t version = 0;
  uint32_t seen = 0;
  const Status status = ReadMembers(root, kNames, [&](size_t place, dom::element value) -> Status {
    seen |= uint32_t{1} << place;
    switch (place) {
      case 0:
        return ReadNumber(value, INT64_MAX, &version);
      case 1:
        return ReadText(value, &message.job);
      case 2:
        return ReadText(value, &message.task);
      case 3:
        return ReadText(value, &message.name);
      case 4:
        return ReadNumber(value, INT64_MAX, &message.bytes);
      case 5:
        return ReadNumber(value, INT64_MAX, &message.num_rows);
      default:
        return ReadFingerprint(value, &message.fingerprint);
    }
  });
  if (!status.ok()) return status.At("message of a staged file");
  if (seen + 1 != uint32_t{1} << std::size(kNames) || version != kVersion) {
    return BadInput("{}: no message of a staged file (\"dsi_staged\": 1, with all its members)",
                    QuoteForMessage(json));
  }
  const auto name = ParseDataName(message.name);
  // Hidden ones are not published yet.
  if (!name || name->job != message.job || !message.name.ends_with(".dsi")) {
    return BadInput("message of a staged file: {} is no file of job {}",
                    QuoteForMessage(message.name), QuoteForMessage(message.job));
  }
  return message;
}

}  // namespace dsi::internal
