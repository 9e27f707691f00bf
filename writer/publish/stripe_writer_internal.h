// Places the encoded streams of a stripe in pages and keeps its tables for the end of the file
// (spec §7).
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/writer/publish/file_sink_internal.h"
#include "dsi/writer/encode/stripe_encoder_internal.h"

namespace dsi::internal {

// A stripe whose pages are in the file; its tables are not yet.
struct PlacedStripe {
  uint64_t first_row = 0;
  uint32_t num_rows = 0;
  uint32_t num_sessions = 0;
  bool continues_session = false;
  uint64_t data_offset = 0;
  uint64_t data_size = 0;
  std::vector<std::byte> groups, streams, pages;  // Records, encoded.
  std::vector<std::byte> statistics;              // As in EncodedStripe.
  TableRef groups_table, streams_table, pages_table;
};

// Writes the pages: streams in slot order; streams of one small node share pages (F-061 form 2),
// others get pages of their own.
Status PlaceStripe(const EncodedStripe& stripe, FileSink* sink, PlacedStripe* placed);

}  // namespace dsi::internal
