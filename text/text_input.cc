// Opens texts: the parser for each format.
#include "dsi/text/text_input.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/text/delimited/criteo_rows_internal.h"
#include "dsi/text/delimited/delimited_rows_internal.h"
#include "dsi/text/example/example_rows_internal.h"
#include "dsi/text/json/json_rows_internal.h"
#include "dsi/text/parsed_text_internal.h"

namespace dsi {
namespace internal {
namespace {

// What a format reads in front of the rows of a file, and the rows.
struct FormatParts {
  TextBlocks::ReadStart read_start;
  BlockQueue::MakeParser make_parser;
};

FormatParts PartsOf(const std::shared_ptr<const Schema>& schema, const TextInputOptions& options,
                    const TextFiles& files) {
  const TimeForms& times = files.times();
  const bool many_files = files.size() > 1;
  const bool ignore_unknown = options.ignore_unknown;
  const TextFormat format = files.format();
  switch (format) {
    case TextFormat::kTfRecord:
      return {{},
              [schema, options, times] { return MakeExampleRowParser(schema, options, times); }};
    case TextFormat::kCriteo:
      return {
          [schema, ignore_unknown](LineSource* lines) -> Result<std::shared_ptr<const FileStart>> {
            DSI_RETURN_IF_ERROR(CheckCriteoSchema(*schema, ignore_unknown, lines->name()));
            return std::shared_ptr<const FileStart>(std::make_shared<FileStart>());
          },
          [schema, options] { return MakeCriteoParser(schema, options); }};
    case TextFormat::kCsv:
    case TextFormat::kTsv:
      return {[schema, format, options, many_files](LineSource* lines) {
                return ReadHeader(lines, *schema, format, options, many_files);
              },
              [schema, format, options, times] {
                return MakeDelimitedParser(schema, format, options, times);
              }};
    default:
      return {{}, [schema, options, times] { return MakeJsonParser(schema, options, times); }};
  }
}

}  // namespace
}  // namespace internal

// What is read ahead is part of the 64 MiB that a writer may take beside its budget, and most of
// them stay for other things. A thread that parses takes 3 to 6 MiB for itself, and one that looks
// for a schema of 20,000 names 30.
void KeepWithin(uint64_t writer_memory_bytes, TextInputOptions* options) {
  constexpr uint64_t kLeastAhead = 1 << 20;
  constexpr uint64_t kMostAhead = 32 << 20;
  constexpr uint64_t kBudgetOfThread = 48 << 20;
  options->ahead_bytes = std::clamp(writer_memory_bytes / 16, kLeastAhead, kMostAhead);
  const auto threads = static_cast<uint64_t>(internal::NumThreads(options->threads));
  options->threads =
      static_cast<int>(std::clamp<uint64_t>(writer_memory_bytes / kBudgetOfThread, 1, threads));
}

TextInput::~TextInput() = default;

Result<std::unique_ptr<TextInput>> TextInput::Open(const std::vector<TextFile>& files,
                                                   std::shared_ptr<const Schema> schema,
                                                   const TextInputOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<TextInput>> {
    if (schema == nullptr) return internal::InvalidArgument("no schema");
    DSI_RETURN_IF_ERROR(schema->Validate());
    if (options.threads < 0) return internal::InvalidArgument("threads is {}", options.threads);
    DSI_ASSIGN_OR_RETURN(auto opened, internal::TextFiles::Create(files, options));
    internal::FormatParts parts = internal::PartsOf(schema, options, opened);
    auto blocks = std::make_unique<internal::TextBlocks>(std::move(opened), options, *schema,
                                                         std::move(parts.read_start));
    DSI_RETURN_IF_ERROR(blocks->OpenNext());
    return std::unique_ptr<TextInput>(std::make_unique<internal::ParsedText>(
        std::move(blocks), std::move(schema), options, parts.make_parser));
  });
}

Result<std::unique_ptr<TextInput>> TextInput::Open(const std::string& path,
                                                   std::shared_ptr<const Schema> schema,
                                                   const TextInputOptions& options) {
  return internal::NoThrow([&] {
    return Open(std::vector<TextFile>{{.path = path, .name = "", .before_open = {}}},
                std::move(schema), options);
  });
}

}  // namespace dsi
