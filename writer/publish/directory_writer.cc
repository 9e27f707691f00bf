#include "dsi/writer/publish/directory_writer_internal.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "dsi/format/core_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/json_text_internal.h"
#include "dsi/base/version.h"
#include "dsi/format/limits.h"
#include "dsi/format/overlay_internal.h"
#include "dsi/format/seal_internal.h"

namespace dsi::internal {
namespace {

// The name heap while it is built (F-071).
class Names {
 public:
  // Throws std::length_error beyond what offsets can say.
  uint32_t Add(std::string_view name) {
    if (bytes_.size() + name.size() > UINT32_MAX) throw std::length_error("names of 4 GiB");
    const auto offset = static_cast<uint32_t>(bytes_.size());
    const auto* data = reinterpret_cast<const std::byte*>(name.data());
    bytes_.insert(bytes_.end(), data, data + name.size());
    return offset;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Nothing is published that its reader would refuse.
template <typename Record>
Result<std::vector<std::byte>> Encode(const std::vector<Record>& records, const char* what) {
  std::vector<std::byte> bytes(records.size() * Record::kSize);
  for (size_t i = 0; i < records.size(); ++i) {
    std::byte* const at = bytes.data() + i * Record::kSize;
    records[i].EncodeTo(at);
    const auto sound = Record::DecodeFrom(at);
    if (!sound.ok()) return sound.status().At(fmt::format("{} {} just written", what, i));
  }
  return bytes;
}

// Stable numbers beside the names: as declared, else the hash of the name, moved on where taken.
std::vector<uint64_t> FeatureIds(const Schema& schema) {
  std::set<uint64_t> taken;
  for (const FeatureSpec& feature : schema.features) {
    if (feature.id.has_value()) taken.insert(*feature.id);
  }
  std::vector<uint64_t> ids;
  for (const FeatureSpec& feature : schema.features) {
    uint64_t id = feature.id.value_or(NameHash(feature.name));
    while (!feature.id.has_value() && !taken.insert(id).second) ++id;
    ids.push_back(id);
  }
  return ids;
}

std::vector<ColumnRecord> MakeColumns(const DirectoryInput& input, Names* names,
                                      std::vector<NameIndexRecord>* index) {
  const std::vector<uint64_t> ids = FeatureIds(*input.schema);
  std::vector<ColumnRecord> records;
  for (uint32_t c = 0; c < input.layout->columns.size(); ++c) {
    const ColumnLayout& column = input.layout->columns[c];
    const FeatureLayout& feature = input.layout->features[column.feature];
    const FeatureSpec& spec = input.schema->features[column.feature];
    const std::string name = ColumnName(spec, column.column);
    ColumnRecord r;
    r.id_less_hash = ids[column.feature] - NameHash(spec.name);
    r.has_default = spec.default_bits.has_value() && column.column == 0;
    r.default_bits = r.has_default ? *spec.default_bits : 0;
    r.stored_bytes = input.totals[c].stored_bytes;
    r.num_values = input.totals[c].num_values;
    r.name_offset = names->Add(name);
    r.name_size = static_cast<uint16_t>(name.size());
    r.feature_name_size = static_cast<uint16_t>(spec.name.size());
    r.place = static_cast<uint16_t>(column.column);
    r.num_columns = static_cast<uint16_t>(spec.columns.size());
    r.id_space = column.id_space;
    r.group = feature.group;
    r.tiers_slot = column.tiers_slot;
    r.num_tiers = column.tiers_slot == kNone32 ? 0 : static_cast<uint8_t>(column.num_tiers);
    r.max_length = spec.max_length;
    r.fixed_length = spec.fixed_length;
    r.kind = spec.kind;
    r.type = spec.columns[column.column].type;
    r.hashed = spec.columns[column.column].hashed;
    r.newest_first = spec.newest_first;
    r.nested = spec.nested;
    r.time_unit = spec.columns[column.column].time_unit;
    records.push_back(r);
    index->push_back({.hash = NameIndexRecord::HashOf(name), .column = c});
    if (column.column == 0 && name.size() != spec.name.size()) {
      index->push_back(
          {.hash = NameIndexRecord::HashOf(spec.name), .column = c, .is_feature = true});
    }
  }
  std::sort(index->begin(), index->end(), [](const NameIndexRecord& a, const NameIndexRecord& b) {
    return std::tie(a.hash, a.is_feature, a.column) < std::tie(b.hash, b.is_feature, b.column);
  });
  return records;
}

std::vector<GroupRecord> MakeGroups(const DirectoryInput& input, Names* names) {
  std::vector<GroupRecord> records;
  for (const GroupLayout& group : input.layout->groups) {
    GroupRecord r;
    r.source = group.source;
    r.name_size = static_cast<uint16_t>(group.name.size());
    r.name_offset = group.name.empty() ? 0 : names->Add(group.name);
    r.owner = group.owner_column;
    r.parent = group.parent;
    for (const uint32_t f : group.features)
      r.num_columns += static_cast<uint32_t>(input.schema->features[f].columns.size());
    records.push_back(r);
  }
  return records;
}

std::vector<IdSpaceRecord> MakeIdSpaces(const DirectoryInput& input, Names* names) {
  std::vector<IdSpaceRecord> records;
  for (const IdSpaceLayout& space : input.layout->id_spaces) {
    IdSpaceRecord r;
    r.name_size = static_cast<uint16_t>(space.name.size());
    r.name_offset = space.name.empty() ? 0 : names->Add(space.name);
    r.width = static_cast<uint8_t>(space.width);
    records.push_back(r);
  }
  return records;
}

// Columns whose values were rounded (F-081).
Result<std::vector<std::byte>> MakePrecisions(const DirectoryInput& input) {
  std::vector<PrecisionRecord> records;
  for (uint32_t c = 0; c < input.layout->columns.size(); ++c) {
    const ColumnLayout& column = input.layout->columns[c];
    const ColumnSpec& spec = input.schema->features[column.feature].columns[column.column];
    if (spec.precision == Precision::kExact) continue;
    records.push_back({.column = c, .precision = spec.precision, .max_error = spec.max_error});
  }
  return Encode(records, "rounded column");
}

// F-080.
std::string MetadataJson(const std::map<std::string, std::string>& metadata) {
  std::string json = "{";
  for (const auto& [name, text] : metadata) {
    if (json.size() > 1) json += ',';
    AppendJsonString(name, &json);
    json += ':';
    AppendJsonString(text, &json);
  }
  return json + '}';
}

}  // namespace

Status WriteDirectory(const DirectoryInput& input, FileSink* sink) {
  for (PlacedStripe& stripe : *input.stripes) {
    if (input.tables != nullptr) DSI_RETURN_IF_ERROR(input.tables->Fetch(&stripe));
    DSI_ASSIGN_OR_RETURN(stripe.groups_table,
                         sink->AppendTable(stripe.groups, StripeGroupRecord::kSize));
    DSI_ASSIGN_OR_RETURN(stripe.streams_table,
                         sink->AppendTable(stripe.streams, kStreamsRecordSize));
    DSI_ASSIGN_OR_RETURN(stripe.pages_table, sink->AppendTable(stripe.pages, PageRecord::kSize));
    // They are in the file.
    for (std::vector<std::byte>* table : {&stripe.groups, &stripe.streams, &stripe.pages})
      *table = std::vector<std::byte>();
  }

  Names names;
  std::vector<NameIndexRecord> index;
  DSI_ASSIGN_OR_RETURN(const std::vector<std::byte> columns,
                       Encode(MakeColumns(input, &names, &index), "column"));
  DSI_ASSIGN_OR_RETURN(const std::vector<std::byte> groups,
                       Encode(MakeGroups(input, &names), "dedup group"));
  DSI_ASSIGN_OR_RETURN(const std::vector<std::byte> id_spaces,
                       Encode(MakeIdSpaces(input, &names), "id space"));
  DSI_ASSIGN_OR_RETURN(const std::vector<std::byte> name_index, Encode(index, "name"));
  DSI_ASSIGN_OR_RETURN(const TableRef columns_table,
                       sink->AppendTable(columns, ColumnRecord::kSize));
  DSI_ASSIGN_OR_RETURN(const TableRef index_table,
                       sink->AppendTable(name_index, NameIndexRecord::kSize));
  DSI_ASSIGN_OR_RETURN(const TableRef names_table,
                       sink->AppendTable(names.bytes(), kNameRecordSize));
  DSI_ASSIGN_OR_RETURN(const TableRef groups_table, sink->AppendTable(groups, GroupRecord::kSize));
  DSI_ASSIGN_OR_RETURN(const TableRef spaces_table,
                       sink->AppendTable(id_spaces, IdSpaceRecord::kSize));

  Core core;
  core.num_rows = input.num_rows;
  core.num_features = static_cast<uint32_t>(input.schema->features.size());
  core.num_slots = input.layout->num_slots;
  core.page_values = input.page_values;
  core.columns = columns_table;
  core.name_index = index_table;
  core.names = names_table;
  core.groups = groups_table;
  core.id_spaces = spaces_table;
  core.writer = fmt::format("dsi {}", Version());
  core.tuning = static_cast<uint8_t>(input.tuning);  // F-053.
  if (!input.schema->metadata.empty()) {
    const std::string json = MetadataJson(input.schema->metadata);
    DSI_ASSIGN_OR_RETURN(const WrittenSection section,
                         sink->AppendSection(std::as_bytes(std::span(json))));
    core.sections.push_back({kSectionMetadata, 0, section.offset, section.size, section.seal});
  }
  DSI_ASSIGN_OR_RETURN(const std::vector<std::byte> precisions, MakePrecisions(input));
  if (!precisions.empty()) {
    DSI_ASSIGN_OR_RETURN(const WrittenSection section, sink->AppendSection(precisions));
    core.sections.push_back({kSectionPrecision, 0, section.offset, section.size, section.seal});
  }
  uint64_t data_bytes = 0;
  for (const PlacedStripe& stripe : *input.stripes) data_bytes += stripe.data_size;
  const std::vector<std::byte> statistics = input.statistics->Make(input.totals, data_bytes);
  if (!statistics.empty()) {
    DSI_ASSIGN_OR_RETURN(const TableRef table, sink->AppendInBlocks(statistics));
    core.sections.push_back(
        {kSectionStatistics, kSectionInBlocks, table.offset, table.count, table.seal});
  }
  if (input.overlay != nullptr) {
    DSI_ASSIGN_OR_RETURN(const WrittenSection section,
                         sink->AppendSection(EncodeOverlay(*input.overlay)));
    core.sections.push_back(
        {kSectionOverlay, kSectionRequired, section.offset, section.size, section.seal});
  }
  for (const PlacedStripe& s : *input.stripes) {
    core.num_sessions += s.num_sessions;
    core.stripes.push_back({.first_row = s.first_row,
                            .num_rows = s.num_rows,
                            .num_sessions = s.num_sessions,
                            .flags = s.continues_session ? kStripeContinues : 0,
                            .data_offset = s.data_offset,
                            .data_size = s.data_size,
                            .groups = s.groups_table,
                            .streams = s.streams_table,
                            .pages = s.pages_table});
  }
  for (const size_t f : input.cluster_features)
    core.cluster_keys.push_back(input.layout->features[f].first_column);
  if (const uint64_t size = EncodedCoreSize(core); size > kMaxCoreBytes) {
    return Error(StatusCode::kResourceExhausted,
                 "the core footer takes {} bytes, {} are allowed: use larger stripes", size,
                 kMaxCoreBytes);
  }
  return sink->AppendEnd(EncodeCore(core));
}

}  // namespace dsi::internal
