#include "dsi/tools/dsi_to_dsi_internal.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/format/reserved_names_internal.h"
#include "dsi/io/file.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

using internal::kPositionName;

constexpr uint32_t kBatchRows = 1024;
// What --memory is shared out to; writing gets the rest.
constexpr std::string_view kReading = "reading gets a quarter of --memory";

// One batch of a scan in the layout of Arrow, feature by feature. Refers to the batch.
class ArrowRows {
 public:
  Status Fill(const Schema& schema, const Batch& batch) {
    features_.assign(schema.features.size(), {});
    validity_.resize(schema.features.size());
    for (size_t f = 0; f < schema.features.size(); ++f) {
      const FeatureSpec& spec = schema.features[f];
      features_[f].feature = f;
      for (size_t c = 0; c < spec.columns.size(); ++c) {
        const std::string name = ColumnName(spec, c);
        if (HasLengths(spec.kind, spec.columns[c].type)) {
          DSI_ASSIGN_OR_RETURN(const JaggedView view, batch.Jagged(name));
          features_[f].offsets64 = view.offsets;
          SetColumn(f, view);
        } else {
          DSI_ASSIGN_OR_RETURN(const PaddedView view, batch.Padded(name));
          SetColumn(f, view);
        }
      }
    }
    return Status::Ok();
  }

  std::span<const FeatureColumns> features() const { return features_; }

 private:
  // Columns of one feature are present in the same rows.
  template <typename View>
  void SetColumn(size_t f, const View& view) {
    std::vector<uint8_t>& bits = validity_[f];
    bits.assign((view.rows + 7) / 8, 0);
    for (size_t row = 0; row < view.rows; ++row)
      bits[row / 8] = static_cast<uint8_t>(bits[row / 8] | (view.present[row] != 0) << row % 8);
    features_[f].validity = bits.data();
    features_[f].values.push_back(view.values);
  }

  std::vector<FeatureColumns> features_;
  std::vector<std::vector<uint8_t>> validity_;
};

// The schema to write, and the columns to read for it.
Status Prepare(const Reader& reader, const TextToDsiOptions& options, Schema* schema,
               std::vector<Projection>* projections) {
  DSI_ASSIGN_OR_RETURN(*schema, reader.schema());
  const auto dropped = std::erase_if(
      schema->features, [](const FeatureSpec& feature) { return feature.name == kPositionName; });
  if (dropped != 0 && !options.writer.keep_position) {
    PrintWarning(
        "the original places of the rows are left out; --keep-position stores those that they have "
        "in the file read");
  }
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, reader.Columns());
  for (const ColumnInfo& column : columns) {
    DSI_RETURN_IF_ERROR(column.support);
    if (column.feature != kPositionName) projections->push_back(PlainProjection(column));
  }
  return AddMetadata(options.metadata, schema);
}

}  // namespace

Result<WriteReport> DsiToDsi(const Reader& reader, const RowFilter& filter,
                             const TextToDsiOptions& options, Progress* progress) {
  DSI_ASSIGN_OR_RETURN(auto file,
                       CreateLocalFile(options.out, {.overwrite = options.writer.overwrite}));
  Schema schema;
  ScanOptions scan_options;
  DSI_RETURN_IF_ERROR(Prepare(reader, options, &schema, &scan_options.features));
  WriterOptions writer_options = options.writer;
  DSI_ASSIGN_OR_RETURN(writer_options.cluster_by, ClusterKeys(options, &schema));
  writer_options.progress = [progress](const WriteProgress& now) {
    return ShowWriteProgress(now, progress);
  };
  scan_options.batch_size = kBatchRows;
  scan_options.filter = filter;
  if (options.writer.memory_bytes != 0) {
    scan_options.memory_bytes = options.writer.memory_bytes / 4;
    writer_options.memory_bytes -= scan_options.memory_bytes;
  }
  DSI_ASSIGN_OR_RETURN(const auto writer,
                       Writer::Create(std::move(file), std::move(schema), writer_options));
  const auto explained = [&options](const Status& status) {
    return options.writer.memory_bytes == 0 ? status : OfBudget(status, kReading);
  };
  const auto scan = reader.NewScan(scan_options);
  if (!scan.ok()) return explained(scan.status());
  Batch batch;
  ArrowRows rows;
  while (true) {
    const auto more = (*scan)->Next(&batch);
    if (!more.ok()) return explained(more.status());
    const uint64_t seen = (*scan)->stats().rows + (*scan)->stats().rows_dropped;
    if (!progress->Update("reading", seen, reader.info().num_rows, ProgressUnit::kRows))
      return CheckInterrupt();
    if (!*more) break;
    DSI_RETURN_IF_ERROR(rows.Fill(*writer->schema(), batch));
    DSI_RETURN_IF_ERROR(writer->AppendColumns(batch.num_rows(), rows.features()));
  }
  return writer->Finish();
}

}  // namespace dsi::tools
