#include "dsi/rewrite/base_rows_internal.h"

#include <string_view>
#include <unordered_map>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/reader_access_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kBatchRows = 65'536;

// Calls take(row of the overlay, whether it is deleted) for all rows.
template <typename Take>
Status ForRows(const Reader& base, const OverlayBinding& binding, const Take& take) {
  const OpenFile& file = ReaderAccess::File(base);
  uint64_t place = 0;
  size_t range = 0;
  for (size_t i = 0; i < file.core().stripes.size() && range < binding.rows.size(); ++i) {
    const StripeRef& stripe = file.core().stripes[i];
    if (stripe.first_row < binding.rows[range].begin) continue;
    DSI_ASSIGN_OR_RETURN(const auto deleted, file.LoadDeleted(i, nullptr));
    for (uint32_t row = 0; row < stripe.num_rows; ++row)
      take(place++, !deleted.empty() && deleted[row] != 0);
    if (stripe.first_row + stripe.num_rows == binding.rows[range].end) ++range;
  }
  return Status::Ok();
}

// Values of a key as they are told apart: the 64 bits of a number, or text.
class Keys {
 public:
  static Result<Projection> Ask(const ColumnInfo& column) {
    Projection asked{.name = column.name};
    asked.width = 1;
    if (column.type == Type::kBytes) {
      asked.layout = Layout::kJagged;
      return asked;
    }
    if (!IsInteger(column.type) || !HasStatistics(column.kind, column.type)) {
      return InvalidArgument("{} is a {} of {}; a key is one whole number or string per row",
                             QuoteForMessage(column.name), KindName(column.kind),
                             TypeName(column.type));
    }
    asked.dtype = Type::kInt64;
    asked.bit_cast = true;
    return asked;
  }

  // Calls take(row of the batch, its key, null where it has none); a key is a place in known.
  template <typename Take>
  static Status ForBatch(const Batch& batch, bool is_text, const Take& take) {
    if (is_text) {
      DSI_ASSIGN_OR_RETURN(const JaggedView view, batch.Jagged(0));
      const char* const text = static_cast<const char*>(view.values);
      for (size_t row = 0; row < view.rows; ++row) {
        const auto begin = static_cast<size_t>(view.offsets[row]);
        const std::string_view key(text + begin,
                                   static_cast<size_t>(view.offsets[row + 1]) - begin);
        DSI_RETURN_IF_ERROR(take(row, view.present[row] != 0, uint64_t{0}, key));
      }
      return Status::Ok();
    }
    DSI_ASSIGN_OR_RETURN(const PaddedView view, batch.Padded(0));
    const auto* const numbers = static_cast<const uint64_t*>(view.values);
    for (size_t row = 0; row < view.rows; ++row)
      DSI_RETURN_IF_ERROR(take(row, view.present[row] != 0, numbers[row], std::string_view()));
    return Status::Ok();
  }
};

Result<ColumnInfo> KeyOf(const std::vector<ColumnInfo>& columns, const std::string& key,
                         std::string_view whose) {
  for (const ColumnInfo& column : columns) {
    if (column.name != key) continue;
    DSI_RETURN_IF_ERROR(column.support);
    return column;
  }
  return InvalidArgument("{} no column called {}", whose, QuoteForMessage(key));
}

// The row of the overlay that has each key.
class RowOfKey {
 public:
  explicit RowOfKey(bool is_text) : is_text_(is_text) {}
  bool is_text() const { return is_text_; }
  // False: it is there; *known is its row.
  bool Add(uint64_t number, std::string_view text, uint64_t row, uint64_t* known) {
    const auto add = [&](auto* map, auto key) {
      const auto [at, is_new] = map->emplace(std::move(key), row);
      *known = at->second;
      return is_new;
    };
    return is_text_ ? add(&texts_, std::string(text)) : add(&numbers_, number);
  }
  uint64_t Find(uint64_t number, std::string_view text) const {
    if (!is_text_) {
      const auto at = numbers_.find(number);
      return at == numbers_.end() ? kNoRow : at->second;
    }
    const auto at = texts_.find(std::string(text));
    return at == texts_.end() ? kNoRow : at->second;
  }

 private:
  bool is_text_;
  std::unordered_map<uint64_t, uint64_t> numbers_;
  std::unordered_map<std::string, uint64_t> texts_;
};

Status Cancelled() { return Error(StatusCode::kCancelled, "cancelled by the progress callback"); }

// Fills the map with the rows of the base that are not deleted.
Status ReadBase(const Reader& base, const OverlayBinding& binding, const ColumnInfo& column,
                const LookedAtRows& progress, RowOfKey* rows, uint64_t* done) {
  uint64_t before = 0;  // Rows of the overlay in ranges before.
  for (const OverlayRows& range : binding.rows) {
    ScanOptions options;
    options.batch_size = kBatchRows;
    options.row_begin = range.begin;
    options.row_end = range.end;
    DSI_ASSIGN_OR_RETURN(options.features.emplace_back(), Keys::Ask(column));
    DSI_ASSIGN_OR_RETURN(const auto scan, base.NewScan(options));
    Batch batch;
    while (true) {
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) break;
      const auto numbers = batch.row_numbers();
      DSI_RETURN_IF_ERROR(Keys::ForBatch(
          batch, rows->is_text(),
          [&](size_t i, bool present, uint64_t number, std::string_view text) -> Status {
            if (!present) return Status::Ok();
            const uint64_t row = numbers.empty() ? batch.first_row() + i : numbers[i];
            uint64_t known = 0;
            if (rows->Add(number, text, before + (row - range.begin), &known)) return Status::Ok();
            return InvalidArgument(
                "the base has a {} twice, the second time in row {}; a key tells rows apart",
                QuoteForMessage(column.name), row);
          }));
      *done += batch.num_rows();
      if (progress && !progress(*done)) return Cancelled();
    }
    before += range.end - range.begin;
  }
  return Status::Ok();
}

}  // namespace

Result<BaseRows> RowsInOrder(const Reader& base, const OverlayBinding& binding,
                             uint64_t num_given) {
  BaseRows rows;
  DSI_RETURN_IF_ERROR(ForRows(base, binding, [&](uint64_t place, bool is_deleted) {
    ++rows.num_rows;
    rows.num_deleted += is_deleted ? 1 : 0;
    if (!is_deleted) rows.place.push_back(place);
  }));
  if (rows.place.size() == num_given) return rows;
  return InvalidArgument(
      "{} rows for {} of the base{}; without a key each stands for one, in the base's order",
      num_given, rows.place.size(), rows.num_deleted == 0 ? "" : " that are not deleted");
}

Result<BaseRows> RowsByKey(const Reader& base, const OverlayBinding& binding, const Dataset& from,
                           const std::string& key, const LookedAtRows& progress) {
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> base_columns, base.Columns());
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, from.Columns());
  DSI_ASSIGN_OR_RETURN(const ColumnInfo of_base, KeyOf(base_columns, key, "the base has"));
  DSI_ASSIGN_OR_RETURN(const ColumnInfo column, KeyOf(columns, key, "the rows have"));
  const bool is_text = of_base.type == Type::kBytes;
  if (is_text != (column.type == Type::kBytes))
    return InvalidArgument("{} is a {} in the base and a {} in the rows", QuoteForMessage(key),
                           TypeName(of_base.type), TypeName(column.type));
  RowOfKey rows_of_keys(is_text);
  uint64_t done = 0;
  DSI_RETURN_IF_ERROR(ReadBase(base, binding, of_base, progress, &rows_of_keys, &done));

  BaseRows rows;
  DSI_RETURN_IF_ERROR(ForRows(base, binding, [&](uint64_t, bool is_deleted) {
    ++rows.num_rows;
    rows.num_deleted += is_deleted ? 1 : 0;
  }));
  std::vector<uint64_t> given(rows.num_rows, kNoRow);  // Which row was.
  DatasetScanOptions options;
  options.scan.batch_size = kBatchRows;
  DSI_ASSIGN_OR_RETURN(options.scan.features.emplace_back(), Keys::Ask(column));
  DSI_ASSIGN_OR_RETURN(const auto scan, from.NewScan(options));
  Batch batch;
  uint64_t last = 0;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) return rows;
    DSI_RETURN_IF_ERROR(Keys::ForBatch(
        batch, is_text,
        [&](size_t, bool present, uint64_t number, std::string_view text) -> Status {
          const uint64_t row = present ? rows_of_keys.Find(number, text) : kNoRow;
          const uint64_t own = rows.place.size();
          rows.place.push_back(row);
          if (row == kNoRow) {
            ++rows.num_unused;
            return Status::Ok();
          }
          if (given[row] != kNoRow)
            return InvalidArgument("rows {} and {} have the same {}; a row of the base takes one",
                                   given[row], own, QuoteForMessage(key));
          given[row] = own;
          rows.is_ascending = rows.is_ascending && row >= last;
          last = row;
          return Status::Ok();
        }));
    done += batch.num_rows();
    if (progress && !progress(done)) return Cancelled();
  }
}

}  // namespace dsi::internal
