// Why a page is encoded as it is: the same page encoded in the other ways that a writer weighs.
#include <algorithm>
#include <span>
#include <string_view>

#include "dsi/codecs/dictionary/narrow_codes_internal.h"
#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/format/error_internal.h"
#include "dsi/reader/describe_internal.h"
#include "dsi/reader/page_plan_internal.h"
#include "dsi/reader/stream_rules_internal.h"

namespace dsi::internal {
namespace {

// Ways beyond these are far off.
constexpr size_t kMostTried = 8;

// What of a page's node stays the same, whatever way is compared.
struct Beside {
  std::string_view before;  // In its description.
  std::string_view after;
  size_t bytes = 0;
};

void Compare(const ArrayView& page, const Beside& beside, ChoiceInfo* info) {
  const EncodeTuning tuning;
  const auto count = static_cast<double>(page.count);
  std::vector<EncodePlan> plans = RankPlans(page, tuning);
  plans.resize(std::min(plans.size(), kMostTried));
  for (const EncodePlan& plan : plans) {
    std::vector<std::byte> node;
    EncodeNode(page, plan, tuning, &node);
    Result<std::string> name = DescribeNode(node, page.count);
    if (!name.ok()) continue;
    const std::string text = fmt::format("{}{}{}", beside.before, *name, beside.after);
    if (text == info->encoding) {
      if (info->ns_per_value == 0) info->ns_per_value = plan.estimated_ns / count;
    } else if (info->runner_up.empty()) {
      info->runner_up = text;
      info->runner_up_bytes_per_value = static_cast<double>(beside.bytes + node.size()) / count;
      info->runner_up_ns_per_value = plan.estimated_ns / count;
    }
  }
}

Status ExplainPage(const OpenColumn& column, const StripePlan& plan, const PlannedStream& stream,
                   uint32_t page_values, PageReader* pages, ChoiceInfo* info) {
  const StreamRecord& record = stream.record;
  const size_t count = ValuesInNode(record, 0, page_values);
  DSI_ASSIGN_OR_RETURN(const std::span<const std::byte> node, pages->Node(stream, 0));
  DSI_ASSIGN_OR_RETURN(info->encoding, DescribeNode(node, count));
  info->bytes_per_value = static_cast<double>(node.size()) / static_cast<double>(count);
  DecodeScratch scratch;
  const bool shared =
      !node.empty() && node[0] == static_cast<std::byte>(Encoding::kSharedDictionary);
  if (shared) {
    const uint32_t at = plan.columns[0].dictionary;
    if (at == kNone32) return Corrupt("codes without a dictionary (E-051)");
    const uint64_t size = plan.streams[at].record.num_values;
    std::vector<uint32_t> codes(count);
    DSI_RETURN_IF_ERROR(DecodeSharedCodes(node, record.width, count, size, &scratch, codes.data()));
    const std::span<const std::byte> children = node.subspan(kNodeHeaderSize);
    DSI_ASSIGN_OR_RETURN(const size_t codes_size, NodeSize(children));
    DSI_ASSIGN_OR_RETURN(const std::string coded, DescribeNode(children.first(codes_size), count));
    const std::string_view all = info->encoding;
    const size_t at_codes = all.find(coded);
    const NarrowCodes narrow(codes, *std::max_element(codes.begin(), codes.end()));
    Compare(
        narrow.view(),
        {all.substr(0, at_codes), all.substr(at_codes + coded.size()), node.size() - codes_size},
        info);
    return Status::Ok();
  }
  std::vector<uint64_t> words((count * record.width + 7) / 8);
  DSI_RETURN_IF_ERROR(DecodeNode(node, record.width, count, {}, &scratch, words.data()));
  const auto type = static_cast<Type>(column.record.type);
  Compare({.values = words.data(),
           .count = count,
           .width = record.width,
           .is_signed = IsSignedInteger(type),
           .is_float = IsFloat(type)},
          {}, info);
  return Status::Ok();
}

}  // namespace

Result<ChoiceInfo> ExplainChoice(const OpenFile& file, const ReaderOptions& options,
                                 std::string_view column) {
  ScanOptions projection;
  projection.features.push_back({.name = std::string(column), .dtype = {}});
  DSI_ASSIGN_OR_RETURN(const std::vector<OpenColumn> columns, OpenProjection(file, projection));
  ChoiceInfo info;
  PageReader pages(&file);
  for (size_t s = 0; s < file.core().stripes.size(); ++s) {
    DSI_ASSIGN_OR_RETURN(const StripePlan plan, PlanStripe(file, columns, s, options));
    const PlannedStream& stream = plan.streams[plan.columns[0].values];
    if (stream.record.num_pages == 0) continue;
    pages.Start(&plan);
    const Status status =
        ExplainPage(columns[0], plan, stream, file.core().page_values, &pages, &info);
    if (!status.ok()) return status.At(DescribeStream(plan, columns, stream));
    break;
  }
  return info;
}

}  // namespace dsi::internal
