// How the streams of a file are encoded, and why: each page weighed again as the writer weighed it.
//
// A choice is told of one stripe, the file's largest; of columns that are empty there, of the
// largest in which they are not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/reader.h"

namespace dsi::tools {

// Pages of a stream that are encoded in the same way.
struct EncodingShare {
  std::string encoding;  // The tree: "dictionary(packed u32, raw u8)".
  uint32_t num_pages = 0;
  uint64_t bytes = 0;
};

// What a value costs in one way to encode a page.
struct EncodingCost {
  std::string encoding;  // Empty: none.
  double bytes_per_value = 0;
  double ns_per_value = 0;  // To decode, by the rates that choices go by.
  double cost = 0;          // Of both, in ns: bytes at ChoiceInfo::ns_per_byte.
};

struct ChoiceInfo {
  uint32_t column = 0;  // Ordinal; of a stream that columns share, the first.
  std::string owner;    // What the stream belongs to, and what it is for: as in StreamInfo.
  std::string role;
  uint32_t stripe = 0;
  // kCorrupt: a page of the stream is damaged; kUnsupported: it needs a newer reader (E-005). What
  // follows is not known then.
  Status damage = Status::Ok();
  uint64_t num_values = 0;
  uint64_t bytes = 0;  // 0 of an alias.
  // What a stored byte is worth: FileInfo::ns_per_byte. An index is decoded once for all features
  // that need it, so a byte of it is worth that for each.
  double ns_per_byte = 0;
  bool is_alias = false;    // Stored once, with a stream that is equal.
  std::string source = {};  // The column in which values have their places (F-066); empty: none.
  // Most bytes first. Of a stream whose values are all the same: "constant", no page.
  std::vector<EncodingShare> encodings = {};
  // Of the first page that is encoded as encodings[0] says, if asked for and not an alias. With a
  // dictionary that is shared, other ways differ in the codes alone, and its bytes are not counted.
  EncodingCost chosen = {};
  // The cheapest that is left; a dictionary in another order is the same.
  EncodingCost runner_up = {};
};

struct ChoiceOptions {
  // Whether to fill in `chosen` and `runner_up`: encodes a page of each stream in the other ways
  // that a writer would weigh. Milliseconds for each, of Tuning::kArchive a tenth of a second.
  bool weigh = false;
  std::function<bool()> go_on = {};  // Called between streams; false cancels (kCancelled).
};

// Reads all pages of one stripe, and more where columns are empty there. Damaged pages and unknown
// encodings are told of by stream (ChoiceInfo::damage). kCorrupt (of the directory), kCancelled,
// kIo, kResourceExhausted.
Result<std::vector<ChoiceInfo>> Choices(const Reader& reader, const ChoiceOptions& options = {});

}  // namespace dsi::tools
