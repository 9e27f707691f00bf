// Tables of stripes that wait for the end of the file: in memory while they are few, else in a
// file.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "dsi/tests/support/temp_folder.h"
#include "dsi/writer/publish/stripe_tables_internal.h"

namespace dsi::internal {
namespace {

PlacedStripe StripeOf(size_t bytes, int number) {
  PlacedStripe stripe;
  stripe.groups.assign(3, std::byte(number));
  stripe.streams.assign(bytes, std::byte(number + 1));
  stripe.pages.assign(5, std::byte(number + 2));
  return stripe;
}

// Of three stripes which are put away; all come back.
std::vector<bool> PutAway(const std::string& folder, bool spills) {
  StripeTables tables(folder);
  std::vector<bool> away;
  std::vector<PlacedStripe> stripes;
  for (int i = 0; i < 3; ++i) {
    PlacedStripe& stripe = stripes.emplace_back(StripeOf(5 << 20, i));
    EXPECT_TRUE(tables.Keep(&stripe, spills).ok());
    away.push_back(stripe.tables_offset.has_value());
    EXPECT_EQ(stripe.streams.empty(), away.back());
  }
  for (int i = 0; i < 3; ++i) {
    PlacedStripe& stripe = stripes[static_cast<size_t>(i)];
    EXPECT_TRUE(tables.Fetch(&stripe).ok());
    const PlacedStripe expected = StripeOf(5 << 20, i);
    EXPECT_TRUE(stripe.groups == expected.groups && stripe.streams == expected.streams &&
                stripe.pages == expected.pages);
  }
  return away;
}

TEST(StripeTables, OnlyTheFirstStayInMemory) {
  const test::TempFolder folder;
  EXPECT_EQ(PutAway(folder.path(), false), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(PutAway(folder.path(), true), (std::vector<bool>{true, true, true}));
  // Where no file can be had they stay, but where rows had to be spilled that is an error.
  const std::string nowhere = folder.File("nowhere");
  EXPECT_EQ(PutAway(nowhere, false), (std::vector<bool>{false, false, false}));
  StripeTables tables(nowhere);
  PlacedStripe stripe = StripeOf(1, 0);
  EXPECT_FALSE(tables.Keep(&stripe, true).ok());
}

}  // namespace
}  // namespace dsi::internal
