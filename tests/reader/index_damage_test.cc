// Indexes under sound seals whose values cannot be: each is refused by its rule before any row is
// looked up (D-001, D-005). The index of a group is replaced by a constant stream.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "dsi/format/wire_internal.h"
#include "dsi/io/file.h"
#include "dsi/tests/support/history_table.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

Status ScanAll(const Reader& reader, uint32_t batch_size) {
  ScanOptions options;
  options.batch_size = batch_size;
  options.features = {{.name = "*", .layout = Layout::kIkjt}};
  auto scan = reader.NewScan(options);
  if (!scan.ok()) return scan.status();
  Batch batch;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    if (!more.ok()) return more.status();
    if (!*more) return Status::Ok();
  }
}

struct Wrong {
  uint64_t value;
  const char* rule;
};

// Values that no index of this form may have, over and over.
std::vector<Wrong> WrongValues(uint32_t form, uint32_t num_unique) {
  switch (form) {
    case 1:  // Run lengths.
      return {{0, "D-001"}, {UINT32_MAX, "D-001"}};
    case 2:  // New-row bits.
      return {{0, "D-001"}, {2, "D-001"}, {255, "D-001"}};
    case 3:  // Unique rows, of each row and of each of the parent's.
    case 4:
      return {{num_unique, "D-001"}, {UINT32_MAX, "D-001"}};
    case 5:  // Steps from version to version: -1, and far beyond the greatest.
      return {{1, "D-005"}, {UINT32_MAX - 1, "D-005"}};
    default:
      return {};
  }
}

// Breaks the index of every group of the first stripe; counts what was refused by form.
void BreakIndexes(const std::vector<std::byte>& sound, std::map<uint32_t, int>* refused) {
  EditableFile whole(sound);
  const auto num_rows = static_cast<uint32_t>(whole.stripe(0).num_rows());
  for (uint32_t group = 1; group < whole.stripe(0).groups().count(); ++group) {
    const auto record = internal::StripeGroupRecord::DecodeFrom(
        whole.At(EditableFile::Place(whole.stripe(0).groups(), group)));
    ASSERT_TRUE(record.ok());
    const auto form = static_cast<uint32_t>(record->form);
    for (const Wrong& wrong : WrongValues(form, record->num_unique)) {
      EditableFile file(sound);
      const uint64_t at = file.Stream(0, file.slots().index(group));
      const auto stream = internal::StreamRecord::DecodeFrom(file.At(at));
      ASSERT_TRUE(stream.ok());
      internal::StreamRecord constant;
      constant.num_values = stream->num_values;
      constant.constant = wrong.value;
      constant.width = stream->width;
      constant.form = internal::StreamForm::kConstant;
      constant.EncodeTo(file.At(at));
      const auto reader = Reader::Open(OpenMemoryFile(file.Reseal().bytes(), "damaged"));
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      for (const uint32_t batch_size : {100U, num_rows}) {
        const Status status = ScanAll(**reader, batch_size);
        EXPECT_EQ(status.code(), StatusCode::kCorrupt)
            << "form " << form << ", " << wrong.value << ": " << status.ToString();
        EXPECT_PRED_FORMAT2(::testing::IsSubstring, wrong.rule, status.message());
      }
      ++(*refused)[form];
    }
  }
}

TEST(IndexDamage, ValuesThatCannotBeAreRefused) {
  std::map<uint32_t, int> refused;
  BreakIndexes(WriteTable(HistoryTable(5, 3000), StripesOf(262'144)), &refused);
  BreakIndexes(WriteTable(RandomTable(9, 1500, 12), StripesOf(262'144)), &refused);
  BreakIndexes(WriteTable(RandomTable(9, 1500, 3), StripesOf(300)), &refused);
  EXPECT_EQ(refused.size(), 5U) << "forms 1 to 5";
}

}  // namespace
}  // namespace dsi::test
