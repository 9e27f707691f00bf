// Records of TFRecord in the place of lines: a length of 8 bytes and its checksum, as many bytes
// and theirs. A record's number stands where that of a line does.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dsi/text/lines/line_source_internal.h"

namespace dsi::internal {

// How many bytes of a stretch are whole records, and how many these are. Where nobody can tell
// where the next one ends, since its length is damaged or beyond max_bytes, *is_lost is set.
size_t CountWholeRecords(std::string_view bytes, uint64_t max_bytes, uint64_t* records,
                         bool* is_lost);

class TfRecordSource : public LineSource {
 public:
  using LineSource::LineSource;

  // Gives the bytes of the next record. kTruncated: it is not whole; kBadInput: the checksum of its
  // length does not fit, so that nobody knows where the next one begins; kResourceExhausted: longer
  // than a line may be.
  Result<bool> Next(std::string_view* record) override;
  void StartBlock(const TextBlock& block, const std::string& name) override;
  // kBadInput: the bytes given last do not fit their checksum. The next record can be read.
  Status CheckRecord() const;

 private:
  // Reads on until so many bytes of the record are there; kTruncated.
  Status Need(uint64_t bytes);

  uint64_t offset_ = 0;  // Of the record, in the unpacked bytes.
  bool is_sound_ = true;
};

}  // namespace dsi::internal
