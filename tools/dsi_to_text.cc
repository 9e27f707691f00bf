#include "dsi/tools/dsi_to_text_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "dsi/format/reserved_names_internal.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/unsupported_features_internal.h"

namespace dsi::tools {

namespace {

// A column of the tool's own, which nobody sees unless they ask.
using internal::kPositionName;

// Rows that RowText gives at once, so that what it failed with lies among as many, unless a filter
// makes it reach further.
constexpr uint64_t kRowsAtOnce = 1024;

// The rows as text; goes on without features that cannot be read where that is allowed.
class RowSource {
 public:
  RowSource(const StoredRows& stored, const DsiToTextOptions& options)
      : stored_(stored), options_(options), rows_(options.rows) {}

  Status Start() {
    auto text = stored_.Text(rows_);
    while (!text.ok()) {
      DSI_RETURN_IF_ERROR(GoOnWithout(text.status()));
      text = stored_.Text(rows_);
    }
    text_ = *std::move(text);
    return Status::Ok();
  }

  Result<bool> Next(std::string* lines, std::vector<uint64_t>* positions) {
    while (true) {
      lines->clear();
      positions->clear();
      const auto more = text_->Next(lines, positions);
      if (more.ok()) {
        rows_.row_begin = text_->next_row();
        return more;
      }
      DSI_RETURN_IF_ERROR(GoOnWithout(more.status()));
      DSI_RETURN_IF_ERROR(Start());
    }
  }

  uint64_t next_row() const { return text_->next_row(); }

 private:
  Status GoOnWithout(const Status& failure) {
    if (!options_.skip_unsupported) return failure;
    if (columns_.empty()) {
      DSI_ASSIGN_OR_RETURN(columns_, stored_.Columns());
      if (options_.rows.features.empty()) {
        std::erase_if(columns_, [](const ColumnInfo& c) {
          return !c.support.ok() || c.name == kPositionName;
        });
      } else {
        DSI_ASSIGN_OR_RETURN(columns_, ChooseColumns(columns_, options_.rows.features));
      }
    }
    const uint64_t begin = rows_.row_begin;
    const std::string where =
        begin == options_.rows.row_begin ? "" : fmt::format(" from row {} on", begin);
    const uint64_t end = std::min(rows_.filter.empty() ? begin + kRowsAtOnce : UINT64_MAX,
                                  std::min(rows_.row_end, stored_.num_rows()));
    const auto scan = [this](const ScanOptions& options) { return stored_.NewScan(options); };
    DSI_RETURN_IF_ERROR(LeaveOutUnsupported(failure, options_.rows.features, where,
                                            ReadRows(scan, begin, end), &columns_));
    rows_.features.clear();
    for (const ColumnInfo& column : columns_) rows_.features.push_back(column.name);
    return Status::Ok();
  }

  const StoredRows& stored_;
  const DsiToTextOptions& options_;
  RowTextOptions rows_;
  std::vector<ColumnInfo> columns_;  // Once some were left out: those that were not.
  std::unique_ptr<RowText> text_;
};

}  // namespace

Result<uint64_t> DsiToText(const StoredRows& stored, const DsiToTextOptions& options,
                           Progress* progress, const LineSink& sink) {
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, stored.Columns());
  if (!options.rows.features.empty()) {
    DSI_RETURN_IF_ERROR(ChooseColumns(columns, options.rows.features).status());
  } else if (options.skip_unsupported) {
    // A scan of everything leaves them out by itself.
    DSI_RETURN_IF_ERROR(LeaveOutUnsupported(&columns));
  } else {
    for (const ColumnInfo& column : columns) DSI_RETURN_IF_ERROR(column.support);
  }
  std::optional<OriginalOrder> order;
  if (options.original_order) {
    if (stored.file() == nullptr)
      return Status(StatusCode::kInvalidArgument,
                    "--original-order is of one file: each knows that of its own rows");
    const auto position = stored.file()->FindColumn("__position");
    if (position.status().code() == StatusCode::kNotFound) {
      return Status(StatusCode::kInvalidArgument,
                    "the file does not know the original order of its rows; it does when it was "
                    "converted with --keep-position");
    }
    DSI_RETURN_IF_ERROR(position.status());
    DSI_ASSIGN_OR_RETURN(OriginalOrder created, OriginalOrder::Create(options.scratch_folder));
    order.emplace(std::move(created));
  }
  const uint64_t end = std::min(options.rows.row_end, stored.num_rows());
  const uint64_t total = end - std::min(options.rows.row_begin, end);

  RowSource text(stored, options);
  DSI_RETURN_IF_ERROR(text.Start());
  uint64_t num_rows = 0;
  std::string lines;
  std::vector<uint64_t> positions;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const bool more, text.Next(&lines, &positions));
    num_rows += positions.size();
    DSI_RETURN_IF_ERROR(order ? order->Add(lines, positions) : sink(lines));
    const uint64_t done = text.next_row() - options.rows.row_begin;
    if (!progress->Update("writing", done, total, ProgressUnit::kRows)) return CheckInterrupt();
    if (!more) break;
  }
  if (order) DSI_RETURN_IF_ERROR(order->WriteTo(sink));
  return num_rows;
}

}  // namespace dsi::tools
