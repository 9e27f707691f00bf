// inspect --features --why: how each stream is encoded, what that costs, and the next best way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using enum TextTable::Align;

// Costs that differ by less are the same.
constexpr double kSame = 0.01;

// By ordinal of the column, its values first.
std::vector<std::vector<ChoiceInfo>> ByColumn(std::vector<ChoiceInfo> choices, size_t num_columns) {
  std::vector<std::vector<ChoiceInfo>> by_column(num_columns);
  for (ChoiceInfo& choice : choices) by_column[choice.column].push_back(std::move(choice));
  for (std::vector<ChoiceInfo>& of_column : by_column) {
    std::stable_partition(of_column.begin(), of_column.end(),
                          [](const ChoiceInfo& choice) { return choice.role == kValuesRole; });
  }
  return by_column;
}

// Null where there is none.
Json CostJson(const EncodingCost& cost) {
  if (cost.encoding.empty()) return nullptr;
  return {{"encoding", cost.encoding},
          {"bytes_per_value", cost.bytes_per_value},
          {"ns_per_value", cost.ns_per_value},
          {"cost", cost.cost}};
}

Json ChoiceJson(const ChoiceInfo& choice) {
  return {{"owner", choice.owner},
          {"role", choice.role},
          {"stripe", choice.stripe},
          {"values", choice.num_values},
          {"bytes", choice.bytes},
          {"ns_per_byte", choice.ns_per_byte},
          {"alias", choice.is_alias},
          {"source", choice.source.empty() ? Json(nullptr) : Json(choice.source)},
          {"encodings", EncodingsJson(choice)},
          {"chosen", CostJson(choice.chosen)},
          {"runner_up", CostJson(choice.runner_up)},
          {"why", WhyChosen(choice)},
          {"damage", DamageJson(choice)}};
}

std::string Figure(double value) {
  return value > 0 && value < 0.005 ? "<0.01" : fmt::format("{:.2f}", value);
}

// Of a share that is saved; never more than that.
std::string Percent(double share) {
  if (share < 0.001) return "<0.1%";
  return share < 0.01 ? fmt::format("{:.1f}%", std::floor(1000 * share) / 10)
                      : fmt::format("{:.0f}%", std::floor(100 * share));
}

std::vector<std::string> Row(std::string name, std::string stream, std::string bytes,
                             const EncodingCost& cost, std::string encoding) {
  const bool known = !cost.encoding.empty();
  return {std::move(name),
          std::move(stream),
          std::move(bytes),
          known ? Figure(cost.bytes_per_value) : "",
          known ? Figure(cost.ns_per_value) : "",
          known ? Figure(cost.cost) : "",
          std::move(encoding)};
}

// "packed u32", "3 of 5 pages: packed u32", "alias of packed u32".
std::string MostlyEncoded(const ChoiceInfo& choice) {
  if (!choice.damage.ok()) return DamageText(choice);
  const EncodingShare& most = choice.encodings[0];
  uint32_t pages = 0;
  for (const EncodingShare& share : choice.encodings) pages += share.num_pages;
  return (choice.is_alias ? "alias of " : "") +
         (choice.source.empty() ? "" : fmt::format("in {}: ", choice.source)) +
         (choice.encodings.size() > 1 ? fmt::format("{} of {} pages: ", most.num_pages, pages)
                                      : "") +
         most.encoding;
}

// Streams that take less of their column than this are left out.
constexpr uint64_t kLeastShare = 50;

void AddRows(const ColumnInfo& column, const std::vector<ChoiceInfo>& choices, TextTable* table) {
  uint64_t bytes = 0;
  for (const ChoiceInfo& choice : choices) bytes += choice.bytes;
  const bool has_values = std::any_of(choices.begin(), choices.end(), [](const ChoiceInfo& choice) {
    return choice.role == kValuesRole;
  });
  if (!has_values)
    table->AddRow(Row(column.name, std::string(kValuesRole), BytesText(0), {}, "empty"));
  for (const ChoiceInfo& choice : choices) {
    const bool of_size = choice.bytes != 0 && choice.bytes * kLeastShare >= bytes;
    if (choice.role != kValuesRole && !of_size && choice.damage.ok()) continue;
    table->AddRow(Row(choice.owner, choice.role, BytesText(choice.bytes), choice.chosen,
                      MostlyEncoded(choice)));
    if (choice.runner_up.encoding.empty()) continue;
    table->AddRow(Row("  " + WhyChosen(choice), "runner-up", "", choice.runner_up,
                      choice.runner_up.encoding));
  }
}

}  // namespace

Result<std::vector<ChoiceInfo>> ReadChoices(const Reader& reader, bool weigh) {
  return Choices(reader, {.weigh = weigh, .go_on = [] { return CheckInterrupt().ok(); }});
}

Json EncodingsJson(const ChoiceInfo& choice) {
  Json json = Json::array();
  for (const EncodingShare& share : choice.encodings) {
    json.push_back(
        {{"encoding", share.encoding}, {"pages", share.num_pages}, {"bytes", share.bytes}});
  }
  return json;
}

std::string DamageText(const ChoiceInfo& choice) {
  return choice.damage.code() == StatusCode::kUnsupported ? "unsupported" : "damaged";
}

Json DamageJson(const ChoiceInfo& choice) {
  if (choice.damage.ok()) return nullptr;
  return choice.damage.message();
}

Status FirstDamage(const std::vector<ChoiceInfo>& choices) {
  Status unsupported;
  size_t num_unsupported = 0;
  for (const ChoiceInfo& choice : choices) {
    if (choice.damage.ok()) continue;
    if (choice.damage.code() != StatusCode::kUnsupported) return choice.damage;
    if (num_unsupported++ == 0) unsupported = choice.damage;
  }
  if (num_unsupported > 0) {
    PrintWarning(fmt::format("{} stream{} only a newer dsictl can read, the first: {}",
                             num_unsupported, num_unsupported == 1 ? " that" : "s that",
                             unsupported.message()));
  }
  return Status::Ok();
}

std::string WhyChosen(const ChoiceInfo& choice) {
  if (!choice.damage.ok()) return DamageText(choice);
  if (choice.is_alias) return "stored once";
  const EncodingCost& chosen = choice.chosen;
  const EncodingCost& other = choice.runner_up;
  if (chosen.encoding.empty()) return "one value";
  if (other.encoding.empty()) return "no other way";
  const double dearer = chosen.cost / other.cost - 1;
  if (dearer > kSame) return fmt::format("{:.0f}% dearer here", 100 * dearer);
  if (dearer >= 0) return "the same within 1%";
  // A part of the cost that saves this much more than the other is the reason alone.
  constexpr double kAlone = 10;
  const double time = other.ns_per_value - chosen.ns_per_value;
  const double space = other.cost - chosen.cost - time;
  const std::string smaller = Percent(1 - chosen.bytes_per_value / other.bytes_per_value);
  if (space > kAlone * time) return smaller + " smaller";
  if (time > kAlone * space)
    return fmt::format("faster: {} vs {} ns", Figure(chosen.ns_per_value),
                       Figure(other.ns_per_value));
  return smaller + " smaller and faster";
}

Status ShowChoices(const Reader& reader, FeatureOrder order, Console* console) {
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, reader.Columns());
  DSI_ASSIGN_OR_RETURN(std::vector<ChoiceInfo> choices, ReadChoices(reader, true));
  const Status damage = FirstDamage(choices);
  const auto by_column = ByColumn(std::move(choices), columns.size());
  SortColumns(order, &columns);
  const FileInfo& info = reader.info();
  if (console->json) {
    Json features = Json::array();
    for (const ColumnInfo& column : columns) {
      Json streams = Json::array();
      for (const ChoiceInfo& choice : by_column[column.ordinal])
        streams.push_back(ChoiceJson(choice));
      features.push_back({{"name", column.name},
                          {"stored_bytes", column.stored_bytes},
                          {"streams", std::move(streams)}});
    }
    DSI_RETURN_IF_ERROR(PrintJson({{"tuning", TuningJson(info)},
                                   {"ns_per_byte", info.ns_per_byte},
                                   {"features", std::move(features)}},
                                  console));
    return damage;
  }
  TextTable table({{.title = "feature", .align = kLeft, .max_width = 28},
                   {.title = "stream", .align = kLeft, .max_width = 10},
                   {.title = "bytes", .align = kRight},
                   {.title = "B/value", .align = kRight},
                   {.title = "ns/value", .align = kRight},
                   {.title = "cost", .align = kRight},
                   {.title = "encoding", .align = kLeft, .max_width = 40}});
  for (const ColumnInfo& column : columns) AddRows(column, by_column[column.ordinal], &table);
  const bool known = info.tuning && !TuningName(*info.tuning).empty();
  DSI_RETURN_IF_ERROR(console->Print(
      table.Render(*console) + "\n" +
      Folded(fmt::format(
                 "of one page in the largest stripe, the first that is encoded as most bytes of "
                 "its stream are; cost: {} ns for each stored byte and the time to decode, in ns "
                 "for each value (tuning {}{}); a byte of an index counts for each feature that it "
                 "serves; streams below a fiftieth of a feature are left out",
                 info.ns_per_byte, TuningText(info), known ? "" : ": nvme is assumed"),
             *console) +
      "\n"));
  return damage;
}

}  // namespace dsi::tools
