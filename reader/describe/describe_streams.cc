// How each stream is encoded: reads every page of the columns asked for.
#include <algorithm>
#include <span>
#include <utility>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/reader/describe/describe_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/format/stream_rules_internal.h"

namespace dsi::internal {
namespace {

// Different pages of a stream may be encoded in different ways; more are summed up.
constexpr size_t kMaxEncodingsNamed = 4;

// "packed", or "3 × packed, 1 × raw".
class EncodingNames {
 public:
  void Add(std::string name) {
    ++total_;
    const auto at =
        std::find_if(names_.begin(), names_.end(), [&](const auto& n) { return n.first == name; });
    if (at != names_.end()) {
      ++at->second;
    } else if (names_.size() < kMaxEncodingsNamed) {
      names_.emplace_back(std::move(name), 1);
    }
  }

  std::string Text() const {
    if (names_.size() == 1 && names_[0].second == total_) return names_[0].first;
    std::string text;
    size_t named = 0;
    for (const auto& [name, count] : names_) {
      if (!text.empty()) text += ", ";
      text += fmt::format("{} x {}", count, name);
      named += count;
    }
    if (named != total_) text += fmt::format(", {} x others", total_ - named);
    return text;
  }

 private:
  std::vector<std::pair<std::string, size_t>> names_;
  size_t total_ = 0;
};

Result<StreamInfo> DescribeStream(const OpenFile& file, const StripePlan& plan,
                                  const PlannedStream& stream, PageReader* pages) {
  const uint32_t page_values = file.core().page_values;
  StreamInfo info;
  info.role = StreamRoleName(stream.role);
  info.stripe = static_cast<uint32_t>(plan.stripe);
  info.num_values = stream.record.num_values;
  if (stream.record.form == StreamForm::kEmpty) info.encoding = "empty";
  if (stream.record.form == StreamForm::kConstant) info.encoding = "constant in the stream record";
  if (!IsKnown(stream.record.form))
    info.encoding = fmt::format("unknown form {}", static_cast<int>(stream.record.form));
  EncodingNames names;
  for (uint32_t k = 0; k < stream.record.num_pages; ++k) {
    DSI_ASSIGN_OR_RETURN(const PageBytes held, pages->Node(stream, k));
    const std::span<const std::byte> node = held.bytes;
    if (!stream.record.is_alias) info.bytes += node.size();
    DSI_ASSIGN_OR_RETURN(std::string name,
                         DescribeNode(node, ValuesInNode(stream.record, k, page_values)));
    names.Add(std::move(name));
    pages->Done(stream, k);
  }
  if (stream.record.num_pages != 0) info.encoding = names.Text();
  DSI_ASSIGN_OR_RETURN(const std::string source, SourceName(file, stream.record));
  if (!source.empty()) info.encoding = fmt::format("in {}: {}", source, info.encoding);
  if (stream.record.is_alias) info.encoding = "alias of " + info.encoding;
  if (stream.lends) info.role = "source " + info.role;
  return info;
}

}  // namespace

Result<std::string> OwnerName(const OpenFile& file, const OpenColumn& column,
                              const PlannedStream& stream) {
  switch (stream.role) {
    case StreamRole::kShape:
    case StreamRole::kWindows:
      return column.name.substr(0, column.record.feature_name_size);
    case StreamRole::kValues:
      return column.name;
    case StreamRole::kIndex: {
      DSI_ASSIGN_OR_RETURN(const GroupRecord group, file.LoadGroup(stream.owner));
      DSI_ASSIGN_OR_RETURN(std::string name,
                           LoadOptionalName(file, group.name_offset, group.name_size));
      return name.empty() ? fmt::format("group {}", stream.owner) : name;
    }
    case StreamRole::kDictionary: {
      DSI_ASSIGN_OR_RETURN(const IdSpaceRecord space, file.LoadIdSpace(stream.owner));
      DSI_ASSIGN_OR_RETURN(std::string name,
                           LoadOptionalName(file, space.name_offset, space.name_size));
      return name.empty() ? column.name : name;
    }
  }
  return column.name;
}

Result<std::string> SourceName(const OpenFile& file, const StreamRecord& stream) {
  if (!stream.has_source()) return std::string();
  DSI_ASSIGN_OR_RETURN(OpenColumn column, file.LoadAnyColumn(stream.source_column()));
  return std::move(column.name);
}

Result<std::vector<StreamInfo>> DescribeStreams(const OpenFile& file, const ReaderOptions& options,
                                                std::string_view column) {
  ScanOptions projection;
  if (!column.empty()) projection.features.push_back({.name = std::string(column), .dtype = {}});
  DSI_ASSIGN_OR_RETURN(const std::vector<OpenColumn> columns, OpenProjection(file, projection));
  std::vector<StreamInfo> infos;
  MemoryBudget budget{.limit = kDescribeMemory};
  PageReader pages(&file, &budget);
  for (size_t s = 0; s < file.core().stripes.size(); ++s) {
    DSI_ASSIGN_OR_RETURN(const StripePlan plan, PlanStripe(file, columns, s, options, &budget));
    pages.Start(&plan);
    for (const PlannedStream& stream : plan.streams) {
      if (stream.column != kNone32) pages.Expect(stream);
    }
    pages.LetGo();
    for (const PlannedStream& stream : plan.streams) {
      if (stream.column == kNone32) continue;  // Of the time column, which was not asked for.
      auto info = DescribeStream(file, plan, stream, &pages);
      if (!info.ok()) return info.status().At(DescribeStream(plan, columns, stream));
      DSI_ASSIGN_OR_RETURN(info->column, OwnerName(file, columns[stream.column], stream));
      infos.push_back(*std::move(info));
    }
  }
  return infos;
}

}  // namespace dsi::internal
