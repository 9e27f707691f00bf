// The views of inspect. Each prints text for people or, with --json, one JSON document.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/reader/reader.h"
#include "dsi/tools/choices/choices_internal.h"
#include "dsi/tools/console_internal.h"

namespace dsi::tools {

// One file, opened in this way. Errors: those of OpenUri and Reader::Open.
Result<std::unique_ptr<Reader>> OpenOne(const std::string& file, const OpenOptions& how);

class Progress;
struct RowChoice;
struct Where;

enum class FeatureOrder : uint8_t { kFile, kBytes, kName, kValues };

void SortColumns(FeatureOrder order, std::vector<ColumnInfo>* columns);

// The role of values among streams.
inline constexpr std::string_view kValuesRole = "values";

// Gives up when a signal arrives.
Result<std::vector<ChoiceInfo>> ReadChoices(const Reader& reader, bool weigh);
std::string DamageText(const ChoiceInfo& choice);  // Of what is damaged: "damaged", "unsupported".
nlohmann::ordered_json DamageJson(const ChoiceInfo& choice);  // What it is; null: none.
// Shown once all that is not damaged has been.
Status FirstDamage(const std::vector<ChoiceInfo>& choices);
nlohmann::ordered_json EncodingsJson(const ChoiceInfo& choice);

// Why a stream is encoded as it is, told by the figures beside: "7% smaller".
std::string WhyChosen(const ChoiceInfo& choice);

// "list"; "unsupported" where the kind or the type is unknown.
std::string KindText(const ColumnInfo& column);

// "archive", "unknown (7)", "not recorded".
std::string TuningText(const FileInfo& info);
nlohmann::ordered_json TuningJson(const FileInfo& info);  // Null where it is not recorded.

// What an overlay is of; null: it is none.
nlohmann::ordered_json OverlayJson(const FileInfo& info);
std::string OverlayText(const OverlayBinding& overlay);

// Those of the file among the files that `where` stands for, and those of as many other rows.
Status ShowOverlays(const Reader& reader, const Where& where, Console* console);
Status ShowChoices(const Reader& reader, FeatureOrder order, Console* console);
Status ShowFeatures(const Reader& reader, FeatureOrder order, Console* console);
Status ShowStreams(const Reader& reader, const std::string& feature, Console* console);
Status ShowStats(const Reader& reader, Console* console);  // Reads every value; shows progress.
Status ShowLayout(const Reader& reader, Console* console);
Status ShowStripes(const Reader& reader, Console* console);
Status ShowGroups(const Reader& reader, Console* console);
Status ShowDedup(const Reader& reader, Console* console);
// Of `rows` only `where` counts.
Status ShowPlan(const Reader& reader, const Reader& planner,
                const std::vector<std::string>& features, const RowChoice& rows,
                std::optional<uint32_t> stripe, Console* console);

// Views of many files as one table; no page of them is read. Of `rows` only `where` counts.
Status ShowDataset(const Where& where, Console* console);
// By name, or else as the files have them.
Status ShowDatasetColumns(const Where& where, FeatureOrder order, Console* console);
Status ShowDatasetPlan(const Where& where, const std::vector<std::string>& features,
                       const RowChoice& rows, Console* console);

// Rows of the file and unique rows stored, over all stripes.
struct GroupTotals {
  uint64_t rows = 0;
  uint64_t unique_rows = 0;
  uint64_t index_bytes = 0;
  std::string forms;  // "runs", or "general 3, runs 1" where stripes differ.
};
GroupTotals TotalsOf(const GroupInfo& group, std::span<const StripeInfo> stripes);

std::string_view FormName(IndexForm form);  // "run lengths"

// "rows" for the group of rows, which has no name of its own.
std::string GroupTitle(const GroupInfo& group);

// Names come from the file and may be no UTF-8, which JSON cannot hold: such bytes are replaced.
Status PrintJson(const nlohmann::ordered_json& json, Console* console);

}  // namespace dsi::tools
