// Symbols (E-130): what is learned depends on the bytes alone, shortens what it should, and expands
// to the byte at every length.
#include <gtest/gtest.h>

#include "dsi/codecs/symbols/symbol_table_internal.h"
#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

Bytes BytesOf(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string RandomIds(size_t size, const std::string& digits) {
  std::mt19937_64 random(8);
  std::string text;
  while (text.size() < size) {
    text += "id-";
    for (int i = 0; i < 12; ++i) text += digits[random() % digits.size()];
  }
  text.resize(size);
  return text;
}

TEST(SymbolsTest, TableIsWithinLimits) {
  for (const std::string& text :
       {RandomIds(60000, "0123456789abcdef"), RandomIds(300, "01"), std::string(5000, 'x'),
        std::string("a"), std::string(20000, '\0')}) {
    const std::vector<Symbol> symbols = LearnSymbols(BytesOf(text));
    EXPECT_LE(symbols.size(), kMaxSymbols);
    for (const Symbol& symbol : symbols) {
      ASSERT_GE(symbol.size, 1U);
      ASSERT_LE(symbol.size, kMaxSymbolSize);
      if (symbol.size < 8) {
        ASSERT_EQ(symbol.bytes >> (8 * symbol.size), 0U);
      }
    }
    EXPECT_EQ(symbols, LearnSymbols(BytesOf(text)));
  }
}

TEST(SymbolsTest, BytesThatNeverRepeatHaveNone) {
  std::string text;
  for (int i = 0; i < 256; ++i) text += static_cast<char>(i);
  EXPECT_TRUE(LearnSymbols(BytesOf(text)).empty());
}

// Lengths around the eight bytes that are stored at once, and all kinds of last symbols.
void ExpectEveryLengthComesBack(const std::string& text) {
  const Bytes all = BytesOf(text);
  const std::vector<Symbol> symbols = LearnSymbols(all);
  ASSERT_FALSE(symbols.empty());
  const SymbolMatcher matcher(symbols);
  DecodeTable table;
  for (size_t code = 0; code < symbols.size(); ++code) {
    table.bytes[code] = symbols[code].bytes;
    table.sizes[code] = static_cast<uint8_t>(symbols[code].size);
  }
  for (size_t size = 1; size < 200; ++size) {
    const std::span<const std::byte> part = std::span(all).last(size);
    const std::vector<uint8_t> codes = ShortenWithSymbols(matcher, symbols, part);
    const std::unique_ptr<std::byte[]> out(new std::byte[size]);
    ASSERT_TRUE(ExpandSymbols(table, std::as_bytes(std::span(codes)), size, out.get())) << size;
    ASSERT_EQ(std::memcmp(out.get(), part.data(), size), 0) << size;
    ASSERT_FALSE(ExpandSymbols(table, std::as_bytes(std::span(codes)), size - 1, out.get()));
  }
}

TEST(SymbolsTest, EveryLengthComesBack) {
  ExpectEveryLengthComesBack(RandomIds(4000, "0123456789") + "\xff\xfe\x01");
  // Zeros, as what lies beyond the end looks like to a search for symbols.
  std::string zeros;
  while (zeros.size() < 4000) zeros += std::string(1 + zeros.size() % 7, '\0') + "x";
  zeros += std::string(5, '\0');
  ExpectEveryLengthComesBack(zeros);
  for (size_t size = 4; size < 12; ++size)
    ExpectEveryLengthComesBack(std::string(300 + size, '\0'));
}

// Random hexadecimal digits hold half of their bytes, and a choice finds that; text that Zstandard
// halves is left to it.
TEST(SymbolsTest, ChosenForRandomDigits) {
  const auto plan = [](const std::string& text) {
    std::vector<uint64_t> values(text.size());
    for (size_t i = 0; i < text.size(); ++i) values[i] = static_cast<uint8_t>(text[i]);
    const Array array(1, values);
    const EncodePlan chosen = ChoosePlan(array.view(), {});
    std::vector<uint8_t> decoded;
    const Bytes node = Encode(array, chosen);
    EXPECT_TRUE(Decode(node, 1, array.count, &decoded).ok());
    EXPECT_TRUE(SameBytes(decoded, array));
    EXPECT_LT(node.size(), text.size() * 62 / 100);
    return chosen.ToString();
  };
  EXPECT_EQ(plan(RandomIds(65536, "0123456789abcdef")).rfind("symbols(", 0), 0U);
  std::string words;
  while (words.size() < 65536) words += "the same words again " + std::to_string(words.size() % 7);
  EXPECT_EQ(plan(words).find("symbols"), std::string::npos);
}

}  // namespace
}  // namespace dsi::internal
