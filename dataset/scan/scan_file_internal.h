// One file of a dataset as a scan sees it: its projection, and decoders of its stripes.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/dataset/scan/derived_task_internal.h"
#include "dsi/dataset/scan/joint_projection_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/reader/scan/stripe_decoder_internal.h"

namespace dsi::internal {

// What a scan wants of a file: features in layouts, each of which is one output of its projection.
struct FileRequest {
  // Features by their names in the file, and the filter. The last num_hidden features are no
  // outputs of the scan.
  ScanOptions options;
  size_t num_hidden = 0;
  // By output of the scan: its position in the features; kNone32: none, or a stage of the pipeline.
  std::vector<uint32_t> positions;
  // By output of the scan: the stage that makes it, and whether its scores are meant.
  struct Stage {
    uint32_t stage = kNone32;  // kNone32: none does.
    bool scores = false;
  };
  std::vector<Stage> stages;
  std::vector<TransformInput> inputs;  // By feature of the pipeline.
  bool wants_sessions = false;
  bool drops_all = false;  // By the filter no row passes.

  // Position of a column as unique rows of this type; it is added, hidden, where it is not there.
  uint32_t AddUnique(const std::string& column, Type dtype);
};

class ScanFile {
 public:
  // Plan (null: no pipeline), budget and workers outlive it. Errors: those of NewScan.
  static Result<std::unique_ptr<ScanFile>> Open(std::shared_ptr<const Reader> reader,
                                                FileRequest request, const TransformPlan* plan,
                                                ScanWorkers* workers, MemoryBudget* budget);

  ScanShared* shared() { return &shared_; }
  const OpenFile& file() const { return file_; }
  const std::string& name() const { return file_.file().name(); }
  const Core& core() const { return file_.core(); }
  const ScanProjection& projection() const { return *shared_.projection; }
  // By output of the scan.
  std::span<const FilePlace> places() const { return places_; }
  const TransformPlan* plan() const { return plan_; }  // Null: no pipeline.
  const FileTransforms& transforms() const { return transforms_; }
  // Of the columns whose rows are equal in a session: positions in the outputs of its projection.
  // Empty: the file has no sessions, so each row is one.
  const std::vector<uint32_t>& session_outputs() const { return session_outputs_; }
  // Groups of its projection that outputs of the scan are in, or inputs of the pipeline.
  const std::vector<uint32_t>& groups() const { return groups_; }
  // Not every row is handed out: by the filter, or since some are deleted.
  bool filters() const { return filters_; }
  // The filter looks at a column that the file lacks, so that no row passes.
  bool drops_all() const { return drops_all_; }
  const RowFilter& filter() const { return filter_; }
  // Null: its projection has everything where that of the batches has it.
  const PieceMap* map() const { return is_mapped_ ? &map_ : nullptr; }
  void SetMap(PieceMap map);

 private:
  ScanFile(std::shared_ptr<const Reader> reader, ScanWorkers* workers, MemoryBudget* budget);
  Status AddSessions(FileRequest* request);
  void FindPlaces(const FileRequest& request);
  void FindGroups();

  std::shared_ptr<const Reader> reader_;
  LookAhead ahead_;
  OpenFile file_;  // Through ahead_.
  ScanShared shared_;
  MemoryCharge records_;  // For the projection.
  std::vector<FilePlace> places_;
  const TransformPlan* plan_ = nullptr;
  FileTransforms transforms_;
  std::vector<uint32_t> session_outputs_;
  std::vector<uint32_t> groups_;
  RowFilter filter_;
  bool filters_ = false;
  bool drops_all_ = false;
  PieceMap map_;
  bool is_mapped_ = false;
};

}  // namespace dsi::internal
