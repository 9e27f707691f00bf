// Any bytes as an access log: the line that is wrong is named, or each line is counted once. What
// was read, written down again, is read the same; and a file that is laid out by it is sound and
// has its rows, whatever the log says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/dataset/access_log.h"
#include "dsi/fuzz/read_batches.h"
#include "dsi/fuzz/small_file.h"
#include "dsi/tests/support/temp_folder.h"

namespace {

using dsi::FeatureUse;
using dsi::fuzz::Disagree;

constexpr char kSchema[] = R"({"features": [
  {"name": "user", "kind": "key", "type": "int64"},
  {"name": "label", "kind": "label", "type": "int8"},
  {"name": "city", "kind": "string"},
  {"name": "clicks", "kind": "list", "type": "int64"},
  {"name": "views", "kind": "list", "type": "int64"},
  {"name": "h", "kind": "sequence", "columns": [
    {"name": "item", "type": "int64"}, {"name": "n", "type": "int32"}]}]})";

constexpr char kRows[] = R"(
{"user": 1, "label": 1, "city": "Bern", "clicks": [1, 2], "h": {"item": [3, 4], "n": [1, 1]}}
{"user": 1, "label": 0, "city": "Bern", "clicks": [1, 2], "views": [3], "h": {"item": [], "n": []}}
{"user": 2, "views": [7, 8], "h": {"item": [3], "n": [9]}}
)";

void RequireSound(const std::vector<FeatureUse>& uses, uint64_t num_lines) {
  uint64_t lines = 0;
  for (size_t i = 0; i < uses.size(); ++i) {
    const std::vector<std::string>& features = uses[i].features;
    if (features.empty()) Disagree("a line without features");
    if (std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) !=
        features.end())
      Disagree("features that do not ascend");
    if (i > 0 && uses[i].times > uses[i - 1].times) Disagree("the most frequent are not first");
    lines += uses[i].times;
  }
  if (lines != num_lines) Disagree("lines that were not counted once");
}

// One line of each.
void RequireReadsBack(const std::vector<FeatureUse>& uses, const std::string& path) {
  std::filesystem::remove(path);
  for (const FeatureUse& use : uses) {
    if (!dsi::AppendAccess(path, use.features).ok()) Disagree("cannot add to a log");
  }
  auto again = dsi::ReadAccessLog(path);
  if (!again.ok()) Disagree("what was written: " + again.status().ToString());
  for (const FeatureUse& use : *again) {
    const bool was_there = std::any_of(uses.begin(), uses.end(), [&](const FeatureUse& before) {
      return before.features == use.features;
    });
    if (!was_there || use.times != 1) Disagree("other lines than were written");
  }
  if (again->size() != uses.size()) Disagree("fewer lines than were written");
}

void RequireSoundFile(const std::vector<FeatureUse>& uses) {
  dsi::WriterOptions options;
  options.uses = uses;
  const auto file =
      dsi::fuzz::OpenFile(dsi::fuzz::WriteFile(kSchema, std::string(kRows).substr(1), options));
  const auto findings = file->Verify();
  if (!findings.ok() || !findings->empty()) Disagree("a damaged file");
  const auto read = dsi::fuzz::ReadBatches(file->NewScan({}), [](const auto&, const auto&) {});
  static const auto expected = read.tensors;
  if (!read.end.ok() || read.tensors != expected) Disagree("other rows");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const dsi::test::TempFolder folder;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string path = folder.File("log.jsonl");
  std::ofstream(path, std::ios::binary) << text;
  const auto uses = dsi::ReadAccessLog(path);
  if (!uses.ok()) {
    const dsi::Status& status = uses.status();
    if (status.code() != dsi::StatusCode::kBadInput ||
        status.message().find("log.jsonl: line ") == std::string::npos)
      Disagree(status.ToString());
    return 0;
  }
  RequireSound(*uses, static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n')));
  // Each line is a write of its own.
  if (!uses->empty() && uses->size() <= 64) RequireReadsBack(*uses, folder.File("again.jsonl"));
  RequireSoundFile(*uses);
  return 0;
}
