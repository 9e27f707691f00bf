// Holds what was encoded against what it was encoded of, by decoding it again: what a fault of the
// machine or of an encoder has made of values is found before the file is published.
#pragma once

#include <cstdint>

#include "dsi/writer/encode/stream_encoder_internal.h"

namespace dsi::internal {

// The stream decodes to these values, bit for bit. Cost: that of decoding.
bool DecodesTo(const EncodedStream& stream, const ArrayView& values, uint32_t page_values);
// The same of codes into a dictionary, and of what is not in it.
bool DecodesTo(const EncodedStream& stream, const CodedIds& ids, uint32_t page_values);

}  // namespace dsi::internal
