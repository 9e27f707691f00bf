// Places the encoded streams of a stripe in pages and keeps its tables for the end of the file
// (spec §7).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  // Records, encoded. Those of streams are filled up to whole records of their table (F-061).
  std::vector<std::byte> groups, streams, pages;
  TableRef groups_table, streams_table, pages_table;
  std::optional<uint64_t> tables_offset;  // Where StripeTables has the records, if it does.
};

// Writes the pages of streams, slot by slot as `storage_order` has them: those of one small node
// share pages (F-061 form 2), others get pages of their own.
Status PlaceStripe(const EncodedStripe& stripe, std::span<const uint32_t> storage_order,
                   FileSink* sink, PlacedStripe* placed);

}  // namespace dsi::internal
