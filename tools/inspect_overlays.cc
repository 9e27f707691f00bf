// inspect --overlays: which overlays a file has, and which of them no longer fit it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "dsi/dataset/files/list_files_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/many_files_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

struct FoundOverlay {
  std::string path;  // As it is shown.
  FileInfo info;
  std::string features;  // Their names.
  bool fits = false;
};

std::string RangesText(const OverlayBinding& overlay) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < overlay.rows.size() && i < kShown; ++i)
    text += fmt::format("{}{}:{}", i == 0 ? "" : " ", overlay.rows[i].begin, overlay.rows[i].end);
  const size_t more = overlay.rows.size() - std::min(overlay.rows.size(), kShown);
  return more == 0 ? text : fmt::format("{} and {} more ranges", text, more);
}

// Of this file, or of as many rows that no other file there has. What cannot be read is left out.
Result<std::vector<FoundOverlay>> FindOverlays(const FileInfo& base, const Where& where) {
  DSI_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                       internal::ListFiles(where.names.front(), where.open));
  std::vector<FoundOverlay> found;
  std::set<uint64_t> of_others;  // Rows of files that are no overlays.
  for (const std::string& path : paths) {
    const auto reader = OpenOne(path, where.open);
    if (!reader.ok()) {
      PrintWarning(fmt::format("left out: {}", reader.status().message()));
      continue;
    }
    const FileInfo& info = (*reader)->info();
    if (!info.overlay) of_others.insert(info.rows_fingerprint);
    if (!info.overlay || info.fingerprint == base.fingerprint ||
        info.overlay->base_rows != base.num_rows)
      continue;
    FoundOverlay one{internal::ShownName(path),
                     info,
                     {},
                     info.overlay->base_fingerprint == base.rows_fingerprint};
    DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, (*reader)->Columns());
    std::string last;
    for (const ColumnInfo& column : columns) {
      if (column.feature == last) continue;
      last = column.feature;
      one.features += (one.features.empty() ? "" : ", ") + column.feature;
    }
    found.push_back(std::move(one));
  }
  std::erase_if(found, [&](const FoundOverlay& one) {
    return !one.fits && of_others.contains(one.info.overlay->base_fingerprint);
  });
  return found;
}

}  // namespace

Json OverlayJson(const FileInfo& info) {
  if (!info.overlay) return {};
  Json rows = Json::array();
  for (const OverlayRows& range : info.overlay->rows) rows.push_back({range.begin, range.end});
  return {{"base_fingerprint", fmt::format("{:016x}", info.overlay->base_fingerprint)},
          {"base_rows", info.overlay->base_rows},
          {"rows", rows}};
}

std::string OverlayText(const OverlayBinding& overlay) {
  return fmt::format("rows {} of {} whose fingerprint is {:016x}", RangesText(overlay),
                     CountText(overlay.base_rows), overlay.base_fingerprint);
}

Status ShowOverlays(const Reader& reader, const Where& where, Console* console) {
  DSI_ASSIGN_OR_RETURN(const std::vector<FoundOverlay> found, FindOverlays(reader.info(), where));
  if (console->json) {
    Json list = Json::array();
    for (const FoundOverlay& one : found) {
      list.push_back({{"path", one.path},
                      {"fits", one.fits},
                      {"bytes", one.info.file_bytes},
                      {"features", one.features},
                      {"overlay", OverlayJson(one.info)}});
    }
    return PrintJson(list, console);
  }
  if (found.empty()) return console->Print("no overlays of it are there\n");
  using Align = TextTable::Align;
  TextTable table(
      {{"overlay"}, {"features"}, {"rows", Align::kRight}, {"bytes", Align::kRight}, {"state"}});
  for (const FoundOverlay& one : found) {
    table.AddRow(
        {one.path, one.features, RangesText(*one.info.overlay), BytesText(one.info.file_bytes),
         one.fits ? "fits"
                  : "of other rows: of another file, or of this one before it was written anew"});
  }
  return console->Print(table.Render(*console));
}

}  // namespace dsi::tools
