// Finds a schema: one pass over the rows that remembers what each name held.
#include <deque>
#include <memory>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/text/infer/infer_feature_internal.h"
#include "dsi/format/name_words_internal.h"
#include "dsi/text/infer/row_looker_internal.h"
#include "dsi/text/lines/text_rows_internal.h"

namespace dsi {
namespace internal {

Result<uint32_t> RowLooker::Add(std::string_view name) {
  name_bytes_ += name.size();
  if (name.empty() || name.size() > kMaxNameBytes) {
    return BadInput("{}: a name of {} bytes, expected 1 to {}", lines_->Where(), name.size(),
                    kMaxNameBytes);
  }
  if (seen_.size() >= kMaxColumns || name_bytes_ > kMaxSchemaBytes) {
    return Error(StatusCode::kResourceExhausted, "{}: more than {} features", lines_->Where(),
                 seen_.size());
  }
  seen_.emplace_back().name = name;
  return static_cast<uint32_t>(seen_.size() - 1);
}

namespace {

Status LookAtRows(RowLooker* rows, const LineSource& lines, const InferOptions& options,
                  InferReport* report) {
  constexpr uint64_t kProgressBytes = 1 << 20;
  uint64_t reported = 0;
  for (uint64_t row = 0; options.max_rows == 0 || row < options.max_rows; ++row) {
    DSI_ASSIGN_OR_RETURN(const bool more, rows->LookAtRow());
    if (!more) break;
    report->rows = row + 1;
    if (!options.progress || lines.bytes_done() - reported < kProgressBytes) continue;
    reported = lines.bytes_done();
    if (!options.progress(reported, lines.bytes_total())) {
      return {StatusCode::kCancelled, "cancelled while finding a schema"};
    }
  }
  return {};
}

Result<Schema> MakeSchema(const std::deque<SeenFeature>& seen, bool typed_text,
                          InferReport* report) {
  Schema schema;
  for (const SeenFeature& one : seen) {
    // A name that never had a value says nothing; in a header it still needs a place.
    const bool valueless = one.one.FirstLine() == 0 && one.many.FirstLine() == 0;
    SeenFeature known = one;
    if (valueless && !typed_text) known.one.text_line = 1;
    DSI_ASSIGN_OR_RETURN(FeatureSpec feature, InferFeature(known, typed_text));
    const uint64_t number_line = one.one.NumberLine();
    if (feature.columns[0].type == Type::kBytes && number_line != 0)
      report->mixed.emplace_back(feature.name, one.one.OtherLine());
    schema.features.push_back(std::move(feature));
  }
  schema.cluster_by = ClusterByNames(schema.features);
  return schema;
}

// Names and types by the ordinals that the sample knows.
void FindKeys(RowLooker* rows, const Schema& schema, InferReport* report) {
  std::vector<std::string> names;
  std::vector<bool> may_be_key;
  for (const FeatureSpec& feature : schema.features) {
    names.push_back(feature.name);
    may_be_key.push_back(MayBeKey(feature));
  }
  rows->sample().FindKeys(names, may_be_key, report);
}

Result<Schema> InferFromLines(LineSource* lines, TextFormat format, const InferOptions& options,
                              InferReport* report) {
  const bool typed_text = format == TextFormat::kJsonLines;
  std::unique_ptr<RowLooker> rows;
  if (typed_text) {
    rows = MakeJsonLooker(lines);
  } else {
    DSI_ASSIGN_OR_RETURN(rows, MakeDelimitedLooker(lines, format == TextFormat::kCsv ? ',' : '\t'));
  }
  DSI_RETURN_IF_ERROR(LookAtRows(rows.get(), *lines, options, report));
  DSI_ASSIGN_OR_RETURN(Schema schema, MakeSchema(rows->seen(), typed_text, report));
  if (schema.features.empty()) return BadInput("found no values to find a schema from");
  const Status status = schema.Validate();
  if (status.code() == StatusCode::kInvalidArgument)
    return Status(StatusCode::kBadInput, status.message());
  DSI_RETURN_IF_ERROR(status);
  report->dropped = rows->Valueless();
  if (schema.cluster_by.empty()) FindKeys(rows.get(), schema, report);
  return schema;
}

}  // namespace
}  // namespace internal

Result<Schema> InferSchema(const std::string& path, const InferOptions& options,
                           InferReport* report) {
  InferReport unused;
  return internal::NoThrow([&]() -> Result<Schema> {
    DSI_ASSIGN_OR_RETURN(const TextFormat format,
                         internal::ResolveTextFormat(path, options.text.format));
    DSI_ASSIGN_OR_RETURN(std::unique_ptr<internal::LineSource> lines,
                         internal::OpenLines(path, options.text.max_line_bytes));
    Result<Schema> schema = internal::InferFromLines(lines.get(), format, options,
                                                     report != nullptr ? report : &unused);
    // Messages about a line name the source already.
    const std::string name = internal::SourceName(path);
    if (schema.ok() || schema.status().message().starts_with(name)) return schema;
    return schema.status().At(name);
  });
}

}  // namespace dsi
