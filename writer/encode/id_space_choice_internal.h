// Which columns of an id space share a dictionary in one stripe, and in what order it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/writer/encode/plan_memory_internal.h"
#include "dsi/writer/encode/stripe_encoder_internal.h"

namespace dsi::internal {

// What is encoded side by side, with a plan for each: of a column its ids, codes into a dictionary
// in either order, and ids that the dictionary does not hold; of a dictionary the ids in either
// order. A column with a source has places in it instead.
enum IdWay : uint32_t {
  kIdsWay,
  kCodesWay,
  kCodesByUseWay,
  kLiteralsWay,
  kPlacesWay,
  kPlaceLiteralsWay
};
static_assert(kPlaceLiteralsWay < PlanMemory::kWays);

// One tier of a column, while the choice is made.
template <typename T>
struct IdSpaceMember {
  uint32_t slot = 0;
  bool is_read_alone = true;  // Tiers are not, so that a share of the dictionary says little.
  Type type = Type::kInt64;
  std::vector<std::byte> bytes;
  IdWay way = kIdsWay;  // In which it is stored; the outcome, like what follows.
  std::vector<uint32_t> codes;
  std::vector<T> literals;  // Of the codes that no entry has.
  double direct_cost = 0;
  double literals_cost = 0;
  double coded_cost = 0;  // That of literals included.

  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  ArrayView literals_view() const {
    return {.values = literals.data(), .count = literals.size(), .width = sizeof(T)};
  }
};

// Distinct ids in the order of their codes, and the plan they are stored by; none: no member
// shares.
template <typename T>
struct IdDictionary {
  std::vector<T> ids;
  uint32_t slot = 0;
  IdWay way = kIdsWay;
  double cost = 0;

  ArrayView view() const { return {.values = ids.data(), .count = ids.size(), .width = sizeof(T)}; }
};

// Gives every member its way, and codes to those that share. Encodes a page made of pieces of each
// stream to price it, by the plan that is remembered of that way. T: uint32_t or uint64_t.
template <typename T>
IdDictionary<T> ChooseDictionary(uint32_t slot, const StripeOptions& options,
                                 std::span<IdSpaceMember<T>> members);

}  // namespace dsi::internal
