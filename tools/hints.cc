#include "dsi/tools/hints_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "dsi/base/name_match_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/tools/foreign_format_internal.h"
#include "dsi/tools/scratch_file_internal.h"
#include "dsi/tools/text_source_internal.h"

namespace dsi::tools {
namespace {

namespace fs = std::filesystem;

bool Says(const Status& status, std::string_view words) {
  return status.message().find(words) != std::string::npos;
}

bool TakesText(const AskedFor& asked) {
  const bool can = asked.verb == "convert" || asked.verb == "schema" || asked.verb == "dedup";
  return can && !IsDsiName(asked.in);
}

bool ReadsFeatures(const AskedFor& asked) {
  if (asked.verb == "convert") return IsDsiName(asked.in);
  constexpr std::array<std::string_view, 8> kVerbs = {"head",   "cat",       "bench",   "inspect",
                                                      "values", "transform", "shuffle", "delete"};
  return std::find(kVerbs.begin(), kVerbs.end(), asked.verb) != kVerbs.end();
}

std::string InWord(const AskedFor& asked) {
  if (!asked.in.empty()) return ShellWord(asked.in);
  return ReadsFeatures(asked) ? "WHERE..." : "IN";
}

// "Clicks.dsi" beside "clicks.dsi".
std::string NearFile(const std::string& path) {
  const std::string wanted = fs::path(path).filename().string();
  // Any other short name is near a short one.
  if (fs::path(wanted).stem().string().size() < 3) return "";
  internal::NearNames near(wanted, 1);
  std::error_code error;
  for (fs::directory_iterator at(internal::FolderOf(path), error), end; !error && at != end;
       at.increment(error)) {
    near.Offer(at->path().filename().string());
  }
  const std::string advice = near.Advice();
  return advice.empty() ? "" : advice.substr(2);  // Without "; ".
}

// Of .dsi files where texts are taken.
std::string OfManyDsi(const AskedFor& asked) {
  return asked.verb == "convert" ? "'dsictl rewrite IN... OUT' makes one of several .dsi files"
                                 : "";
}

std::string OfMissing(const Status& status, const AskedFor& asked) {
  if (Says(status, "but .dsi files")) return OfManyDsi(asked);
  if (Says(status, std::strerror(ENOTDIR)) || !internal::SchemeOf(asked.in).empty()) return "";
  std::error_code error;
  const std::string folder = internal::FolderOf(asked.out);
  if (!asked.out.empty() && asked.out != "-" && !fs::exists(folder, error))
    return fmt::format("make its folder first: mkdir -p {}", ShellWord(folder));
  const bool look = !asked.in.empty() && !fs::exists(asked.in, error);
  const std::string near = look ? NearFile(asked.in) : "";
  if (!near.empty()) return near;
  return fmt::format("paths start in {}", fs::current_path(error).string());
}

std::string OfSystem(const Status& status) {
  struct Kind {
    int error;
    const char* hint;
  };
  constexpr std::array kKinds = {
      Kind{ENOSPC, "make room there, or write OUT to another disk"},
      Kind{EDQUOT, "make room there, or write OUT to another disk"},
      Kind{EFBIG, "raise the limit of the shell for files (ulimit -f), or split the input"},
      Kind{EMFILE, "raise the limit of the shell for open files (ulimit -n)"},
      Kind{EACCES, "'ls -l' shows who may read and write there"},
      Kind{EPERM, "'ls -l' shows who may read and write there"},
      Kind{EROFS, "write to a folder that is not mounted for reading only"},
      Kind{EISDIR, "name the files in the folder, not the folder"},
      Kind{EIO, "the disk or the network failed: try again, 'dmesg' may say more"},
  };
  for (const Kind& kind : kKinds) {
    if (Says(status, std::strerror(kind.error))) return kind.hint;
  }
  return "";
}

std::string OfArgument(const Status& status, const AskedFor& asked) {
  if (Says(status, "a folder, not a file")) return "name the files in the folder, not the folder";
  if (Says(status, "a .dsi file is taken alone")) return OfManyDsi(asked);
  if (TakesText(asked) && Says(status, "does not tell the format"))
    return "--format jsonl, csv or tsv says it; .gz, .zst and .lz4 are unpacked by themselves";
  if (TakesText(asked) && Says(status, "which only CSV and TSV have"))
    return "--format csv or tsv reads the text as cells";
  if (TakesText(asked) && Says(status, "feature"))
    return fmt::format("'dsictl schema {}' shows the features and their kinds", InWord(asked));
  if (ReadsFeatures(asked) && (Says(status, "feature") || Says(status, "steps[")))
    return fmt::format("'dsictl inspect {} --features' lists the features and their kinds",
                       InWord(asked));
  return "";
}

std::string OfDamage(const Status& status, const AskedFor& asked) {
  if (TakesText(asked)) return "the compressed input is damaged or not whole: fetch it again";
  if (asked.verb == "verify") {
    const std::string again = "make the file anew from its source, or fetch it again";
    const bool has_end = status.code() == StatusCode::kCorrupt;
    return has_end ? again + "; 'dsictl recover IN OUT' saves what can be read" : again;
  }
  if (Says(status, "no row can be read in all features"))
    return "--keep-rows keeps rows without the features that cannot be read there";
  if (status.code() == StatusCode::kTruncated)
    return "the file was not copied whole: fetch it again, or wait until it is";
  if (asked.in.empty()) return "'dsictl verify FILE...' of them all says which one is damaged";
  return fmt::format("'dsictl verify {}' lists all damage; fetch the file again", InWord(asked));
}

std::string OfNewer(const AskedFor& asked) {
  if (asked.verb == "convert")
    return fmt::format(
        "a newer dsictl reads it ('dsictl --version' shows yours); 'dsictl cat {}' leaves out what "
        "this one cannot read",
        InWord(asked));
  return "a newer dsictl reads it; 'dsictl --version' shows yours";
}

std::string OfNoDsi(const AskedFor& asked) {
  if (asked.in.empty()) return "";
  return fmt::format("'dsictl convert {} OUT.dsi' makes a .dsi file from JSON Lines, CSV or TSV",
                     InWord(asked));
}

std::string OfSpilling(const AskedFor& asked) {
  if (asked.verb == "dedup") return "raise --memory, lower --max-rows, or set TMPDIR";
  return "--spill-folder names a folder with room, or raise --memory";
}

std::string OfMemory(const Status& status, const AskedFor& asked) {
  const bool is_budget = asked.verb == "convert" && Says(status, "memory budget");
  if (is_budget || Says(status, "--memory")) return "raise --memory";
  if (TakesText(asked)) return "give a smaller --memory, or free memory on this machine";
  if (ReadsFeatures(asked))
    return fmt::format("read fewer features at once: dsictl cat {} --features NAMES",
                       InWord(asked));
  return "free memory on this machine, or raise the limit of the shell (ulimit -v)";
}

// The text through a filter of jq, into the verb that was asked for.
std::string ThroughJq(const AskedFor& asked, std::string_view filter) {
  const std::string in = InWord(asked);
  const char* const unpacks = asked.in.ends_with(".gz")    ? "zcat"
                              : asked.in.ends_with(".zst") ? "zstdcat"
                              : asked.in.ends_with(".lz4") ? "lz4cat"
                                                           : "";
  const std::string source = *unpacks == '\0'
                                 ? fmt::format("jq -c {} {}", ShellWord(filter), in)
                                 : fmt::format("{} {} | jq -c {}", unpacks, in, ShellWord(filter));
  const std::string out =
      asked.verb == "convert" ? " " + (asked.out.empty() ? "OUT.dsi" : ShellWord(asked.out)) : "";
  return fmt::format("{} | dsictl {} -{}", source, asked.verb, out);
}

constexpr std::string_view kInObjectOfArray = "in an object of the array ";

// The name in quotes behind these words of a message, where jq can name it too; else empty.
std::string NameForJq(const Status& status, std::string_view words) {
  const std::string_view message = status.message();
  const size_t begin = message.find(words);
  if (begin == std::string_view::npos || !message.substr(begin + words.size()).starts_with('"'))
    return "";
  const std::string_view rest = message.substr(begin + words.size() + 1);
  const std::string_view name = rest.substr(0, rest.find('"'));
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
  if (!plain || name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return "";
  return std::string(name);
}

// ", or leave it out: …"
std::string LeaveFeatureOut(const Status& status, const AskedFor& asked) {
  const std::string name = NameForJq(status, "feature ");
  return name.empty() ? ""
                      : ", or leave it out: " + ThroughJq(asked, fmt::format("del(.{})", name));
}

// The same of "list.name", which the objects of a list have.
std::string LeaveMemberOut(const Status& status, const AskedFor& asked) {
  const std::string name = NameForJq(status, "feature ");
  const std::string list = NameForJq(status, kInObjectOfArray);
  if (list.empty() || !name.starts_with(list + ".")) return "";
  const std::string filter = fmt::format("del(.{}[]?{})", list, name.substr(list.size()));
  return "leave it out: " + ThroughJq(asked, filter);
}

// Of what no schema could be found for. A declared one would be refused by the same rows.
std::string OfInference(const Status& status, const AskedFor& asked) {
  if (Says(status, "found no values"))
    return asked.verb == "schema" ? "rows with values are needed"
                                  : "a text without values needs a schema: --schema FILE";
  if (Says(status, "lists hold neither null") && !Says(status, "found an array") &&
      !Says(status, "found an object"))
    return "--null-entries drop leaves nulls out; fill puts NaN, 0 or an empty text there";
  if (Says(status, "objects, expected all of them"))
    return "--null-entries fill puts NaN, 0 or an empty text there" +
           LeaveFeatureOut(status, asked);
  if (Says(status, kInObjectOfArray)) return LeaveMemberOut(status, asked);
  if (Says(status, "in an array")) return "make one list of them" + LeaveFeatureOut(status, asked);
  if (Says(status, "expected one kind of value") || Says(status, "expected one form"))
    return "correct the line" + LeaveFeatureOut(status, asked);
  return "";
}

// Of lines that are no rows, whatever the schema.
std::string OfLine(const Status& status, const AskedFor& asked) {
  if (Says(status, "found no line")) return "the file is empty: is it the right one?";
  if (Says(status, "found an array, expected an object per line"))
    return "one object on each line: " + ThroughJq(asked, ".[]");
  if (Says(status, ":1:") && Says(status, "the text ends early"))
    return "correct the line; of rows that go over several lines: " + ThroughJq(asked, ".");
  if (Says(status, "expected the 1 of the header"))
    return "cells are separated by commas, or with --format tsv by tabs; --separator says others";
  if (Says(status, "quoted cell") || Says(status, "a quote inside the cell"))
    return "correct the line, leave out such lines (--on-error skip), or take quotes as text "
           "(--no-quotes)";
  if (Says(status, "stands twice")) return "rename one of them";
  const bool no_row = Says(status, "malformed") || Says(status, "of the header") ||
                      Says(status, "expected an object per line");
  return no_row ? "correct the line, or leave out such lines: --on-error skip" : "";
}

std::string OfInput(const Status& status, const AskedFor& asked) {
  if (Says(status, "(DS-022)"))
    return "'dsictl inspect WHERE... --features' tells what files disagree about";
  if (Says(status, "damaged")) return "the compressed input is damaged: fetch it again";
  if (Says(status, "the name ends in")) return "rename it as what it is; text needs no packing";
  if (Says(status, "a .dsi file, expected a schema")) return "";
  if (Says(status, "schema: ")) return "'dsictl schema IN' prints a schema to start from";
  if (Says(status, "no feature of the schema"))
    return "--ignore-unknown leaves out what the schema lacks, or add it to the schema";
  for (const auto hint_of : {OfInference, OfLine}) {
    const std::string hint = hint_of(status, asked);
    if (!hint.empty()) return hint;
  }
  if (!TakesText(asked) && asked.verb != "overlay") return "";
  if (asked.verb == "schema") return "correct the line, or leave it out";
  return asked.has_schema ? "correct the line, or the type of the feature in the schema"
                          : "correct the line, or state the type of the feature (--schema)";
}

}  // namespace

std::string HintFor(const Status& status, const AskedFor& asked) {
  const StatusCode code = status.code();
  if (code == StatusCode::kNotDsi || code == StatusCode::kBadInput ||
      code == StatusCode::kInvalidArgument) {
    const std::string foreign = AdviceOnForeignFormat(asked.in, asked.verb, asked.out);
    if (!foreign.empty()) return foreign;
    const std::string written = AdviceOnForeignOutput(asked.in, asked.out);
    if (!written.empty()) return written;
  }
  switch (code) {
    case StatusCode::kOk:
    case StatusCode::kCancelled:
      return "";
    case StatusCode::kInvalidArgument:
      return OfArgument(status, asked);
    case StatusCode::kNotFound:
      return OfMissing(status, asked);
    case StatusCode::kAlreadyExists:
      return asked.verb == "table" ? "" : "--force replaces it";
    case StatusCode::kCorrupt:
    case StatusCode::kTruncated:
      return OfDamage(status, asked);
    case StatusCode::kUnsupported:
      return OfNewer(asked);
    case StatusCode::kNotDsi:
      return OfNoDsi(asked);
    case StatusCode::kIo:
      if (Says(status, "spill folder")) return OfSpilling(asked);
      return OfSystem(status);
    case StatusCode::kResourceExhausted:
      return OfMemory(status, asked);
    case StatusCode::kBadInput:
      return OfInput(status, asked);
    case StatusCode::kOutOfRange:
      return "choose a wider type for the feature in the schema (--schema)";
  }
  return "";
}

}  // namespace dsi::tools
