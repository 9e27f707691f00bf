#include "dsi/tools/text_source_internal.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/text/lines/byte_source_internal.h"
#include "dsi/text/lines/text_files_internal.h"
#include "dsi/text/text_paths.h"
#include "dsi/tools/foreign_format_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

// Of an option: a character, or \t or \xHH for one.
char ParseCharacter(const char* option, const std::string& given) {
  if (given.size() == 1) return given[0];
  if (given == "\\t") return '\t';
  unsigned code = 0;
  const char* const end = given.data() + given.size();
  if (given.size() == 4 && given.starts_with("\\x") &&
      std::from_chars(given.data() + 2, end, code, 16).ptr == end)
    return static_cast<char>(code);
  const bool is_plain = std::all_of(given.begin(), given.end(), [](unsigned char c) {
    return std::ispunct(c) != 0 &&
           std::string_view("/'\\&*.[]^$").find(static_cast<char>(c)) == std::string_view::npos;
  });
  throw CLI::ValidationError(
      option,
      "expected one character, \\t or such as \\x01, not '" + given + "'" +
          (is_plain ? " (sed 's/" + given + "/\\t/g' IN | … - --format tsv makes it one)" : ""));
}

Status CheckIsThere(const std::string& path) {
  if (path == "-" || !internal::SchemeOf(path).empty()) return Status::Ok();
  struct stat info {};
  if (stat(path.c_str(), &info) != 0)
    return internal::SystemError(path, "opening for reading", errno);
  return Status::Ok();
}

}  // namespace

TextFormat ParseFormat(const std::string& word) {
  if (word == "jsonl") return TextFormat::kJsonLines;
  if (word == "csv") return TextFormat::kCsv;
  if (word == "tsv") return TextFormat::kTsv;
  if (word == "criteo") return TextFormat::kCriteo;
  if (word == "tfrecord") return TextFormat::kTfRecord;
  return TextFormat::kFromName;
}

Status LoadSchema(const std::string& path, Schema* schema) {
  if (IsDsiName(path))
    return internal::BadInput(
        "{}: a .dsi file, expected a schema as JSON; 'dsictl schema {} > FILE' prints that of the "
        "file",
        path, ShellWord(path));
  DSI_ASSIGN_OR_RETURN(*schema, Schema::FromJsonFile(path));
  return Status::Ok();
}

Result<TextSource> TextSource::Open(const TextSourceOptions& options, Progress* progress) {
  TextSource source;
  source.text_ = options.text;
  if (options.memory_bytes != 0) KeepWithin(options.memory_bytes, &source.text_);
  source.text_.format = ParseFormat(options.format);
  if (!options.epoch_unit.empty()) ParseTimeUnit(options.epoch_unit, &source.text_.epoch_unit);
  if (options.null_entries == "drop") source.text_.null_entries = NullEntries::kDrop;
  if (options.null_entries == "fill") source.text_.null_entries = NullEntries::kFill;
  DSI_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                       ListTexts(options.paths, source.text_.format));
  for (const std::string& path : paths)
    source.files_.push_back({.path = path, .name = internal::SourceName(path), .before_open = {}});
  // By the names that were given: a copy has none.
  const auto named = internal::TextFiles::Create(source.files_, source.text_);
  if (!named.ok() || paths.size() > 1) {
    // Of a mistyped name nobody wants to hear what its ending is, and of the last of many files
    // not when all others are read.
    for (const std::string& path : paths) DSI_RETURN_IF_ERROR(CheckIsThere(path));
  }
  DSI_RETURN_IF_ERROR(named.status());
  source.text_.format = named->format();
  source.name_ = paths.size() == 1 ? source.files_[0].name : fmt::format("{} files", paths.size());
  if (!options.schema_file.empty()) {
    DSI_RETURN_IF_ERROR(LoadSchema(options.schema_file, &source.schema_));
  }
  if (!options.schema_file.empty() && !options.lists.empty())
    return internal::InvalidArgument("--lists: with --schema the schema says which are lists");
  DSI_RETURN_IF_ERROR(source.ReadOnce(options, progress));
  if (!options.schema_file.empty()) return source;
  InferOptions infer{
      .text = source.text_, .max_rows = options.infer_rows, .lists = options.lists, .progress = {}};
  if (options.skip_bad_rows) infer.text.on_bad_row = [](const BadRow&) { return Status::Ok(); };
  infer.progress = [progress](uint64_t done, uint64_t total) {
    return progress->Update("finding the schema", done, total, ProgressUnit::kBytes);
  };
  DSI_ASSIGN_OR_RETURN(source.schema_, InferSchema(source.files_, infer, &source.inference_));
  return source;
}

Status TextSource::ReadOnce(const TextSourceOptions& options, Progress* progress) {
  std::shared_ptr<StandardInput> input;
  for (TextFile& file : files_) {
    // Of several, one may take the place of standard input before its turn comes.
    const bool is_input = files_.size() > 1 && StandardInput::Is(file.path);
    if (!is_input && CanBeReadTwice(file.path)) continue;
    if (input == nullptr) input = std::make_shared<StandardInput>();
    const std::string path = std::exchange(file.path, "-");
    if (!options.schema_file.empty()) {
      // One that is alone is waited for before the output is begun.
      if (files_.size() == 1) return input->Become(path);
      file.before_open = [input, path] { return input->Become(path); };
      continue;
    }
    DSI_RETURN_IF_ERROR(input->Become(path));
    DSI_ASSIGN_OR_RETURN(InputSpool spool,
                         InputSpool::Copy(file.name, options.scratch_folder, progress));
    file.path = spool.path();
    spools_.push_back(std::move(spool));
  }
  return Status::Ok();
}

Result<std::unique_ptr<TextInput>> TextSource::OpenRows(
    std::shared_ptr<const Schema> schema, bool ignore_unknown,
    std::function<Status(const BadRow&)> on_bad_row) const {
  TextInputOptions text = text_;
  text.ignore_unknown = ignore_unknown;
  text.on_bad_row = std::move(on_bad_row);
  return TextInput::Open(files_, std::move(schema), text);
}

uint64_t TextSource::bytes_in(const TextInput& rows) const {
  uint64_t bytes = rows.bytes_done();
  for (const InputSpool& spool : spools_) {
    bytes += spool.bytes_in();
    bytes -= std::min(bytes, spool.bytes_held());
  }
  return bytes;
}

std::vector<CLI::Option*> AddValueForms(CLI::App* app, TextSourceOptions* options) {
  const auto add_character = [app](const char* name, char* to, const char* help) {
    const auto take = [name, to](const std::string& given) { *to = ParseCharacter(name, given); };
    return app->add_option_function<std::string>(name, take, help)->type_name("CHAR");
  };
  // A column without a name is one, too.
  const auto add_names = [options](const std::vector<std::string>& mentions) {
    for (const std::string& names : mentions) {
      for (size_t at = 0; at <= names.size();) {
        const size_t comma = std::min(names.find(',', at), names.size());
        options->text.header.push_back(names.substr(at, comma - at));
        at = comma + 1;
      }
    }
  };
  return {app->add_option_function<std::vector<std::string>>(
                 "--header", add_names,
                 "CSV, TSV without a header line: names of its columns, with commas between; none: "
                 "left out")
              ->allow_extra_args(false)
              ->type_name("NAMES"),
          add_character("--separator", &options->text.separator,
                        "CSV, TSV: between cells, such as ';' or '\\x01'; default , or a tab"),
          app->add_flag_callback(
              "--no-quotes", [options] { options->text.quotes = false; },
              "CSV, TSV: a quote is text, wherever it stands"),
          app->add_option("--missing", options->text.missing,
                          "CSV, TSV: cells of this text are missing, such as '\\N'")
              ->type_name("TEXT"),
          add_character("--list-separator", &options->text.list_separator,
                        "CSV, TSV: between the entries of a list; default |"),
          AddNameList(app, "--lists", &options->lists,
                      "CSV, TSV without --schema: columns that are lists, of texts as well"),
          app->add_option("--null-entries", options->null_entries,
                          "What a null in a list does: fail (the default), drop (it is left out) "
                          "or fill (NaN, 0 or an empty text stands there)")
              ->check(CLI::IsMember({"fail", "drop", "fill"}))
              ->type_name("WORD"),
          app->add_option("--time-format", options->text.time_formats,
                          "What texts of times look like, such as '%m/%d/%Y %H:%M:%S'; %f: a "
                          "fraction; iso: ISO 8601, the default; repeatable")
              ->allow_extra_args(false)
              ->type_name("FORMAT"),
          app->add_option("--epoch-unit", options->epoch_unit,
                          "What numbers of times are in: s, ms, us or ns; default: the feature's "
                          "unit, and without a schema by their size")
              ->check(CLI::IsMember({"s", "ms", "us", "ns"}))
              ->type_name("WORD")};
}

bool IsDsiName(const std::string& path) { return internal::NameOfPath(path).ends_with(".dsi"); }

bool IsJsonLinesName(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".json") || path.ends_with(".ndjson");
}

}  // namespace dsi::tools
