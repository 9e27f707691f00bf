// Finds a schema: one pass over the rows that remembers what each name held.
#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/lists_of_lists.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/text/delimited/criteo_rows_internal.h"
#include "dsi/text/infer/explain_feature_internal.h"
#include "dsi/text/infer/find_maps_internal.h"
#include "dsi/text/infer/infer_feature_internal.h"
#include "dsi/text/infer/keep_most_internal.h"
#include "dsi/text/infer/path_keys_seen_internal.h"
#include "dsi/format/name_words_internal.h"
#include "dsi/text/infer/row_looker_internal.h"
#include "dsi/text/infer/rows_together_internal.h"
#include "dsi/text/lines/text_files_internal.h"

namespace dsi {
namespace internal {

namespace {

// Tells a caller how far the looking is, now and then.
class LookProgress {
 public:
  LookProgress(const InferOptions& options, uint64_t bytes_total)
      : progress_(options.progress), bytes_total_(bytes_total) {}

  Status Update(const LineSource& lines) {
    constexpr uint64_t kEachBytes = 1 << 20;
    const uint64_t done = bytes_before_ + lines.bytes_done();
    if (!progress_ || done - reported_ < kEachBytes) return {};
    reported_ = done;
    if (progress_(done, bytes_total_)) return {};
    return {StatusCode::kCancelled, "cancelled while finding a schema"};
  }
  void EndFile(const LineSource& lines) { bytes_before_ += lines.bytes_done(); }

 private:
  const std::function<bool(uint64_t, uint64_t)>& progress_;
  const uint64_t bytes_total_;
  uint64_t bytes_before_ = 0;  // Of the files before.
  uint64_t reported_ = 0;
};

Status LookAtRows(RowLooker* rows, TextFiles* files, const InferOptions& options,
                  InferReport* report) {
  LookProgress progress(options, options.progress ? files->CountBytes() : 0);
  const bool leaves_out = static_cast<bool>(options.text.on_bad_row);
  const uint64_t most = options.max_rows == 0 ? UINT64_MAX : options.max_rows;
  while (files->opened() < files->size() && report->rows < most) {
    const auto file = static_cast<uint32_t>(files->opened());
    DSI_ASSIGN_OR_RETURN(const std::unique_ptr<LineSource> lines, files->OpenNext());
    DSI_RETURN_IF_ERROR(rows->StartFile(lines.get(), file, files->size() > 1));
    while (report->rows < most) {
      const Result<bool> more = rows->LookAtRow();
      if (leaves_out && more.status().code() == StatusCode::kBadInput && !lines->failed()) continue;
      DSI_RETURN_IF_ERROR(more.status());
      if (!*more) break;
      ++report->rows;
      DSI_RETURN_IF_ERROR(progress.Update(*lines));
    }
    progress.EndFile(*lines);
  }
  return rows->Finish();
}

using MakeLooker = std::function<std::unique_ptr<RowLooker>()>;

// Looks at all rows, by several threads where that comes to the same.
Result<std::unique_ptr<RowLooker>> LookAtAllRows(const MakeLooker& make, TextFiles* files,
                                                 const InferOptions& options, InferReport* report) {
  std::unique_ptr<RowLooker> rows = make();
  if (files->format() == TextFormat::kJsonLines && options.max_rows == 0 &&
      options.text.threads != 1 && files->AllOpenAtOnce()) {
    DSI_ASSIGN_OR_RETURN(const bool looked,
                         LookTogether(rows.get(), make, *files, options, report));
    if (looked) return rows;
    rows = make();
    report->rows = 0;
  }
  DSI_RETURN_IF_ERROR(LookAtRows(rows.get(), files, options, report));
  return rows;
}

// Whether ids would be rounded where they stand as floats.
bool HasRoundedIds(const FeatureSpec& feature, const SeenValues& values) {
  return feature.kind == Kind::kDense && IsInteger(feature.columns[0].type) &&
         (values.big_line != 0 || AreRoundedIds(feature.name, values.least, values.greatest));
}

// Times in a form that was not stated are strings.
void NoteTextTime(const FeatureSpec& feature, const SeenFeature& seen, InferReport* report) {
  if (feature.kind != Kind::kString || seen.one.text_line == 0 || !IsTimeName(feature.name)) return;
  for (const std::string& example : seen.examples) {
    if (!MayTellDay(example)) continue;
    report->text_times.emplace_back(feature.name, example);
    return;
  }
}

Result<Schema> MakeSchema(const std::deque<SeenFeature>& seen, const InferRules& rules,
                          InferReport* report) {
  Schema schema;
  InferRules of_cells = rules;  // Paths state no types.
  of_cells.typed_text = false;
  const auto rules_of = [&](const SeenFeature& of) -> const InferRules& {
    return of.is_path_key ? of_cells : rules;
  };
  std::unordered_map<std::string_view, std::vector<const SeenFeature*>> members;  // Of lists.
  for (const SeenFeature& one : seen) {
    if (!one.list.empty()) members[one.list].push_back(&one);
  }
  std::vector<FeatureSpec> inner;  // Behind all that were seen, in whose order FindKeys looks.
  std::vector<FoundFeature> found_inner;
  for (const SeenFeature& one : seen) {
    if (!one.list.empty()) continue;
    // A name that never had a value says nothing; in a header it still needs a place.
    const bool valueless = one.one.FirstLine() == 0 && one.many.FirstLine() == 0;
    SeenFeature known = one;
    if (one.is_path_key) report->path_keys.push_back(one.name);
    if (valueless && !rules.typed_text) known.one.text_line = 1;
    if (rules.keep_most && !one.is_path_key) KeepMost(rules, &known);
    if (rules.typed_text && !known.has_values()) continue;
    std::vector<FeatureSpec> made;  // Of lists of lists.
    DSI_ASSIGN_OR_RETURN(FeatureSpec feature,
                         known.num_objects != 0
                             ? InferSequence(known, members[one.name], rules, &made)
                             : InferFeature(known, rules_of(known)));
    if (feature.kind == Kind::kList && known.inner_line != 0)
      made.push_back(LengthsFeature(feature));
    for (FeatureSpec& of : made) {
      found_inner.push_back(ExplainInner(of, known, rules, report->rows));
      inner.push_back(std::move(of));
    }
    const uint64_t number_line = one.one.NumberLine();
    if (feature.columns[0].type == Type::kBytes && number_line != 0) {
      const uint64_t other = one.one.OtherLine();
      report->mixed.push_back({feature.name, rules.places.File(other), PlaceNames::Line(other)});
    }
    if (HasRoundedIds(feature, known.one)) report->rounded_ids.push_back(feature.name);
    NoteTextTime(feature, known, report);
    report->features.push_back(ExplainFeature(feature, known, rules, report->rows));
    schema.features.push_back(std::move(feature));
  }
  std::move(inner.begin(), inner.end(), std::back_inserter(schema.features));
  std::move(found_inner.begin(), found_inner.end(), std::back_inserter(report->features));
  if (rules.keep_most) KeepMostOfNested(&schema, &report->features);
  schema.cluster_by = ClusterByNames(schema.features);
  return schema;
}

// Names and types by the ordinals that the sample knows.
void FindKeys(RowLooker* rows, const Schema& schema, InferReport* report) {
  std::vector<std::string> names;
  std::vector<bool> may_be_key;
  size_t next = 0;  // Some names have no feature.
  for (const SeenFeature& seen : rows->seen()) {
    const bool is_feature =
        next < schema.features.size() && schema.features[next].name == seen.name;
    names.push_back(seen.name);
    may_be_key.push_back(is_feature && !seen.is_path_key && MayBeKey(schema.features[next]));
    next += is_feature ? 1 : 0;
  }
  rows->sample().FindKeys(names, may_be_key, report);
}

Result<Schema> InferFromFiles(TextFiles* files, const InferOptions& options, InferReport* report) {
  if (files->format() == TextFormat::kCriteo) return CriteoSchema();
  const bool is_json = files->format() == TextFormat::kJsonLines;
  const bool is_example = files->format() == TextFormat::kTfRecord;
  const bool typed_text = is_json || is_example;
  if (typed_text && !options.lists.empty())
    return InvalidArgument(
        "lists that are named: {} states what is a list, only CSV and TSV do not",
        is_json ? "JSON" : "tf.Example");
  const auto make = [&]() -> std::unique_ptr<RowLooker> {
    if (is_json) return MakeJsonLooker(options.text, files->times());
    if (is_example) return MakeExampleLooker(files->times());
    return MakeDelimitedLooker(files->format(), options, files->times());
  };
  DSI_ASSIGN_OR_RETURN(const std::unique_ptr<RowLooker> rows,
                       LookAtAllRows(make, files, options, report));
  LookAtPaths(*files, report->rows, &rows->seen());
  const NullEntries nulls = options.text.null_entries;
  const bool leaves_out = static_cast<bool>(options.text.on_bad_row);
  const InferRules rules = {.typed_text = typed_text,
                            .lists_of_one = is_example,
                            .float_type = is_example ? Type::kFloat32 : Type::kFloat64,
                            .keep_most = typed_text && leaves_out,
                            .refuse_nulls = nulls == NullEntries::kFail && !leaves_out,
                            .fill_nulls = nulls == NullEntries::kFill,
                            .times = files->times(),
                            .places = PlaceNames(files->Names())};
  DSI_ASSIGN_OR_RETURN(Schema schema, MakeSchema(rows->seen(), rules, report));
  if (schema.features.empty()) return BadInput("found no values to find a schema from");
  const Status status = schema.Validate();
  if (status.code() == StatusCode::kInvalidArgument)
    return Status(StatusCode::kBadInput, status.message());
  DSI_RETURN_IF_ERROR(status);
  report->dropped = rows->Valueless();
  std::erase_if(report->dropped, [&](const std::string& name) {
    return std::find(report->path_keys.begin(), report->path_keys.end(), name) !=
           report->path_keys.end();
  });
  report->numbers_in_header = rows->NumbersInHeader();
  if (is_json) report->maps = FindMaps(rows->seen(), report->rows);
  if (schema.cluster_by.empty()) FindKeys(rows.get(), schema, report);
  return schema;
}

}  // namespace
}  // namespace internal

Result<Schema> InferSchema(const std::vector<TextFile>& files, const InferOptions& options,
                           InferReport* report) {
  InferReport unused;
  return internal::NoThrow([&]() -> Result<Schema> {
    if (report != nullptr) *report = {};
    DSI_ASSIGN_OR_RETURN(auto opened, internal::TextFiles::Create(files, options.text));
    Result<Schema> schema =
        internal::InferFromFiles(&opened, options, report != nullptr ? report : &unused);
    if (schema.ok() || opened.size() > 1) return schema;
    // Messages about a line name the source already.
    const std::string name = opened.Name(0);
    return schema.status().message().starts_with(name) ? schema : schema.status().At(name);
  });
}

Result<Schema> InferSchema(const std::string& path, const InferOptions& options,
                           InferReport* report) {
  return internal::NoThrow([&] {
    return InferSchema(std::vector<TextFile>{{.path = path, .name = "", .before_open = {}}},
                       options, report);
  });
}

}  // namespace dsi
