#include "dsi/tools/foreign_format_internal.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

namespace dsi::tools {
namespace {

struct Foreign {
  std::string_view name;
  std::string_view ending;
  std::string_view magic;    // The file's first bytes; empty: the name alone tells.
  std::string_view unpacks;  // The program that writes what is inside; empty: no packed text.
  bool by_arrow = false;     // The dsictl of the Python package converts it.
};

using std::string_view_literals::operator""sv;

constexpr std::array kForeign = {
    Foreign{"bzip2", ".bz2", "BZh", "bzcat"},
    Foreign{"xz", ".xz",
            "\xfd"
            "7zXZ\0"sv,
            "xzcat"},
    Foreign{"zip", ".zip", "PK\x03\x04", "unzip -p"},
    Foreign{"Parquet", ".parquet", "PAR1", "", true},
    Foreign{"Parquet", ".pq", "PAR1", "", true},
    Foreign{"ORC", ".orc", "ORC", "", true},
    Foreign{"Feather", ".feather", "ARROW1", "", true},
    Foreign{"Arrow", ".arrow", "ARROW1", "", true},
    Foreign{"Avro", ".avro", "Obj\x01", ""},
};

std::string FirstBytes(const std::string& path) {
  struct stat info {};
  // Opening a pipe would wait for a writer.
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  std::string bytes(8, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
  return bytes;
}

const Foreign* FindByName(std::string_view path) {
  for (const Foreign& foreign : kForeign) {
    if (path.ends_with(foreign.ending)) return &foreign;
  }
  return nullptr;
}

const Foreign* FindForeign(const std::string& path) {
  const std::string bytes = FirstBytes(path);
  for (const Foreign& foreign : kForeign) {
    if (!foreign.magic.empty() && bytes.starts_with(foreign.magic)) return &foreign;
  }
  return FindByName(path);
}

std::string ByArrow(const Foreign& foreign, std::string_view is_not, std::string_view in,
                    std::string_view out) {
  return fmt::format(
      "{} is not {} by this program: the dsictl of the Python package converts it (pip install "
      "'dsi[arrow]'; dsictl convert {} {})",
      foreign.name, is_not, ShellWord(in), out.empty() ? "OUT.dsi" : ShellWord(out));
}

// " --format csv" where the name without the ending of the packer says so.
std::string FormatOption(std::string_view path, const Foreign& foreign) {
  if (path.ends_with(foreign.ending)) path.remove_suffix(foreign.ending.size());
  for (const std::string_view format : {"csv", "tsv"}) {
    if (path.ends_with(fmt::format(".{}", format))) return fmt::format(" --format {}", format);
  }
  return "";
}

}  // namespace

std::string ShellWord(std::string_view text) {
  static constexpr std::string_view kPlain = "_./-+=:,@%";
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 ||
           kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string AdviceOnForeignFormat(const std::string& path, std::string_view verb,
                                  const std::string& out) {
  const Foreign* const foreign = FindForeign(path);
  if (foreign == nullptr) return "";
  const bool takes_text = verb == "schema" || verb == "dedup";
  const std::string then =
      takes_text ? fmt::format("dsictl {} -", verb)
                 : fmt::format("dsictl convert - {}", out.empty() ? "OUT.dsi" : ShellWord(out));
  if (!foreign->unpacks.empty()) {
    return fmt::format("it is {}: {} {} | {}{}", foreign->name, foreign->unpacks, ShellWord(path),
                       then, FormatOption(path, *foreign));
  }
  if (foreign->by_arrow) return ByArrow(*foreign, "read", path, out);
  return fmt::format(
      "{} is not read: write its rows as JSON Lines (one object per row) and pipe "
      "them into '{}'",
      foreign->name, then);
}

std::string AdviceOnForeignOutput(const std::string& in, const std::string& out) {
  const Foreign* const foreign = FindByName(out);
  if (foreign == nullptr || !foreign->by_arrow) return "";
  return ByArrow(*foreign, "written", in, out);
}

}  // namespace dsi::tools
