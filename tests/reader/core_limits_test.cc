// What a core footer may state at most (F-090), at the limit and one above it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dsi/format/core_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/wire_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

// A file without columns: a header, a group record for each stripe, that of the group of rows. Each
// of these tables has one seal.
struct File {
  Core core;
  uint64_t core_offset = kHeaderSize;

  explicit File(uint32_t num_stripes) {
    core.page_values = 1024;
    core.num_rows = num_stripes;
    core.columns.record_size = ColumnRecord::kSize;
    core.name_index.record_size = NameIndexRecord::kSize;
    core.names.record_size = kNameRecordSize;
    core.id_spaces.record_size = IdSpaceRecord::kSize;
    core.stripes.resize(num_stripes);
    for (uint32_t i = 0; i < num_stripes; ++i) {
      StripeRef& stripe = core.stripes[i];
      stripe.first_row = i;
      stripe.num_rows = 1;
      stripe.data_offset = kHeaderSize;
      stripe.groups = OneRecord(StripeGroupRecord::kSize);
      stripe.streams.record_size = kStreamsRecordSize;
      stripe.pages.record_size = PageRecord::kSize;
    }
    core.groups = OneRecord(GroupRecord::kSize);
  }

  void AddMetadata(uint64_t size) {
    core.sections.push_back({.kind = kSectionMetadata, .offset = core_offset, .size = size});
    core_offset += (size + 7) / 8 * 8;
  }

  // As Open does.
  Status Check() const {
    const std::vector<std::byte> bytes = EncodeCore(core);
    Result<Core> parsed = ParseCore(bytes, core_offset + bytes.size() + kTrailerSize, core_offset,
                                    /*minor=*/0, /*may_have_gaps=*/false);
    return parsed.ok() ? CheckCore(&*parsed, core_offset, false) : parsed.status();
  }

 private:
  TableRef OneRecord(uint32_t size) {
    const TableRef table{.offset = core_offset, .record_size = size, .count = 1};
    core_offset += size + sizeof(uint64_t);
    return table;
  }
};

void ExpectRefused(const Status& status, const char* what) {
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_NE(status.message().find(what), std::string::npos) << status.ToString();
}

TEST(CoreLimits, F090Stripes) {
  EXPECT_EQ(File(3).Check().ToString(), "ok");
  EXPECT_EQ(File(kMaxStripes).Check().ToString(), "ok");
  ExpectRefused(File(kMaxStripes + 1).Check(), "524289 stripes, at most 524288 (F-090)");
}

TEST(CoreLimits, F090BytesOfTheCoreFooter) {
  File file(1);
  file.core.writer = "x";
  const uint64_t rest = kMaxCoreBytes - EncodedCoreSize(file.core);
  file.core.writer.resize(1 + rest, 'x');
  ASSERT_EQ(EncodedCoreSize(file.core), kMaxCoreBytes);
  EXPECT_EQ(file.Check().ToString(), "ok");
  file.core.writer.resize(1 + rest + 8, 'x');
  ExpectRefused(file.Check(), "core footer: 67108872 bytes");
}

TEST(CoreLimits, F090BytesOfMetadata) {
  for (const uint64_t more : {0, 1}) {
    File file(1);
    file.AddMetadata(kMaxMetadataBytes + more);
    if (more == 0) {
      EXPECT_EQ(file.Check().ToString(), "ok");
    } else {
      ExpectRefused(file.Check(), "metadata section of 1073741825 bytes");
    }
  }
}

}  // namespace
}  // namespace dsi::internal
