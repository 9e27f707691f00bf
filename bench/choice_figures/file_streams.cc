#include "dsi/bench/choice_figures/file_streams.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dsi/codecs/width_internal.h"
#include "dsi/format/error_internal.h"
#include "dsi/io/file.h"
#include "dsi/reader/describe_internal.h"
#include "dsi/reader/page_plan_internal.h"
#include "dsi/reader/stream_rules_internal.h"

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
    const auto type = static_cast<Type>(column.record.type);
    Stream stream;
    stream.name = Name(planned, column);
    stream.slot = planned.slot;
    stream.page_values = file_.core().page_values;
    if (planned.role == StreamRole::kIndex) stream.readers = readers_[at];
    const bool kept = planned.role == StreamRole::kShape || planned.role == StreamRole::kValues;
    stream.memory = kept ? Memory::kFile : Memory::kStream;
    stream.values.count = planned.record.num_values;
    stream.values.width = planned.record.width;
    if (planned.role == StreamRole::kValues) {
      stream.values.is_signed = IsSignedInteger(type);
      stream.values.is_float = IsFloat(type);
    }
    DSI_ASSIGN_OR_RETURN(const std::span<const std::byte> first, pages_->Node(planned, 0));
    if (first[0] == static_cast<std::byte>(Encoding::kSharedDictionary)) {
      stream.memory = Memory::kCodes;
      DSI_RETURN_IF_ERROR(LoadCodes(planned, &stream));
    } else {
      DSI_RETURN_IF_ERROR(LoadValues(planned, &stream.values));
    }
    return stream;
  }

 private:
  std::string Name(const PlannedStream& planned, const OpenColumn& column) const {
    const std::string role = " " + std::string(StreamRoleName(planned.role));
    if (planned.role == StreamRole::kIndex) return "group " + std::to_string(planned.group) + role;
    if (planned.role == StreamRole::kDictionary)
      return "id space " + std::to_string(column.record.id_space) + role;
    const bool of_feature = planned.role != StreamRole::kValues;
    return (of_feature ? column.name.substr(0, column.record.feature_name_size) : column.name) +
           role;
  }

  // Calls decode(node, first value, values of the node) for each page.
  template <typename Decode>
  Status ForEachPage(const PlannedStream& planned, const Decode& decode) {
    uint64_t done = 0;
    for (uint32_t k = 0; k < planned.record.num_pages; ++k) {
      DSI_ASSIGN_OR_RETURN(const std::span<const std::byte> node, pages_->Node(planned, k));
      const uint64_t n = ValuesInNode(planned.record, k, file_.core().page_values);
      DSI_RETURN_IF_ERROR(decode(node, done, n));
      done += n;
    }
    return Status::Ok();
  }

  Status LoadValues(const PlannedStream& planned, Values* values) {
    const int width = values->width;
    values->bytes.resize(values->count * static_cast<size_t>(width));
    return ForEachPage(planned, [&](std::span<const std::byte> node, uint64_t first, uint64_t n) {
      // Nodes decode to memory that is aligned to 8, which a page of the whole need not be.
      std::vector<std::byte> page(n * static_cast<size_t>(width));
      DSI_RETURN_IF_ERROR(DecodeNode(node, width, n, {}, &scratch_, page.data()));
      std::copy(page.begin(), page.end(),
                values->bytes.begin() + static_cast<ptrdiff_t>(first * static_cast<size_t>(width)));
      return Status::Ok();
    });
  }

  Status LoadCodes(const PlannedStream& planned, Stream* stream) {
    const uint32_t at = plan_.columns[planned.column].dictionary;
    if (at == kNone32) return Corrupt("codes without a dictionary (E-051)");
    Values& ids = dictionaries_[at];
    if (ids.bytes.empty()) {
      ids.count = plan_.streams[at].record.num_values;
      ids.width = plan_.streams[at].record.width;
      DSI_RETURN_IF_ERROR(LoadValues(plan_.streams[at], &ids));
    }
    std::vector<uint32_t> codes(stream->values.count);
    DSI_RETURN_IF_ERROR(ForEachPage(planned, [&](std::span<const std::byte> node, uint64_t first,
                                                 uint64_t n) {
      return DecodeSharedCodes(node, planned.record.width, n, ids.count, &scratch_, &codes[first]);
    }));
    const auto width = static_cast<size_t>(ids.width);
    stream->first_ids = stream->values;
    stream->first_ids.count = std::min<size_t>(codes.size(), stream->page_values);
    for (size_t i = 0; i < stream->first_ids.count; ++i) {
      const auto id = ids.bytes.begin() + static_cast<ptrdiff_t>(codes[i] * width);
      stream->first_ids.bytes.insert(stream->first_ids.bytes.end(), id,
                                     id + static_cast<ptrdiff_t>(width));
    }
    stream->values = CopyOf(ViewOf<uint32_t>(codes));
    stream->largest_code = static_cast<uint32_t>(ids.count - 1);
    return Status::Ok();
  }

  const OpenFile& file_;
  const std::vector<OpenColumn>& columns_;
  const StripePlan& plan_;
  PageReader* pages_;
  DecodeScratch scratch_;
  std::map<uint32_t, double> readers_;       // By the place of the index stream in the plan.
  std::map<uint32_t, Values> dictionaries_;  // By the place of the stream in the plan.
};

}  // namespace

Status VisitStreams(const std::string& path, uint32_t max_stripes,
                    const std::function<void(size_t stripe, const Stream& stream)>& visit) {
  DSI_ASSIGN_OR_RETURN(auto local, OpenLocalFile(path));
  DSI_ASSIGN_OR_RETURN(const auto file, OpenFile::Open(std::move(local)));
  DSI_ASSIGN_OR_RETURN(const std::vector<OpenColumn> columns, OpenProjection(*file, {}));
  PageReader pages(file.get());
  for (size_t s = 0; s < std::min<size_t>(max_stripes, file->core().stripes.size()); ++s) {
    DSI_ASSIGN_OR_RETURN(const StripePlan plan, PlanStripe(*file, columns, s, {}));
    pages.Start(&plan);
    StripeStreams streams(*file, columns, plan, &pages);
    for (uint32_t at = 0; at < plan.streams.size(); ++at) {
      const StreamRecord& record = plan.streams[at].record;
      if (record.num_pages == 0 || record.is_alias) continue;
      DSI_ASSIGN_OR_RETURN(const Stream stream, streams.Load(at));
      visit(s, stream);
    }
  }
  return Status::Ok();
}

}  // namespace dsi::bench
