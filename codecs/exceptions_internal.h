// Positions and values of what does not fit the rest of an array (E-070, E-120).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {

class ExceptionsReader {
 public:
  explicit ExceptionsReader(DecodeScratch::State* scratch)
      : positions_reader_(scratch), values_reader_(scratch) {}

  // Reads both children, of at least one value each, and checks that positions increase below
  // `count`. `context.depth` is that of the children.
  Status Open(const NodeView& positions, const NodeView& values, size_t count,
              std::string_view name, std::string_view rule, const DecodeContext& context) {
    DSI_RETURN_IF_ERROR(positions_reader_.Open(positions, context));
    DSI_RETURN_IF_ERROR(values_reader_.Open(values, context));
    const uint32_t* const at = this->positions();
    const size_t exceptions = positions.count;
    bool increases = true;
    for (size_t i = 1; i < exceptions; ++i) increases &= at[i - 1] < at[i];
    if (increases && at[exceptions - 1] < count) return Status::Ok();
    return Corrupt("{}: positions do not increase below {} ({})", name, count, rule);
  }

  const uint32_t* positions() const {
    return reinterpret_cast<const uint32_t*>(positions_reader_.values());
  }
  const std::byte* values() const { return values_reader_.values(); }

 private:
  ArrayReader positions_reader_;
  ArrayReader values_reader_;
};

}  // namespace dsi::internal
