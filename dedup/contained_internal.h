// Which arrays of many hold most of what another holds, told by samples: hashes of a few values
// that follow one another, one in so many, the same ones of every array.
//
// Thread safety: functions are pure; deterministic.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace dsi::internal {

// The distinct hashes looked at, ascending. Those of arrays of other seeds are others. T: uint32_t
// or uint64_t. Cost: a hash per value.
template <typename T>
std::vector<uint64_t> SampleGrams(std::span<const T> values, uint64_t seed);

// By two of the samples: which share of the first one's hashes the second has, where that is half
// or more. What very many have says nothing. Cost: that of sorting all of them.
std::map<std::pair<uint32_t, uint32_t>, double> FindContained(
    std::span<const std::vector<uint64_t>> samples);

}  // namespace dsi::internal
