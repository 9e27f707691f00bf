#include "dsi/dataset/scan/asked_outputs_internal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/filter_column_internal.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/reader/scan/filter_source_internal.h"

namespace dsi::internal {
namespace {

// What a scan of everything gives: lists jagged, the rest padded.
Projection DefaultProjection(const ColumnInfo& column) {
  Projection projection;
  projection.name = column.name;
  projection.layout = HasLengths(column.kind, column.type) ? Layout::kJagged : Layout::kPadded;
  return projection;
}

// 0: the file itself has the column, else 1 + a position in the variant's overlays.
uint16_t MemberOf(const FileVariant& variant, const ColumnInfo& column) {
  return variant.members.empty() ? 0 : variant.members[column.ordinal];
}

// Rows have one number each, or none.
bool IsNumber(const ColumnInfo& column) {
  return !HasLengths(column.kind, column.type) && column.kind != Kind::kEmbedding;
}

}  // namespace

Result<std::unique_ptr<AskedOutputs>> AskedOutputs::Make(const DatasetFiles& files,
                                                         const DatasetScanOptions& options) {
  auto asked = std::make_unique<AskedOutputs>();
  DSI_RETURN_IF_ERROR(asked->Find(files, options));
  return asked;
}

Result<std::unique_ptr<AskedOutputs>> AskedOutputs::MakeOfFilter(const DatasetFiles& files,
                                                                 const RowFilter& filter) {
  auto asked = std::make_unique<AskedOutputs>();
  asked->options_.filter = filter;
  std::vector<std::string> names;
  for (const Predicate* const predicate : PredicatesOf(filter)) names.push_back(predicate->column);
  DSI_ASSIGN_OR_RETURN(asked->view_, MakeView(files, names));
  DSI_RETURN_IF_ERROR(asked->FindFilter(filter, 0));
  return asked;
}

Status AskedOutputs::Find(const DatasetFiles& files, const DatasetScanOptions& options) {
  options_ = options.scan;
  options_.features.clear();
  // Names of the dataset: first of projections, then of the pipeline, then of the filter.
  const Pipeline& pipeline = options.pipeline;
  std::vector<std::string> patterns;
  std::vector<uint32_t> pattern_of;  // By projection; kNone32: the pipeline makes it.
  for (const Projection& projection : options.scan.features) {
    const bool is_made = FindMade(projection.name, pipeline).has_value();
    pattern_of.push_back(is_made ? kNone32 : static_cast<uint32_t>(patterns.size()));
    if (!is_made) patterns.push_back(projection.name);
  }
  const bool wants_all = options.scan.features.empty() && pipeline.steps.empty();
  if (wants_all) patterns.push_back("*");
  const size_t first_feature = patterns.size();
  if (!pipeline.steps.empty()) {
    DSI_ASSIGN_OR_RETURN(const std::vector<std::string> features, pipeline.Features());
    patterns.insert(patterns.end(), features.begin(), features.end());
  }
  const size_t first_filter = patterns.size();
  for (const Predicate* const predicate : PredicatesOf(options.scan.filter))
    patterns.push_back(predicate->column);
  auto view = MakeView(files, patterns);
  if (!view.ok()) {
    DSI_RETURN_IF_ERROR(CheckFeatures(pipeline, files));
    return view.status();
  }
  view_ = *std::move(view);

  if (!pipeline.steps.empty())
    DSI_RETURN_IF_ERROR(FindPlan(pipeline, options.scan.features, first_feature));
  DSI_RETURN_IF_ERROR(FindFilter(options.scan.filter, first_filter));
  if (wants_all) {
    for (const uint32_t column : view_->of_pattern()[0])
      DSI_RETURN_IF_ERROR(
          AddColumn(files, column, DefaultProjection(view_->columns()[column]), false));
  }
  if (options.scan.features.empty() && plan_.has_value()) DSI_RETURN_IF_ERROR(AddAllStages());
  for (size_t i = 0; i < options.scan.features.size(); ++i) {
    const Projection& projection = options.scan.features[i];
    if (pattern_of[i] == kNone32) {
      DSI_RETURN_IF_ERROR(AddStages(projection, *FindMade(projection.name, pipeline)));
      continue;
    }
    const std::vector<uint32_t>& columns = view_->of_pattern()[pattern_of[i]];
    for (const uint32_t column : columns)
      DSI_RETURN_IF_ERROR(AddColumn(files, column, projection, columns.size() > 1));
  }
  return Status::Ok();
}

Status AskedOutputs::FindFilter(const RowFilter& filter, size_t first_pattern) {
  for (const Predicate* const predicate : PredicatesOf(filter)) {
    DSI_ASSIGN_OR_RETURN(
        const uint32_t column,
        FilterColumnOf(*view_, first_pattern + filter_columns_.size(), *predicate));
    filter_columns_.push_back(column);
  }
  for (const Sampling& sampling : filter.sample) {
    if (!(sampling.keep >= 0 && sampling.keep <= 1))
      return InvalidArgument("filter: keep is {}, 0 to 1 is possible", sampling.keep);
  }
  return Status::Ok();
}

// What is made for these projections (none: all outputs), of which columns of the view.
Status AskedOutputs::FindPlan(const Pipeline& pipeline, std::span<const Projection> asked,
                              size_t first_pattern) {
  DSI_ASSIGN_OR_RETURN(PipelinePlan whole, ResolvePipeline(pipeline, *view_, first_pattern));
  features_ = std::move(whole.features);
  whole_plan_ = std::move(whole.plan);
  if (asked.empty()) {
    plan_ = whole_plan_;
    taken_ = TakenEntriesOf(*plan_);
    return Status::Ok();
  }
  DSI_ASSIGN_OR_RETURN(plan_, PlanOfAsked(pipeline, *whole_plan_, asked));
  if (plan_.has_value()) taken_ = TakenEntriesOf(*plan_);
  // What only other outputs take is not read.
  std::vector<uint8_t> taken(features_.size());
  if (plan_.has_value()) {
    for (const TransformStage& stage : plan_->stages()) {
      for (const TransformSource& source : stage.sources) {
        if (!source.is_stage) taken[source.index] = 1;
      }
    }
  }
  for (size_t i = 0; i < features_.size(); ++i) {
    if (taken[i] == 0) features_[i] = {};
  }
  return Status::Ok();
}

Status AskedOutputs::AddColumn(const DatasetFiles& files, uint32_t column, Projection asked,
                               bool one_of_many) {
  const ColumnInfo& info = view_->columns()[column];
  // A name that stands for ids and weights changes the type of those it is meant for.
  const bool is_meant =
      asked.dtype.has_value() &&
      (!one_of_many || asked.layout == Layout::kDense ||
       (info.type != Type::kBytes && IsFloat(*asked.dtype) == IsFloat(info.type)));
  if (!is_meant) asked.dtype = asked.layout == Layout::kDense ? Type::kFloat32 : info.type;
  if (asked.width == 0) asked.width = info.max_length;
  const bool has_pad = IsPadded(asked.layout) || asked.layout == Layout::kDense;
  const bool takes_default = has_pad && IsNumber(info) && !asked.pad_value;
  if (takes_default) asked.pad_value = 0;  // DS-024: the dataset's takes its place.
  const auto resolve = [&](size_t file, const FileVariant& variant) -> Result<ScanOutput> {
    const ColumnInfo& there = *view_->InSchema(variant.schema, column);
    DSI_ASSIGN_OR_RETURN(const auto reader, files.Acquire(file));
    std::shared_ptr<const Reader> has_it = reader;
    if (const uint16_t member = MemberOf(variant, there); member != 0) {
      DSI_ASSIGN_OR_RETURN(has_it, files.AcquireOverlay(variant.overlays[member - 1]));
    }
    const OpenFile& open = ReaderAccess::File(*has_it);
    ScanOptions one;
    one.kjt_lengths = options_.kjt_lengths;
    one.features = {asked};
    one.features[0].name = there.name;
    one.features[0].blank = view_->BlankOf(column, there);
    DSI_ASSIGN_OR_RETURN(const auto projection,
                         ResolveProjection(open, one, 0, open.core().stripes.size()));
    return projection->outputs.front();
  };
  std::optional<ScanOutput> found;
  for (size_t file = 0; file < files.files().size(); ++file) {
    for (size_t v = 0; v < schemas().num_variants(file); ++v) {
      if (view_->InFile(file, column, v) == nullptr) continue;
      DSI_ASSIGN_OR_RETURN(const ScanOutput one, resolve(file, schemas().variant(file, v)));
      if (!found) found = one;
      // The longest list of any file.
      found->width = std::max(found->width, one.width);
    }
    const bool is_settled =
        !IsPadded(asked.layout) || asked.width != 0 || !HasLengths(info.kind, info.type);
    if (found && is_settled) break;
  }
  ScanOutput output = *std::move(found);
  output.name = info.name;
  if (takes_default) {
    DSI_RETURN_IF_ERROR(PadWithDefault(info.name, info.default_bits, info.type,
                                       CastingOf(asked, info.type, output.dtype), &output));
  }
  asked.width = output.width;
  asked_.push_back({column, {}, std::move(asked), std::move(output)});
  return Status::Ok();
}

// What a scan of everything gives of a pipeline: its outputs, lists jagged, the rest padded.
Status AskedOutputs::AddAllStages() {
  for (const size_t stage : plan_->outputs()) {
    const TransformStage& made = plan_->stages()[stage];
    const bool is_number = made.type.shape == RowShape::kNumber;
    DSI_RETURN_IF_ERROR(
        AddStages({.name = made.name, .layout = is_number ? Layout::kPadded : Layout::kJagged},
                  {made.name, true, true, false}));
  }
  return Status::Ok();
}

Status AskedOutputs::AddStages(const Projection& asked, const MadeName& name) {
  const TransformType& made = *FindOutput(*whole_plan_, name.output);
  DSI_ASSIGN_OR_RETURN(const std::string of, StageOf(name, made, asked));
  for (const size_t stage : plan_->outputs()) {
    if (plan_->stages()[stage].name != of) continue;
    const bool is_scored = made.shape == RowShape::kScored;
    if (name.values) {
      DSI_RETURN_IF_ERROR(
          AddMade(asked, stage, false, is_scored ? name.output + ".ids" : name.output));
    }
    if (is_scored && name.weights)
      DSI_RETURN_IF_ERROR(AddMade(asked, stage, true, name.output + ".weights"));
  }
  return Status::Ok();
}

Status AskedOutputs::AddMade(const Projection& asked, size_t stage, bool scores, std::string name) {
  const TransformType& type = plan_->stages()[stage].type;
  ScanOutput output;
  output.name = std::move(name);
  output.layout = asked.layout;
  if (HasSet(asked.layout)) output.set = asked.set;
  output.dtype = scores ? Type::kFloat32 : type.type;
  output.item_size = static_cast<uint32_t>(TypeWidth(output.dtype));
  output.keep_last = asked.keep == Keep::kLast;
  output.pad_left = asked.pad == Side::kLeft;
  const bool is_number = type.shape == RowShape::kNumber;
  const bool padded = IsPadded(asked.layout);
  if (asked.layout == Layout::kDense && !is_number)
    return InvalidArgument("{}: only features of one number stand in a dense matrix", output.name);
  output.width = is_number ? 1 : asked.width;
  if (padded && output.width == 0)
    return InvalidArgument("{}: how long its lists get is not known; give the width", output.name);
  if (asked.pad_value.has_value()) {
    if (!BitsOf(*asked.pad_value, output.dtype, &output.pad_bits))
      return InvalidArgument("{}: the pad value {} is no {}", output.name, *asked.pad_value,
                             TypeName(output.dtype));
  } else if (is_number) {
    DSI_RETURN_IF_ERROR(PadWithDefault(output.name, {}, output.dtype, Casting::kValue, &output));
  }
  Asked made;
  made.made = {static_cast<uint32_t>(stage), scores};
  made.projection = asked;
  made.output = std::move(output);
  asked_.push_back(std::move(made));
  return Status::Ok();
}

Result<JointProjection> AskedOutputs::NewProjection() const {
  std::vector<ScanOutput> outputs;
  for (const Asked& asked : asked_) outputs.push_back(asked.output);
  return JointProjection::Make(std::move(outputs), options_.kjt_lengths);
}

std::vector<std::string> AskedOutputs::StoredColumns() const {
  std::vector<uint32_t> columns = filter_columns_;
  for (const Asked& asked : asked_) columns.push_back(asked.column);
  for (const PipelineFeature& feature : features_) {
    columns.push_back(feature.values);
    columns.push_back(feature.scores);
  }
  std::vector<std::string> names;
  for (const uint32_t column : columns) {
    if (column != kNone32) names.push_back(view_->columns()[column].name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

namespace {

// What is asked of a file and of its overlays, and where each of its outputs is then.
class RequestMaker {
 public:
  RequestMaker(const SchemaView& view, FileVariant variant, FileRequest* request)
      : view_(view), variant_(std::move(variant)), request_(*request) {}

  // Null: the file lacks the column.
  const ColumnInfo* Find(uint32_t column) const {
    return column == kNone32 ? nullptr : view_.InSchema(variant_.schema, column);
  }
  // An overlay of which nothing is asked is none of them.
  uint32_t Member(const ColumnInfo& there) {
    const uint16_t member = MemberOf(variant_, there);
    if (member == 0) return 0;
    const uint32_t overlay = variant_.overlays[member - 1];
    const auto known = std::find(request_.overlays.begin(), request_.overlays.end(), overlay);
    const auto at = static_cast<uint32_t>(known - request_.overlays.begin()) + 1;
    if (known != request_.overlays.end()) return at;
    const Type kjt_lengths = request_.members[0].options.kjt_lengths;
    request_.overlays.push_back(overlay);
    request_.members.emplace_back().options.kjt_lengths = kjt_lengths;
    return at;
  }
  MemberPlace Add(uint32_t column, Projection projection) {
    const ColumnInfo* const there = Find(column);
    if (there == nullptr) return {};
    const uint32_t member = Member(*there);
    std::vector<Projection>& features = request_.members[member].options.features;
    features.push_back(InFile(column, *there, std::move(projection)));
    return {member, static_cast<uint32_t>(features.size() - 1)};
  }
  MemberPlace AddUnique(uint32_t column, Type type, const TakenEntries& taken) {
    const ColumnInfo* const there = Find(column);
    if (there == nullptr) return {};
    const uint32_t member = Member(*there);
    const Projection asked{.width = taken.count, .keep = taken.keep, .dtype = type};
    return {member, request_.members[member].AddUnique(InFile(column, *there, asked))};
  }

 private:
  // How what is asked of a column, as a type, is asked of the file.
  Projection InFile(uint32_t column, const ColumnInfo& there, Projection asked) const {
    asked.name = there.name;
    asked.blank = view_.BlankOf(column, there);
    asked.exact =
        asked.exact ||
        (!asked.blank && MustBeExact(there.type, view_.columns()[column].type, *asked.dtype));
    return asked;
  }

  const SchemaView& view_;
  FileVariant variant_;
  FileRequest& request_;
};

// What of a filter is to be looked at in a file. What is missing in all its rows compares with
// nothing.
class FilterTaker {
 public:
  // `columns`: of the view, by predicate of PredicatesOf.
  FilterTaker(const RowFilter& filter, std::span<const uint32_t> columns, RequestMaker* maker)
      : filter_(filter), columns_(columns), maker_(*maker) {}

  void Take(FileRequest* request) {
    request->drops_all = !TakeAll(filter_.where, &request->filter.where, &request->filter_members);
    for (const Sampling& sampling : filter_.sample) {
      Sampling taken{.keep = sampling.keep};
      std::vector<uint32_t> members;
      if (!TakeAll(sampling.when, &taken.when, &members)) continue;
      request->filter.sample.push_back(std::move(taken));
      request->filter_members.insert(request->filter_members.end(), members.begin(), members.end());
    }
  }

 private:
  // False: one of them holds in no row.
  bool TakeAll(const std::vector<Predicate>& from, std::vector<Predicate>* to,
               std::vector<uint32_t>* members) {
    bool may_hold = true;
    for (const Predicate& predicate : from) {
      bool always_holds = false;
      std::vector<const ColumnInfo*> there;
      std::vector<Predicate> left;
      for (const Predicate* const one : AlternativesOf(predicate)) {
        const ColumnInfo* const column = maker_.Find(columns_[next_++]);
        if (column == nullptr) {
          always_holds = always_holds || one->compare == Compare::kMissing;
          continue;
        }
        there.push_back(column);
        left.push_back(*one);
        left.back().column = column->name;
        left.back().alternatives.clear();
      }
      if (always_holds) continue;
      may_hold = may_hold && !left.empty();
      if (left.empty()) continue;
      for (const ColumnInfo* const column : there) members->push_back(maker_.Member(*column));
      left[0].alternatives.assign(left.begin() + 1, left.end());
      to->push_back(std::move(left[0]));
    }
    return may_hold;
  }

  const RowFilter& filter_;
  std::span<const uint32_t> columns_;
  RequestMaker& maker_;
  size_t next_ = 0;  // Predicate that is looked at next.
};

}  // namespace

uint64_t SampleSeed(const DatasetFiles& files, size_t file, const RowFilter& filter) {
  return files.files().size() > 1 ? filter.seed + files.files()[file].fingerprint : filter.seed;
}

FileRequest AskedOutputs::RequestOf(const DatasetFiles& files, size_t file, size_t variant) const {
  FileRequest request;
  request.members[0].options.kjt_lengths = options_.kjt_lengths;
  RequestMaker maker(*view_, schemas().variant(file, variant), &request);
  for (const Asked& asked : asked_) {
    request.stages.push_back(asked.made);
    request.positions.push_back(maker.Add(asked.column, asked.projection));
  }
  for (size_t i = 0; plan_.has_value() && i < features_.size(); ++i) {
    FileRequest::Input& input = request.inputs.emplace_back();
    if (maker.Find(features_[i].values) == nullptr) continue;
    const Type type = plan_->features()[i].type.type;
    input.values = maker.AddUnique(features_[i].values, type, taken_[i]);
    input.scores = maker.AddUnique(features_[i].scores, Type::kFloat32, taken_[i]);
  }

  request.filter.seed = SampleSeed(files, file, options_.filter);
  FilterTaker taker(options_.filter, filter_columns_, &maker);
  taker.Take(&request);
  return request;
}

}  // namespace dsi::internal
