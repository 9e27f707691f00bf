// Which features jobs read together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dsi {

// Features, or columns of them, that one job reads, and how often such jobs run.
struct FeatureUse {
  std::vector<std::string> features = {};
  uint64_t times = 1;
};

}  // namespace dsi
