#include "dsi/dataset/table.h"

#include <utility>

#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/table/staged_file_internal.h"
#include "dsi/dataset/table/table_log_internal.h"

namespace dsi {

StagedFile::StagedFile(std::unique_ptr<internal::StagedPlace> place) : place_(std::move(place)) {}
StagedFile::~StagedFile() = default;

const std::string& StagedFile::path() const { return place_->path; }

Result<std::string> StagedFile::Finish() {
  return internal::NoThrow([&] { return internal::FinishStaged(*place_); });
}

namespace {

Result<std::unique_ptr<internal::TableLog>> MakeLog(const std::string& where,
                                                    DatasetOptions options) {
  ShareCredentials(&options.open);
  std::function<bool()> go_on;
  if (options.progress) go_on = [progress = options.progress] { return progress(0, 0); };
  DSI_ASSIGN_OR_RETURN(auto store, internal::TableStore::Make(where, options.open, go_on));
  return std::make_unique<internal::TableLog>(std::move(store), options);
}

}  // namespace

Table::Table(std::unique_ptr<internal::TableLog> log) : log_(std::move(log)) {}
Table::~Table() = default;

Result<std::unique_ptr<Table>> Table::Create(const std::string& where,
                                             const DatasetOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<Table>> {
    DSI_ASSIGN_OR_RETURN(auto log, MakeLog(where, options));
    DSI_RETURN_IF_ERROR(log->AddFirst());
    log->SetSeen(1);
    return std::unique_ptr<Table>(new Table(std::move(log)));
  });
}

Result<std::unique_ptr<Table>> Table::Open(const std::string& where,
                                           const DatasetOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<Table>> {
    DSI_ASSIGN_OR_RETURN(auto log, MakeLog(where, options));
    DSI_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, log->Numbers());
    log->SetSeen(numbers.back());
    return std::unique_ptr<Table>(new Table(std::move(log)));
  });
}

const std::string& Table::where() const noexcept { return log_->store().root(); }
const OpenOptions& Table::open_options() const noexcept { return log_->store().options(); }

Result<TableSnapshot> Table::Newest() const {
  return internal::NoThrow([&]() -> Result<TableSnapshot> {
    DSI_ASSIGN_OR_RETURN(const internal::ManifestContent newest, log_->ReadNewest());
    return newest.snapshot.self;
  });
}

Result<std::vector<TableSnapshot>> Table::Snapshots() const {
  return internal::NoThrow([&] { return log_->Snapshots(); });
}

Result<std::unique_ptr<StagedFile>> Table::Stage(const std::string& job,
                                                 const std::string& task) const {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<StagedFile>> {
    DSI_ASSIGN_OR_RETURN(auto place, internal::NewStagedPlace(log_->shared_store(), job, task));
    return std::unique_ptr<StagedFile>(new StagedFile(std::move(place)));
  });
}

Result<std::string> Table::StageCopy(const std::string& job, const std::string& task,
                                     const std::string& path) const {
  return internal::NoThrow([&]() -> Result<std::string> {
    DSI_ASSIGN_OR_RETURN(const auto place,
                         internal::NewStagedPlace(log_->shared_store(), job, task));
    DSI_RETURN_IF_ERROR(place->store->CopyIn(path, place->name));
    return internal::MessageOfStaged(*place);
  });
}

Result<TableSnapshot> Table::Commit(const std::string& job, std::span<const std::string> messages,
                                    const TableCommitOptions& options) {
  return internal::NoThrow(
      [&] { return internal::CommitToTable(log_.get(), job, messages, options); });
}

Result<uint64_t> Table::Abort(const std::string& job) {
  return internal::NoThrow([&] { return internal::AbortJob(*log_, job); });
}

Result<TableGarbage> Table::CollectGarbage(const TableGcOptions& options) {
  return internal::NoThrow([&] { return internal::CollectTableGarbage(*log_, options); });
}

}  // namespace dsi
