// What a map makes of a dictionary: once, where there is memory for it.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "dsi/reader/decode/mapped_entries_internal.h"

namespace dsi::test {
namespace {

TEST(MappedEntriesTest, AreMadeOnceWhereThereIsRoomAndUse) {
  class Twice : public internal::ValueMap {
   public:
    Twice() : ValueMap(4) {}
    void Apply(const void* in, size_t n, void* out) const override {
      ++calls;
      for (size_t i = 0; i < n; ++i) {
        static_cast<uint32_t*>(out)[i] =
            static_cast<uint32_t>(2 * static_cast<const uint64_t*>(in)[i]);
      }
    }
    mutable int calls = 0;
  };
  const std::vector<uint64_t> values = {5, 7, 9};
  const Twice map;
  internal::MemoryBudget budget{.limit = 1 << 16};
  internal::MappedEntries entries(&budget);
  const auto add = [&](size_t count) {
    internal::SharedDictionary dictionary{values.data(), count, 8};
    entries.AddTo(&dictionary);
    return static_cast<const uint32_t*>(dictionary.mapped);
  };
  entries.Start(&map, 2);
  EXPECT_EQ(add(3), nullptr);  // More entries than values.
  entries.Start(&map, 3);
  for (int time = 0; time < 2; ++time) {
    const uint32_t* const made = add(3);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(std::vector<uint32_t>(made, made + 3), (std::vector<uint32_t>{10, 14, 18}));
    EXPECT_EQ(map.calls, 1);
  }
  entries.Start(&map, 3);
  EXPECT_NE(add(2), nullptr);
  EXPECT_EQ(map.calls, 2);

  // Others need what is left of the memory; what these have already they may use.
  budget.Count(budget.left() - 50'000 / 4);
  entries.Start(&map, 3);
  EXPECT_NE(add(3), nullptr);
  EXPECT_EQ(map.calls, 3);
  internal::MappedEntries late(&budget);
  late.Start(&map, 3);
  internal::SharedDictionary refused{values.data(), 3, 8};
  late.AddTo(&refused);
  EXPECT_EQ(refused.mapped, nullptr);

  internal::MemoryBudget none{.limit = 20};
  internal::MappedEntries without(&none);
  without.Start(&map, 3);
  internal::SharedDictionary dictionary{values.data(), 3, 8};
  without.AddTo(&dictionary);
  EXPECT_EQ(dictionary.mapped, nullptr);
  EXPECT_EQ(map.calls, 3);
}

}  // namespace
}  // namespace dsi::test
