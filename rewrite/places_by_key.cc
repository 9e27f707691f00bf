#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/statistics_internal.h"
#include "dsi/format/types.h"
#include "dsi/rewrite/base_rows_internal.h"
#include "dsi/rewrite/cancelled_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kBatchRows = 65'536;

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
    if (!IsInteger(column.type) || !HasOneValue(column.kind)) {
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

// The rows that have each key.
class RowsOfKeys {
 public:
  struct Rows {
    uint64_t last = kNoRow;   // Place of the last one; others through KeyedPlaces::next.
    uint64_t given = kNoRow;  // The given row that has the key.
  };

  explicit RowsOfKeys(bool is_text) : is_text_(is_text) {}
  bool is_text() const { return is_text_; }
  Rows* Add(uint64_t number, std::string_view text) {
    return is_text_ ? &texts_[std::string(text)] : &numbers_[number];
  }
  // Null: none has it.
  Rows* Find(uint64_t number, std::string_view text) {
    if (!is_text_) {
      const auto at = numbers_.find(number);
      return at == numbers_.end() ? nullptr : &at->second;
    }
    const auto at = texts_.find(std::string(text));
    return at == texts_.end() ? nullptr : &at->second;
  }

 private:
  bool is_text_;
  std::unordered_map<uint64_t, Rows> numbers_;
  std::unordered_map<std::string, Rows> texts_;
};

class KeyReader {
 public:
  KeyReader(const Dataset& from, const KeyMatch& match, const LookedAtRows& progress)
      : from_(from), match_(match), progress_(progress) {}

  Result<KeyedPlaces> Run(std::span<const OverlayTarget> bases, std::vector<bool>* used) {
    DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, from_.Columns());
    DSI_ASSIGN_OR_RETURN(const ColumnInfo column, KeyOf(columns, match_.key, "the rows have"));
    DSI_ASSIGN_OR_RETURN(const Projection asked, Keys::Ask(column));
    rows_.emplace(column.type == Type::kBytes);
    places_.begin = bases.front().first;
    if (match_.broadcast || bases.size() > 1)
      places_.next.resize(bases.back().end() - places_.begin, kNoRow);
    for (const OverlayTarget& base : bases) {
      const Status status = ReadBase(base, column.type);
      if (!status.ok()) return bases.size() == 1 ? status : status.At(base.base);
    }
    DSI_RETURN_IF_ERROR(ReadGiven(asked, used));
    return std::move(places_);
  }

 private:
  Status CheckProgress(size_t num_rows) {
    done_ += num_rows;
    return !progress_ || progress_(done_) ? Status::Ok() : CancelledByProgress();
  }

  // Notes the rows of the base that are not deleted.
  Status ReadBase(const OverlayTarget& target, Type type) {
    DSI_ASSIGN_OR_RETURN(const auto base, OpenBaseOf(target));
    DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, base->Columns());
    DSI_ASSIGN_OR_RETURN(const ColumnInfo column, KeyOf(columns, match_.key, "the base has"));
    if (rows_->is_text() != (column.type == Type::kBytes))
      return InvalidArgument("{} is a {} in the base and a {} in the rows",
                             QuoteForMessage(match_.key), TypeName(column.type), TypeName(type));
    uint64_t before = target.first;  // Places of ranges before.
    for (const OverlayRows& range : target.binding.rows) {
      ScanOptions options;
      options.batch_size = kBatchRows;
      options.row_begin = range.begin;
      options.row_end = range.end;
      DSI_ASSIGN_OR_RETURN(options.features.emplace_back(), Keys::Ask(column));
      DSI_ASSIGN_OR_RETURN(const auto scan, base->NewScan(options));
      Batch batch;
      while (true) {
        DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
        if (!more) break;
        const auto numbers = batch.row_numbers();
        DSI_RETURN_IF_ERROR(Keys::ForBatch(
            batch, rows_->is_text(),
            [&](size_t i, bool present, uint64_t number, std::string_view text) -> Status {
              if (!present) return Status::Ok();
              const uint64_t row = numbers.empty() ? batch.first_row() + i : numbers[i];
              return Note(target, row, before + (row - range.begin), rows_->Add(number, text));
            }));
        DSI_RETURN_IF_ERROR(CheckProgress(batch.num_rows()));
      }
      before += range.end - range.begin;
    }
    return Status::Ok();
  }

  Status Note(const OverlayTarget& target, uint64_t row, uint64_t place, RowsOfKeys::Rows* rows) {
    const bool is_shared = rows->last != kNoRow && rows->last >= target.first;
    if (is_shared && !match_.broadcast) {
      return InvalidArgument(
          "the base has a {} twice, the second time in row {}; a key tells rows apart, unless "
          "broadcast lets all rows of one key take what is given for it",
          QuoteForMessage(match_.key), row);
    }
    if (!places_.next.empty()) places_.next[place - places_.begin] = rows->last;
    rows->last = place;
    return Status::Ok();
  }

  Status ReadGiven(const Projection& asked, std::vector<bool>* used) {
    DatasetScanOptions options;
    options.scan.batch_size = kBatchRows;
    options.scan.features = {asked};
    DSI_ASSIGN_OR_RETURN(const auto scan, from_.NewScan(options));
    Batch batch;
    uint64_t last = 0;
    const auto take = [&](size_t, bool present, uint64_t number, std::string_view text) -> Status {
      RowsOfKeys::Rows* const rows = present ? rows_->Find(number, text) : nullptr;
      const uint64_t own = places_.of_row.size();
      places_.of_row.push_back(rows == nullptr ? kNoRow : rows->last);
      if (used->size() <= own) used->push_back(false);
      if (rows == nullptr) return Status::Ok();
      if (rows->given != kNoRow)
        return InvalidArgument("rows {} and {} have the same {}; a row of the base takes one",
                               rows->given, own, QuoteForMessage(match_.key));
      rows->given = own;
      (*used)[own] = true;
      const bool is_one = places_.After(rows->last) == kNoRow;
      places_.is_ascending = places_.is_ascending && is_one && rows->last >= last;
      last = rows->last;
      return Status::Ok();
    };
    while (true) {
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) return Status::Ok();
      DSI_RETURN_IF_ERROR(Keys::ForBatch(batch, rows_->is_text(), take));
      DSI_RETURN_IF_ERROR(CheckProgress(batch.num_rows()));
    }
  }

  const Dataset& from_;
  const KeyMatch& match_;
  const LookedAtRows& progress_;
  std::optional<RowsOfKeys> rows_;
  KeyedPlaces places_;
  uint64_t done_ = 0;
};

}  // namespace

Result<KeyedPlaces> PlacesByKey(std::span<const OverlayTarget> bases, const Dataset& from,
                                const KeyMatch& match, const LookedAtRows& progress,
                                std::vector<bool>* used) {
  return KeyReader(from, match, progress).Run(bases, used);
}

}  // namespace dsi::internal
