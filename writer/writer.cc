#include "dsi/writer/writer.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <thread>

#include "dsi/codecs/choice/tuning_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/writer/publish/check_stripe_internal.h"
#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/publish/directory_writer_internal.h"
#include "dsi/writer/finish_memory_internal.h"
#include "dsi/base/machine_memory_internal.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/writer/rows/round_floats_internal.h"
#include "dsi/writer/cluster/stripe_cuts_internal.h"

namespace dsi {
namespace {

using internal::ClusteredFeature;
using internal::InvalidArgument;
using internal::kPositionName;
using internal::NoThrow;

Status CheckOptions(const WriterOptions& options) {
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
  if (options.keep_order) schema->cluster_by.clear();
  DSI_RETURN_IF_ERROR(schema->Validate());
  DSI_RETURN_IF_ERROR(CheckOptions(options));
  if (schema->FindFeature(kPositionName) < 0) return Status::Ok();
  return InvalidArgument("the feature name {} is kept for where rows stood before clustering",
                         kPositionName);
}

// The same schema and options give the same salt (spec F-020).
Result<uint64_t> Salt(const Schema& schema, const WriterOptions& options) {
  DSI_ASSIGN_OR_RETURN(const std::string json, schema.ToJson());
  return internal::NameHash(fmt::format("{}|{}|{}|{}|{}|{}", json, options.stripe_rows,
                                        options.stripe_bytes, options.page_values, options.dedup,
                                        options.find_groups));
}

}  // namespace

class Writer::Impl {
 public:
  Impl(std::unique_ptr<WritableFile> file, std::shared_ptr<const Schema> schema,
       WriterOptions options, internal::ClusterKeys keys)
      : file_(std::move(file)),
        schema_(std::move(schema)),
        options_(std::move(options)),
        keys_(std::move(keys)),
        rows_(schema_) {
    memory_limit_ =
        options_.memory_bytes != 0 ? options_.memory_bytes : internal::MachineMemory() / 4 * 3;
    if (options_.threads == 0)
      options_.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    options_.threads = internal::ThreadsWithin(memory_limit_, options_.threads);
    rows_.admit_ = [this](uint64_t bytes, size_t num_rows) { return Admit(bytes, num_rows); };
  }

  const std::shared_ptr<const Schema>& schema() const { return schema_; }
  uint64_t num_rows() const { return rows_.num_rows(); }
  uint64_t size_bytes() const { return rows_.size_bytes() + finish_memory(); }

  Status Append(const RowBatch& rows) {
    return AddRows([&] { return rows_.Append(rows); }, [&] { rows_.Clear(); });
  }
  Status Append(RowBatch&& rows) {
    return AddRows([&] { return rows_.Append(std::move(rows)); },
                   [&] { static_cast<void>(rows.Append(std::move(rows_))); });
  }
  Status AppendColumns(size_t num_rows, std::span<const FeatureColumns> columns) {
    return AddRows([&] { return rows_.AppendColumns(num_rows, columns); }, [&] { rows_.Clear(); });
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
  uint64_t finish_memory() const { return internal::FinishMemory(rows_, keys_, options_); }

  Status CheckOpen() const {
    DSI_RETURN_IF_ERROR(error_);
    if (finished_) return InvalidArgument("{}: the writer is finished", file_->name());
    return Status::Ok();
  }

  // Before rows are added. What Finish will take grows with them; nothing is known of it before the
  // first.
  Status Admit(uint64_t more, size_t num_rows) const {
    const double growth = rows_.size_bytes() == 0 ? 1
                                                  : 1 + static_cast<double>(more) /
                                                            static_cast<double>(rows_.size_bytes());
    const auto finish = static_cast<uint64_t>(static_cast<double>(finish_memory()) * growth);
    return CheckMemory(rows_.num_rows() + num_rows, rows_.size_bytes() + more + finish);
  }

  // `take_back` undoes the addition of the first rows, where Finish has no room for them.
  template <typename Add, typename TakeBack>
  Status AddRows(const Add& add, const TakeBack& take_back) {
    return NoThrow([&]() -> Status {
      DSI_RETURN_IF_ERROR(CheckOpen());
      const bool are_first = rows_.num_rows() == 0;
      DSI_RETURN_IF_ERROR(add());
      if (!are_first) return Status::Ok();
      const Status fits = CheckMemory(rows_.num_rows(), size_bytes());
      if (!fits.ok()) take_back();
      return fits;
    });
  }

  Status CheckMemory(size_t num_rows, uint64_t bytes) const {
    if (bytes <= memory_limit_) return Status::Ok();
    return internal::Error(StatusCode::kResourceExhausted,
                           "{}: {} rows take {} bytes of memory with what it takes to write them, "
                           "more than the memory budget of {} bytes",
                           file_->name(), num_rows, bytes, memory_limit_);
  }

  Status Progress(WriteProgress::Phase phase, uint64_t rows_done, uint64_t bytes) const {
    if (options_.progress && !options_.progress({phase, rows_done, rows_.num_rows(), bytes})) {
      return {StatusCode::kCancelled, "writing was cancelled"};
    }
    return Status::Ok();
  }

  Status WriteAll(WriteReport* report);
  Status WriteStripes(const std::vector<ClusteredFeature>& features,
                      const std::vector<uint32_t>& time_rank, const internal::FileLayout& layout,
                      const std::vector<internal::StripeCut>& cuts, internal::FileSink* sink,
                      std::vector<internal::PlacedStripe>* placed,
                      std::vector<internal::ColumnTotals>* totals, WriteReport* report);

  std::unique_ptr<WritableFile> file_;
  std::shared_ptr<const Schema> schema_;
  WriterOptions options_;
  internal::ClusterKeys keys_;
  RowBatch rows_;
  uint64_t memory_limit_ = 0;
  Status error_;
  bool finished_ = false;
};

Status Writer::Impl::WriteAll(WriteReport* report) {
  DSI_RETURN_IF_ERROR(rows_.PrepareOnce());  // None may have been added.
  const auto num_rows = static_cast<uint32_t>(rows_.num_rows());
  DSI_RETURN_IF_ERROR(Progress(WriteProgress::Phase::kCluster, 0, 0));

  Schema stored = *schema_;
  DSI_RETURN_IF_ERROR(internal::RoundFloats(
      rows_.features_, options_.threads,
      [&] { return Progress(WriteProgress::Phase::kCluster, 0, 0); }, &stored));
  std::vector<internal::FeatureSource> sources;
  RowBatch::FeatureBuffer positions;
  if (options_.keep_position) {
    FeatureSpec& spec = stored.features.emplace_back();
    spec.name = kPositionName;
    spec.kind = Kind::kKey;
    spec.columns = {{.name = "", .type = Type::kUint64, .id_space = ""}};
    std::vector<uint64_t> numbers(num_rows);
    std::iota(numbers.begin(), numbers.end(), 0ULL);
    const auto bytes = std::as_bytes(std::span(numbers));
    positions.values.emplace_back(bytes.begin(), bytes.end());
    positions.num_present = num_rows;
  }
  for (size_t f = 0; f < stored.features.size(); ++f) {
    sources.push_back({.spec = &stored.features[f],
                       .rows = f < schema_->features.size() ? &rows_.feature(f) : &positions});
  }

  const internal::RowOrder order = internal::ClusterRows(sources, keys_, num_rows);
  std::vector<uint32_t> position_of(num_rows);
  for (uint32_t p = 0; p < num_rows; ++p) position_of[order.input_row[p]] = p;
  std::vector<std::unique_ptr<ClusteredFeature>> built(sources.size());
  const auto poll = [&] { return Progress(WriteProgress::Phase::kCluster, 0, 0); };
  DSI_RETURN_IF_ERROR(internal::ParallelFor(
      sources.size(), options_.threads,
      [&](size_t f) {
        built[f] = std::make_unique<ClusteredFeature>(sources[f], order, position_of);
        return Status::Ok();
      },
      poll));
  std::vector<ClusteredFeature> features;
  features.reserve(built.size());
  for (auto& feature : built) features.push_back(std::move(*feature));
  built.clear();

  // A value takes a byte or more, so that no stream has more values than F-090 allows.
  const std::vector<internal::StripeCut> cuts =
      internal::CutStripes(order, internal::RowBytes(sources, order), options_.stripe_rows,
                           std::min<uint64_t>(options_.stripe_bytes, kMaxStreamValues));
  if (cuts.size() > kMaxStripes) {
    return internal::Error(StatusCode::kResourceExhausted,
                           "{} stripes, expected at most {}: use larger stripes (F-090)",
                           cuts.size(), kMaxStripes);
  }
  // Groups are found on as many rows as a stripe has.
  uint32_t most_rows = 0;
  for (const internal::StripeCut& cut : cuts) most_rows = std::max(most_rows, cut.num_rows);
  const internal::RowSample sample = internal::SampleRows(
      order, num_rows, std::min(most_rows, internal::MostSampleRows(features.size())),
      features.size(), [&features](size_t f, const internal::RowInterval& range) {
        return features[f].EstimateEntries(range);
      });
  const internal::ForEach for_each = [&](size_t count, const std::function<void(size_t)>& work) {
    const auto call = [&](size_t i) {
      work(i);
      return Status::Ok();
    };
    return internal::ParallelFor(count, options_.threads, call, poll);
  };
  DSI_ASSIGN_OR_RETURN(
      const internal::FileLayout layout,
      internal::PlanFileLayout(
          stored, features, sample,
          {.dedup = options_.dedup,
           .find_groups = options_.find_groups,
           .most_shared_bytes = internal::kMostSharedBytes / std::max(most_rows, 1U) * num_rows,
           .uses = options_.uses,
           .for_each = for_each}));

  DSI_ASSIGN_OR_RETURN(const uint64_t salt, Salt(stored, options_));
  internal::FileSink sink(file_.get(), salt);
  DSI_RETURN_IF_ERROR(sink.AppendHeader());
  std::vector<internal::PlacedStripe> placed;
  std::vector<internal::ColumnTotals> totals(layout.columns.size());
  DSI_RETURN_IF_ERROR(
      WriteStripes(features, order.time_rank, layout, cuts, &sink, &placed, &totals, report));

  internal::DirectoryInput directory;
  directory.schema = &stored;
  directory.layout = &layout;
  directory.cluster_features = keys_.keys;
  if (keys_.time >= 0) directory.cluster_features.push_back(static_cast<size_t>(keys_.time));
  directory.totals = totals;
  directory.stripes = &placed;
  directory.num_rows = num_rows;
  directory.page_values = options_.page_values;
  directory.tuning = options_.tuning;
  DSI_RETURN_IF_ERROR(internal::WriteDirectory(directory, &sink));
  DSI_RETURN_IF_ERROR(Progress(WriteProgress::Phase::kPublish, num_rows, sink.offset()));

  report->num_rows = num_rows;
  report->num_stripes = placed.size();
  report->num_groups = layout.groups.size() - 1;
  report->file_bytes = sink.offset();
  for (size_t f = 0; f < schema_->features.size(); ++f) {
    for (size_t c = 0; c < schema_->features[f].columns.size(); ++c) {
      report->values_in += rows_.feature(f).values[c].size() /
                           static_cast<size_t>(TypeWidth(schema_->features[f].columns[c].type));
    }
  }
  return file_->Publish();
}

Status Writer::Impl::WriteStripes(
    const std::vector<ClusteredFeature>& features, const std::vector<uint32_t>& time_rank,
    const internal::FileLayout& layout, const std::vector<internal::StripeCut>& cuts,
    internal::FileSink* sink, std::vector<internal::PlacedStripe>* placed,
    std::vector<internal::ColumnTotals>* totals, WriteReport* report) {
  // Features of narrow tables are seldom alike, and to compare them costs, too.
  constexpr size_t kWide = 64;
  internal::PlanMemory plans(layout.num_slots, features.size() >= kWide);
  const internal::StreamTuning tuning{internal::TuningOf(options_.tuning),
                                      options_.verify_after_encode};
  const internal::StripeOptions stripe_options{.page_values = options_.page_values,
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
    DSI_ASSIGN_OR_RETURN(const internal::EncodedStripe encoded,
                         internal::EncodeStripe(layout, features, time_rank, cut.first_row,
                                                cut.num_rows, stripe_options, poll));
    internal::PlacedStripe& stripe = placed->emplace_back();
    stripe.first_row = cut.first_row;
    stripe.num_rows = cut.num_rows;
    stripe.num_sessions = cut.num_sessions;
    stripe.continues_session = cut.continues_session;
    DSI_RETURN_IF_ERROR(internal::PlaceStripe(encoded, layout.storage_order, sink, &stripe));
    const Status sound =
        internal::CheckPlacedStripe(layout, features, options_.page_values, stripe);
    if (!sound.ok()) return sound.At("the stripe just written");
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
    auto impl = std::make_unique<Impl>(std::move(file), std::move(shared), std::move(options),
                                       std::move(keys));
    return std::unique_ptr<Writer>(new Writer(std::move(impl)));
  });
}

const std::shared_ptr<const Schema>& Writer::schema() const { return impl_->schema(); }
Status Writer::Append(const RowBatch& rows) { return impl_->Append(rows); }
Status Writer::Append(RowBatch&& rows) { return impl_->Append(std::move(rows)); }
Status Writer::AppendColumns(size_t num_rows, std::span<const FeatureColumns> columns) {
  return impl_->AppendColumns(num_rows, columns);
}
uint64_t Writer::num_rows() const { return impl_->num_rows(); }
uint64_t Writer::size_bytes() const { return impl_->size_bytes(); }
Result<WriteReport> Writer::Finish() { return impl_->Finish(); }

}  // namespace dsi
