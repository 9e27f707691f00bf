#include "dsi/dataset/files/dataset_files_internal.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/dataset/files/file_schema_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/files/named_files_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

// Most of the time of a remote file is waiting.
constexpr uint32_t kRemoteThreads = 32;

constexpr std::string_view kSchemas = "what the files of a dataset hold";

// Has nothing that may be left out of a path, such as "./" and a second slash.
bool IsShort(std::string_view path) {
  return !path.starts_with('.') && path.find("//") == path.npos && path.find("/.") == path.npos;
}

// Whether the same text alone names the same file, as where all paths are short and begin alike, in
// the root or not. URLs are as they are.
bool AreComparable(std::span<const DatasetFile> files) {
  const auto is_rooted = [](const DatasetFile& file) { return file.path.starts_with('/'); };
  return std::all_of(files.begin(), files.end(), [&](const DatasetFile& file) {
    return is_rooted(file) == is_rooted(files[0]) &&
           (IsShort(file.path) || !SchemeOf(file.path).empty());
  });
}

std::string WholePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  return (here / path).lexically_normal().string();
}

}  // namespace

DatasetFiles::DatasetFiles(const DatasetOptions& options) : options_(options) {
  pool_ = std::make_unique<ReaderPool>(options.max_open_files,
                                       [this](size_t i) { return OpenSame(i); });
}

DatasetFiles::~DatasetFiles() = default;

Result<std::unique_ptr<DatasetFiles>> DatasetFiles::Open(std::span<const std::string> where,
                                                         const DatasetOptions& options) {
  std::unique_ptr<DatasetFiles> dataset(new DatasetFiles(options));
  DSI_RETURN_IF_ERROR(dataset->AddAll(where));
  DSI_RETURN_IF_ERROR(dataset->TakeOverlays());
  dataset->SumUp();
  return dataset;
}

Result<std::unique_ptr<DatasetFiles>> DatasetFiles::OpenApart(std::span<const std::string> where,
                                                              const DatasetOptions& options) {
  std::unique_ptr<DatasetFiles> dataset(new DatasetFiles(options));
  DSI_RETURN_IF_ERROR(dataset->AddAll(where));
  dataset->SumUp();
  return dataset;
}

Status DatasetFiles::AddAll(std::span<const std::string> where) {
  if (where.empty()) return InvalidArgument("a dataset of no names");
  for (const std::string& name : where) {
    DSI_ASSIGN_OR_RETURN(NamedFiles named, FindNamed(name, options_.open));
    if (named.manifest) {
      Add(*std::move(named.manifest));
    } else {
      for (std::string& path : named.paths) files_.push_back({.path = std::move(path)});
      facts_.resize(files_.size());
    }
    if (named.is_of_table && files_.empty())
      return Error(StatusCode::kNotFound, "{}: the table has no files yet", ShownName(named.where));
    where_.push_back(std::move(named.where));
  }
  DSI_RETURN_IF_ERROR(CheckApart());
  return ReadFooters();
}

void DatasetFiles::Add(ManifestContent manifest) {
  // One that an earlier manifest has is the same.
  SchemaCollector collector(std::move(schemas_));
  std::vector<uint32_t> places;
  for (FileSchema& schema : manifest.schemas)
    places.push_back(collector.Add(std::move(schema.columns)));
  schemas_ = collector.Take();
  for (size_t i = 0; i < manifest.paths.size(); ++i) {
    FileFacts& facts = manifest.facts[i];
    facts.schema = places[facts.schema];
    facts.is_of_manifest = true;
    facts.is_of_table = manifest.is_snapshot();
    files_.push_back({.path = std::move(manifest.paths[i])});
    facts_.push_back(std::move(facts));
  }
}

Result<std::unique_ptr<DatasetFiles>> DatasetFiles::Of(ManifestContent manifest,
                                                       const DatasetOptions& options) {
  std::unique_ptr<DatasetFiles> dataset(new DatasetFiles(options));
  dataset->Add(std::move(manifest));
  DSI_RETURN_IF_ERROR(dataset->CheckApart());
  DSI_RETURN_IF_ERROR(dataset->TakeOverlays());
  dataset->SumUp();
  return dataset;
}

// DS-001.
Status DatasetFiles::CheckApart() const {
  struct Named {
    std::string_view path;  // To be compared.
    const std::string* name = nullptr;
  };
  const bool are_whole = AreComparable(files_);
  std::deque<std::string> whole;
  std::vector<Named> named;
  for (const DatasetFile& file : files_) {
    named.push_back({file.path, &file.path});
    if (!are_whole && SchemeOf(file.path).empty())
      named.back().path = whole.emplace_back(WholePath(file.path));
  }
  // As nearly all are: each after the one before.
  const auto is_behind = [](const Named& a, const Named& b) { return a.path >= b.path; };
  if (std::adjacent_find(named.begin(), named.end(), is_behind) == named.end()) return Status::Ok();
  std::stable_sort(named.begin(), named.end(),
                   [](const Named& a, const Named& b) { return a.path < b.path; });
  const auto twice = std::adjacent_find(
      named.begin(), named.end(), [](const Named& a, const Named& b) { return a.path == b.path; });
  if (twice == named.end()) return Status::Ok();
  const std::string& other = *twice[1].name;
  if (other == *twice->name)
    return InvalidArgument("{}: the file is named twice", ShownName(other));
  return InvalidArgument("{}: the file is named twice, the other time as {}", ShownName(other),
                         ShownName(*twice->name));
}

Status DatasetFiles::ForFiles(std::span<const size_t> which,
                              const std::function<Status(size_t)>& work) const {
  if (which.empty()) return Status::Ok();
  uint32_t threads = options_.threads;
  if (threads == 0) {
    const bool is_local = SchemeOf(PathOf(which[0])).empty();
    threads = is_local ? static_cast<uint32_t>(NumThreads(0)) : kRemoteThreads;
  }
  std::atomic<size_t> done{0};
  return ParallelFor(
      which.size(), static_cast<int>(threads),
      [&](size_t i) {
        DSI_RETURN_IF_ERROR(work(which[i]));
        ++done;
        return Status::Ok();
      },
      [&] {
        const bool goes_on = !options_.progress || options_.progress(done, which.size());
        return goes_on ? Status::Ok() : Status(StatusCode::kCancelled, "cancelled");
      });
}

Status DatasetFiles::ReadFooters() {
  std::vector<size_t> unknown;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!facts_[i].is_of_manifest) unknown.push_back(i);
  }
  return ForFiles(unknown, [this](size_t i) -> Status {
    DSI_ASSIGN_OR_RETURN(const std::unique_ptr<Reader> reader, OpenReader(i));
    FileFacts& facts = facts_[i];
    facts.bytes = reader->info().file_bytes;
    facts.num_rows = reader->info().num_rows;
    facts.fingerprint = reader->info().fingerprint;
    facts.rows_fingerprint = reader->info().rows_fingerprint;
    facts.overlay = reader->info().overlay;
    for (const StripeInfo& stripe : reader->stripes())
      facts.stripe_rows.push_back(static_cast<uint32_t>(stripe.num_rows));
    return Status::Ok();
  });
}

// DS-040.
Status DatasetFiles::TakeOverlays() {
  const auto fingerprint_of = [this](size_t i) -> Result<uint64_t> {
    DSI_ASSIGN_OR_RETURN(const std::unique_ptr<Reader> reader, OpenSame(i));
    return reader->info().rows_fingerprint;
  };
  DSI_ASSIGN_OR_RETURN(overlays_, FileOverlays::Take(&files_, &facts_, fingerprint_of));
  return Status::Ok();
}

const std::string& DatasetFiles::PathOf(size_t stored) const {
  return stored < files_.size() ? files_[stored].path : overlays()[stored - files_.size()].path;
}

const FileFacts& DatasetFiles::FactsOf(size_t stored) const {
  return stored < files_.size() ? facts_[stored] : overlays()[stored - files_.size()].facts;
}

// DS-004: the snapshot is of what the files hold, wherever they lie.
void DatasetFiles::SumUp() {
  uint64_t rows = 0;
  std::vector<std::byte> content;
  for (size_t i = 0; i < files_.size(); ++i) {
    const FileFacts& facts = facts_[i];
    DatasetFile& file = files_[i];
    file.bytes = facts.bytes;
    file.num_rows = facts.num_rows;
    file.fingerprint = facts.fingerprint;
    file.first_row = rows;
    for (const uint32_t stripe_rows : facts.stripe_rows) {
      rows += stripe_rows;
      stripe_ends_.push_back(rows);
    }
    file_ends_.push_back(rows);
    AppendLE(&content, facts.fingerprint);
    AppendLE(&content, facts.num_rows);
    for (const PlacedOverlay& placed : overlays_of(i)) {
      AppendLE(&content, overlays()[placed.overlay].facts.fingerprint);
      AppendLE(&content, UINT64_MAX);
    }
  }
  snapshot_ = NameHash({reinterpret_cast<const char*>(content.data()), content.size()});
}

Result<std::unique_ptr<Reader>> DatasetFiles::OpenReader(size_t i) const {
  OpenOptions open = options_.open;
  // Of most files little is wanted at first.
  open.remote.first_connections = std::min(open.remote.first_connections, 2U);
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenUri(PathOf(i), open));
  return Reader::Open(std::move(file), options_.reader);
}

// DS-016.
Result<std::unique_ptr<Reader>> DatasetFiles::OpenSame(size_t i) const {
  const FileFacts& facts = FactsOf(i);
  const std::string_view advice =
      facts.is_of_table      ? "; files of a table are not changed, and are removed with "
                               "the snapshots that need them"
      : facts.is_of_manifest ? "; make the manifest anew (dsictl manifest)"
                             : "; the dataset was opened with another file there";
  const std::string_view told = facts.is_of_manifest ? "the manifest says" : "it had";
  auto reader = OpenReader(i);
  if (!reader.ok()) {
    const Status& status = reader.status();
    if (status.code() != StatusCode::kNotFound) return status;
    return Error(status.code(), "{}{}", status.message(), advice);
  }
  const std::vector<FactDifference> differences = DifferencesOf(**reader, facts);
  if (differences.empty()) return reader;
  const FactDifference& first = differences.front();
  return BadInput("{}: {} {}, {} {}{}", ShownName(PathOf(i)), first.what, first.found, told,
                  first.told, advice);
}

Result<std::shared_ptr<const Reader>> DatasetFiles::Acquire(size_t i) const {
  return pool_->Acquire(i);
}

Result<std::shared_ptr<const Reader>> DatasetFiles::AcquireOverlay(size_t i) const {
  return pool_->Acquire(files_.size() + i);
}

const SchemasOfFiles* DatasetFiles::KnownStoredSchemas() const {
  const std::lock_guard lock(schemas_mutex_);
  return stored_schemas_.get();
}

std::shared_ptr<const SchemasOfFiles> DatasetFiles::KnownSchemas() const {
  const std::lock_guard lock(schemas_mutex_);
  return schemas_of_files_;
}

Result<const SchemasOfFiles*> DatasetFiles::FindStoredSchemas() const {
  if (const SchemasOfFiles* const known = KnownStoredSchemas()) return known;
  std::vector<size_t> unknown;
  std::vector<uint32_t> places(num_stored());
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = FactsOf(i).schema;
    if (places[i] == FileFacts::kNoSchema) unknown.push_back(i);
  }
  SchemaCollector collector(schemas_);
  DSI_RETURN_IF_ERROR(ForFiles(unknown, [&](size_t i) -> Status {
    DSI_ASSIGN_OR_RETURN(const std::unique_ptr<Reader> reader, OpenSame(i));
    DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, reader->Columns());
    places[i] = collector.Add(std::move(columns));
    return Status::Ok();
  }));
  auto made = std::make_unique<SchemasOfFiles>();
  made->schemas = collector.TakeInOrder(&places);
  made->of_file = std::move(places);
  const std::lock_guard lock(schemas_mutex_);
  stored_schemas_ = std::move(made);
  return stored_schemas_.get();
}

Result<std::shared_ptr<const SchemasOfFiles>> DatasetFiles::Schemas() const {
  if (auto known = KnownSchemas()) return known;
  DSI_ASSIGN_OR_RETURN(const OneAtATime::Turn turn, finding_schemas_.Wait(kSchemas));
  if (auto known = KnownSchemas()) return known;
  DSI_ASSIGN_OR_RETURN(const SchemasOfFiles* const stored, FindStoredSchemas());
  SchemasOfFiles made;
  if (overlays().empty()) {
    made = *stored;
  } else {
    DSI_ASSIGN_OR_RETURN(made, AddOverlays(*stored, overlays_, facts_));
  }
  auto shared = std::make_shared<const SchemasOfFiles>(std::move(made));
  const std::lock_guard lock(schemas_mutex_);
  schemas_of_files_ = std::move(shared);
  return schemas_of_files_;
}

Result<const SchemasOfFiles*> DatasetFiles::StoredSchemas() const {
  if (const SchemasOfFiles* const known = KnownStoredSchemas()) return known;
  DSI_ASSIGN_OR_RETURN(const OneAtATime::Turn turn, finding_schemas_.Wait(kSchemas));
  return FindStoredSchemas();
}

Result<std::string> DatasetFiles::Manifest(const std::string& folder) const {
  DSI_ASSIGN_OR_RETURN(const ManifestContent manifest, Content(folder));
  return ManifestToJson(manifest);
}

Result<ManifestContent> DatasetFiles::Content(const std::string& folder) const {
  DSI_ASSIGN_OR_RETURN(const SchemasOfFiles* const schemas, StoredSchemas());
  ManifestContent manifest;
  manifest.schemas = schemas->schemas;
  std::vector<size_t> unknown;
  for (size_t i = 0; i < num_stored(); ++i) {
    manifest.facts.push_back(FactsOf(i));
    manifest.facts[i].schema = schemas->of_file[i];
    // DS-027.
    const auto& unsupported = schemas->schemas[schemas->of_file[i]].unsupported;
    if (!unsupported.empty()) {
      return Error(StatusCode::kUnsupported,
                   "{}: column {}, of which a manifest could not tell: {}", ShownName(PathOf(i)),
                   QuoteForMessage(unsupported[0].name), unsupported[0].support.message());
    }
    DSI_ASSIGN_OR_RETURN(manifest.paths.emplace_back(), PathInManifest(PathOf(i), folder));
    std::string& base_path = manifest.facts[i].base_path;
    if (!base_path.empty()) {
      DSI_ASSIGN_OR_RETURN(base_path, PathInManifest(base_path, folder));
    }
    if (!FactsOf(i).is_of_manifest) unknown.push_back(i);
  }
  DSI_RETURN_IF_ERROR(ForFiles(unknown, [&](size_t i) -> Status {
    DSI_ASSIGN_OR_RETURN(const std::unique_ptr<Reader> reader, OpenSame(i));
    FileFacts& facts = manifest.facts[i];
    DSI_ASSIGN_OR_RETURN(facts.statistics,
                         CollectStatistics(*reader, schemas->schemas[facts.schema]));
    return Status::Ok();
  }));
  return manifest;
}

}  // namespace dsi::internal
