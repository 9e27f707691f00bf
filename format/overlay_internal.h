// Section kind 7, which makes a file an overlay (spec F-087), and what it is bound to (F-086).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/format/core_internal.h"
#include "dsi/format/overlay.h"

namespace dsi::internal {

inline constexpr size_t kOverlayHeadSize = 16;
inline constexpr size_t kOverlayRowsSize = 16;

// F-086: of what the stripes of a file hold, in their order.
uint64_t RowsFingerprint(const Core& core, uint64_t salt);

// The binding without its stripe_rows.
std::vector<std::byte> EncodeOverlay(const OverlayBinding& binding);
// kCorrupt: what F-087 forbids, in a file of these stripes. Sets stripe_rows to theirs.
Result<OverlayBinding> DecodeOverlay(std::span<const std::byte> bytes, const Core& core);

// kInvalidArgument: a file could not have it.
Status CheckBinding(const OverlayBinding& binding);

// Which stripe of the base, whose stripes end at `base_ends`, each stripe of the overlay has the
// rows of. kBadInput: one has not those of one stripe (F-088).
Result<std::vector<uint32_t>> StripesOfBase(const OverlayBinding& binding,
                                            std::span<const uint64_t> base_ends);

}  // namespace dsi::internal
