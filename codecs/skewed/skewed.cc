// Skewed: each number's class, and its offset in the class in that class's bits (E-110).
#include "dsi/codecs/skewed/skewed_internal.h"

#include <algorithm>
#include <bit>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/dictionary/gather_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kTableBytes = 8 * kMaxClasses + kMaxClasses;
// How finely classes are searched: among how many numbers, and places where one may start.
struct Fineness {
  size_t numbers;
  size_t starts;
};
constexpr Fineness kToEncode = {2048, 1024};
constexpr Fineness kToChoose = {1024, 128};
// Less gain than this share of the packed size is not worth a search.
constexpr double kLeastGain = 0.03;

Result<SkewedClasses> LoadClasses(const NodeView& node) {
  SkewedClasses classes;
  classes.count = node.param;
  if (classes.count < 2 || classes.count > kMaxClasses)
    return Corrupt("skewed: {} classes, expected 2 to {} (E-110)", classes.count, kMaxClasses);
  if (node.payload.size() < kTableBytes) {
    return Corrupt("skewed: payload of {} bytes, expected at least {} (E-110)", node.payload.size(),
                   kTableBytes);
  }
  for (size_t c = 0; c < kMaxClasses; ++c) {
    classes.base[c] = LoadLE<uint64_t>(node.payload.data() + 8 * c);
    classes.bits[c] = static_cast<uint8_t>(node.payload[8 * kMaxClasses + c]);
    if ((classes.base[c] & ~LowMask(8 * node.width)) != 0)
      return Corrupt("skewed: base {:#x} does not fit {} bytes (E-110)", classes.base[c],
                     node.width);
    if (classes.bits[c] > MostOffsetBits(node.width)) {
      return Corrupt("skewed: offsets of {} bits, at most {} can be (E-110)", classes.bits[c],
                     MostOffsetBits(node.width));
    }
    if (c >= classes.count && (classes.base[c] != 0 || classes.bits[c] != 0))
      return Corrupt("skewed: class {} of {} is not zero (E-110)", c, classes.count);
  }
  return classes;
}

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  DSI_ASSIGN_OR_RETURN(const SkewedClasses classes, LoadClasses(node));
  ChildWalk children(node.payload.subspan(kTableBytes));
  DSI_ASSIGN_OR_RETURN(const NodeView selectors_node, children.Next(1, node.count));
  ArrayReader selectors_reader(context.scratch);
  DSI_RETURN_IF_ERROR(selectors_reader.Open(selectors_node, Deeper(context)));
  const uint32_t largest = LargestCode(selectors_reader.values(), 1, node.count);
  if (largest >= classes.count)
    return Corrupt("skewed: class {} of {} (E-110)", largest, classes.count);
  const auto* selectors = reinterpret_cast<const uint8_t*>(selectors_reader.values());
  const uint64_t bits = SumOfBits(classes, selectors, node.count);
  const size_t num_words = static_cast<size_t>((bits + 63) / 64);
  ArrayReader words_reader(context.scratch);
  if (num_words != 0) {
    DSI_ASSIGN_OR_RETURN(const NodeView words_node, children.Next(8, num_words));
    DSI_RETURN_IF_ERROR(words_reader.Open(words_node, Deeper(context)));
    const auto last = LoadLE<uint64_t>(words_reader.values() + 8 * (num_words - 1));
    if (bits % 64 != 0 && (last >> (bits % 64)) != 0)
      return Corrupt("skewed: bits after the last offset are not zero (E-110)");
  }
  DSI_RETURN_IF_ERROR(children.End());
  JoinSkewed(classes, selectors, node.count,
             reinterpret_cast<const uint64_t*>(words_reader.values()), num_words, node.width, dst);
  return Status::Ok();
}

// Classes of an array, from numbers evenly spread over it.
template <typename T>
SkewedClasses ClassesOf(std::span<const T> values, const Fineness& fineness) {
  const size_t count = std::min(values.size(), fineness.numbers);
  std::vector<uint64_t> sample(count);
  for (size_t i = 0; i < count; ++i) sample[i] = values[i * values.size() / count];
  std::sort(sample.begin(), sample.end());
  return ChooseClasses(sample, MostOffsetBits(sizeof(T)), fineness.starts);
}

// Numbers in the classes of a sample: those that no class holds widen one.
template <typename T>
struct Coded {
  SkewedClasses classes;
  std::vector<uint8_t> selectors;
  std::vector<uint64_t> words;
  bool fits = false;
};

// The class of each value: how many classes after the first start at it or below. A pass for each
// class is what compilers vectorise.
template <typename T>
std::vector<uint8_t> FindClasses(const SkewedClasses& classes, std::span<const T> values) {
  constexpr size_t kBlock = 1024;
  std::vector<uint8_t> found(values.size());
  for (size_t first = 0; first < values.size(); first += kBlock) {
    const std::span<const T> block = values.subspan(first, std::min(kBlock, values.size() - first));
    std::array<T, kBlock> counts = {};
    for (size_t c = 1; c < classes.count; ++c) {
      const T base = static_cast<T>(classes.base[c]);
      for (size_t i = 0; i < block.size(); ++i)
        counts[i] = static_cast<T>(counts[i] + (block[i] >= base ? 1 : 0));
    }
    for (size_t i = 0; i < block.size(); ++i) found[first + i] = static_cast<uint8_t>(counts[i]);
  }
  return found;
}

// Bits of the largest offset of each class; false: too many.
template <typename T>
bool FitOffsets(std::span<const T> values, std::span<const uint8_t> selectors,
                SkewedClasses* classes) {
  // Neighbours, often of one class, do not wait for each other.
  std::array<std::array<uint64_t, kMaxClasses>, 4> widest = {};
  for (size_t i = 0; i < values.size(); ++i)
    widest[i % 4][selectors[i]] |= values[i] - classes->base[selectors[i]];
  for (size_t c = 0; c < classes->count; ++c) {
    const int bits = BitsFor(widest[0][c] | widest[1][c] | widest[2][c] | widest[3][c]);
    if (bits > MostOffsetBits(sizeof(T))) return false;
    classes->bits[c] = static_cast<uint8_t>(bits);
  }
  return true;
}

template <typename T>
std::vector<uint64_t> PackOffsets(const SkewedClasses& classes, std::span<const T> values,
                                  std::span<const uint8_t> selectors) {
  const uint64_t all = SumOfBits(classes, selectors.data(), selectors.size());
  std::vector<uint64_t> words(static_cast<size_t>((all + 63) / 64));
  uint64_t word = 0;
  int filled = 0;
  auto next = words.begin();
  const auto append = [&](uint64_t offsets, int bits) {
    word |= offsets << filled;
    filled += bits;
    if (filled < 64) return;
    *next++ = word;
    filled -= 64;
    word = filled == 0 ? 0 : offsets >> (bits - filled);
  };
  const auto offset = [&](size_t i) -> uint64_t { return values[i] - classes.base[selectors[i]]; };
  // As many as fit a word at once, so that fewer wait for the one before.
  constexpr size_t kAtOnce = 64 / MostOffsetBits(sizeof(T));
  size_t i = 0;
  for (; i + kAtOnce <= values.size(); i += kAtOnce) {
    uint64_t offsets = 0;
    int bits = 0;
    for (size_t k = 0; k < kAtOnce; ++k) {
      offsets |= offset(i + k) << bits;
      bits += classes.bits[selectors[i + k]];
    }
    append(offsets, bits);
  }
  for (; i < values.size(); ++i) append(offset(i), classes.bits[selectors[i]]);
  if (filled != 0) *next = word;
  return words;
}

template <typename T>
Coded<T> CodeIn(SkewedClasses classes, std::span<const T> values) {
  Coded<T> coded;
  classes.base[0] = *std::min_element(values.begin(), values.end());
  coded.selectors = FindClasses(classes, values);
  coded.fits = FitOffsets<T>(values, coded.selectors, &classes);
  if (!coded.fits) return coded;
  coded.words = PackOffsets<T>(classes, values, coded.selectors);
  coded.classes = classes;
  return coded;
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  return VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> values = Values<T>(array);
    const SkewedClasses classes = ClassesOf(values, kToEncode);
    if (classes.count < 2) return false;
    const Coded<T> coded = CodeIn(classes, values);
    if (!coded.fits) return false;
    NodeWriter writer(out, Encoding::kSkewed, array.width, array.count);
    writer.SetParam(static_cast<uint8_t>(coded.classes.count));
    for (const uint64_t base : coded.classes.base) AppendLE<uint64_t>(out, base);
    for (const uint8_t bits : coded.classes.bits) AppendLE<uint8_t>(out, bits);
    EncodeChild(ViewOf<uint8_t>(coded.selectors), plan, 0, context, out);
    if (!coded.words.empty()) EncodeChild(ViewOf<uint64_t>(coded.words), plan, 1, context, out);
    writer.Finish();
    return true;
  });
}

// Bits per number were numbers sorted by their size into classes by powers of two, each coded at
// its entropy: about what eight classes reach.
template <typename T>
double HopedBits(std::span<const T> values) {
  const T least = *std::min_element(values.begin(), values.end());
  std::array<size_t, 65> of_bits = {};
  for (const T value : values)
    ++of_bits[static_cast<size_t>(BitsFor(static_cast<T>(value - least)))];
  double bits = 0;
  const double total = static_cast<double>(values.size());
  for (size_t b = 0; b < of_bits.size(); ++b) {
    if (of_bits[b] == 0) continue;
    const double n = static_cast<double>(of_bits[b]);
    bits += n * (Log2(total / n) + static_cast<double>(b == 0 ? 0 : b - 1));
  }
  return bits / total;
}

void Consider(Chooser* chooser) {
  constexpr size_t kFewest = 256;
  const ArrayView& sample = chooser->sample();
  if (sample.count < kFewest || sample.width == 1 || sample.is_float || !chooser->HasRoomBelow(1))
    return;
  VisitWidth(sample.width, [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> values = Values<T>(sample);
    const double packed = static_cast<double>(chooser->packed_payload());
    const double hoped = HopedBits(values) * static_cast<double>(values.size()) / 8;
    if (hoped > packed * (1 - kLeastGain)) return;
    EncodePlan plan;
    plan.encoding = Encoding::kSkewed;
    if (!chooser->WouldWin(plan, kTableBytes + hoped * chooser->scale(), sample.width)) return;
    const SkewedClasses classes = ClassesOf(values, kToChoose);
    if (classes.count < 2) return;
    const Coded<T> coded = CodeIn(classes, values);
    if (!coded.fits) return;
    plan.children.resize(2);  // Selectors, and offsets, which look random.
    plan.children[1].estimated_bytes =
        NodeBytes(8.0 * static_cast<double>(coded.words.size()) * chooser->scale());
    if (!chooser->LimitChildren(plan, kTableBytes, sample.width)) return;
    plan.children[0] = chooser->ChooseChild(ViewOf<uint8_t>(coded.selectors), chooser->scale(),
                                            chooser->chunk(), kLeafEncodings);
    chooser->Offer(std::move(plan), kTableBytes, sample.width);
  });
}

}  // namespace

const EncodingRow kSkewedEncoding = {
    Encoding::kSkewed, "skewed", kUsesParam, static_cast<int>(kTableBytes), Decode, Encode,
    Consider,
};

}  // namespace dsi::internal
