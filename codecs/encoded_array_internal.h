// Array of values <-> bytes of a node (spec/encodings.md): what readers need, and writers for the
// most part. How writers choose is in choice/.
//
// Values are bit patterns of 1, 2, 4 or 8 bytes. Encoding: choose a plan on a sample, then encode
// page after page with it. Decoding: one call per page or packed stream; every check of the bytes
// happens inside. Thread safety: functions are pure; a DecodeScratch belongs to one thread at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/base/status.h"
#include "dsi/codecs/value_map_internal.h"

namespace dsi::internal {

// Other ids are unknown (E-005).
enum class Encoding : uint8_t {
  kRaw = 0,
  kConstant = 1,
  kPacked = 2,
  kDelta = 3,
  kRuns = 4,
  kDictionary = 5,
  kSharedDictionary = 6,
  kSparse = 8,
  kSplit = 9,
  kCompressed = 11,
  kSkewed = 12,
  kDecimal = 13,
};

inline constexpr size_t kNodeHeaderSize = 16;  // Spec E-001.

// A view of values to encode. `values` is aligned to `width`.
struct ArrayView {
  const void* values = nullptr;
  size_t count = 0;
  int width = 8;          // 1, 2, 4 or 8 bytes.
  bool is_float = false;  // Bits of float32 or float64, which say which encodings are tried.
};

// What a byte on disk and a nanosecond of decoding are worth against each other, and how hard to
// compress. Shipped constants, never measured while writing, so that equal input gives equal bytes
// (design: tunings).
struct EncodeTuning {
  double ns_per_byte = 4.0;  // Cost of reading one stored byte: 250 MB/s per core, a core's share
                             // of a local drive.
  int zstd_level = 3;        // 0: no zstd.
  bool lz4 = true;           // LZ4 may be tried.
  double accept_ratio =
      0.90;  // A compressed node is kept only when at most this share of the uncompressed bytes.
};

// A tree that says how to encode: the outcome of a choice, cheap to copy and to replay.
struct EncodePlan {
  Encoding encoding = Encoding::kRaw;
  uint8_t param = 0;      // Split: low bits. Compressed: codec. Decimal: exponent.
  uint8_t shift = 0;      // Split: trailing zero bits.
  bool sign_low = false;  // Split: the top bit stands in the low part.
  bool by_use = false;    // Dictionary: its most used entries first, else ascending.
  std::vector<EncodePlan> children;
  double estimated_bytes = 0;  // For the array it was chosen on.
  double estimated_ns = 0;     // Decode time by the shipped rates.
  bool literals_only = false;  // Compressed by Zstandard: entropy coding, no search for matches.

  std::string ToString() const;  // "compressed:zstd(dictionary(packed, raw))", for people.
};

// Picks the cheapest plan for an array of at most page_values values by encoding candidates on a
// sample. Deterministic. Never returns kSharedDictionary: the writer decides that, and chooses for
// the codes and the literals.
EncodePlan ChoosePlan(const ArrayView& array, const EncodeTuning& tuning);

// The plans that ChoosePlan weighs, cheapest first, with their estimates; for people who ask why.
std::vector<EncodePlan> RankPlans(const ArrayView& array, const EncodeTuning& tuning);

struct EncodeOutcome {
  std::optional<EncodePlan> instead;  // What was done as the plan did not fit.
  double choose_seconds = 0;          // Of fresh choices, those for nodes inside included.
};

struct EncodeContext;

// Chooses for one array and encodes it, in one way or several: what it learns about the values
// serves all calls. The values must outlive it unchanged, and so must the tuning.
class ArrayEncoder {
 public:
  // `levels_above`: of nodes that will stand around those that are made; all together may be
  // kMaxNodeDepth.
  ArrayEncoder(const ArrayView& array, const EncodeTuning& tuning, int levels_above = 0);
  ~ArrayEncoder();
  ArrayEncoder(const ArrayEncoder&) = delete;
  ArrayEncoder& operator=(const ArrayEncoder&) = delete;

  EncodePlan Choose();                                                        // As ChoosePlan.
  EncodeOutcome Encode(const EncodePlan& plan, std::vector<std::byte>* out);  // As EncodeNode.

 private:
  std::unique_ptr<EncodeContext> context_;
};

// Appends one node (16-byte header, payload, zero padding to 8; spec E-001) to *out. Where the plan
// does not fit this page's data (a delta of one value, a constant that is not, a split with low
// bits set) falls back to a fresh choice. count >= 1.
EncodeOutcome EncodeNode(const ArrayView& array, const EncodePlan& plan, const EncodeTuning& tuning,
                         std::vector<std::byte>* out, int levels_above = 0);

// Makes a node that will stand in another of an array.
using InnerEncoder = std::function<std::vector<std::byte>(const ArrayView& array)>;
InnerEncoder ByPlan(const EncodePlan& plan, const EncodeTuning& tuning);

// Appends a shared-dictionary node (E-051). The codes are encoded in the fewest bytes that hold
// them. The literals, whose width is that of the node, may be none; else as many codes as there are
// equal the number of the dictionary's entries.
void EncodeSharedCodes(std::span<const uint32_t> codes, const InnerEncoder& encode_codes,
                       const ArrayView& literals, const InnerEncoder& encode_literals,
                       std::vector<std::byte>* out);

// The dictionary stream that shared-dictionary nodes refer to; values of the width of the node.
// Empty: none in this context.
struct SharedDictionary {
  const void* values = nullptr;
  size_t count = 0;
  int width = 0;
  // What the map given to DecodeNode makes of the values, where that was found already.
  const void* mapped = nullptr;
};

// Buffers for nested nodes, reused from page to page so that decoding allocates nothing once warm.
// Charged to `budget`, which outlives them; null: not counted.
class DecodeScratch {
 public:
  explicit DecodeScratch(MemoryBudget* budget = nullptr);
  ~DecodeScratch();
  DecodeScratch(DecodeScratch&&) noexcept;
  DecodeScratch& operator=(DecodeScratch&&) noexcept;

  struct State;
  State* state() { return state_.get(); }

 private:
  std::unique_ptr<State> state_;
};

// Decodes one node that must occupy `bytes` exactly (with its padding) and hold `count` values of
// `width` bytes (E-002), into dst, which has room for exactly count * width bytes and is aligned
// to 8. Every rule of spec/encodings.md is checked; kCorrupt and kUnsupported say which. May throw
// std::bad_alloc when scratch grows (bounded by count, the spec's limits and scratch's budget).
// `map` not null: dst gets what it makes of the values, count * map->width() bytes; where these are
// the entries of a dictionary it is asked about each entry once.
Status DecodeNode(std::span<const std::byte> bytes, int width, size_t count,
                  const SharedDictionary& dictionary, DecodeScratch* scratch, void* dst,
                  const ValueMap* map = nullptr);

// As DecodeNode for a shared-dictionary node, but stops at the codes: dst receives `count` u32
// codes, each checked to be below dictionary_count or, where it stands for a literal, equal to it.
// kInvalidArgument if the outermost encoding is another.
Status DecodeSharedCodes(std::span<const std::byte> bytes, int width, size_t count,
                         size_t dictionary_count, DecodeScratch* scratch, uint32_t* dst);

// Size in bytes of the node that starts at bytes (header, payload, padding), checked to lie inside;
// for walkers such as inspect.
Result<size_t> NodeSize(std::span<const std::byte> bytes);

// One line that describes a node of `count` values (E-002) and its children, for inspect: "shared
// dictionary(compressed:zstd(raw u16))". Takes memory in proportion to count, as decoding does.
Result<std::string> DescribeNode(std::span<const std::byte> bytes, size_t count);

// Nanoseconds that the node takes to decode by the rates that choices go by; for people who ask
// why. Memory as above.
Result<double> DecodeNs(std::span<const std::byte> bytes, size_t count);

}  // namespace dsi::internal
