// Symbols: bytes that recur as short strings, one code byte each, and a child with the codes
// (E-130).
#include <algorithm>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/symbols/symbol_table_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// Sizes and bytes of the symbols, from the first two children.
Status LoadTable(const NodeView& node, const DecodeContext& context, ChildWalk* children,
                 DecodeTable* table) {
  const size_t symbols = node.param;
  DSI_ASSIGN_OR_RETURN(const NodeView sizes_node, children->Next(1, symbols));
  ArrayReader sizes(context.scratch);
  DSI_RETURN_IF_ERROR(sizes.Open(sizes_node, Deeper(context)));
  size_t total = 0;
  for (size_t code = 0; code < symbols; ++code) {
    const auto size = static_cast<uint8_t>(sizes.values()[code]);
    if (size < 1 || size > kMaxSymbolSize) {
      return Corrupt("symbols: symbol {} of {} bytes, expected 1 to 8 (E-130)", code, size);
    }
    table->sizes[code] = size;
    total += size;
  }
  DSI_ASSIGN_OR_RETURN(const NodeView bytes_node, children->Next(1, total));
  ArrayReader bytes(context.scratch);
  DSI_RETURN_IF_ERROR(bytes.Open(bytes_node, Deeper(context)));
  const std::byte* at = bytes.values();
  for (size_t code = 0; code < symbols; ++code) {
    std::memcpy(&table->bytes[code], at, table->sizes[code]);
    at += table->sizes[code];
  }
  return Status::Ok();
}

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  if (node.width != 1) {
    return Corrupt("symbols: width {}, expected 1 (E-130)", node.width);
  }
  if (node.param == 0 || node.param > kMaxSymbols) {
    return Corrupt("symbols: {} symbols, expected 1 to {} (E-130)", node.param, kMaxSymbols);
  }
  const size_t num_codes = node.aux;
  if (num_codes < 1 || num_codes > 2 * size_t{node.count}) {
    return Corrupt("symbols: {} codes, expected 1 to {} (E-130)", num_codes,
                   2 * size_t{node.count});
  }
  DecodeTable table;
  ChildWalk children(node.payload);
  DSI_RETURN_IF_ERROR(LoadTable(node, context, &children, &table));
  DSI_ASSIGN_OR_RETURN(const NodeView codes, children.Next(1, num_codes));
  DSI_RETURN_IF_ERROR(children.End());
  ArrayReader reader(context.scratch);
  DSI_RETURN_IF_ERROR(reader.Open(codes, Deeper(context)));
  if (!ExpandSymbols(table, {reader.values(), num_codes}, node.count, dst)) {
    return Corrupt("symbols: the codes do not stand for {} bytes (E-130)", node.count);
  }
  return Status::Ok();
}

// A table as two arrays.
struct TableArrays {
  explicit TableArrays(std::span<const Symbol> symbols) {
    for (const Symbol& symbol : symbols) {
      sizes.push_back(static_cast<uint8_t>(symbol.size));
      for (uint32_t i = 0; i < symbol.size; ++i)
        bytes.push_back(static_cast<uint8_t>(symbol.bytes >> (8 * i)));
    }
  }
  std::vector<uint8_t> sizes;
  std::vector<uint8_t> bytes;
};

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  if (array.width != 1) return false;
  const std::vector<Symbol> symbols = LearnSymbols(BytesOf(array));
  if (symbols.empty()) return false;
  const std::vector<uint8_t> codes =
      ShortenWithSymbols(SymbolMatcher(symbols), symbols, BytesOf(array));
  NodeWriter writer(out, Encoding::kSymbols, 1, array.count);
  writer.SetParam(static_cast<uint8_t>(symbols.size()));
  writer.SetAux(static_cast<uint32_t>(codes.size()));
  const TableArrays table(symbols);
  EncodeChild(ViewOf<uint8_t>(table.sizes), plan, 0, context, out);
  EncodeChild(ViewOf<uint8_t>(table.bytes), plan, 1, context, out);
  EncodeChild(ViewOf<uint8_t>(codes), plan, 2, context, out);
  writer.Finish();
  return true;
}

void Consider(Chooser* chooser) {
  // A table must pay for itself.
  constexpr double kFewestBytes = 2048;
  constexpr EncodingSet kPlainEncodings = SetOf(Encoding::kRaw, Encoding::kPacked);
  const ArrayView& sample = chooser->sample();
  if (sample.width != 1 || chooser->total_count() < kFewestBytes || !chooser->HasRoomBelow(1))
    return;
  // A codec that finds repeats of any length and codes by entropy does better on most text; where
  // it does not halve the bytes, as with random digits, symbols may. Flags and small numbers are no
  // text.
  constexpr double kWorthLearning = 0.45;
  if (chooser->best_bytes() < kWorthLearning * chooser->total_count()) return;
  constexpr size_t kFewestBits = 4;
  if (chooser->packed_payload() * 8 < kFewestBits * sample.count) return;
  const std::vector<Symbol> symbols = LearnSymbols(BytesOf(sample));
  if (symbols.empty()) return;
  const std::vector<uint8_t> codes =
      ShortenWithSymbols(SymbolMatcher(symbols), symbols, BytesOf(sample));
  if (codes.size() > sample.count - sample.count / 8) return;
  const TableArrays table(symbols);
  EncodePlan plan;
  plan.encoding = Encoding::kSymbols;
  if (!chooser->LimitChildren(plan, 0, 1)) return;
  for (const std::vector<uint8_t>* part : {&table.sizes, &table.bytes}) {
    plan.children.push_back(
        chooser->ChooseChild(ViewOf<uint8_t>(*part), 1, part->size(), kPlainEncodings));
  }
  plan.children.push_back(
      chooser->ChooseChild(ViewOf<uint8_t>(codes), chooser->scale(), codes.size(), kLeafEncodings));
  chooser->Offer(std::move(plan), 0, 1);
}

}  // namespace

const EncodingRow kSymbolsEncoding = {
    Encoding::kSymbols, "symbols", kUsesParam | kUsesAux, 0, Decode, Encode, Consider,
};

}  // namespace dsi::internal
