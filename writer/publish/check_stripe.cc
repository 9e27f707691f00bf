#include "dsi/writer/publish/check_stripe_internal.h"

#include "dsi/base/error_internal.h"
#include "dsi/format/stream_rules_internal.h"

namespace dsi::internal {
namespace {

template <typename Record>
Result<std::vector<Record>> Decode(std::span<const std::byte> bytes, const char* what) {
  std::vector<Record> records;
  records.reserve(bytes.size() / Record::kSize);
  for (size_t at = 0; at < bytes.size(); at += Record::kSize) {
    auto record = Record::DecodeFrom(bytes.data() + at);
    if (!record.ok()) return record.status().At(fmt::format("{} {}", what, records.size()));
    records.push_back(*record);
  }
  return records;
}

class StripeChecker {
 public:
  StripeChecker(const FileLayout& layout, std::span<const ClusteredFeature> features,
                uint32_t page_values, const PlacedStripe& stripe)
      : layout_(layout), features_(features), page_values_(page_values), stripe_(stripe) {}

  Status Check() {
    DSI_RETURN_IF_ERROR(CheckGroups());
    DSI_RETURN_IF_ERROR(CheckPages());
    DSI_RETURN_IF_ERROR(CheckStreams());
    for (uint32_t g = 1; g < groups_.size(); ++g) {
      const GroupLayout& group = layout_.groups[g];
      const Status status =
          CheckIndexRecord(groups_[g], stripe_.num_rows, groups_[group.parent].num_unique,
                           streams_[group.index_slot]);
      if (!status.ok()) return status.At(fmt::format("dedup group {}", g));
    }
    for (const ColumnLayout& column : layout_.columns) {
      const Status status = CheckColumn(column);
      if (status.ok()) continue;
      const FeatureSpec& spec = *features_[column.feature].source().spec;
      return status.At(fmt::format("column {}", ColumnName(spec, column.column)));
    }
    for (const IdSpaceLayout& space : layout_.id_spaces)
      DSI_RETURN_IF_ERROR(CheckDictionaryRecord(space.width, streams_[space.dictionary_slot]));
    return Status::Ok();
  }

 private:
  Status CheckGroups() {
    DSI_ASSIGN_OR_RETURN(groups_, Decode<StripeGroupRecord>(stripe_.groups, "dedup group"));
    for (uint32_t g = 0; g < groups_.size(); ++g) {
      const Status status = CheckGroupRecord(g, stripe_.num_rows, groups_[g]);
      if (!status.ok()) return status.At(fmt::format("dedup group {}", g));
    }
    return Status::Ok();
  }

  Status CheckPages() {
    DSI_ASSIGN_OR_RETURN(const std::vector<PageRecord> pages,
                         Decode<PageRecord>(stripe_.pages, "page"));
    num_pages_ = static_cast<uint32_t>(pages.size());
    uint64_t expected = stripe_.data_offset;
    const PagesOfStripe place{num_pages_, stripe_.data_offset + stripe_.data_size};
    for (uint32_t i = 0; i < pages.size(); ++i) {
      const Status status = CheckPagePlace(pages[i], i, expected, place);
      if (!status.ok()) return status.At(fmt::format("page {}", i));
      expected = pages[i].offset + pages[i].stored_size;
    }
    return Status::Ok();
  }

  // An alias is taken for what it names, whose slot is before its own.
  Status CheckStreams() {
    DSI_ASSIGN_OR_RETURN(streams_, Decode<StreamRecord>(stripe_.streams, "stream"));
    for (uint32_t slot = 0; slot < streams_.size(); ++slot) {
      StreamRecord& stream = streams_[slot];
      Status status;
      if (stream.form == StreamForm::kAlias) {
        if (stream.first_page >= slot) return Corrupt("stream {}: alias of what follows", slot);
        const StreamRecord target = streams_[stream.first_page];
        status = CheckAlias(stream, target);
        stream = target;
      } else {
        status = CheckStreamPlace(stream, num_pages_, page_values_);
      }
      if (!status.ok()) return status.At(fmt::format("stream {}", slot));
    }
    return Status::Ok();
  }

  Status CheckColumn(const ColumnLayout& column) const {
    const FeatureSpec& spec = *features_[column.feature].source().spec;
    ColumnRecord record;
    record.kind = spec.kind;
    record.type = spec.columns[column.column].type;
    record.fixed_length = spec.fixed_length;
    record.tiers_slot = column.tiers_slot;
    const uint32_t num_unique = groups_[layout_.features[column.feature].group].num_unique;
    const StreamRecord& shape = streams_[column.shape_slot];
    bool windows = false;
    if (column.column == 0) DSI_RETURN_IF_ERROR(CheckShapeRecord(record, num_unique, shape));
    if (column.windows_slot != kNone32) {
      const StreamRecord& stream = streams_[column.windows_slot];
      windows = stream.num_values != 0;
      DSI_RETURN_IF_ERROR(CheckWindowsRecord(record, num_unique, stream));
    }
    StreamRecord pool = streams_[column.values_slot];
    for (uint32_t tier = 1; tier < column.num_tiers; ++tier)
      pool.num_values += streams_[column.slot_of_tier(tier)].num_values;
    return CheckValuesRecord(record, shape, pool, windows);
  }

  const FileLayout& layout_;
  std::span<const ClusteredFeature> features_;
  uint32_t page_values_;
  const PlacedStripe& stripe_;
  std::vector<StripeGroupRecord> groups_;
  std::vector<StreamRecord> streams_;
  uint32_t num_pages_ = 0;
};

}  // namespace

Status CheckPlacedStripe(const FileLayout& layout, std::span<const ClusteredFeature> features,
                         uint32_t page_values, const PlacedStripe& stripe) {
  return StripeChecker(layout, features, page_values, stripe).Check();
}

}  // namespace dsi::internal
