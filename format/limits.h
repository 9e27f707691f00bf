// All limits in one place (spec F-090).
#pragma once

#include <cstdint>

namespace dsi {

// Limits of the format: a file beyond one of them is damaged, whoever reads it.

// Far above the 20,000 features of the widest known tables.
inline constexpr uint32_t kMaxColumns = 1U << 22;
// Streams of a stripe.
inline constexpr uint32_t kMaxSlots = 1U << 24;
// As many as a core footer can hold.
inline constexpr uint32_t kMaxStripes = 1U << 19;
// Unique rows and runs fit 32 bits with room.
inline constexpr uint32_t kMaxStripeRows = 1U << 24;
// A shape code is the length + 1, in 32 bits.
inline constexpr uint32_t kMaxListLength = (1U << 31) - 1;
// Values of a stream of a stripe.
inline constexpr uint64_t kMaxStreamValues = 0xFFFFFFFF;
// A record fits a block of its table.
inline constexpr uint32_t kMaxRecordBytes = 4096;
// Ordinals in 16 bits, one of which means "none".
inline constexpr uint32_t kMaxIdSpaces = 0xFFFF;
// Bounds one read.
inline constexpr uint32_t kMaxPageBytes = 1U << 28;
// Bounds what one page decodes to: 8 MiB.
inline constexpr uint32_t kMaxPageValues = 1U << 20;
// Bounds the work of checking the core footer.
inline constexpr uint32_t kMaxCoreBytes = 1U << 26;
inline constexpr uint32_t kMaxNameBytes = 4095;
// Streams that one pool of values is spread over.
inline constexpr uint32_t kMaxTiers = 8;
// Encodings inside of encodings: bounds the recursion of decoders.
inline constexpr uint32_t kMaxNodeDepth = 6;
// Bounds the memory of a decompressor to 64 MiB.
inline constexpr uint32_t kMaxZstdWindow = 1U << 26;
// A dedup group, its parent, that one's parent and so on.
inline constexpr uint32_t kMaxGroupChain = 8;
// User metadata.
inline constexpr uint64_t kMaxMetadataBytes = 1ULL << 30;

// Not of the format: these may grow.

// The JSON of a schema.
inline constexpr uint32_t kMaxSchemaBytes = 1U << 28;
inline constexpr uint32_t kMaxSequenceColumns = 1024;

}  // namespace dsi
