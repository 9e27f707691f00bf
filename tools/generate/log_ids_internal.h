// Ids in the rows of simulated logs, and the short lists of them that move as things happen.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "dsi/tools/generate/counter_rng_internal.h"
#include "dsi/tools/generate/json_text_internal.h"

namespace dsi::tools {

// Writes ids as they are or as 63-bit hashes. Ids of one space are the same wherever they occur.
class IdWriter {
 public:
  enum Space : uint8_t { kItem = 1, kUser, kCategory, kWord, kSession, kOther };

  explicit IdWriter(bool hashed) : hashed_(hashed) {}

  void Append(uint64_t id, Space space, JsonText* text) const {
    text->AppendInteger(hashed_ ? HashedId(id, space) : static_cast<int64_t>(id));
  }

 private:
  bool hashed_;
};

// The last `kCapacity` ids of something, oldest first.
template <uint32_t kCapacity>
class RecentIds {
 public:
  void Push(uint32_t id) { ids_[count_++ % kCapacity] = id; }

  uint32_t size() const { return std::min(count_, kCapacity); }
  // From 0, the oldest, to size() - 1.
  uint32_t At(uint32_t i) const { return ids_[(count_ - size() + i) % kCapacity]; }
  // The newest, or 0 where there is none.
  uint32_t Last() const { return count_ == 0 ? 0 : At(size() - 1); }
  bool Contains(uint32_t id) const {
    return std::find(ids_.begin(), ids_.begin() + size(), id) != ids_.begin() + size();
  }

  // As a JSON list of the newest `most`.
  void AppendTo(const IdWriter& ids, IdWriter::Space space, JsonText* text,
                uint32_t most = kCapacity) const {
    const uint32_t first = size() - std::min(most, size());
    text->Append('[');
    for (uint32_t i = first; i < size(); ++i) {
      if (i != first) text->Append(',');
      ids.Append(At(i), space, text);
    }
    text->Append(']');
  }

 private:
  std::array<uint32_t, kCapacity> ids_ = {};
  uint32_t count_ = 0;
};

}  // namespace dsi::tools
