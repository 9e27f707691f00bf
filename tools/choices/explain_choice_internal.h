// Why a page is encoded as it is: the same page encoded in the other ways that a writer weighs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/format/types.h"
#include "dsi/tools/choices/choices_internal.h"

namespace dsi::tools {

// A page as stored, its seal checked and its node described.
struct StoredPage {
  std::span<const std::byte> node;
  size_t count = 0;
  int width = 8;
  Type type = Type::kUint64;  // What values stand for, where it is more than a number.
  std::optional<uint64_t> dictionary_size = {};  // Entries of the one that codes refer to (E-051).
};

// Fills in `chosen` and `runner_up` of a page that is encoded as encodings[0] says. kCorrupt.
Status ExplainChoice(const StoredPage& page, const internal::EncodeTuning& tuning,
                     ChoiceInfo* info);

}  // namespace dsi::tools
