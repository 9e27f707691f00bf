// One file of a dataset as a scan sees it, with the overlays that cover some of its stripes: their
// projections as one.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/scan/coming_rows_internal.h"
#include "dsi/dataset/scan/derived_task_internal.h"
#include "dsi/dataset/scan/joint_projection_internal.h"
#include "dsi/dataset/scan/scan_member_internal.h"
#include "dsi/reader/scan/passing_guess_internal.h"

namespace dsi::internal {

// What a scan wants of a file: features in layouts, of the file itself and of its overlays.
struct FileRequest {
  std::vector<MemberRequest> members = std::vector<MemberRequest>(1);  // The file's own first.
  // Of the members behind it: which overlays of the dataset they are.
  std::vector<uint32_t> overlays;
  // By output of the scan; at kNone32: none, or a stage of the pipeline.
  std::vector<MemberPlace> positions;
  // By output of the scan: the stage that makes it, and whether its scores are meant.
  struct Stage {
    uint32_t stage = kNone32;  // kNone32: none does.
    bool scores = false;
  };
  std::vector<Stage> stages;
  struct Input {
    MemberPlace values, scores;
  };
  std::vector<Input> inputs;  // By feature of the pipeline.
  RowFilter filter;
  std::vector<uint32_t> filter_members;  // By predicate of PredicatesOf: whose it is.
  bool wants_sessions = false;
  bool drops_all = false;  // By the filter no row passes.
};

class ScanFile {
 public:
  // Members are those of the request, not resolved. Plan (null: no pipeline), budget and workers
  // outlive it. Errors: those of NewScan; kBadInput: an overlay of other rows (F-088).
  static Result<std::shared_ptr<ScanFile>> Open(std::vector<std::unique_ptr<ScanMember>> members,
                                                FileRequest request, const TransformPlan* plan,
                                                const ComingRows& coming, MemoryBudget* budget);

  // Of the file itself.
  ScanShared* shared() { return members_[0]->shared(); }
  const OpenFile& file() const { return members_[0]->file(); }
  const std::string& name() const { return members_[0]->name(); }
  const Core& core() const { return file().core(); }
  // It and its overlays.
  std::span<const std::unique_ptr<ScanMember>> members() const { return members_; }
  // Outputs of all members, one behind the other; of their groups, shapes and values alike.
  const ScanProjection& projection() const { return *projection_; }
  // By output of the scan.
  std::span<const FilePlace> places() const { return places_; }
  const TransformPlan* plan() const { return plan_; }  // Null: no pipeline.
  const FileTransforms& transforms() const { return transforms_; }
  // Of the columns whose rows are equal in a session: positions in the outputs of its projection,
  // all of the file itself. Empty: the file has no sessions, so each row is one.
  const std::vector<uint32_t>& session_outputs() const { return session_outputs_; }
  // Of a member: groups of its projection that outputs of the scan are in, or inputs of the
  // pipeline.
  const std::vector<uint32_t>& groups(size_t member) const { return groups_[member]; }
  // Not every row is handed out: by the filter, or since some are deleted.
  bool filters() const { return filters_; }
  // The filter looks at a column that the file lacks, so that no row passes.
  bool drops_all() const { return drops_all_; }
  // No row of the stripe passes: since all are deleted, by statistics, or as none of the file does.
  bool PassesOver(size_t stripe) const;
  const RowFilter& filter() const { return filter_; }
  std::span<const uint32_t> filter_members() const { return filter_members_; }
  // Reads what the filter looks at; null: nothing is read before it is needed.
  StripeFetcher* filter_fetcher() const { return filter_fetcher_; }
  // Is told which stripes have rows that pass.
  PassingGuess* guess() const { return guess_; }
  void SetFilterReading(StripeFetcher* fetcher, PassingGuess* guess) {
    filter_fetcher_ = fetcher;
    guess_ = guess;
  }
  bool all_rows_come() const { return all_rows_come_; }
  // Null: its projection has everything where that of the batches has it.
  const PieceMap* map() const { return is_mapped_ ? &map_ : nullptr; }
  void SetMap(PieceMap map);

 private:
  // Where the groups, shapes, values and outputs of a member begin among those of all.
  struct Begin {
    uint32_t groups = 0, shapes = 0, values = 0, outputs = 0;
  };

  ScanFile(std::vector<std::unique_ptr<ScanMember>> members, MemoryBudget* budget)
      : members_(std::move(members)), records_(budget) {}
  Status CheckOverlays() const;
  Status AddSessions(FileRequest* request);
  Status ResolveFilter();
  void JoinProjections();
  uint32_t OutputAt(const MemberPlace& place) const {
    return place.at == kNone32 ? kNone32 : begins_[place.member].outputs + place.at;
  }
  std::vector<TransformInput> OutputsAt(const std::vector<FileRequest::Input>& places) const;
  void FindPlaces(const FileRequest& request);
  void FindGroups();

  std::vector<std::unique_ptr<ScanMember>> members_;
  std::vector<Begin> begins_;
  std::shared_ptr<const ScanProjection> projection_;
  MemoryCharge records_;  // For places.
  std::vector<FilePlace> places_;
  const TransformPlan* plan_ = nullptr;
  FileTransforms transforms_;
  std::vector<uint32_t> session_outputs_;
  std::vector<std::vector<uint32_t>> groups_;
  RowFilter filter_;
  std::vector<uint32_t> filter_members_;
  bool filters_ = false;
  bool drops_all_ = false;
  StripeFetcher* filter_fetcher_ = nullptr;
  PassingGuess* guess_ = nullptr;
  bool all_rows_come_ = false;
  PieceMap map_;
  bool is_mapped_ = false;
};

}  // namespace dsi::internal
