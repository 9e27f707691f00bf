// What decided on each feature of a schema that was found.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "dsi/base/status.h"
#include "dsi/tools/text_report_internal.h"

namespace dsi::tools {

// A line for each feature.
std::string ExplanationTable(const TextFit& fit, const Console& console);
nlohmann::ordered_json FeaturesJson(const TextFit& fit);

// The table with what was decided of keys and order, or all of it as JSON.
Status PrintExplanation(const TextFit& fit, Console* console);

}  // namespace dsi::tools
