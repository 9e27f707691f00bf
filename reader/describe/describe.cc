#include "dsi/reader/describe/describe_internal.h"

#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

uint64_t StoredBytes(const StreamRecord& stream, const std::vector<PageRecord>& pages) {
  if (stream.is_alias) return 0;
  if (stream.form == StreamForm::kPacked) return stream.size;
  uint64_t bytes = 0;
  for (const PageRecord& page : pages) bytes += page.stored_size;
  return bytes;
}

Result<GroupInfo::PerStripe> DescribeIndex(const OpenFile& file, size_t stripe, uint32_t group) {
  GroupInfo::PerStripe info;
  DSI_ASSIGN_OR_RETURN(const StripeGroupRecord record, file.LoadStripeGroup(stripe, group));
  info.num_unique = record.num_unique;
  if (!IsKnown(record.form)) {
    info.support =
        Error(StatusCode::kUnsupported, "stripe {}, dedup group {}: index form {} (D-001)", stripe,
              group, static_cast<uint32_t>(record.form));
    return info;
  }
  info.form = record.form;
  if (group == 0) return info;
  DSI_ASSIGN_OR_RETURN(const StreamRecord stream,
                       file.LoadStream(stripe, file.slots().index(group)));
  info.support = stream.Support().At(fmt::format("stripe {}, dedup group {}", stripe, group));
  DSI_ASSIGN_OR_RETURN(const std::vector<PageRecord> pages,
                       file.LoadPages(stripe, stream.first_page, stream.num_pages));
  info.index_bytes = StoredBytes(stream, pages);
  return info;
}

}  // namespace

Result<std::string> LoadOptionalName(const OpenFile& file, uint32_t offset, uint32_t size) {
  if (size == 0) return std::string();
  return file.LoadName(offset, size);
}

Result<std::vector<OpenColumn>> LoadAllColumns(const OpenFile& file) {
  std::vector<OpenColumn> columns;
  for (uint32_t i = 0; i < file.core().columns.count; ++i) {
    DSI_ASSIGN_OR_RETURN(OpenColumn column, file.LoadAnyColumn(i));
    if (column.record.place == 0) DSI_RETURN_IF_ERROR(file.CheckFollowers(column));
    columns.push_back(std::move(column));
  }
  return columns;
}

Result<std::vector<OpenColumn>> LoadReadableColumns(const OpenFile& file) {
  DSI_ASSIGN_OR_RETURN(std::vector<OpenColumn> columns, LoadAllColumns(file));
  std::erase_if(columns, [](const OpenColumn& c) { return !c.record.Support().ok(); });
  return columns;
}

Result<ColumnInfo> DescribeColumn(const OpenFile& file, const OpenColumn& column,
                                  const std::vector<PrecisionRecord>& precisions) {
  const ColumnRecord& r = column.record;
  ColumnInfo info;
  info.ordinal = column.ordinal;
  info.name = column.name;
  info.feature = column.feature_name();
  info.feature_id = column.feature_id();
  info.support = r.Support();
  info.kind = r.kind;
  info.type = r.type;
  info.time_unit = r.time_unit;
  if (r.id_space != kNone16) {
    DSI_ASSIGN_OR_RETURN(const IdSpaceRecord space, file.LoadIdSpace(r.id_space));
    DSI_ASSIGN_OR_RETURN(info.id_space, LoadOptionalName(file, space.name_offset, space.name_size));
  }
  info.group = r.group;
  info.max_length = r.max_length;
  info.fixed_length = r.fixed_length;
  info.newest_first = r.newest_first;
  info.nested = r.nested;
  if (r.has_default) info.default_bits = r.default_bits;
  DSI_ASSIGN_OR_RETURN(const PrecisionRecord precision, PrecisionOf(precisions, column));
  info.precision = precision.precision;
  info.max_error = precision.max_error;
  info.hashed = r.hashed;
  info.stored_bytes = r.stored_bytes;
  info.stored_values = r.num_values;
  return info;
}

Result<std::vector<ColumnInfo>> DescribeColumns(const OpenFile& file) {
  DSI_ASSIGN_OR_RETURN(const std::vector<PrecisionRecord> precisions, LoadPrecisions(file));
  DSI_ASSIGN_OR_RETURN(const std::vector<OpenColumn> columns, LoadAllColumns(file));
  std::vector<ColumnInfo> infos;
  for (const OpenColumn& column : columns) {
    DSI_ASSIGN_OR_RETURN(ColumnInfo info, DescribeColumn(file, column, precisions));
    infos.push_back(std::move(info));
  }
  return infos;
}

Result<std::vector<GroupInfo>> DescribeGroups(const OpenFile& file) {
  DSI_ASSIGN_OR_RETURN(const std::vector<OpenColumn> columns, LoadAllColumns(file));
  std::vector<GroupInfo> infos;
  for (uint32_t g = 0; g < file.core().groups.count; ++g) {
    DSI_ASSIGN_OR_RETURN(const GroupRecord record, file.LoadGroup(g));
    GroupInfo info;
    info.ordinal = g;
    DSI_ASSIGN_OR_RETURN(info.name, LoadOptionalName(file, record.name_offset, record.name_size));
    info.declared = record.source == 1 || record.source == 3;
    info.parent = record.parent;
    if (record.owner != kNone32) info.owner = columns[record.owner].name;
    for (size_t s = 0; s < file.core().stripes.size(); ++s) {
      DSI_ASSIGN_OR_RETURN(const GroupInfo::PerStripe stripe, DescribeIndex(file, s, g));
      info.stripes.push_back(stripe);
    }
    infos.push_back(std::move(info));
  }
  // LoadColumn proved that the group exists.
  for (const OpenColumn& column : columns) {
    infos[column.record.group].columns.push_back(column.name);
  }
  return infos;
}

Result<std::vector<OpenColumn>> OpenProjection(const OpenFile& file, const ScanOptions& options) {
  if (options.features.empty()) return LoadReadableColumns(file);
  std::vector<OpenColumn> columns;
  std::vector<bool> seen(file.core().columns.count);
  for (const Projection& projection : options.features) {
    DSI_ASSIGN_OR_RETURN(const std::vector<uint32_t> ordinals, file.FindColumns(projection.name));
    for (const uint32_t ordinal : ordinals) {
      if (!projection.blank) {
        if (seen[ordinal]) continue;
        seen[ordinal] = true;
      }
      DSI_ASSIGN_OR_RETURN(OpenColumn column, file.LoadColumn(ordinal));
      column.blank = projection.blank;
      columns.push_back(std::move(column));
    }
  }
  return columns;
}

}  // namespace dsi::internal
