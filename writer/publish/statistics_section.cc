#include "dsi/writer/publish/statistics_section_internal.h"

#include "dsi/base/bytes_internal.h"
#include "dsi/format/wire_internal.h"

namespace dsi::internal {
namespace {

// Statistics save reading the column that a filter looks at. Of dense features and strings, which
// few filters do, they are kept where they take no more than this share of the column: without that
// they were 4 % of a file of 5,000 features and 200 rows.
constexpr uint64_t kStatisticsShare = 64;
// Those of columns that hardly change, as the country of a file, are more than that, and worth the
// most: together they may take this share of the file.
constexpr uint64_t kSpareShare = 1024;
// All wait for the end of the file. Beyond this, which 20,000 dense features come to in a hundred
// stripes, those of dense features and strings are left out.
constexpr uint64_t kMostHeld = 16 << 20;

}  // namespace

void StatisticsSection::Start(const Schema* schema, const FileLayout* layout) {
  schema_ = schema;
  layout_ = layout;
  entries_.resize(schema->features.size());
}

void StatisticsSection::Add(std::span<const ColumnStatistics> stripe) {
  for (size_t f = 0; f < stripe.size(); ++f) {
    const FeatureSpec& feature = schema_->features[f];
    if (!HasOneValue(feature.kind) || (full_ && MayLeaveOut(feature))) continue;
    const size_t before = entries_[f].size();
    stripe[f].AppendTo(feature.columns[0].type, &entries_[f]);
    held_ += entries_[f].size() - before;
  }
  if (full_ || held_ <= kMostHeld) return;
  full_ = true;
  for (size_t f = 0; f < entries_.size(); ++f) {
    if (MayLeaveOut(schema_->features[f])) entries_[f] = {};
  }
}

std::vector<std::byte> StatisticsSection::Make(std::span<const ColumnTotals> totals,
                                               uint64_t data_bytes) const {
  std::vector<std::byte> section;
  std::vector<std::byte> content;
  uint64_t spare = data_bytes / kSpareShare;
  for (size_t c = 0; c < layout_->columns.size(); ++c) {
    const uint32_t f = layout_->columns[c].feature;
    const std::vector<std::byte>& entries = entries_[f];
    bool is_kept = true;
    if (MayLeaveOut(schema_->features[f]) &&
        entries.size() * kStatisticsShare > totals[c].stored_bytes) {
      is_kept = entries.size() <= spare;
      if (is_kept) spare -= entries.size();
    }
    if (is_kept) content.insert(content.end(), entries.begin(), entries.end());
    if (content.size() > UINT32_MAX - sizeof(uint32_t) * layout_->columns.size()) return {};
    AppendLE<uint32_t>(&section, static_cast<uint32_t>(content.size()));
  }
  if (content.empty()) return content;
  // Of many small columns the places alone may be too much.
  if (section.size() > kMaxRecordBytes && section.size() * kStatisticsShare > data_bytes) return {};
  section.insert(section.end(), content.begin(), content.end());
  return section;
}

}  // namespace dsi::internal
