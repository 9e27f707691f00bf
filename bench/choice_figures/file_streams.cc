#include "dsi/bench/choice_figures/file_streams.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dsi/codecs/dictionary/narrow_codes_internal.h"
#include "dsi/codecs/node_internal.h"
#include "dsi/codecs/shared_dictionary/shared_dictionary_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/io/file.h"
#include "dsi/reader/describe/describe_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/format/stream_rules_internal.h"

namespace dsi::bench {
namespace {

using namespace internal;

class StripeStreams {
 public:
  StripeStreams(const OpenFile& file, const std::vector<OpenColumn>& columns,
                const StripePlan& plan, PageReader* pages)
      : file_(file), columns_(columns), plan_(plan), pages_(pages) {
    // Features by the group whose index they read: the shape stream stands for the feature.
    std::set<std::pair<uint32_t, uint32_t>> met;
    for (const ColumnPlan& column : plan.columns) {
      for (uint32_t g = column.group; g != kNone32; g = plan.groups[g].parent) {
        const uint32_t index = plan.groups[g].index;
        if (met.insert({index, column.shape}).second) ++readers_[index];
      }
    }
  }

  Result<Stream> Load(uint32_t at) {
    const PlannedStream& planned = plan_.streams[at];
    const OpenColumn& column = columns_[planned.column];
    Stream stream;
    stream.name = Name(planned, column);
    if (planned.role == StreamRole::kIndex) stream.readers = readers_[at];
    for (uint32_t k = 0; k < planned.record.num_pages; ++k) {
      DSI_ASSIGN_OR_RETURN(const PageBytes held, pages_->Node(planned, k));
      const std::span<const std::byte> node = held.bytes;
      const size_t count = ValuesInNode(planned.record, k, file_.core().page_values);
      stream.is_inner = IsCodes(node);
      Result<Page> page = stream.is_inner ? LoadCodes(planned, node, count)
                                          : LoadValues(planned, column, node, count);
      if (!page.ok()) return page.status();
      stream.pages.push_back(*std::move(page));
    }
    return stream;
  }

  // Of a stream of codes, what is in no dictionary; no pages where there is none.
  Result<Stream> LoadLiterals(uint32_t at) {
    const PlannedStream& planned = plan_.streams[at];
    const OpenColumn& column = columns_[planned.column];
    Stream stream;
    stream.name = Name(planned, column) + ", literals";
    stream.is_inner = true;
    for (uint32_t k = 0; k < planned.record.num_pages; ++k) {
      DSI_ASSIGN_OR_RETURN(const PageBytes held, pages_->Node(planned, k));
      const std::span<const std::byte> node = held.bytes;
      if (!IsCodes(node)) continue;
      DSI_ASSIGN_OR_RETURN(const size_t ids, DictionarySize(planned));
      DSI_ASSIGN_OR_RETURN(const NodeView view, ParseNode(node));
      DSI_ASSIGN_OR_RETURN(const SharedChildren children, FindSharedChildren(view, ids));
      if (view.aux == 0) continue;
      DSI_ASSIGN_OR_RETURN(
          Page page,
          LoadValues(planned, column,
                     view.payload.subspan(children.codes.size, children.literals.size), view.aux));
      stream.pages.push_back(std::move(page));
    }
    return stream;
  }

 private:
  static bool IsCodes(std::span<const std::byte> node) {
    return node[0] == static_cast<std::byte>(Encoding::kSharedDictionary);
  }

  std::string Name(const PlannedStream& planned, const OpenColumn& column) const {
    const std::string role = " " + std::string(StreamRoleName(planned.role));
    if (planned.role == StreamRole::kIndex) return "group " + std::to_string(planned.owner) + role;
    if (planned.role == StreamRole::kDictionary)
      return "id space " + std::to_string(column.record.id_space) + role;
    const bool of_feature = planned.role != StreamRole::kValues;
    return (of_feature ? column.name.substr(0, column.record.feature_name_size) : column.name) +
           role;
  }

  Result<Page> LoadValues(const PlannedStream& planned, const OpenColumn& column,
                          std::span<const std::byte> node, size_t count) {
    const auto type = static_cast<Type>(column.record.type);
    Page page;
    page.values.count = count;
    page.values.width = planned.record.width;
    if (planned.role == StreamRole::kValues) {
      page.values.is_float = IsFloat(type);
    }
    page.values.bytes.resize(count * planned.record.width);
    page.node.assign(node.begin(), node.end());
    DSI_RETURN_IF_ERROR(
        DecodeNode(node, planned.record.width, count, {}, &scratch_, page.values.bytes.data()));
    return page;
  }

  Result<size_t> DictionarySize(const PlannedStream& planned) const {
    const ColumnPlan& column = plan_.columns[planned.column];
    const uint32_t at = column.source != kNone32 ? column.source : column.dictionary;
    if (at == kNone32) return Corrupt("codes without a dictionary (E-051)");
    return plan_.streams[at].record.num_values;
  }

  Result<Page> LoadCodes(const PlannedStream& planned, std::span<const std::byte> node,
                         size_t count) {
    DSI_ASSIGN_OR_RETURN(const size_t ids, DictionarySize(planned));
    std::vector<uint32_t> codes(count);
    DSI_RETURN_IF_ERROR(
        DecodeSharedCodes(node, planned.record.width, count, ids, &scratch_, codes.data()));
    Page page;
    const NarrowCodes narrow(codes, *std::max_element(codes.begin(), codes.end()));
    page.values = CopyOf(narrow.view());
    DSI_ASSIGN_OR_RETURN(const NodeView view, ParseNode(node));
    DSI_ASSIGN_OR_RETURN(const SharedChildren children, FindSharedChildren(view, ids));
    const auto codes_node = view.payload.first(children.codes.size);
    page.node.assign(codes_node.begin(), codes_node.end());
    return page;
  }

  const OpenFile& file_;
  const std::vector<OpenColumn>& columns_;
  const StripePlan& plan_;
  PageReader* pages_;
  DecodeScratch scratch_;
  std::map<uint32_t, double> readers_;  // By the place of the index stream in the plan.
};

}  // namespace

uint64_t Stream::num_values() const {
  uint64_t sum = 0;
  for (const Page& page : pages) sum += page.values.count;
  return sum;
}

uint64_t Stream::num_bytes() const {
  uint64_t sum = 0;
  for (const Page& page : pages) sum += page.node.size();
  return sum;
}

Status VisitStreams(const std::string& path, uint32_t max_stripes,
                    const std::function<void(size_t stripe, Stream stream)>& visit) {
  DSI_ASSIGN_OR_RETURN(auto local, OpenLocalFile(path));
  DSI_ASSIGN_OR_RETURN(const auto file, OpenFile::Open(std::move(local)));
  DSI_ASSIGN_OR_RETURN(const std::vector<OpenColumn> columns, OpenProjection(*file, {}));
  PageReader pages(file.get(), nullptr);
  for (size_t s = 0; s < std::min<size_t>(max_stripes, file->core().stripes.size()); ++s) {
    DSI_ASSIGN_OR_RETURN(const StripePlan plan, PlanStripe(*file, columns, s, {}, nullptr));
    pages.Start(&plan);
    StripeStreams streams(*file, columns, plan, &pages);
    for (uint32_t at = 0; at < plan.streams.size(); ++at) {
      const StreamRecord& record = plan.streams[at].record;
      if (record.num_pages == 0 || record.is_alias) continue;
      DSI_ASSIGN_OR_RETURN(Stream stream, streams.Load(at));
      const bool is_codes = stream.is_inner;
      visit(s, std::move(stream));
      if (!is_codes) continue;
      DSI_ASSIGN_OR_RETURN(Stream literals, streams.LoadLiterals(at));
      if (!literals.pages.empty()) visit(s, std::move(literals));
    }
  }
  return Status::Ok();
}

}  // namespace dsi::bench
