#include "dsi/tools/dsi_to_text_internal.h"

#include <algorithm>
#include <optional>

#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {

Result<uint64_t> DsiToText(const Reader& reader, const DsiToTextOptions& options,
                           Progress* progress, const LineSink& sink) {
  if (!options.rows.features.empty()) {
    DSI_RETURN_IF_ERROR(ChooseColumns(reader, options.rows.features).status());
  }
  std::optional<OriginalOrder> order;
  if (options.original_order) {
    const auto position = reader.FindColumn("__position");
    if (position.status().code() == StatusCode::kNotFound) {
      return Status(StatusCode::kInvalidArgument,
                    "the file does not know the original order of its rows; it does when it was "
                    "converted with --keep-position");
    }
    DSI_RETURN_IF_ERROR(position.status());
    DSI_ASSIGN_OR_RETURN(OriginalOrder created, OriginalOrder::Create(options.scratch_folder));
    order.emplace(std::move(created));
  }
  const uint64_t end = std::min(options.rows.row_end, reader.info().num_rows);
  const uint64_t total = end - std::min(options.rows.row_begin, end);

  DSI_ASSIGN_OR_RETURN(const auto text, RowText::Create(reader, options.rows));
  uint64_t num_rows = 0;
  std::string lines;
  std::vector<uint64_t> positions;
  while (true) {
    lines.clear();
    positions.clear();
    DSI_ASSIGN_OR_RETURN(const bool more, text->Next(&lines, &positions));
    num_rows += positions.size();
    DSI_RETURN_IF_ERROR(order ? order->Add(lines, positions) : sink(lines));
    if (!progress->Update("writing", num_rows, total, ProgressUnit::kRows)) return CheckInterrupt();
    if (!more) break;
  }
  if (order) DSI_RETURN_IF_ERROR(order->WriteTo(sink));
  return num_rows;
}

}  // namespace dsi::tools
