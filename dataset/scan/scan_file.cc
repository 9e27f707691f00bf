#include "dsi/dataset/scan/scan_file_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/files/session_keys_internal.h"
#include "dsi/dataset/scan/mapped_inputs_internal.h"

namespace dsi::internal {

Result<std::shared_ptr<ScanFile>> ScanFile::Open(std::vector<std::unique_ptr<ScanMember>> members,
                                                 FileRequest request, const TransformPlan* plan,
                                                 const ComingRows& coming, MemoryBudget* budget) {
  std::shared_ptr<ScanFile> opened(new ScanFile(std::move(members), budget));
  DSI_RETURN_IF_ERROR(opened->CheckOverlays());
  opened->drops_all_ = request.drops_all;
  opened->filter_ = std::move(request.filter);
  opened->filter_members_ = std::move(request.filter_members);
  opened->filters_ =
      request.drops_all || !opened->filter_.empty() || opened->file().num_deleted() != 0;
  if (request.wants_sessions) DSI_RETURN_IF_ERROR(opened->AddSessions(&request));
  for (size_t i = 0; i < opened->members_.size(); ++i) {
    ScanMember& member = *opened->members_[i];
    const Status status = member.Resolve(request.members[i]);
    if (!status.ok()) return i == 0 ? status : status.At(member.name());
  }
  if (opened->filters_ && !opened->drops_all_) DSI_RETURN_IF_ERROR(opened->ResolveFilter());
  std::vector<FileRequest::Input> mapped;
  if (plan != nullptr)
    mapped = MapInputs(*plan, request, opened->session_outputs_, coming.share, opened->members_);
  opened->JoinProjections();
  DSI_RETURN_IF_ERROR(
      opened->records_.Add(opened->projection().outputs.size() * sizeof(FilePlace)));
  opened->all_rows_come_ = coming.all;
  opened->plan_ = plan;
  if (plan != nullptr) {
    opened->transforms_ = MakeFileTransforms(*plan, opened->OutputsAt(request.inputs),
                                             opened->OutputsAt(mapped), opened->projection());
  }
  opened->FindPlaces(request);
  opened->FindGroups();
  return opened;
}

// F-088: a manifest may say what is not so, and files may be replaced.
Status ScanFile::CheckOverlays() const {
  if (members_.size() == 1) return Status::Ok();
  const uint64_t found = file().rows_fingerprint();
  for (size_t i = 1; i < members_.size(); ++i) {
    const auto& binding = members_[i]->file().overlay();
    if (binding && binding->base_fingerprint == found) continue;
    return BadInput("{}: {} (F-088)", members_[i]->name(),
                    !binding ? std::string("no overlay, and told to be one of it")
                             : fmt::format("an overlay of rows whose fingerprint is {:016x}; those "
                                           "here have {:016x}",
                                           binding->base_fingerprint, found));
  }
  return Status::Ok();
}

// What the scan does not ask for is read besides, behind its outputs. Whatever overlays have, keys
// are those of the file (DS-043).
Status ScanFile::AddSessions(FileRequest* request) {
  DSI_ASSIGN_OR_RETURN(const std::vector<OpenColumn> keys, SessionKeys(file()));
  for (const OpenColumn& column : keys) {
    session_outputs_.push_back(
        request->members[0].AddUnique({.name = column.name, .dtype = column.record.type}));
  }
  return Status::Ok();
}

Status ScanFile::ResolveFilter() {
  const std::vector<RowFilter> parts = SplitFilter(filter_, filter_members_, members_.size());
  for (size_t i = 0; i < members_.size(); ++i) {
    const Status status = members_[i]->ResolveFilter(parts[i]);
    if (!status.ok()) return i == 0 ? status : status.At(members_[i]->name());
  }
  return Status::Ok();
}

bool ScanFile::PassesOver(size_t stripe) const {
  if (drops_all_ || file().is_all_deleted(stripe)) return true;
  return filters_ && std::any_of(members_.begin(), members_.end(), [&](const auto& member) {
           return member->filter()->RulesOut(member->StripeOf(stripe));
         });
}

void ScanFile::JoinProjections() {
  Begin next;
  std::shared_ptr<ScanProjection> joint;
  if (members_.size() == 1) {
    projection_ = members_[0]->shared()->projection;
  } else {
    joint = std::make_shared<ScanProjection>();
    projection_ = joint;
  }
  for (const std::unique_ptr<ScanMember>& member : members_) {
    const ScanProjection& own = member->projection();
    begins_.push_back(next);
    for (size_t i = 0; joint != nullptr && i < own.outputs.size(); ++i) {
      ScanOutput& output = joint->outputs.emplace_back(own.outputs[i]);
      output.group += next.groups;
      output.shape += next.shapes;
      output.values += next.values;
    }
    next.groups += static_cast<uint32_t>(own.groups.size());
    next.shapes += static_cast<uint32_t>(own.shapes.size());
    next.values += static_cast<uint32_t>(own.values.size());
    next.outputs += static_cast<uint32_t>(own.outputs.size());
  }
}

std::vector<TransformInput> ScanFile::OutputsAt(
    const std::vector<FileRequest::Input>& places) const {
  std::vector<TransformInput> outputs;
  for (const FileRequest::Input& input : places)
    outputs.push_back({OutputAt(input.values), OutputAt(input.scores)});
  return outputs;
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
    } else if (request.positions[i].at != kNone32) {
      const ScanOutput& output = projection().outputs[OutputAt(request.positions[i])];
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
  std::vector<uint32_t> all;
  for (const FilePlace& place : places_) {
    if (place.group < PieceMap::kDerived) all.push_back(place.group);
  }
  for (const std::vector<uint32_t>& of : transforms_.groups)
    all.insert(all.end(), of.begin(), of.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  groups_.resize(members_.size());
  size_t member = 0;
  for (const uint32_t group : all) {
    while (member + 1 < members_.size() && group >= begins_[member + 1].groups) ++member;
    groups_[member].push_back(group - begins_[member].groups);
  }
}

}  // namespace dsi::internal
