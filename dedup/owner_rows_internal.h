// What rows take from their owners: the unique rows of a parent group (spec D-001 form 4, D-005).
//
// Thread safety: functions are pure. No allocation. SIMD is chosen at run time; the output is the
// same on every CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dsi::internal {

// The greatest of the codes; 0: there are none.
uint32_t GreatestCode(std::span<const uint32_t> codes);
// All bits that one of the codes has.
uint32_t BitsOfCodes(std::span<const uint32_t> codes);

// out[i] = codes[owners[i]]. Preconditions: every owner is below codes.size(); out has room for
// owners.size() values.
void TakeOfOwners(std::span<const uint32_t> codes, std::span<const uint32_t> owners, uint32_t* out);

// rows[i] += starts[owners[i]]. Preconditions: as above.
void AddOfOwners(std::span<const uint32_t> starts, std::span<const uint32_t> owners,
                 uint32_t* rows);

}  // namespace dsi::internal
