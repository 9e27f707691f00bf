// Files that are damaged under seals that pass: every rule is checked on decoding, before an index
// is used. What comes back is a Status or rows, never a crash (run under sanitizers, that includes
// every access out of bounds).
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "dsi/tests/support/reseal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/io/file.h"
#include "dsi/tests/support/scan_model.h"

namespace dsi::test {
namespace {

// Reads everything, deduplicated and padded. The first failure, or ok.
Status ReadAll(const std::vector<std::byte>& bytes) {
  DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(OpenMemoryFile(bytes, "damaged.dsi")));
  for (const Layout layout : {Layout::kIkjt, Layout::kPadded, Layout::kJagged}) {
    ScanOptions options;
    options.batch_size = 333;
    options.memory_bytes = 64 << 20;
    options.features = {{.name = "*", .layout = layout, .width = 4, .dtype = {}}};
    DSI_ASSIGN_OR_RETURN(const auto scan, reader->NewScan(options));
    Batch batch;
    for (;;) {
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) break;
    }
  }
  return Status::Ok();
}

class ScanDamageTest : public ::testing::Test {
 protected:
  ScanDamageTest() : sound_(WriteTable(RandomTable(31, 2500, 12), StripesOf(1300))) {}
  std::vector<std::byte> sound_;
};

TEST_F(ScanDamageTest, SoundFileReads) {
  const Status status = ReadAll(EditableFile(sound_).Reseal().bytes());
  EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST_F(ScanDamageTest, DamagedPagesGiveStatusOrRows) {
  std::mt19937_64 rng(1);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    EditableFile file(sound_);
    const auto& stripe = file.stripe(static_cast<uint32_t>(i % 2));
    for (uint64_t k = 0; k <= rng() % 3; ++k) {
      const uint64_t at = stripe.data_offset() + rng() % stripe.data_size();
      file.Put<uint8_t>(at, static_cast<uint8_t>(rng()));
    }
    const Status status = ReadAll(file.Reseal().bytes());
    if (status.ok()) continue;
    ++refused;
    EXPECT_TRUE(status.code() == StatusCode::kCorrupt ||
                status.code() == StatusCode::kUnsupported ||
                status.code() == StatusCode::kResourceExhausted)
        << status.ToString();
    EXPECT_NE(status.message().find("damaged.dsi: "), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("column "), std::string::npos) << status.message();
  }
  EXPECT_GT(refused, 50);
}

TEST_F(ScanDamageTest, DamagedStreamRecordsGiveStatusOrRows) {
  std::mt19937_64 rng(2);
  for (int i = 0; i < 200; ++i) {
    EditableFile file(sound_);
    const auto& table = file.stripe(0).streams();
    const uint64_t at = EditableFile::Place(table, rng() % table.count());
    file.Put<uint8_t>(at + rng() % internal::kStreamsRecordSize, static_cast<uint8_t>(rng() % 5));
    const Status status = ReadAll(file.Reseal().bytes());
    EXPECT_NE(status.code(), StatusCode::kIo);
  }
}

// D-001, D-002: what an index covers must agree with its group.
TEST_F(ScanDamageTest, WrongNumberOfUniqueRowsIsRefused) {
  std::mt19937_64 rng(3);
  for (uint32_t group = 1;; ++group) {
    EditableFile file(sound_);
    const auto& table = file.stripe(0).groups();
    if (group >= table.count()) break;
    const uint64_t at = EditableFile::Place(table, group) + 4;
    for (const int32_t step : {-1, 1}) {
      EditableFile changed(sound_);
      changed.Put<uint32_t>(at, file.Get<uint32_t>(at) + static_cast<uint32_t>(step));
      EXPECT_EQ(ReadAll(changed.Reseal().bytes()).code(), StatusCode::kCorrupt) << group;
    }
  }
}

// D-001: another form of index over the same bytes.
TEST_F(ScanDamageTest, WrongFormIsRefused) {
  EditableFile file(sound_);
  const uint64_t at = EditableFile::Place(file.stripe(0).groups(), 1);
  const auto form = file.Get<uint32_t>(at);
  for (uint32_t other = 0; other < 8; ++other) {
    if (other == form) continue;
    EditableFile changed(sound_);
    changed.Put<uint32_t>(at, other);
    const Status status = ReadAll(changed.Reseal().bytes());
    EXPECT_EQ(status.code(), other > 6 ? StatusCode::kUnsupported : StatusCode::kCorrupt)
        << status.ToString();
  }
}

// F-010: without new seals a flipped bit is found before anything is decoded.
TEST_F(ScanDamageTest, FlippedBitUnderOldSealIsFound) {
  EditableFile file(sound_);
  const uint64_t at = file.stripe(1).data_offset() + 20;
  file.Put<uint8_t>(at, file.Get<uint8_t>(at) ^ 4);
  const Status status = ReadAll(file.bytes());
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_NE(status.message().find("seal"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace dsi::test
