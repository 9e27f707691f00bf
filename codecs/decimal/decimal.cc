// Decimal: floats that are integers divided by a power of ten, and the exceptions among them
// (E-120).
#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/decimal/decimal_internal.h"
#include "dsi/codecs/decimal/find_decimals_internal.h"
#include "dsi/codecs/exceptions_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/stored_value_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// More exceptions than one in this many values, and another encoding is smaller and faster.
constexpr size_t kValuesPerException = 4;

Status CheckFields(const NodeView& node) {
  if (node.width != 4 && node.width != 8) {
    return Corrupt("decimal: width {}, expected 4 or 8 (E-120)", node.width);
  }
  if (node.param > MaxDecimalExponent(node.width)) {
    return Corrupt("decimal: exponent {}, expected at most {} (E-120)", node.param,
                   MaxDecimalExponent(node.width));
  }
  if (node.aux >= node.count) {
    return Corrupt("decimal: {} exceptions, expected below {} (E-120)", node.aux, node.count);
  }
  return Status::Ok();
}

Status DecodeIntegers(const NodeView& codes_node, const NodeView& node, uint64_t base,
                      const DecodeContext& context, std::byte* dst) {
  BlockReader codes(context.scratch);
  DSI_RETURN_IF_ERROR(codes.Open(codes_node, Deeper(context)));
  DecimalParts parts;
  parts.code_width = codes_node.width;
  parts.base = base;
  parts.exponent = node.param;
  for (size_t left = node.count; left != 0;) {
    size_t n = 0;
    parts.codes = codes.Next(&n);
    if (!JoinDecimal(parts, n, node.width, dst)) {
      return Corrupt("decimal: an integer outside -2^{} … 2^{} - 1 (E-120)",
                     DecimalIntegerBits(node.width), DecimalIntegerBits(node.width));
    }
    dst += n * node.width;
    left -= n;
  }
  return Status::Ok();
}

Status PutExceptions(const NodeView& positions_node, const NodeView& values_node,
                     const NodeView& node, const DecodeContext& context, std::byte* dst) {
  ExceptionsReader reader(context.scratch);
  DSI_RETURN_IF_ERROR(
      reader.Open(positions_node, values_node, node.count, "decimal", "E-120", Deeper(context)));
  const uint32_t* const positions = reader.positions();
  VisitWidth(node.width, [&](auto zero) {
    using T = decltype(zero);
    const auto* values = reinterpret_cast<const T*>(reader.values());
    for (size_t i = 0; i < node.aux; ++i) reinterpret_cast<T*>(dst)[positions[i]] = values[i];
  });
  return Status::Ok();
}

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  DSI_RETURN_IF_ERROR(CheckFields(node));
  uint64_t base = 0;
  DSI_RETURN_IF_ERROR(LoadStoredValue(node, "decimal", "E-120", &base));
  ChildWalk children(node.payload.subspan(kStoredValueSize));
  DSI_ASSIGN_OR_RETURN(const NodeView codes, children.NextOfWidthUpTo(node.width, node.count));
  if (node.aux == 0) {
    DSI_RETURN_IF_ERROR(children.End());
    return DecodeIntegers(codes, node, base, context, dst);
  }
  DSI_ASSIGN_OR_RETURN(const NodeView positions, children.Next(4, node.aux));
  DSI_ASSIGN_OR_RETURN(const NodeView values, children.Next(node.width, node.aux));
  DSI_RETURN_IF_ERROR(children.End());
  DSI_RETURN_IF_ERROR(DecodeIntegers(codes, node, base, context, dst));
  return PutExceptions(positions, values, node, context, dst);
}

// integer - base as codes of the smallest width that holds the range.
std::vector<uint64_t> CodesOf(std::span<const int64_t> integers, int64_t base, int width) {
  std::vector<uint64_t> words((integers.size() * static_cast<size_t>(width) + 7) / 8);
  VisitWidth(width, [&](auto zero) {
    using Code = decltype(zero);
    Code* codes = reinterpret_cast<Code*>(words.data());
    for (size_t i = 0; i < integers.size(); ++i)
      codes[i] =
          static_cast<Code>(static_cast<uint64_t>(integers[i]) - static_cast<uint64_t>(base));
  });
  return words;
}

template <typename T>
bool EncodeOf(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
              std::vector<std::byte>* out) {
  Decimals<T> found;
  if (!FindDecimals(Values<T>(array), plan.param, array.count / kValuesPerException, &found))
    return false;
  NodeWriter writer(out, Encoding::kDecimal, array.width, array.count);
  writer.SetParam(plan.param);
  writer.SetAux(static_cast<uint32_t>(found.positions.size()));
  AppendLE<uint64_t>(out, static_cast<T>(found.smallest));
  const int width = WidthForBits(BitsFor(found.range));
  const auto codes = CodesOf(found.integers, found.smallest, width);
  EncodeChild({codes.data(), array.count, width}, plan, 0, context, out);
  if (!found.positions.empty()) {
    EncodeChild(ViewOf<uint32_t>(found.positions), plan, 1, context, out);
    EncodeChild(ViewOf<T>(found.exceptions), plan, 2, context, out);
  }
  writer.Finish();
  return true;
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  if (array.width < 4 || plan.param > MaxDecimalExponent(array.width)) return false;
  return array.width == 4 ? EncodeOf<uint32_t>(array, plan, context, out)
                          : EncodeOf<uint64_t>(array, plan, context, out);
}

// The plan of the codes. What a codec makes of them shows in all of them (matches lie far apart),
// so where the sample calls for one it is asked again with the whole array.
template <typename T>
EncodePlan ChooseCodes(Chooser* chooser, const Decimals<T>& sampled, int exponent) {
  // Where values repeat, a dictionary, runs or a sparse node stands above and has been tried.
  const EncodingSet allowed = kLeafEncodings | SetOf(Encoding::kDelta, Encoding::kSkewed);
  const ArrayView& whole = chooser->whole();
  Decimals<T> found;
  const auto choose = [&](const Decimals<T>& all) {
    const int width = WidthForBits(BitsFor(all.range));
    const auto codes = CodesOf(sampled.integers, all.smallest, width);
    const auto all_codes = CodesOf(all.integers, all.smallest, width);
    return chooser->ChooseChild({codes.data(), sampled.integers.size(), width},
                                {all_codes.data(), all.integers.size(), width}, chooser->scale(),
                                chooser->chunk(), allowed);
  };
  EncodePlan plan = choose(sampled);
  const bool ask_again =
      plan.encoding == Encoding::kCompressed && chooser->has_whole() &&
      FindDecimals(Values<T>(whole), exponent, whole.count / kValuesPerException, &found);
  return ask_again ? choose(found) : plan;
}

template <typename T>
void ConsiderOf(Chooser* chooser) {
  const std::span<const T> values = Values<T>(chooser->sample());
  const int exponent = ChooseExponent(values);
  Decimals<T> found;
  if (exponent < 0 || !FindDecimals(values, exponent, values.size() / kValuesPerException, &found))
    return;
  EncodePlan plan;
  plan.encoding = Encoding::kDecimal;
  plan.param = static_cast<uint8_t>(exponent);
  const int width = chooser->sample().width;
  if (!chooser->LimitChildren(plan, kStoredValueSize, width)) return;
  plan.children.push_back(ChooseCodes(chooser, found, exponent));
  if (!found.positions.empty()) {
    const size_t exceptions = found.positions.size();
    plan.children.push_back(chooser->ChooseChild(ViewOf<uint32_t>(found.positions),
                                                 chooser->scale(), exceptions, kLeafEncodings));
    plan.children.push_back(chooser->ChooseChild(ViewOf<T>(found.exceptions), chooser->scale(),
                                                 exceptions,
                                                 kLeafEncodings | SetOf(Encoding::kDictionary)));
  }
  chooser->Offer(std::move(plan), kStoredValueSize, width);
}

void Consider(Chooser* chooser) {
  if (!chooser->HasRoomBelow(1)) return;
  if (chooser->sample().width == 4) ConsiderOf<uint32_t>(chooser);
  if (chooser->sample().width == 8) ConsiderOf<uint64_t>(chooser);
}

}  // namespace

const EncodingRow kDecimalEncoding = {
    Encoding::kDecimal,
    "decimal",
    kUsesParam | kUsesAux,
    static_cast<int>(kStoredValueSize),
    Decode,
    Encode,
    Consider,
};

}  // namespace dsi::internal
