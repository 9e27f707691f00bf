// Names against patterns and against mistyped names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dsi::internal {

// '*' stands for any bytes, '?' for one byte. Linear in the product of both lengths at worst.
bool GlobMatches(std::string_view pattern, std::string_view text);

// Collects the names that differ least from the one that was asked for.
class NearNames {
 public:
  NearNames(std::string_view wanted, size_t limit) : wanted_(wanted), limit_(limit) {}
  void Offer(std::string_view name);
  // "; did you mean \"user.age\", \"user.ages\"?", or nothing.
  std::string Advice() const;

 private:
  struct Candidate {
    size_t distance = 0;
    std::string name;
  };
  std::string_view wanted_;
  size_t limit_;
  std::vector<Candidate> best_;  // By distance, then in the order offered.
  std::vector<size_t> row_;
};

}  // namespace dsi::internal
