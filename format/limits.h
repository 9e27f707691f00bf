// All limits in one place (spec F-090). "Format" limits are part of the format; the others may grow
// without changing it.
#pragma once

#include <cstdint>

namespace dsi {

inline constexpr uint32_t kMaxColumns =
    1U << 22;  // Format. Far above the 20,000 features of the widest known tables.
inline constexpr uint32_t kMaxSlots = 1U << 24;    // Format. Streams per stripe.
inline constexpr uint32_t kMaxStripes = 1U << 19;  // Format. As many as a core footer can hold.
inline constexpr uint32_t kMaxStripeRows =
    1U << 24;  // Format. Unique rows and runs fit 32 bits with room.
inline constexpr uint32_t kMaxListLength =
    (1U << 31) - 1;  // Format. A shape code is length + 1 in 32 bits.
inline constexpr uint64_t kMaxStreamValues = 0xFFFFFFFF;  // Format.
inline constexpr uint32_t kMaxRecordBytes = 4096;         // Format. A block of a sealed table.
inline constexpr uint32_t kMaxIdSpaces = 0xFFFF;          // Format. Ordinals below "none".
inline constexpr uint32_t kMaxPageBytes = 1U << 28;       // Format. Bounds one read.
inline constexpr uint32_t kMaxPageValues =
    1U << 20;  // Format. Bounds what one page decodes to: 8 MiB.
inline constexpr uint32_t kMaxCoreBytes = 1U
                                          << 26;  // Format. Bounds the FlatBuffer verifier's work.
inline constexpr uint32_t kMaxNameBytes = 4095;   // Format.
inline constexpr uint32_t kMaxTiers = 8;          // Format. Streams of one pool.
inline constexpr uint32_t kMaxNodeDepth = 6;      // Format. Bounds recursion in decoders.
inline constexpr uint32_t kMaxZstdWindow =
    1U << 26;  // Format. Bounds a decompressor's memory to 64 MiB.
inline constexpr uint32_t kMaxGroupChain =
    8;  // Format. A dedup group, its parent, that one's parent and so on.
inline constexpr uint64_t kMaxMetadataBytes = 1ULL << 30;  // Format. User metadata.
inline constexpr uint32_t kMaxSchemaBytes = 1U << 28;      // Not format. A schema file.
inline constexpr uint32_t kMaxSequenceColumns = 1024;      // Not format.

}  // namespace dsi
