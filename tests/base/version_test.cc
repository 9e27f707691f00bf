#include "dsi/base/version.h"

#include <gtest/gtest.h>

#include <string>

namespace dsi {
namespace {

TEST(Version, IsMadeOfItsNumbers) {
  EXPECT_EQ(Version(), std::to_string(DSI_VERSION_MAJOR) + "." + std::to_string(DSI_VERSION_MINOR) +
                           "." + std::to_string(DSI_VERSION_PATCH));
  EXPECT_EQ(Version(), DSI_VERSION);
}

}  // namespace
}  // namespace dsi
