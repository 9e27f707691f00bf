// The rows of a sample handed to a writer again.
#include <algorithm>
#include <cstring>
#include <utility>

#include "dsi/io/file.h"
#include "dsi/tools/dedup/sampled_table_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

// One feature of a batch in the layout that RowBatch takes.
class FeatureBuffers {
 public:
  FeatureBuffers(const FeatureSpec& spec, size_t feature) : spec_(spec), feature_(feature) {
    for (size_t c = 0; c < spec.columns.size(); ++c) names_.push_back(ColumnName(spec, c));
    spread_.resize(names_.size());
  }

  const std::vector<std::string>& names() const { return names_; }

  Result<FeatureColumns> Take(const Batch& batch) {
    const size_t num_rows = batch.num_rows();
    FeatureColumns out;
    out.feature = feature_;
    const bool has_lengths = HasLengths(spec_.kind, spec_.columns[0].type);
    for (size_t c = 0; c < names_.size(); ++c) {
      DSI_ASSIGN_OR_RETURN(const JaggedView view, batch.Jagged(names_[c]));
      if (c == 0) SetValidity(view, num_rows, &out);
      if (has_lengths) {
        out.offsets64 = view.offsets;
        out.values.push_back(view.values);
      } else {
        out.values.push_back(Spread(view, num_rows, &spread_[c]));
      }
    }
    return out;
  }

 private:
  void SetValidity(const JaggedView& view, size_t num_rows, FeatureColumns* out) {
    all_present_ = std::all_of(view.present, view.present + num_rows,
                               [](uint8_t present) { return present != 0; });
    if (all_present_) return;
    validity_.assign((num_rows + 7) / 8, 0);
    for (size_t row = 0; row < num_rows; ++row) {
      if (view.present[row] != 0) validity_[row / 8] |= static_cast<uint8_t>(1U << row % 8);
    }
    out->validity = validity_.data();
  }

  // Scalars and embeddings have room for missing rows, which a jagged view does not.
  const void* Spread(const JaggedView& view, size_t num_rows,
                     std::vector<std::byte>* spread) const {
    if (all_present_) return view.values;
    const size_t entries = std::max<size_t>(spec_.fixed_length, 1);
    const size_t size = entries * static_cast<size_t>(TypeWidth(view.dtype));
    spread->assign(num_rows * size, std::byte{0});
    const auto* from = static_cast<const std::byte*>(view.values);
    for (size_t row = 0; row < num_rows; ++row) {
      if (view.present[row] == 0) continue;
      std::memcpy(spread->data() + row * size, from, size);
      from += size;
    }
    return spread->data();
  }

  const FeatureSpec& spec_;
  size_t feature_;
  std::vector<std::string> names_;
  bool all_present_ = true;
  std::vector<uint8_t> validity_;
  std::vector<std::vector<std::byte>> spread_;
};

}  // namespace

Result<RewriteResult> Rewrite(const SampledTable& table, const Schema& schema,
                              WriterOptions options, std::string_view what, Progress* progress) {
  RewriteResult result;
  options.progress = [&](const WriteProgress& now) {
    return progress->Update(what, now.rows_done, now.rows_total, ProgressUnit::kRows);
  };
  DSI_ASSIGN_OR_RETURN(const auto writer, Writer::Create(CreateMemoryFile(&result.bytes, "a trial"),
                                                         schema, std::move(options)));
  std::vector<FeatureBuffers> features;
  ScanOptions scan_options;
  scan_options.row_end = table.num_rows;
  scan_options.batch_size = kDedupBatchRows;
  features.reserve(schema.features.size());
  for (size_t f = 0; f < schema.features.size(); ++f) {
    features.emplace_back(schema.features[f], f);
    for (const std::string& name : features.back().names()) {
      Projection& projection = scan_options.features.emplace_back();
      projection.name = name;
      projection.layout = Layout::kJagged;
    }
  }
  DSI_ASSIGN_OR_RETURN(const auto scan, table.reader->NewScan(scan_options));
  Batch batch;
  std::vector<FeatureColumns> columns;
  while (true) {
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) break;
    columns.clear();
    for (FeatureBuffers& feature : features) {
      DSI_ASSIGN_OR_RETURN(FeatureColumns buffers, feature.Take(batch));
      columns.push_back(std::move(buffers));
    }
    DSI_RETURN_IF_ERROR(writer->AppendColumns(batch.num_rows(), columns));
  }
  DSI_ASSIGN_OR_RETURN(result.report, writer->Finish());
  return result;
}

}  // namespace dsi::tools
