#include "dsi/tools/original_order_internal.h"

#include <algorithm>

#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;

}  // namespace

Result<OriginalOrder> OriginalOrder::Create(const std::string& folder) {
  DSI_ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::Create(folder));
  return OriginalOrder(std::move(file));
}

Status OriginalOrder::Add(std::string_view lines, const std::vector<uint64_t>& positions) {
  const uint64_t base = file_.size();
  size_t at = 0;
  for (const uint64_t position : positions) {
    const size_t end = lines.find('\n', at);
    if (end == std::string_view::npos) break;
    lines_.push_back({.position = position, .offset = base + at, .size = end + 1 - at});
    at = end + 1;
  }
  return file_.Append(lines);
}

Status OriginalOrder::WriteTo(const LineSink& sink) {
  // Positions are the file's own and may repeat in a foreign one; equal ones keep their order.
  std::stable_sort(lines_.begin(), lines_.end(),
                   [](const Line& a, const Line& b) { return a.position < b.position; });
  DSI_ASSIGN_OR_RETURN(const std::string_view bytes, file_.Map());
  std::string block;
  for (const Line& line : lines_) {
    block.append(bytes.substr(line.offset, line.size));
    if (block.size() < kBlockBytes) continue;
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_RETURN_IF_ERROR(sink(block));
    block.clear();
  }
  return sink(block);
}

}  // namespace dsi::tools
