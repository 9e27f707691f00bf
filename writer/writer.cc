#include "dsi/writer/writer.h"

#include <algorithm>
#include <thread>

#include "dsi/codecs/choice/tuning_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/overlay_internal.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/writer/publish/check_stripe_internal.h"
#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/publish/directory_writer_internal.h"
#include "dsi/writer/finish_memory_internal.h"
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

Status CheckOptions(const WriterOptions& options) {
  if (options.overlay && options.keep_position)
    return InvalidArgument(
        "an overlay does not keep positions: its rows stand where those of the "
        "base stand");
  if (options.overlay) DSI_RETURN_IF_ERROR(internal::CheckBinding(*options.overlay));
  if (options.stripe_rows < 1 || options.stripe_rows > kMaxStripeRows) {
    return InvalidArgument("stripe_rows is {}; allowed are 1 to {}", options.stripe_rows,
                           kMaxStripeRows);
  }
  if (options.page_values < 1'024 || options.page_values > kMaxPageValues ||
      options.page_values % 1'024 != 0) {
    return InvalidArgument("page_values is {}; allowed are multiples of 1024 up to {}",
                           options.page_values, kMaxPageValues);
  }
  if (options.stripe_bytes == 0) return InvalidArgument("stripe_bytes is 0");
  if (options.threads < 0) return InvalidArgument("threads is {}", options.threads);
  return Status::Ok();
}

// Makes the schema that of the file: clustered by what the options say, under the same rules.
Status Prepare(const WriterOptions& options, Schema* schema) {
  if (!options.cluster_by.empty()) schema->cluster_by = options.cluster_by;
  if (options.keep_order || options.overlay) schema->cluster_by.clear();
  DSI_RETURN_IF_ERROR(schema->Validate());
  DSI_RETURN_IF_ERROR(CheckOptions(options));
  if (schema->FindFeature(kPositionName) < 0) return Status::Ok();
  return InvalidArgument("the feature name {} is kept for where rows stood before clustering",
                         kPositionName);
}

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

// Where temporary files of an output go.
std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

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
    return NoThrow([&]() -> Status {
      DSI_RETURN_IF_ERROR(CheckOpen());
      return add(&rows_);
    });
  }

  Result<WriteReport> Finish() {
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
    if (options.threads == 0)
      options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    options.threads = internal::ThreadsWithin(MemoryLimit(options), options.threads);
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
  Status Poll() const { return Progress(WriteProgress::Phase::kCluster, 0, 0); }
  Status ForEach(size_t count, const std::function<void(size_t)>& work) const {
    const auto call = [&](size_t i) {
      work(i);
      return Status::Ok();
    };
    return internal::ParallelFor(count, options_.threads, call, [this] { return Poll(); });
  }

  Status WriteAll(WriteReport* report);
  Result<internal::FileLayout> PlanLayout(const Schema& stored, const internal::TableTotals& totals,
                                          const internal::RowList& rows,
                                          std::span<const internal::StripeCut> cuts,
                                          internal::RowLoader* loader);
  Status WriteStripes(internal::RowLoader* loader, internal::RowShelves* shelves,
                      const internal::FileLayout& layout,
                      const std::vector<internal::StripeCut>& cuts, internal::FileSink* sink,
                      internal::StripeTables* tables, std::vector<internal::PlacedStripe>* placed,
                      std::vector<internal::ColumnTotals>* totals, WriteReport* report);

  std::unique_ptr<WritableFile> file_;
  std::shared_ptr<const Schema> schema_;
  WriterOptions options_;
  internal::ClusterKeys keys_;
  std::string spill_folder_;
  internal::RowIntake rows_;
  internal::StripeLimits limits_;
  Status error_;
  bool finished_ = false;
};

Status Writer::Impl::WriteAll(WriteReport* report) {
  const auto poll = [this] { return Poll(); };
  DSI_RETURN_IF_ERROR(poll());
  Schema stored = *schema_;
  DSI_RETURN_IF_ERROR(rows_.Close(poll, &stored));
  internal::TableTotals totals = rows_.totals();
  limits_ = internal::LimitsWithin(*schema_, totals, options_);
  if (options_.keep_position) {
    FeatureSpec& spec = stored.features.emplace_back();
    spec.name = kPositionName;
    spec.kind = Kind::kKey;
    spec.columns = {{.name = "", .type = Type::kUint64, .id_space = ""}};
    totals.features.push_back({.num_present = totals.num_rows, .num_entries = totals.num_rows});
  }

  const internal::ClusterMemory memory{.bytes = MemoryLimit(options_),
                                       .spill_folder = spill_folder_};
  const auto records = [this](const auto& visit) { return rows_.ForEachKeyRecords(visit); };
  DSI_ASSIGN_OR_RETURN(const internal::RowList rows,
                       internal::ClusterRows(keys_, totals.num_rows, records, memory, poll));
  internal::RowLoader loader(
      {.schema = &stored,
       .totals = &totals,
       .rows = &rows,
       .keep_position = options_.keep_position,
       .held = rows_.held(),
       .spilled = rows_.spilled(),
       .on_read = [this](auto* buffers) { return rows_.RoundRead(*buffers); },
       .for_each = [&](size_t count,
                       const std::function<void(size_t)>& work) { return ForEach(count, work); }});
  DSI_RETURN_IF_ERROR(loader.Prepare());

  // A value takes a byte or more, so that no stream has more values than F-090 allows.
  DSI_ASSIGN_OR_RETURN(
      const std::vector<internal::StripeCut> cuts,
      options_.overlay ? internal::CutAsTold(rows, options_.overlay->stripe_rows, kMaxStreamValues)
                       : internal::CutStripes(rows, options_.stripe_rows,
                                              std::min({options_.stripe_bytes, limits_.stripe_bytes,
                                                        uint64_t{kMaxStreamValues}})));
  if (cuts.size() > kMaxStripes) {
    return internal::Error(StatusCode::kResourceExhausted,
                           "{} stripes, expected at most {}: use larger stripes (F-090)",
                           cuts.size(), kMaxStripes);
  }
  DSI_ASSIGN_OR_RETURN(const internal::FileLayout layout,
                       PlanLayout(stored, totals, rows, cuts, &loader));

  DSI_ASSIGN_OR_RETURN(const uint64_t salt, Salt(stored, options_));
  internal::FileSink sink(file_.get(), salt);
  DSI_RETURN_IF_ERROR(sink.AppendHeader());
  internal::RowShelves shelves(rows_.spilled(), rows, cuts, memory);
  internal::StripeTables tables(spill_folder_);
  std::vector<internal::PlacedStripe> placed;
  std::vector<internal::ColumnTotals> column_totals(layout.columns.size());
  DSI_RETURN_IF_ERROR(WriteStripes(&loader, &shelves, layout, cuts, &sink, &tables, &placed,
                                   &column_totals, report));

  internal::DirectoryInput directory;
  directory.schema = &stored;
  directory.layout = &layout;
  directory.cluster_features = keys_.keys;
  if (keys_.time >= 0) directory.cluster_features.push_back(static_cast<size_t>(keys_.time));
  directory.totals = column_totals;
  directory.stripes = &placed;
  directory.tables = &tables;
  directory.num_rows = totals.num_rows;
  directory.page_values = options_.page_values;
  directory.tuning = options_.tuning;
  directory.overlay = options_.overlay ? &*options_.overlay : nullptr;
  DSI_RETURN_IF_ERROR(internal::WriteDirectory(directory, &sink));
  DSI_RETURN_IF_ERROR(Progress(WriteProgress::Phase::kPublish, totals.num_rows, sink.offset()));

  report->num_rows = totals.num_rows;
  report->num_stripes = placed.size();
  report->num_groups = layout.groups.size() - 1;
  report->file_bytes = sink.offset();
  report->spilled_bytes = rows_.spilled_bytes();
  for (size_t f = 0; f < schema_->features.size(); ++f)
    report->values_in += totals.features[f].num_entries * schema_->features[f].columns.size();
  return file_->Publish();
}

Result<internal::FileLayout> Writer::Impl::PlanLayout(const Schema& stored,
                                                      const internal::TableTotals& totals,
                                                      const internal::RowList& rows,
                                                      std::span<const internal::StripeCut> cuts,
                                                      internal::RowLoader* loader) {
  // Groups are found on as many rows as a stripe has.
  uint32_t most_rows = 0;
  for (const internal::StripeCut& cut : cuts) most_rows = std::max(most_rows, cut.num_rows);
  const size_t num_features = stored.features.size();
  const internal::SampleLimits limits = {
      .rows = std::min({most_rows, internal::MostSampleRows(num_features), limits_.sample_rows}),
      .bytes = std::min(options_.stripe_bytes, limits_.stripe_bytes)};
  DSI_ASSIGN_OR_RETURN(const std::vector<internal::RowInterval> ranges,
                       internal::SampleRows(rows, limits, num_features, [&](auto intervals) {
                         return loader->CountEntries(intervals);
                       }));
  DSI_ASSIGN_OR_RETURN(const internal::LoadedRows sample, loader->Load(ranges));
  return internal::PlanFileLayout(
      stored, sample.features, sample.sample,
      {.dedup = options_.dedup,
       .find_groups = options_.find_groups,
       .most_shared_bytes = internal::kMostSharedBytes / std::max(most_rows, 1U) * totals.num_rows,
       .uses = options_.uses,
       .for_each = [this](size_t count, const std::function<void(size_t)>& work) {
         return ForEach(count, work);
       }});
}

Status Writer::Impl::WriteStripes(internal::RowLoader* loader, internal::RowShelves* shelves,
                                  const internal::FileLayout& layout,
                                  const std::vector<internal::StripeCut>& cuts,
                                  internal::FileSink* sink, internal::StripeTables* tables,
                                  std::vector<internal::PlacedStripe>* placed,
                                  std::vector<internal::ColumnTotals>* totals,
                                  WriteReport* report) {
  // Features of narrow tables are seldom alike, and to compare them costs, too.
  constexpr size_t kWide = 64;
  internal::PlanMemory plans(layout.num_slots, layout.features.size() >= kWide);
  const internal::StreamTuning tuning{internal::TuningOf(options_.tuning),
                                      options_.verify_after_encode};
  internal::StripeOptions stripe_options{.page_values = options_.page_values,
                                         .threads = options_.threads,
                                         .dedup = options_.dedup,
                                         .time_feature = keys_.time,
                                         .tuning = tuning,
                                         .plans = &plans};
  for (const internal::StripeCut& cut : cuts) {
    const auto poll = [&] {
      return Progress(WriteProgress::Phase::kEncode, cut.first_row, sink->offset());
    };
    DSI_RETURN_IF_ERROR(poll());
    const internal::RowInterval interval{cut.first_row, cut.num_rows};
    DSI_ASSIGN_OR_RETURN(const internal::SpilledRows::Shelf* shelf, shelves->Of(placed->size()));
    DSI_ASSIGN_OR_RETURN(const internal::LoadedRows rows, loader->Load({&interval, 1}, shelf));
    stripe_options.is_first = cut.first_row == 0;
    DSI_ASSIGN_OR_RETURN(const internal::EncodedStripe encoded,
                         internal::EncodeStripe(layout, rows.features, rows.sample.rows_in_time,
                                                rows.sample.ranges[0], stripe_options, poll));
    internal::PlacedStripe& stripe = placed->emplace_back();
    stripe.first_row = cut.first_row;
    stripe.num_rows = cut.num_rows;
    stripe.num_sessions = cut.num_sessions;
    stripe.continues_session = cut.continues_session;
    DSI_RETURN_IF_ERROR(internal::PlaceStripe(encoded, layout.storage_order, sink, &stripe));
    const Status sound =
        internal::CheckPlacedStripe(layout, rows.features, options_.page_values, stripe);
    if (!sound.ok()) return sound.At("the stripe just written");
    if (shelf != nullptr) DSI_RETURN_IF_ERROR(tables->PutAway(&stripe));
    report->num_sessions += cut.num_sessions;
    report->encode_seconds += encoded.encode_seconds;

    for (uint32_t c = 0; c < layout.columns.size(); ++c) {
      const internal::ColumnLayout& column = layout.columns[c];
      for (uint32_t tier = 0; tier < column.num_tiers; ++tier) {
        const internal::EncodedStream& values = encoded.streams[column.slot_of_tier(tier)];
        (*totals)[c].stored_bytes += values.bytes();
        (*totals)[c].num_values += values.record.num_values;
        if (column.feature < schema_->features.size())
          report->values_stored += values.record.num_values;
      }
      if (column.column == 0)
        (*totals)[c].stored_bytes += encoded.streams[column.shape_slot].bytes();
      if (column.column == 0 && column.windows_slot != internal::kNone32)
        (*totals)[c].stored_bytes += encoded.streams[column.windows_slot].bytes();
    }
    for (const internal::IdSpaceLayout& space : layout.id_spaces) {
      (*totals)[space.columns[0]].stored_bytes += encoded.streams[space.dictionary_slot].bytes();
    }
    for (size_t g = 1; g < layout.groups.size(); ++g)
      report->index_bytes += encoded.streams[layout.groups[g].index_slot].bytes();
  }
  report->choose_seconds = plans.choose_seconds();
  return Status::Ok();
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::~Writer() = default;

Result<std::unique_ptr<Writer>> Writer::Create(const std::string& path, Schema schema,
                                               WriterOptions options) {
  return NoThrow([&]() -> Result<std::unique_ptr<Writer>> {
    DSI_RETURN_IF_ERROR(Prepare(options, &schema));
    DSI_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                         CreateLocalFile(path, {.overwrite = options.overwrite}));
    if (options.spill_folder.empty()) options.spill_folder = FolderOf(path);
    return Create(std::move(file), std::move(schema), std::move(options));
  });
}

Result<std::unique_ptr<Writer>> Writer::Create(std::unique_ptr<WritableFile> file, Schema schema,
                                               WriterOptions options) {
  return NoThrow([&]() -> Result<std::unique_ptr<Writer>> {
    if (file == nullptr) return InvalidArgument("no file to write to");
    DSI_RETURN_IF_ERROR(Prepare(options, &schema));
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
