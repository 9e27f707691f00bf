#include "dsi/dataset/scan/scan_file_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/reader/reader_access_internal.h"

namespace dsi::internal {

uint32_t FileRequest::AddUnique(const std::string& column, Type dtype) {
  std::vector<Projection>& features = options.features;
  const bool bit_cast = dtype == Type::kInt64 || dtype == Type::kInt32;
  const auto known = std::find_if(features.begin(), features.end(), [&](const Projection& p) {
    return p.name == column && p.layout == Layout::kIkjt && p.dtype == dtype &&
           p.bit_cast == bit_cast;
  });
  const auto at = static_cast<uint32_t>(known - features.begin());
  if (known == features.end()) {
    features.push_back(
        {.name = column, .layout = Layout::kIkjt, .dtype = dtype, .bit_cast = bit_cast});
    ++num_hidden;
  }
  return at;
}

ScanFile::ScanFile(std::shared_ptr<const Reader> reader, ScanWorkers* workers, MemoryBudget* budget)
    : reader_(std::move(reader)),
      ahead_(&ReaderAccess::File(*reader_).file(), ReaderAccess::Options(*reader_), budget),
      file_(ReaderAccess::File(*reader_).Through(&ahead_)),
      shared_(budget, workers),
      records_(budget) {
  shared_.file = &file_;
  shared_.reader_options = ReaderAccess::Options(*reader_);
}

Result<std::unique_ptr<ScanFile>> ScanFile::Open(std::shared_ptr<const Reader> reader,
                                                 FileRequest request, const TransformPlan* plan,
                                                 ScanWorkers* workers, MemoryBudget* budget) {
  std::unique_ptr<ScanFile> opened(new ScanFile(std::move(reader), workers, budget));
  const OpenFile& file = opened->file_;
  opened->drops_all_ = request.drops_all;
  opened->filter_ = request.options.filter;
  opened->filters_ =
      request.drops_all || !opened->filter_.empty() || opened->file_.num_deleted() != 0;
  if (request.wants_sessions) DSI_RETURN_IF_ERROR(opened->AddSessions(&request));
  // A file with none of the features: its rows count all the same.
  if (request.options.features.empty()) {
    opened->shared_.projection = std::make_shared<ScanProjection>();
  } else {
    DSI_ASSIGN_OR_RETURN(opened->shared_.projection, LookTogether(&opened->ahead_, [&] {
                           return ResolveProjection(file, request.options, 0,
                                                    file.core().stripes.size(), {},
                                                    request.num_hidden);
                         }));
  }
  constexpr uint64_t kOutputBytes =
      sizeof(OpenColumn) + sizeof(ScanValues) + sizeof(ScanOutput) + sizeof(FilePlace);
  DSI_RETURN_IF_ERROR(opened->records_.Add(opened->projection().outputs.size() * kOutputBytes));
  opened->plan_ = plan;
  if (plan != nullptr) {
    opened->transforms_ =
        MakeFileTransforms(*plan, std::move(request.inputs), opened->projection());
  }
  opened->FindPlaces(request);
  opened->FindGroups();
  return opened;
}

// Sessions are runs of rows that are equal in all cluster keys but a last timestamp (F-050). What
// the scan does not ask for is read besides, behind its outputs.
Status ScanFile::AddSessions(FileRequest* request) {
  const std::vector<uint32_t>& keys = file_.core().cluster_keys;
  for (const uint32_t key : keys) {
    DSI_ASSIGN_OR_RETURN(const OpenColumn column, file_.LoadColumn(key));
    if (key == keys.back() && column.record.kind == Kind::kTimestamp) continue;
    session_outputs_.push_back(request->AddUnique(column.name, column.record.type));
  }
  return Status::Ok();
}

void ScanFile::FindPlaces(const FileRequest& request) {
  for (size_t i = 0; i < request.positions.size(); ++i) {
    FilePlace& place = places_.emplace_back();
    const FileRequest::Stage& made = request.stages[i];
    if (made.stage != kNone32) {
      place.group = PieceMap::kDerived | transforms_.group_of_stage[made.stage];
      place.shape = PieceMap::kDerived | made.stage;
      place.values = PieceMap::kDerived |
                     (made.scores ? ScoresOfStage(made.stage) : ValuesOfStage(made.stage));
    } else if (request.positions[i] != kNone32) {
      const ScanOutput& output = projection().outputs[request.positions[i]];
      place = {output.group, output.shape, output.values};
    }
  }
}

void ScanFile::SetMap(PieceMap map) {
  const auto is_identity = [](const std::vector<uint32_t>& places) {
    for (uint32_t i = 0; i < places.size(); ++i) {
      if (places[i] != i) return false;
    }
    return true;
  };
  is_mapped_ = !is_identity(map.groups) || !is_identity(map.shapes) || !is_identity(map.values);
  map_ = std::move(map);
}

void ScanFile::FindGroups() {
  for (const FilePlace& place : places_) {
    if (place.group < PieceMap::kDerived) groups_.push_back(place.group);
  }
  for (const std::vector<uint32_t>& of : transforms_.groups)
    groups_.insert(groups_.end(), of.begin(), of.end());
  std::sort(groups_.begin(), groups_.end());
  groups_.erase(std::unique(groups_.begin(), groups_.end()), groups_.end());
}

}  // namespace dsi::internal
