// What tests of records share: bytes changed one at a time, and what is said of them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>

#include "dsi/base/status.h"

namespace dsi::test {

// Encodes, changes one byte, decodes: the code that comes back.
template <typename Record>
StatusCode CodeAfter(const Record& record, size_t at, uint8_t value) {
  std::array<std::byte, Record::kSize> bytes;
  record.EncodeTo(bytes.data());
  bytes[at] = static_cast<std::byte>(value);
  return Record::DecodeFrom(bytes.data()).status().code();
}

template <typename Record>
void ExpectReserved(const Record& record, size_t first, size_t last) {
  for (size_t at = first; at <= last; ++at) {
    EXPECT_EQ(CodeAfter(record, at, 1), StatusCode::kCorrupt) << "F-003, byte " << at;
  }
}

template <typename Record>
Record RoundTrip(const Record& record) {
  std::array<std::byte, Record::kSize> bytes;
  record.EncodeTo(bytes.data());
  const auto back = Record::DecodeFrom(bytes.data());
  EXPECT_TRUE(back.ok()) << back.status().ToString();
  return back.ok() ? *back : Record{};
}

// What a record is refused for; "sound" where it is not. Two rules may forbid one damage, and then
// neither is tested: each case says which one speaks.
template <typename Record>
std::string Refusal(const Record& record) {
  std::array<std::byte, Record::kSize> bytes;
  record.EncodeTo(bytes.data());
  const Status status = Record::DecodeFrom(bytes.data()).status();
  EXPECT_EQ(status.code(), status.ok() ? StatusCode::kOk : StatusCode::kCorrupt);
  return status.ok() ? "sound" : status.message();
}

}  // namespace dsi::test
