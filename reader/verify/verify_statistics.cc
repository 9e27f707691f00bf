#include "dsi/reader/verify/verify_statistics_internal.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/reader/decode/pool_decoder_internal.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/verify/decode_groups_internal.h"
#include "dsi/reader/verify/stripe_records_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kPiece = 65'536;  // Unique rows looked at in one go.

// Works the statistics of one column in one stripe out.
class StatisticsFinder {
 public:
  StatisticsFinder(const OpenFile& file, const OpenColumn& column, size_t stripe,
                   MemoryBudget* budget)
      : file_(file),
        column_(column),
        stripe_(stripe),
        budget_(budget),
        pages_(&file, budget),
        room_(budget),
        is_missing_(budget) {}

  Result<ColumnStatistics> Find() {
    const std::span<const OpenColumn> columns(&column_, 1);
    DSI_ASSIGN_OR_RETURN(plan_, PlanStripe(file_, columns, stripe_, {}, budget_));
    pages_.Start(&plan_, file_.ahead());
    context_ = {&pages_, &plan_, columns, file_.core().page_values, {&room_, 1}};
    const uint32_t num_rows = file_.core().stripes[stripe_].num_rows;
    DSI_RETURN_IF_ERROR(FindBounds());
    ColumnStatistics out = found_;
    if (is_missing_.empty()) return out;
    DSI_ASSIGN_OR_RETURN(const DecodedGroups groups, DecodeGroups(context_, num_rows, budget_));
    const auto rows = groups[plan_.columns[0].group]->all();
    out.num_missing = static_cast<uint32_t>(
        std::count_if(rows.begin(), rows.end(), [&](uint32_t u) { return is_missing_[u]; }));
    return out;
  }

 private:
  // Those of the unique rows; and which of these are missing, none where all are there.
  Status FindBounds() {
    const ColumnPlan& planned = plan_.columns[0];
    const uint32_t num_unique = plan_.groups[planned.group].record.num_unique;
    const auto stream = [&](uint32_t at) { return at == kNone32 ? nullptr : &plan_.streams[at]; };
    StreamWindow dictionary(budget_);
    if (planned.dictionary != kNone32)
      dictionary.Start(&context_, stream(planned.dictionary), nullptr, nullptr, true);
    ShapeDecoder shape(budget_);
    DSI_RETURN_IF_ERROR(shape.Start(&context_, stream(planned.shape), stream(planned.windows),
                                    column_.leader, num_unique, planned.pool_values, false));
    PoolDecoder values(budget_);
    DSI_RETURN_IF_ERROR(values.Start(&context_, planned, nullptr,
                                     planned.dictionary == kNone32 ? nullptr : &dictionary, &shape,
                                     false));
    for (uint32_t first = 0; first < num_unique; first += kPiece) {
      const uint32_t count = std::min(kPiece, num_unique - first);
      DSI_RETURN_IF_ERROR(shape.Require(first, count));
      DSI_RETURN_IF_ERROR(values.Require());
      const ShapeView& view = shape.view();
      if (column_.record.type == Type::kBytes) {
        WidenByTexts(view, values.values().values, count);
      } else {
        WidenBounds(column_.record.type, values.values().values, view.end_value - view.first_value,
                    &found_);
      }
      if (view.plain) continue;
      for (uint32_t i = 0; i < count; ++i) {
        if (view.present[i] != 0) continue;
        is_missing_.resize(num_unique, false);
        is_missing_[first + i] = true;
      }
    }
    return Status::Ok();
  }

  void WidenByTexts(const ShapeView& view, const std::byte* bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (view.present[i] == 0) continue;
      const auto* const text = reinterpret_cast<const char*>(bytes + view.Start(i));
      WidenBounds(std::string_view(text, view.lengths[i]), &found_);
    }
  }

  const OpenFile& file_;
  const OpenColumn& column_;
  size_t stripe_;
  MemoryBudget* budget_;
  StripePlan plan_;
  PageReader pages_;
  DecodeRoom room_;
  StripeContext context_;
  ColumnStatistics found_;
  CountedVector<bool> is_missing_;  // By unique row.
};

std::string Text(Type type, const ColumnStatistics& s) {
  if (!s.has_bounds) return fmt::format("no bounds, {} missing", s.num_missing);
  if (type == Type::kBytes) {
    return fmt::format("{} to {}, {} missing", QuoteForMessage(s.least_text.view()),
                       QuoteForMessage(s.greatest_text.view()), s.num_missing);
  }
  return fmt::format("{:#x} to {:#x}, {} missing", s.least, s.greatest, s.num_missing);
}

}  // namespace

StatisticsVerifier::StatisticsVerifier(const OpenFile& file, const VerifiedDirectory& directory,
                                       MemoryBudget* budget, DamageLog* log)
    : file_(file), directory_(directory), budget_(budget), log_(*log), left_(budget) {
  if (file.statistics() == nullptr) return;
  if (Status status = ReadEnds(); !status.ok()) {
    left_.clear();
    Report(std::move(status), "section of statistics");
  }
}

// F-082: where the bytes of each column are, one column's behind the other's.
Status StatisticsVerifier::ReadEnds() {
  const uint32_t heads = file_.core().columns.count * static_cast<uint32_t>(sizeof(uint32_t));
  const uint32_t size = file_.statistics()->count();
  uint32_t begin = heads;
  for (uint32_t c = 0; c < file_.core().columns.count; ++c) {
    std::array<std::byte, sizeof(uint32_t)> bytes{};
    DSI_RETURN_IF_ERROR(file_.statistics()->Read(c * static_cast<uint32_t>(sizeof(uint32_t)),
                                                 bytes.size(), bytes.data()));
    const auto room = LoadLE<uint32_t>(bytes.data());
    if (room > size - heads || heads + room < begin)
      return Corrupt("statistics of column {} end at {}, those before at {}, of {} (F-082)", c,
                     room, begin - heads, size - heads);
    const uint32_t end = heads + room;
    const OpenColumn& column = directory_.columns[c];
    const bool is_known = !column.name.empty() && column.record.Support().ok();
    if (begin != end && is_known) {
      if (!HasOneValue(column.record.kind))
        return Corrupt("column {} of kind {} has statistics (F-082)", c,
                       KindName(column.record.kind));
      left_.push_back({c, begin, end});
    }
    begin = end;
  }
  if (begin == size) return Status::Ok();
  return Corrupt("{} bytes behind those of the last column (F-082)", size - begin);
}

Result<ColumnStatistics> StatisticsVerifier::Take(Left* left, const OpenColumn& column,
                                                  size_t stripe) const {
  std::array<std::byte, ColumnStatistics::kMaxSize> bytes{};
  const auto size =
      std::min<uint32_t>(left->end - left->begin, static_cast<uint32_t>(bytes.size()));
  DSI_RETURN_IF_ERROR(file_.statistics()->Read(left->begin, size, bytes.data()));
  std::span<const std::byte> rest = std::span(bytes).first(size);
  DSI_ASSIGN_OR_RETURN(
      const ColumnStatistics stated,
      ColumnStatistics::TakeFrom(column.record.type, file_.core().stripes[stripe].num_rows, &rest));
  left->begin += size - static_cast<uint32_t>(rest.size());
  return stated;
}

Status StatisticsVerifier::CheckStripe(size_t stripe, bool sound) {
  size_t kept = 0;
  for (size_t i = 0; i < left_.size(); ++i) {
    Left left = left_[i];
    const OpenColumn& column = directory_.columns[left.column];
    const auto stated = Take(&left, column, stripe);
    Status status = stated.status();
    if (status.ok()) {
      left_[kept++] = left;
      if (sound) status = Compare(column, stripe, *stated);
    }
    // What is unsupported has been reported, by who met its record or its page.
    if (status.ok() || status.code() == StatusCode::kUnsupported) continue;
    if (!IsDamage(status)) return status;
    Report(std::move(status),
           fmt::format("statistics of stripe {}, column {}", stripe, column.name));
  }
  left_.resize(kept);
  return Status::Ok();
}

Status StatisticsVerifier::Compare(const OpenColumn& column, size_t stripe,
                                   const ColumnStatistics& stated) const {
  DSI_ASSIGN_OR_RETURN(const ColumnStatistics found,
                       StatisticsFinder(file_, column, stripe, budget_).Find());
  if (found == stated) return Status::Ok();
  return Corrupt("{}, the values say {} (F-083)", Text(column.record.type, stated),
                 Text(column.record.type, found));
}

void StatisticsVerifier::Finish() {
  for (const Left& left : left_) {
    if (left.begin == left.end) continue;
    Report(Corrupt("{} bytes behind those of the last stripe (F-082)", left.end - left.begin),
           fmt::format("statistics of column {}", directory_.columns[left.column].name));
  }
}

void StatisticsVerifier::Report(Status status, std::string where) {
  log_.Add(std::move(status), std::move(where));
}

}  // namespace dsi::internal
