// The folder of a target that makes files of hostile ones, and what may stand in it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "dsi/fuzz/read_batches.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/support/file_answer.h"
#include "dsi/tests/support/temp_folder.h"
#include "dsi/writer/writer.h"

namespace dsi::fuzz {

inline const test::TempFolder& Folder() {
  static const test::TempFolder folder;
  return folder;
}

// Nothing but these.
inline void RequireNames(const std::set<std::string>& names) {
  for (const std::string& name : Folder().Names()) {
    if (!names.contains(name)) Disagree("left behind: " + name);
  }
}

inline std::vector<char> BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline bool IsSound(const std::string& path) {
  const auto reader = Reader::Open(path);
  if (!reader.ok()) return false;
  const auto findings = (*reader)->Verify();
  return findings.ok() && findings->empty();
}

// Damage in a file that Verify calls sound, or an error without words.
inline void RequireFits(bool is_sound, const char* what, const Status& status) {
  const test::Outcome outcome = test::OutcomeOf(status);
  const bool is_damage =
      outcome == test::Outcome::kDamaged || outcome == test::Outcome::kUnsupported;
  if (is_sound && is_damage) Disagree(std::string(what) + ": " + status.ToString());
  if (!status.ok() && status.message().empty()) Disagree(std::string(what) + ": no message");
}

// The file that was to be made is there and sound; where it failed, it is not there.
inline void RequireOutput(const std::string& name, const Status& status) {
  const std::string path = Folder().File(name);
  if (std::filesystem::exists(path) != status.ok()) Disagree(name + ": " + status.ToString());
  if (status.ok() && !IsSound(path)) Disagree(name + " is damaged");
}

inline WriterOptions SmallWriter() {
  WriterOptions options;
  options.memory_bytes = kMemoryBytes;
  options.threads = 1;
  return options;
}

}  // namespace dsi::fuzz
