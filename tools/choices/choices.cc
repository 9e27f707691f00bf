// How each stream of a file is encoded, told of its largest stripe, and what else was weighed.
#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/codecs/choice/tuning_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/tools/choices/choices_internal.h"
#include "dsi/reader/describe/describe_internal.h"
#include "dsi/tools/choices/explain_choice_internal.h"
#include "dsi/reader/open/look_ahead_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/format/stream_rules_internal.h"

namespace dsi::tools {
namespace {

using namespace internal;

// Largest first.
std::vector<size_t> StripesBySize(const Core& core) {
  std::vector<size_t> order(core.stripes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return core.stripes[a].data_size > core.stripes[b].data_size;
  });
  return order;
}

// Pages that are encoded alike, and the first of them.
struct Alike {
  EncodingShare share;
  size_t count = 0;
  std::vector<std::byte> node;
};

class ChoiceWalk {
 public:
  ChoiceWalk(const OpenFile& file, const ReaderOptions& reading, const ChoiceOptions& options)
      : file_(file),
        reading_(reading),
        options_(options),
        tuning_(TuningOf(static_cast<Tuning>(file.core().tuning))),
        pages_(&file, &budget_) {}

  Result<std::vector<ChoiceInfo>> Walk() {
    DSI_ASSIGN_OR_RETURN(left_, LoadReadableColumns(file_));
    CountServed();
    for (const size_t stripe : StripesBySize(file_.core())) {
      if (left_.empty()) break;
      DSI_RETURN_IF_ERROR(WalkStripe(stripe));
    }
    std::stable_sort(infos_.begin(), infos_.end(),
                     [](const ChoiceInfo& a, const ChoiceInfo& b) { return a.column < b.column; });
    return std::move(infos_);
  }

 private:
  // As the writer counts: features of the group and of those whose index refers to it.
  void CountServed() {
    served_.resize(file_.core().groups.count);
    for (const OpenColumn& column : left_) {
      if (column.record.place != 0) continue;
      for (size_t level = 0; level < std::min<size_t>(column.groups.size(), 2); ++level)
        ++served_[column.groups[level]];
    }
  }

  // Streams of the time column stand in plans of others, too, as do those that columns borrow from.
  bool IsWanted(const PlannedStream& stream) const {
    return stream.column != kNone32 && !stream.lends && !told_.contains(stream.slot);
  }

  Status WalkStripe(size_t stripe) {
    DSI_ASSIGN_OR_RETURN(const StripePlan plan,
                         PlanStripe(file_, left_, stripe, reading_, &budget_));
    LookAhead ahead(&file_.file(), reading_, &budget_);
    const uint32_t num_rows = file_.core().stripes[stripe].num_rows;
    NotePages(plan, {0, num_rows, num_rows}, &budget_, &ahead);
    DSI_RETURN_IF_ERROR(ahead.ReadNoted().status());
    pages_.Start(&plan, &ahead);
    ahead.Forget();
    for (const PlannedStream& stream : plan.streams) {
      if (IsWanted(stream)) pages_.Expect(stream);
    }
    pages_.LetGo();
    for (const PlannedStream& stream : plan.streams) {
      if (stream.record.num_values == 0 || !IsWanted(stream)) continue;
      told_.insert(stream.slot);
      if (options_.go_on && !options_.go_on())
        return {StatusCode::kCancelled, "looking at encodings was cancelled by its callback"};
      ChoiceInfo& info = infos_.emplace_back();
      const Status status = Describe(plan, stream, &info);
      if (status.ok()) continue;
      const Status at = status.At(DescribeStream(plan, left_, stream));
      if (status.code() != StatusCode::kCorrupt && status.code() != StatusCode::kUnsupported)
        return at;
      info.damage = at.At(file_.file().name());
    }
    std::erase_if(left_, [&](const OpenColumn& c) { return told_.contains(c.values_slot()); });
    return Status::Ok();
  }

  Status Describe(const StripePlan& plan, const PlannedStream& stream, ChoiceInfo* info) {
    const OpenColumn& column = left_[stream.column];
    info->column = column.ordinal;
    DSI_ASSIGN_OR_RETURN(info->owner, OwnerName(file_, column, stream));
    info->role = StreamRoleName(stream.role);
    info->stripe = static_cast<uint32_t>(plan.stripe);
    info->num_values = stream.record.num_values;
    info->is_alias = stream.record.is_alias;
    DSI_ASSIGN_OR_RETURN(info->source, SourceName(file_, stream.record));
    EncodeTuning tuning = tuning_;
    if (stream.role == StreamRole::kIndex) tuning.ns_per_byte *= served_[stream.owner];
    info->ns_per_byte = tuning.ns_per_byte;
    if (stream.record.num_pages == 0) {
      info->encodings.push_back({.encoding = "constant"});
      return Status::Ok();
    }
    DSI_ASSIGN_OR_RETURN(const std::vector<Alike> kinds, FindKinds(stream));
    for (const Alike& kind : kinds) {
      if (!info->is_alias) info->bytes += kind.share.bytes;
      info->encodings.push_back(kind.share);
    }
    if (!options_.weigh || info->is_alias) return Status::Ok();
    StoredPage page{.node = kinds[0].node, .count = kinds[0].count, .width = stream.record.width};
    if (stream.role == StreamRole::kValues) page.type = column.record.type;
    const ColumnPlan& planned = plan.columns[stream.column];
    const uint32_t at = planned.source != kNone32 ? planned.source : planned.dictionary;
    if (at != kNone32) page.dictionary_size = plan.streams[at].record.num_values;
    return ExplainChoice(page, tuning, info);
  }

  // Most bytes first.
  Result<std::vector<Alike>> FindKinds(const PlannedStream& stream) {
    std::vector<Alike> kinds;
    for (uint32_t k = 0; k < stream.record.num_pages; ++k) {
      DSI_ASSIGN_OR_RETURN(const PageBytes held, pages_.Node(stream, k));
      const std::span<const std::byte> node = held.bytes;
      const size_t count = ValuesInNode(stream.record, k, file_.core().page_values);
      DSI_ASSIGN_OR_RETURN(std::string name, DescribeNode(node, count));
      auto at = std::find_if(kinds.begin(), kinds.end(),
                             [&](const Alike& kind) { return kind.share.encoding == name; });
      if (at == kinds.end()) {
        at = kinds.insert(at, {.share = {.encoding = std::move(name)}, .count = count, .node = {}});
        if (options_.weigh) at->node.assign(node.begin(), node.end());
      }
      ++at->share.num_pages;
      at->share.bytes += node.size();
      pages_.Done(stream, k);
    }
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const Alike& a, const Alike& b) { return a.share.bytes > b.share.bytes; });
    return kinds;
  }

  const OpenFile& file_;
  const ReaderOptions& reading_;
  const ChoiceOptions& options_;
  const EncodeTuning tuning_;
  MemoryBudget budget_{.limit = kDescribeMemory};
  PageReader pages_;
  std::vector<OpenColumn> left_;  // Columns that were empty so far.
  std::vector<uint32_t> served_;  // Features, by group.
  std::set<uint32_t> told_;       // Slots.
  std::vector<ChoiceInfo> infos_;
};

}  // namespace

Result<std::vector<ChoiceInfo>> Choices(const Reader& reader, const ChoiceOptions& options) {
  const OpenFile& file = ReaderAccess::File(reader);
  auto choices =
      NoThrow([&] { return ChoiceWalk(file, ReaderAccess::Options(reader), options).Walk(); });
  if (!choices.ok()) return choices.status().At(file.file().name());
  return choices;
}

}  // namespace dsi::tools
