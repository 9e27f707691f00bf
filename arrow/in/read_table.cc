#include "dsi/arrow/in/read_table_internal.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <span>

#include "dsi/arrow/in/inner_lists_internal.h"
#include "dsi/arrow/in/read_bytes_internal.h"
#include "dsi/arrow/in/null_entries_internal.h"
#include "dsi/arrow/in/read_lists_internal.h"
#include "dsi/arrow/in/read_numbers_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// Rows of one column before its values are looked at. `view` holds values, not indices.
struct ColumnRows {
  ColumnPlace place;
  ArrowView view;
  Positions at;
  SlotBits valid;
};

constexpr int64_t kNanosOf[] = {0, 1'000'000'000, 1'000'000, 1'000, 1};

NumberTarget TargetOf(const ColumnSpec& column) {
  return {.type = column.type, .instant_nanos = kNanosOf[static_cast<size_t>(column.time_unit)]};
}

SlotBits And(const SlotBits& a, const SlotBits& b, size_t count, ArrowScratch* scratch) {
  if (a.bits == nullptr) return b;
  if (b.bits == nullptr) return a;
  auto* words = scratch->Take<uint64_t>((count + 63) / 64);
  for (size_t i = 0; i < count; i += 64) {
    const size_t num = std::min<size_t>(64, count - i);
    words[i / 64] = BitWord(a.bits, a.start + i, num) & BitWord(b.bits, b.start + i, num);
  }
  return {reinterpret_cast<const uint8_t*>(words), 0};
}

// Rows of `valid` whose dictionary value is there as well.
SlotBits AndPicked(const SlotBits& valid, const SlotBits& picked, const Positions& at,
                   ArrowScratch* scratch) {
  if (picked.bits == nullptr) return valid;
  auto* bits = scratch->Take<uint8_t>((at.count + 7) / 8);
  std::fill_n(bits, (at.count + 7) / 8, uint8_t{0});
  for (size_t i = 0; i < at.count; ++i) {
    const bool is_set = valid.IsSet(i) && picked.IsSet(static_cast<size_t>(at.slots[i]));
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | is_set << (i % 8));
  }
  return {bits, 0};
}

class FeatureReader {
 public:
  FeatureReader(const ArrowView& table, const Schema& schema, NullEntries null_entries,
                uint64_t first_row, ArrowScratch* scratch)
      : table_(table),
        schema_(schema),
        null_entries_(null_entries),
        first_row_(first_row),
        scratch_(scratch) {}

  Result<FeatureColumns> Read(const FeaturePlan& plan) {
    const FeatureSpec& feature = schema_.features[plan.feature];
    FeatureColumns to;
    to.feature = plan.feature;
    if (IsListKind(feature.kind) || feature.kind == Kind::kEmbedding) {
      DSI_RETURN_IF_ERROR(ReadListFeature(feature, plan, &to));
      return to;
    }
    DSI_ASSIGN_OR_RETURN(const ColumnRows rows, Find(plan.columns[0]));
    SetValid(rows.valid, &to);
    EntryRows entries;
    entries.num_rows = table_.count;
    entries.valid = rows.valid;
    if (feature.columns[0].type == Type::kBytes) {
      DSI_ASSIGN_OR_RETURN(const RowBytes bytes,
                           ReadBytes(rows.view, rows.at, entries, rows.place, scratch_));
      to.offsets32 = bytes.offsets32;
      to.offsets64 = bytes.offsets64;
      to.values = {bytes.bytes};
      return to;
    }
    const NumberTarget target = TargetOf(feature.columns[0]);
    DSI_ASSIGN_OR_RETURN(const std::byte* values,
                         ReadNumbers(rows.view, rows.at, entries, target, rows.place, scratch_));
    to.values = {values};
    return to;
  }

 private:
  static void SetValid(const SlotBits& valid, FeatureColumns* to) {
    to->validity = valid.bits;
    to->validity_offset = valid.start;
  }

  // Goes down to a column, through the structs around it and through its dictionary.
  Result<ColumnRows> Find(const ArrowColumnPlan& plan) {
    ColumnRows rows{.place = {plan.name, first_row_},
                    .view = table_,
                    .at = {0, table_.count, nullptr},
                    .valid = table_.validity()};
    for (const uint32_t i : plan.path) {
      DSI_ASSIGN_OR_RETURN(rows.view, ChildOf(rows.view, i, rows.place));
      rows.valid = And(rows.valid, rows.view.validity(), table_.count, scratch_);
    }
    if (rows.view.field->dictionary == nullptr) return rows;
    EntryRows entries;
    entries.num_rows = table_.count;
    entries.valid = rows.valid;
    const ArrowView indices = rows.view;
    DSI_RETURN_IF_ERROR(Pick(indices, entries, rows.place, &rows.at, &rows.view));
    rows.valid = AndPicked(rows.valid, rows.view.validity(), rows.at, scratch_);
    return rows;
  }

  // From indices at positions to the values that they stand for.
  Status Pick(const ArrowView& indices, const EntryRows& entries, const ColumnPlace& place,
              Positions* at, ArrowView* values) {
    DSI_ASSIGN_OR_RETURN(*values,
                         WholeView(*indices.field->dictionary, indices.array->dictionary, place));
    DSI_ASSIGN_OR_RETURN(at->slots,
                         ReadIndices(indices, *at, entries, values->count, place, scratch_));
    at->begin = 0;
    return {};
  }

  Status ReadListFeature(const FeatureSpec& feature, const FeaturePlan& plan, FeatureColumns* to) {
    std::vector<ColumnRows> rows;
    std::vector<ListRows> lists;
    // Entries of lists of their own are not dropped one by one from beside each other.
    const bool drops = std::all_of(
        plan.columns.begin(), plan.columns.end(),
        [&](const ArrowColumnPlan& column) { return column.path == plan.columns[0].path; });
    for (size_t c = 0; c < plan.columns.size(); ++c) {
      const ArrowColumnPlan& column = plan.columns[c];
      if (c > 0 && column.path == plan.columns[0].path) {
        rows.push_back(rows[0]);
        rows[c].place.name = column.name;
        lists.push_back(lists[0]);
        continue;
      }
      DSI_ASSIGN_OR_RETURN(ColumnRows found, Find(column));
      rows.push_back(std::move(found));
      DSI_ASSIGN_OR_RETURN(ListRows list, ReadLists(rows[c].view, rows[c].at, rows[c].valid,
                                                    table_.count, rows[c].place, scratch_));
      if (null_entries_ == NullEntries::kDrop && drops) DropNulls(&list, scratch_);
      lists.push_back(list);
    }
    if (feature.kind == Kind::kEmbedding) {
      DSI_RETURN_IF_ERROR(Fix(feature.fixed_length, rows[0].place, &lists[0], scratch_));
    }
    DSI_RETURN_IF_ERROR(MakeEqual(rows, &lists));
    for (size_t c = 0; c < lists.size(); ++c) {
      const ColumnSpec& column = feature.columns[c];
      std::span<const uint32_t> member = plan.columns[c].member;
      if (plan.columns[c].inner != InnerPart::kNone) {
        DSI_ASSIGN_OR_RETURN(const ListRows inner,
                             ReadInner(lists[c], member, null_entries_, rows[c].place, scratch_));
        if (plan.columns[c].inner == InnerPart::kLengths) {
          to->values.push_back(LengthsOf(inner, column.type, scratch_));
          continue;
        }
        DSI_ASSIGN_OR_RETURN(lists[c], Flatten(lists[c], inner, rows[c].place, scratch_));
        member = {};
      }
      DSI_ASSIGN_OR_RETURN(const std::byte* values,
                           ReadEntries(column, member, lists[c], rows[c].place));
      to->values.push_back(values);
    }
    SetValid(rows[0].valid, to);
    to->offsets32 = lists[0].rows.offsets32;
    to->offsets64 = lists[0].rows.offsets64;
    return {};
  }

  // The columns of a feature share their lengths.
  Status MakeEqual(const std::vector<ColumnRows>& rows, std::vector<ListRows>* lists) {
    bool equal = true;
    for (size_t c = 1; c < lists->size(); ++c) {
      DSI_RETURN_IF_ERROR(CheckEquallyPresent(rows[0], rows[c]));
      equal &= FirstUnequal((*lists)[0], (*lists)[c]) == table_.count;
    }
    if (equal) return {};
    // Rows that are not there may have entries all the same, in each column others.
    for (ListRows& list : *lists) Compact(&list, scratch_);
    for (size_t c = 1; c < lists->size(); ++c) {
      const size_t row = FirstUnequal((*lists)[0], (*lists)[c]);
      if (row == table_.count) continue;
      const EntryRows& first = (*lists)[0].rows;
      const EntryRows& other = (*lists)[c].rows;
      return rows[c].place.RowFault(
          StatusCode::kBadInput, row, "found {} entries, expected the {} of column {}",
          other.Begin(row + 1) - other.Begin(row), first.Begin(row + 1) - first.Begin(row),
          QuoteForMessage(rows[0].place.name));
    }
    return {};
  }

  // The first row that ends elsewhere, or the number of rows.
  size_t FirstUnequal(const ListRows& a, const ListRows& b) const {
    if (a.at.slots == b.at.slots && a.rows.offsets32 == b.rows.offsets32 &&
        a.rows.offsets64 == b.rows.offsets64) {
      return table_.count;
    }
    size_t row = 0;
    while (row < table_.count && a.rows.Begin(row + 1) == b.rows.Begin(row + 1)) ++row;
    return row;
  }

  Status CheckEquallyPresent(const ColumnRows& a, const ColumnRows& b) const {
    for (size_t i = 0; i < table_.count; i += 64) {
      const size_t num = std::min<size_t>(64, table_.count - i);
      const uint64_t all = num == 64 ? ~uint64_t{0} : (uint64_t{1} << num) - 1;
      const uint64_t of_a =
          a.valid.bits != nullptr ? BitWord(a.valid.bits, a.valid.start + i, num) : all;
      const uint64_t of_b =
          b.valid.bits != nullptr ? BitWord(b.valid.bits, b.valid.start + i, num) : all;
      if (of_a == of_b) continue;
      const size_t row = i + static_cast<size_t>(std::countr_zero(of_a ^ of_b));
      return b.place.RowFault(StatusCode::kBadInput, row,
                              "{} here and {} in column {}, expected a list in all columns or none",
                              b.valid.IsSet(row) ? "a list" : "null",
                              a.valid.IsSet(row) ? "a list" : "null",
                              QuoteForMessage(a.place.name));
    }
    return {};
  }

  Result<const std::byte*> ReadEntries(const ColumnSpec& column, std::span<const uint32_t> member,
                                       const ListRows& lists, const ColumnPlace& place) {
    ArrowView view = lists.items;
    Positions at = lists.at;
    NullFill fill(at.count, scratch_);
    const auto take_nulls = [&]() -> Status {
      if (null_entries_ != NullEntries::kFill)
        return CheckNoNulls(view.validity(), at, lists.rows, place);
      fill.Add(view.validity(), &at);
      return {};
    };
    for (const uint32_t child : member) {
      DSI_RETURN_IF_ERROR(take_nulls());
      DSI_ASSIGN_OR_RETURN(view, ChildOf(view, child, place));
    }
    if (view.field->form == ArrowForm::kNull) return ReadNulls(column, lists, place);
    DSI_RETURN_IF_ERROR(take_nulls());
    if (view.field->dictionary != nullptr) {
      const ArrowView indices = view;
      DSI_RETURN_IF_ERROR(Pick(indices, lists.rows, place, &at, &view));
      if (view.field->form == ArrowForm::kNull) return ReadNulls(column, lists, place);
      DSI_RETURN_IF_ERROR(take_nulls());
    }
    // Only of hashed columns: others were refused when the input was planned.
    const bool texts = IsArrowBytes(view.field->form);
    DSI_ASSIGN_OR_RETURN(
        const std::byte* values,
        texts ? ReadIds(view, at, lists.rows, column.type, place, scratch_)
              : ReadNumbers(view, at, lists.rows, TargetOf(column), place, scratch_));
    return fill.Fill(values, column, texts);
  }

  // Lists of nulls, as tables hold where all lists are empty.
  Result<const std::byte*> ReadNulls(const ColumnSpec& column, const ListRows& lists,
                                     const ColumnPlace& place) {
    const bool fills = null_entries_ == NullEntries::kFill;
    DSI_RETURN_IF_ERROR(CheckEntries(
        lists.rows, lists.at.count, [fills](size_t, size_t count) { return fills || count == 0; },
        [&](size_t row, size_t) {
          return place.RowFault(StatusCode::kBadInput, row,
                                "null in a list, expected numbers (lists hold no nulls; "
                                "null_entries drops or fills them)");
        }));
    const size_t size = lists.at.count * static_cast<size_t>(TypeWidth(column.type));
    auto* zeros = scratch_->Take<std::byte>(size);
    std::fill_n(zeros, size, std::byte{0});
    NullFill fill(lists.at.count, scratch_);
    if (fills) fill.AddAll();
    return fill.Fill(zeros, column, false);
  }

  const ArrowView& table_;
  const Schema& schema_;
  const NullEntries null_entries_;
  const uint64_t first_row_;
  ArrowScratch* scratch_;
};

}  // namespace

Result<std::vector<FeatureColumns>> ReadTable(const ArrowField& table, const ArrowArray& array,
                                              const InputPlan& plan, const Schema& schema,
                                              uint64_t first_row, ArrowScratch* scratch) {
  std::vector<FeatureColumns> columns;
  DSI_ASSIGN_OR_RETURN(const ArrowView view,
                       WholeView(table, &array, {.name = "", .first_row = first_row}));
  if (view.count == 0) return columns;
  if (view.count > UINT32_MAX) {
    return Error(StatusCode::kResourceExhausted, "{} rows, expected at most {} at once", view.count,
                 UINT32_MAX);
  }
  FeatureReader reader(view, schema, plan.null_entries, first_row, scratch);
  columns.reserve(plan.features.size());
  for (const FeaturePlan& feature : plan.features) {
    DSI_ASSIGN_OR_RETURN(FeatureColumns column, reader.Read(feature));
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace dsi::internal
