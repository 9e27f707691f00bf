// Encodes the rows of one stripe: every stream of the file's layout, by slot, in pieces of which
// each writes the slots of its own streams. EncodeStripes knows in which order they come.
//
// Thread safety: pieces of one stripe may run beside each other, one thread each, where their
// comments do not say what must be there before.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "dsi/format/statistics_internal.h"
#include "dsi/writer/encode/feature_values_internal.h"
#include "dsi/writer/encode/index_encoder_internal.h"
#include "dsi/writer/encode/stream_encoder_internal.h"
#include "dsi/writer/layout/file_layout_internal.h"

namespace dsi::internal {

struct StripeOptions {
  uint32_t page_values = 65'536;
  int threads = 1;
  bool dedup = true;
  int time_feature = -1;  // That tells the time of rows (spec D-006); -1: none.
  StreamTuning tuning;
  PlanMemory* plans = nullptr;  // Of the file.
  bool is_first = true;         // The first stripe is the first of its file.
};

struct EncodedStripe {
  std::vector<StripeGroupRecord> groups;
  std::vector<EncodedStream> streams;        // By slot.
  std::vector<ColumnStatistics> statistics;  // By feature; unset where it has none.
};

// The rows of a stripe, which must outlive its encoder: `interval` of those that the features know;
// `rows_in_time` are their places, oldest first.
struct StripeInput {
  std::span<const ClusteredFeature> features;
  std::span<const uint32_t> rows_in_time;
  RowInterval interval;
};

class StripeEncoder {
 public:
  StripeEncoder(const FileLayout& layout, const StripeInput& rows, const StripeOptions& options);

  // Of a group other than 0, after its parent's.
  void BuildIndex(uint32_t g);
  // Of a feature, after its group's index. Asks no plan, so that stripes need not take turns.
  void FindValues(uint32_t f);
  // Its windows, and all streams of what lends and borrows nothing.
  void EncodeOwnStreams(uint32_t f);
  // After all of these: values streams that have a source are encoded here.
  Status FindSources(const ForEach& for_each);
  // After the sources: what is left are the streams of id spaces and of the features that may lend.
  void EncodeSpace(size_t space);
  void EncodeFeature(uint32_t f);
  // After all pieces. Errors: kCorrupt where a stream does not decode to what was encoded.
  Result<EncodedStripe> End();

  // Whether the feature's values may stand in for those of others, or the other way round.
  bool MayLend(size_t f) const;
  // Whether FindValues looks for windows.
  bool HasWindows(uint32_t f) const;

 private:
  void SortByTimeColumn(size_t feature);
  // Features of the group and of those whose index refers to it.
  size_t CountServed(uint32_t g) const;
  // Bytes of text in a page: as many as a page of ids has, since what is alike in text lies farther
  // apart than what a page of page_values bytes holds.
  uint32_t text_page() const;
  // `shape` and `values` are those of all unique rows, each of which is that of some row (D-002).
  void FindStatistics(uint32_t f, std::span<const uint32_t> shape,
                      std::span<const std::byte> values);
  Status CheckStreams() const;

  const FileLayout& layout_;
  std::span<const ClusteredFeature> features_;
  std::span<const uint32_t> rows_in_time_;
  uint32_t first_;
  uint32_t num_rows_;
  const StripeOptions& options_;
  std::vector<uint32_t> rows_by_time_column_;
  std::set<uint32_t> time_groups_;  // The time is in one of these, or in one that refers to it.
  std::vector<GroupIndex> indexes_;
  std::vector<std::unique_ptr<FeatureValues>> values_;
  std::vector<ColumnStatistics> statistics_;  // By feature; unused where it has none.
  EncodedStripe stripe_;
};

}  // namespace dsi::internal
