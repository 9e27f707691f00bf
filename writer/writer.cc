#include "dsi/writer/writer.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "dsi/base/error_internal.h"
#include "dsi/base/float_mode_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/overlay_internal.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/cluster/session_order_internal.h"
#include "dsi/writer/publish/file_body_internal.h"
#include "dsi/writer/finish_memory_internal.h"
#include "dsi/writer/prepare_schema_internal.h"
#include "dsi/base/machine_memory_internal.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/writer/cluster/row_loader_internal.h"
#include "dsi/writer/cluster/row_shelves_internal.h"
#include "dsi/writer/cluster/stripe_cuts_internal.h"
#include "dsi/writer/row_intake_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;
using internal::kPositionName;
using internal::NoThrow;

// The same schema and options give the same salt (spec F-020).
Result<uint64_t> Salt(const Schema& schema, const WriterOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::string json, schema.ToJson());
  std::string text =
      fmt::format("{}|{}|{}|{}|{}|{}", json, options.stripe_rows, options.stripe_bytes,
                  options.page_values, options.dedup, options.find_groups);
  if (options.overlay) {
    const std::vector<std::byte> overlay = internal::EncodeOverlay(*options.overlay);
    text.append("|").append(reinterpret_cast<const char*>(overlay.data()), overlay.size());
  }
  return internal::NameHash(text);
}

// Stripes on which the layout is planned where stripes are written while rows come: features that
// come a little late are still seen, and their rows fit into memory.
constexpr size_t kPlannedStripes = 4;

}  // namespace

class Writer::Impl {
 public:
  Impl(std::unique_ptr<WritableFile> file, std::shared_ptr<const Schema> schema,
       WriterOptions options, internal::ClusterKeys keys, std::string spill_folder)
      : file_(std::move(file)),
        schema_(std::move(schema)),
        options_(WithThreads(std::move(options))),
        keys_(std::move(keys)),
        spill_folder_(std::move(spill_folder)),
        rows_(schema_, keys_, options_, MemoryLimit(options_), spill_folder_) {}

  const std::shared_ptr<const Schema>& schema() const { return schema_; }
  uint64_t num_rows() const { return rows_.num_rows(); }
  uint64_t size_bytes() const { return rows_.size_bytes(); }

  template <typename Add>
  Status AddRows(const Add& add) {
    const internal::DefaultFloats floats;  // Threads that start below have it, too.
    return NoThrow([&]() -> Status {
      DSI_RETURN_IF_ERROR(CheckOpen());
      DSI_RETURN_IF_ERROR(add(&rows_));
      if (!IsTimeToLook()) return Status::Ok();
      error_ = NoThrow([this] { return WriteWhatIsCertain(); });
      return error_;
    });
  }

  Result<WriteReport> Finish() {
    const internal::DefaultFloats floats;
    return NoThrow([&]() -> Result<WriteReport> {
      DSI_RETURN_IF_ERROR(CheckOpen());
      WriteReport report;
      error_ = NoThrow([&] { return WriteAll(&report); });
      DSI_RETURN_IF_ERROR(error_);
      finished_ = true;
      return report;
    });
  }

 private:
  static uint64_t MemoryLimit(const WriterOptions& options) {
    return options.memory_bytes != 0 ? options.memory_bytes : internal::MachineMemory() / 4 * 3;
  }
  static WriterOptions WithThreads(WriterOptions options) {
    options.threads =
        internal::ThreadsWithin(MemoryLimit(options), internal::NumThreads(options.threads));
    return options;
  }

  Status CheckOpen() const {
    DSI_RETURN_IF_ERROR(error_);
    if (finished_) return InvalidArgument("{}: the writer is finished", file_->name());
    return Status::Ok();
  }

  Status Progress(WriteProgress::Phase phase, uint64_t rows_done, uint64_t bytes) const {
    if (options_.progress && !options_.progress({phase, rows_done, rows_.num_rows(), bytes})) {
      return {StatusCode::kCancelled, "writing was cancelled"};
    }
    return Status::Ok();
  }
  // Rows are looked at some at a time; what is written does not depend on when.
  bool IsTimeToLook() const {
    constexpr uint64_t kShare = 4;
    const internal::RowLimits most = MostOfStripe();
    return rows_.keeps_order() && !waits_ &&
           (rows_.num_rows() - rows_looked_at_ > most.rows / kShare ||
            rows_.size_bytes() - bytes_looked_at_ >
                std::min(most.bytes, most.fresh_bytes) / kShare);
  }
  internal::ClusterMemory ClusterMemory() const {
    return {.bytes = MemoryLimit(options_),
            .spill_folder = spill_folder_,
            .rows_are_held = !rows_.is_spilled()};
  }
  Status Poll() const {
    return Progress(WriteProgress::Phase::kCluster, rows_.gone().num_rows,
                    body_ ? body_->bytes_written() : 0);
  }
  Status ForEach(size_t count, const std::function<void(size_t)>& work) const {
    const auto call = [&](size_t i) {
      work(i);
      return Status::Ok();
    };
    return internal::ParallelFor(count, options_.threads, call, [this] { return Poll(); });
  }

  internal::RowLimits MostOfStripe() const {
    // A value takes a byte or more, so that no stream has more values than F-090 allows.
    return {.rows = std::min(options_.stripe_rows, limits_.stripe_rows),
            .bytes = std::min(options_.stripe_bytes, uint64_t{kMaxStreamValues}),
            .fresh_bytes = limits_.fresh_bytes};
  }

  Status WriteAll(WriteReport* report);
  Status WriteWhatIsCertain();
  internal::LoaderInput InputOf(const internal::TableTotals& totals, const internal::RowList& rows);
  Status BeginBody(const internal::TableTotals& totals, const internal::RowList& rows,
                   std::span<const internal::StripeCut> cuts, internal::RowLoader* loader);
  Status PlanOn(std::span<const internal::StripeCut> cuts, internal::TableTotals* totals,
                internal::RowLoader* loader);
  Result<std::vector<internal::StripeCut>> Cut(const internal::RowList& rows, bool more_come) const;
  Result<internal::RowList> ListAll();
  Result<bool> CameClustered(const internal::RowList& rows) const;
  void NoteStored();

  std::unique_ptr<WritableFile> file_;
  std::shared_ptr<const Schema> schema_;
  WriterOptions options_;
  internal::ClusterKeys keys_;
  std::string spill_folder_;
  internal::RowIntake rows_;
  Schema stored_;  // As the file has it.
  std::optional<internal::FileBody> body_;
  internal::StripeLimits limits_;
  bool waits_ = false;  // Stripes are not written before Finish.
  // What there was when stripes were last written before Finish, or could have been.
  uint64_t rows_looked_at_ = 0;
  uint64_t bytes_looked_at_ = 0;
  Status error_;
  bool finished_ = false;
};

internal::LoaderInput Writer::Impl::InputOf(const internal::TableTotals& totals,
                                            const internal::RowList& rows) {
  return {
      .schema = &stored_,
      .totals = &totals,
      .rows = &rows,
      .keep_position = options_.keep_position,
      .first_position = rows_.gone().num_rows,
      .held = rows_.held(),
      .spilled = rows_.spilled(),
      .sharing = rows_.sharing(),
      .on_read = [this](auto* buffers) { return rows_.RoundRead(*buffers); },
      .for_each = [this](size_t count,
                         const std::function<void(size_t)>& work) { return ForEach(count, work); }};
}

Status Writer::Impl::BeginBody(const internal::TableTotals& totals, const internal::RowList& rows,
                               std::span<const internal::StripeCut> cuts,
                               internal::RowLoader* loader) {
  DSI_ASSIGN_OR_RETURN(const uint64_t salt, Salt(stored_, options_));
  body_.emplace(internal::BodyInput{
      .file = file_.get(),
      .schema = &stored_,
      .options = &options_,
      .keys = &keys_,
      .salt = salt,
      .spill_folder = spill_folder_,
      .for_each = [this](size_t count,
                         const std::function<void(size_t)>& work) { return ForEach(count, work); },
      .progress =
          [this](uint64_t rows_done, uint64_t bytes) {
            return Progress(WriteProgress::Phase::kEncode, rows_done, bytes);
          }});
  return body_->Begin({.totals = &totals,
                       .rows = &rows,
                       .cuts = cuts,
                       .most = {.rows = limits_.sample_rows,
                                .bytes = options_.stripe_bytes,
                                .fresh_bytes = limits_.fresh_bytes}},
                      loader);
}

void Writer::Impl::NoteStored() {
  stored_ = *schema_;
  if (!options_.keep_position) return;
  FeatureSpec& spec = stored_.features.emplace_back();
  spec.name = kPositionName;
  spec.kind = Kind::kKey;
  spec.columns = {{.name = "", .type = Type::kUint64, .id_space = ""}};
}

// Of the rows that are not written yet.
Result<std::vector<internal::StripeCut>> Writer::Impl::Cut(const internal::RowList& rows,
                                                           bool more_come) const {
  if (!options_.overlay) return internal::CutStripes(rows, MostOfStripe(), more_come);
  const std::span<const uint32_t> told = options_.overlay->stripe_rows;
  return internal::CutAsTold(rows, told.subspan(body_ ? body_->num_stripes() : 0),
                             kMaxStreamValues);
}

// The layout of a file that goes on: of its first stripes, as if it had no others.
Status Writer::Impl::PlanOn(std::span<const internal::StripeCut> cuts,
                            internal::TableTotals* totals, internal::RowLoader* loader) {
  const uint32_t num_rows = cuts.back().first_row + cuts.back().num_rows;
  DSI_ASSIGN_OR_RETURN(const std::vector<internal::FeatureTotals> features,
                       loader->CountFirst(num_rows));
  // An overlay may begin with rows that nothing is given for, which tell nothing of those that
  // have something.
  const auto is_absent = [](const auto& feature) { return feature.num_present == 0; };
  waits_ = options_.overlay && std::any_of(features.begin(), features.end(), is_absent);
  if (waits_) return Status::Ok();
  std::copy(features.begin(), features.end(), totals->features.begin());  // The loader knows these.
  totals->num_rows = num_rows;
  DSI_ASSIGN_OR_RETURN(const internal::RowList planned, rows_.KeptRows(num_rows));
  totals->row_bytes = 0;
  for (uint32_t i = 0; i < num_rows; ++i) {
    DSI_ASSIGN_OR_RETURN(const internal::ListedRow row, planned.At(i));
    totals->row_bytes += row.bytes;
  }
  limits_ = rows_.finish_memory().Limits(*totals);
  DSI_ASSIGN_OR_RETURN(const std::vector<internal::StripeCut> planned_cuts,
                       Cut(planned, /*more_come=*/false));
  return BeginBody(*totals, planned, planned_cuts, loader);
}

// Stripes that stay as they are whatever rows follow, once the layout can be planned.
Status Writer::Impl::WriteWhatIsCertain() {
  rows_looked_at_ = rows_.num_rows();
  bytes_looked_at_ = rows_.size_bytes();
  DSI_ASSIGN_OR_RETURN(const internal::RowList rows, rows_.KeptRows());
  DSI_ASSIGN_OR_RETURN(std::vector<internal::StripeCut> cuts, Cut(rows, /*more_come=*/true));
  if (cuts.size() < (body_ ? 1 : kPlannedStripes)) return Status::Ok();
  DSI_RETURN_IF_ERROR(rows_.Gather());
  const internal::StripesAtHand at_hand = rows_.StripesWithin(limits_);
  if (!body_) NoteStored();
  internal::TableTotals totals;
  totals.features.resize(stored_.features.size());
  internal::RowLoader loader(InputOf(totals, rows));
  DSI_RETURN_IF_ERROR(loader.Prepare());
  if (!body_) {
    DSI_RETURN_IF_ERROR(PlanOn(std::span(cuts).first(kPlannedStripes), &totals, &loader));
    if (waits_) return Status::Ok();
    DSI_ASSIGN_OR_RETURN(cuts, Cut(rows, /*more_come=*/true));
  }
  DSI_RETURN_IF_ERROR(body_->Write(cuts, rows_.gone().num_rows, at_hand, &loader, nullptr));
  return rows_.LetGo(cuts.back().first_row + cuts.back().num_rows);
}

// Those that are not written yet, in the order of the file.
Result<internal::RowList> Writer::Impl::ListAll() {
  if (body_) {
    DSI_ASSIGN_OR_RETURN(internal::RowList rows, rows_.KeptRows());
    DSI_RETURN_IF_ERROR(rows_.FinishKeptRows());
    return rows;
  }
  const auto poll = [this] { return Poll(); };
  const auto records = [this](const auto& visit) { return rows_.ForEachKeyRecords(visit); };
  if (options_.input_is_clustered)
    return internal::ClusteredInput(*schema_, keys_, records, ClusterMemory(), poll);
  return internal::ClusterRows(keys_, rows_.num_rows(), records, ClusterMemory(), poll);
}

// Whether these rows, which are all of a file that has keys, stand as they came.
Result<bool> Writer::Impl::CameClustered(const internal::RowList& rows) const {
  if (schema_->cluster_by.empty()) return false;
  for (uint32_t i = 0; !options_.input_is_clustered && i < rows.size(); ++i) {
    DSI_ASSIGN_OR_RETURN(const internal::ListedRow row, rows.At(i));
    if (row.input_row != i) return false;
  }
  return true;
}

Status Writer::Impl::WriteAll(WriteReport* report) {
  const auto poll = [this] { return Poll(); };
  DSI_RETURN_IF_ERROR(poll());
  if (options_.overlay) {
    const std::vector<uint32_t>& told = options_.overlay->stripe_rows;
    const uint64_t num_rows = std::accumulate(told.begin(), told.end(), uint64_t{0});
    if (num_rows != rows_.num_rows())
      return InvalidArgument("an overlay of {} rows was given {}", num_rows, rows_.num_rows());
  }
  if (rows_.keeps_order() && !waits_) DSI_RETURN_IF_ERROR(WriteWhatIsCertain());
  const bool has_begun = body_.has_value();
  if (!has_begun) NoteStored();
  DSI_RETURN_IF_ERROR(rows_.Close(poll, &stored_));
  internal::TableTotals totals = rows_.totals();
  if (!has_begun) limits_ = rows_.finish_memory().Limits(totals);
  const internal::StripesAtHand at_hand = rows_.StripesWithin(limits_);
  if (options_.keep_position)
    totals.features.push_back({.num_present = totals.num_rows, .num_entries = totals.num_rows});

  DSI_ASSIGN_OR_RETURN(const internal::RowList rows, ListAll());
  DSI_ASSIGN_OR_RETURN(const bool came_clustered, CameClustered(rows));
  internal::RowLoader loader(InputOf(totals, rows));
  DSI_RETURN_IF_ERROR(loader.Prepare());
  DSI_ASSIGN_OR_RETURN(const std::vector<internal::StripeCut> cuts, Cut(rows, /*more_come=*/false));
  if (!has_begun) DSI_RETURN_IF_ERROR(BeginBody(totals, rows, cuts, &loader));
  internal::RowShelves shelves(rows_.spilled(), rows, cuts, ClusterMemory());
  DSI_RETURN_IF_ERROR(
      body_->Write(cuts, rows_.gone().num_rows, at_hand, &loader, has_begun ? nullptr : &shelves));
  DSI_RETURN_IF_ERROR(body_->End(rows_.num_rows(), report));
  DSI_RETURN_IF_ERROR(
      Progress(WriteProgress::Phase::kPublish, rows_.num_rows(), body_->bytes_written()));
  report->spilled_bytes = rows_.spilled_bytes();
  report->came_clustered = came_clustered;
  const internal::TableTotals& gone = rows_.gone();
  for (size_t f = 0; f < schema_->features.size(); ++f) {
    report->values_in += (gone.features[f].num_entries + totals.features[f].num_entries) *
                         schema_->features[f].columns.size();
  }
  return file_->Publish();
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::~Writer() = default;

Result<std::unique_ptr<Writer>> Writer::Create(const std::string& path, Schema schema,
                                               WriterOptions options) {
  return NoThrow([&]() -> Result<std::unique_ptr<Writer>> {
    DSI_RETURN_IF_ERROR(internal::PrepareSchema(options, &schema));
    DSI_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                         CreateLocalFile(path, {.overwrite = options.overwrite}));
    if (options.spill_folder.empty()) options.spill_folder = internal::FolderOf(path);
    return Create(std::move(file), std::move(schema), std::move(options));
  });
}

Result<std::unique_ptr<Writer>> Writer::Create(std::unique_ptr<WritableFile> file, Schema schema,
                                               WriterOptions options) {
  return NoThrow([&]() -> Result<std::unique_ptr<Writer>> {
    if (file == nullptr) return InvalidArgument("no file to write to");
    DSI_RETURN_IF_ERROR(internal::PrepareSchema(options, &schema));
    DSI_ASSIGN_OR_RETURN(internal::ClusterKeys keys,
                         internal::ResolveClusterKeys(schema, schema.cluster_by));
    auto shared = std::make_shared<const Schema>(std::move(schema));
    std::string spill_folder = options.spill_folder;
    auto impl = std::make_unique<Impl>(std::move(file), std::move(shared), std::move(options),
                                       std::move(keys), std::move(spill_folder));
    return std::unique_ptr<Writer>(new Writer(std::move(impl)));
  });
}

const std::shared_ptr<const Schema>& Writer::schema() const { return impl_->schema(); }
Status Writer::Append(const RowBatch& rows) {
  return impl_->AddRows([&](internal::RowIntake* intake) { return intake->Append(rows); });
}
Status Writer::Append(RowBatch&& rows) {
  return impl_->AddRows(
      [&](internal::RowIntake* intake) { return intake->Append(std::move(rows)); });
}
Status Writer::AppendColumns(size_t num_rows, std::span<const FeatureColumns> columns) {
  return impl_->AddRows(
      [&](internal::RowIntake* intake) { return intake->AppendColumns(num_rows, columns); });
}
uint64_t Writer::num_rows() const { return impl_->num_rows(); }
uint64_t Writer::size_bytes() const { return impl_->size_bytes(); }
Result<WriteReport> Writer::Finish() { return impl_->Finish(); }

}  // namespace dsi
