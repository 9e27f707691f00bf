// Learning a symbol table: start with single bytes; encode a sample, count codes and pairs of
// codes, keep those symbols and joined pairs that would save most; five times. What is kept depends
// on counts and on the bytes alone, so that equal input gives equal tables.
#include <algorithm>
#include <array>
#include <cstring>

#include "dsi/codecs/symbols/symbol_table_internal.h"
#include "dsi/codecs/width_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kSampleBytes = 16384;
constexpr size_t kSamplePiece = 512;
constexpr int kRounds = 5;
// Escaped bytes are counted as codes of their own, above those of symbols.
constexpr size_t kFirstByteCode = 256;
constexpr size_t kCodes = 512;

// Pieces spread over the bytes.
std::vector<std::byte> TakePieces(std::span<const std::byte> bytes) {
  if (bytes.size() <= kSampleBytes) return {bytes.begin(), bytes.end()};
  constexpr size_t kPieces = kSampleBytes / kSamplePiece;
  const size_t stride = (bytes.size() - kSamplePiece) / (kPieces - 1);
  std::vector<std::byte> sample;
  sample.reserve(kSampleBytes);
  for (size_t i = 0; i < kPieces; ++i) {
    const auto piece = bytes.subspan(i * stride, kSamplePiece);
    sample.insert(sample.end(), piece.begin(), piece.end());
  }
  return sample;
}

struct Candidate {
  Symbol symbol;
  uint64_t gain = 0;  // Bytes that it stands for.
};

class Learner {
 public:
  Learner() : pairs_(kCodes * kCodes) {}

  // Returns how many codes the sample takes.
  size_t Count(std::span<const std::byte> sample) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (const size_t pair : met_) pairs_[pair] = 0;
    met_.clear();
    const SymbolMatcher matcher(symbols_);
    size_t previous = kCodes;
    size_t codes = 0;
    for (size_t at = 0; at < sample.size(); ++codes) {
      uint64_t next = 0;
      const size_t left = sample.size() - at;
      std::memcpy(&next, &sample[at], std::min(left, kMaxSymbolSize));
      size_t code = matcher.Match(next, left);
      if (code == kEscapeCode) code = kFirstByteCode + (next & 0xFF);
      ++counts_[code];
      const size_t pair = previous * kCodes + code;
      if (previous != kCodes && ++pairs_[pair] == 1) met_.push_back(pair);
      previous = code;
      at += SymbolOf(code).size;
    }
    return codes;
  }

  void Choose() {
    std::vector<Candidate> candidates;
    for (size_t first = 0; first < kCodes; ++first) {
      if (counts_[first] == 0) continue;
      const Symbol a = SymbolOf(first);
      // An escape costs two bytes: symbols of one byte save more than their size says.
      constexpr uint64_t kOneByteBonus = 8;
      candidates.push_back({a, counts_[first] * (a.size == 1 ? kOneByteBonus : a.size)});
    }
    for (const size_t pair : met_) {
      // Chance pairs would push out what recurs.
      constexpr uint64_t kFewest = 3;
      const Symbol a = SymbolOf(pair / kCodes);
      const Symbol b = SymbolOf(pair % kCodes);
      const uint32_t size = a.size + b.size;
      if (pairs_[pair] < kFewest || size > kMaxSymbolSize) continue;
      candidates.push_back(
          {{a.bytes | b.bytes << (8 * a.size), size}, uint64_t{pairs_[pair]} * size});
    }
    MergeEqual(&candidates);
    const auto better = [](const Candidate& a, const Candidate& b) {
      if (a.gain != b.gain) return a.gain > b.gain;
      if (a.symbol.size != b.symbol.size) return a.symbol.size > b.symbol.size;
      return a.symbol.bytes < b.symbol.bytes;
    };
    const size_t kept = std::min(candidates.size(), kMaxSymbols);
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                      candidates.end(), better);
    symbols_.clear();
    for (size_t i = 0; i < kept; ++i) symbols_.push_back(candidates[i].symbol);
  }

  // Symbols that the last count did not meet, or too rarely to pay for their place, go.
  std::vector<Symbol> Used() const {
    std::vector<Symbol> used;
    for (size_t code = 0; code < symbols_.size(); ++code) {
      const uint64_t saved = counts_[code] * symbols_[code].size;
      if (saved > symbols_[code].size + 1) used.push_back(symbols_[code]);
    }
    return used;
  }

 private:
  Symbol SymbolOf(size_t code) const {
    if (code < kFirstByteCode) return symbols_[code];
    return {code - kFirstByteCode, 1};
  }

  // The same bytes may come from several pairs.
  static void MergeEqual(std::vector<Candidate>* candidates) {
    std::sort(candidates->begin(), candidates->end(), [](const Candidate& a, const Candidate& b) {
      return a.symbol.bytes != b.symbol.bytes ? a.symbol.bytes < b.symbol.bytes
                                              : a.symbol.size < b.symbol.size;
    });
    size_t kept = 0;
    for (const Candidate& candidate : *candidates) {
      if (kept != 0 && (*candidates)[kept - 1].symbol == candidate.symbol) {
        (*candidates)[kept - 1].gain += candidate.gain;
      } else {
        (*candidates)[kept++] = candidate;
      }
    }
    candidates->resize(kept);
  }

  std::vector<Symbol> symbols_;
  std::array<uint32_t, kCodes> counts_ = {};
  static_assert(kSampleBytes <= UINT16_MAX);
  std::vector<uint16_t> pairs_;
  std::vector<size_t> met_;  // Pairs with a count.
};

}  // namespace

std::vector<Symbol> LearnSymbols(std::span<const std::byte> bytes) {
  const std::vector<std::byte> sample = TakePieces(bytes);
  Learner learner;
  for (int round = 0; round < kRounds; ++round) {
    const size_t codes = learner.Count(sample);
    // Where pairs of bytes hardly recur, longer strings do not either.
    if (round == 1 && codes > sample.size() - sample.size() / 16) return {};
    learner.Choose();
  }
  learner.Count(sample);
  return learner.Used();
}

}  // namespace dsi::internal
