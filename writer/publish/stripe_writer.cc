#include "dsi/writer/publish/stripe_writer_internal.h"

#include "dsi/base/bytes_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kSmallNode = 4'096;  // A stream of one node up to this size shares a page.
constexpr size_t kSharedPageBytes =
    16'384;  // Shared pages are closed at this size, so that one small stream costs one small read.

constexpr double kClearlySmaller = 0.9;
constexpr int kLevel = 3;  // Of Zstandard.

class Placer {
 public:
  Placer(FileSink* sink, PlacedStripe* placed, std::vector<StreamRecord>* records)
      : sink_(sink), placed_(placed), records_(records) {}

  Status Place(uint32_t slot, const EncodedStream& stream) {
    StreamRecord& record = (*records_)[slot];
    if (stream.nodes.empty()) return Status::Ok();
    if (stream.nodes.size() == 1 && stream.nodes[0].bytes.size() <= kSmallNode &&
        stream.record.size == 0) {
      const std::vector<std::byte>& node = stream.nodes[0].bytes;
      if (shared_.size() + node.size() > kSharedPageBytes) DSI_RETURN_IF_ERROR(CloseSharedPage());
      record.form = StreamForm::kPacked;
      record.num_pages = 1;
      record.offset_in_page = static_cast<uint32_t>(shared_.size());
      record.size = static_cast<uint32_t>(node.size());
      shared_.insert(shared_.end(), node.begin(), node.end());
      shared_slots_.push_back(slot);
      return Status::Ok();
    }
    record.first_page = num_pages_;
    record.num_pages = static_cast<uint32_t>(stream.nodes.size());
    for (const EncodedStream::Node& node : stream.nodes)
      DSI_RETURN_IF_ERROR(AppendPage(node.bytes, node.num_values));
    return Status::Ok();
  }

  Status CloseSharedPage() {
    if (shared_.empty()) return Status::Ok();
    for (const uint32_t slot : shared_slots_) (*records_)[slot].first_page = num_pages_;
    DSI_RETURN_IF_ERROR(AppendSharedPage());
    shared_.clear();
    shared_slots_.clear();
    return Status::Ok();
  }

 private:
  // F-065, where it is worth the decoding: who reads one small stream decompresses its neighbours.
  Status AppendSharedPage() {
    std::vector<std::byte> node;
    const bool is_smaller =
        CompressBytes(shared_, kZstdCodec, kLevel, &frames_, &node) &&
        static_cast<double>(node.size()) <= kClearlySmaller * static_cast<double>(shared_.size());
    return is_smaller ? AppendPage(node, kCompressedPage | static_cast<uint32_t>(shared_.size()))
                      : AppendPage(shared_, 0);
  }

  Status AppendPage(std::span<const std::byte> bytes, uint32_t num_values) {
    DSI_ASSIGN_OR_RETURN(const PageRecord page, sink_->AppendPage(bytes, num_values));
    const size_t at = placed_->pages.size();
    placed_->pages.resize(at + PageRecord::kSize);
    page.EncodeTo(placed_->pages.data() + at);
    ++num_pages_;
    return Status::Ok();
  }

  FileSink* sink_;
  PlacedStripe* placed_;
  std::vector<StreamRecord>* records_;
  uint32_t num_pages_ = 0;
  std::vector<std::byte> shared_;  // The page that small streams are being put in.
  std::vector<uint32_t> shared_slots_;
  FrameEncoder frames_;
};

}  // namespace

Status PlaceStripe(const EncodedStripe& stripe, std::span<const uint32_t> storage_order,
                   FileSink* sink, PlacedStripe* placed) {
  placed->data_offset = sink->offset();
  std::vector<StreamRecord> records;
  for (const EncodedStream& stream : stripe.streams) records.push_back(stream.record);
  // F-061: up to whole records.
  records.resize(
      size_t{NumStreamsRecords(static_cast<uint32_t>(records.size()))} * StreamRecord::kPerRecord,
      StreamRecord{.width = 1});
  Placer placer(sink, placed, &records);
  for (const uint32_t slot : storage_order)
    DSI_RETURN_IF_ERROR(placer.Place(slot, stripe.streams[slot]));
  DSI_RETURN_IF_ERROR(placer.CloseSharedPage());
  placed->data_size = sink->offset() - placed->data_offset;

  placed->streams.resize(records.size() * StreamRecord::kSize);
  for (size_t i = 0; i < records.size(); ++i)
    records[i].EncodeTo(placed->streams.data() + i * StreamRecord::kSize);
  placed->groups.resize(stripe.groups.size() * StripeGroupRecord::kSize);
  for (size_t i = 0; i < stripe.groups.size(); ++i) {
    stripe.groups[i].EncodeTo(placed->groups.data() + i * StripeGroupRecord::kSize);
  }
  return Status::Ok();
}

}  // namespace dsi::internal
