// Keys that the rows of a file could be clustered by, found as for a text without a schema.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "dsi/tools/dedup/sampled_table_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/text/infer/key_sample_internal.h"

namespace dsi::tools {
namespace {

void AddEntries(const JaggedView& view, size_t row, internal::ValueHash* hash) {
  const auto begin = static_cast<size_t>(view.offsets[row]);
  const auto end = static_cast<size_t>(view.offsets[row + 1]);
  const auto* const bytes = static_cast<const char*>(view.values);
  if (view.dtype == Type::kBytes) return hash->AddText({bytes + begin, end - begin});
  const auto width = static_cast<size_t>(TypeWidth(view.dtype));
  for (size_t i = begin; i < end; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes + i * width, width);
    hash->AddNumber(bits);
  }
}

}  // namespace

Status FindKeys(const Reader& reader, const Schema& schema, InferReport* report) {
  ScanOptions options;
  options.batch_size = kDedupBatchRows;
  std::vector<std::string> names;
  std::vector<bool> may_be_key;
  for (const FeatureSpec& feature : schema.features) {
    names.push_back(feature.name);
    may_be_key.push_back(internal::MayBeKey(feature));
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      Projection& projection = options.features.emplace_back();
      projection.name = ColumnName(feature, c);
      projection.layout = Layout::kJagged;
    }
  }
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(options));
  internal::KeySample sample;
  Batch batch;
  std::vector<JaggedView> views;
  while (true) {
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) break;
    views.clear();
    for (const Projection& projection : options.features) {
      DSI_ASSIGN_OR_RETURN(const JaggedView view, batch.Jagged(projection.name));
      views.push_back(view);
    }
    size_t row = 0;
    for (; row < batch.num_rows() && sample.StartRow(); ++row) {
      size_t at = 0;
      for (uint32_t f = 0; f < schema.features.size(); ++f) {
        internal::ValueHash hash;
        const bool present = views[at].present[row] != 0;
        for (size_t c = 0; c < schema.features[f].columns.size(); ++c)
          AddEntries(views[at++], row, &hash);
        if (present) sample.Add(f, hash, IsListKind(schema.features[f].kind));
      }
    }
    if (row < batch.num_rows()) break;
  }
  sample.FindKeys(names, may_be_key, report);
  return Status::Ok();
}

}  // namespace dsi::tools
