#include "dsi/dataset/scan/tuple_finder_internal.h"

#include <bit>
#include <numeric>

namespace dsi::internal {

uint64_t TupleGroup::bytes() const {
  uint64_t words = own_slots.capacity() + touched.capacity();
  for (const std::vector<uint32_t>& member : members) words += member.capacity();
  return words * sizeof(uint32_t);
}

uint64_t TupleFinder::bytes() const {
  return (table_.capacity() + before_.capacity() + fresh_.capacity()) * sizeof(uint32_t);
}

void TupleFinder::Find(const BatchPiece& piece, std::span<const uint32_t> of, TupleGroup* group,
                       GroupRows* rows) {
  group->members.resize(of.size());
  group->is_whole = false;
  if (of.size() == 1 && !piece.own_group(of[0]).scattered) {
    // The unique rows of one group, all of them and in order.
    *rows = piece.own_group(of[0]);
    rows->first_unique = 0;
    group->is_whole = true;
    group->num_unique = rows->num_unique;
    group->slots = rows->slots;
    return;
  }
  group->num_unique = 1;
  group->own_slots.assign(piece.num_rows, 0);
  for (size_t i = 0; i < of.size(); ++i) {
    const GroupRows& own = piece.own_group(of[i]);
    if (i != 0) {
      AddMember(i, own.slots, group);
    } else if (own.scattered) {
      group->num_unique = static_cast<uint32_t>(own.touched.size());
      group->own_slots.assign(own.inverse.begin(), own.inverse.end());
      group->members[0].assign(own.touched.begin(), own.touched.end());
    } else {
      group->num_unique = own.num_unique;
      group->own_slots.assign(own.slots.begin(), own.slots.end());
      group->members[0].resize(own.num_unique);
      std::iota(group->members[0].begin(), group->members[0].end(), 0U);
    }
  }
  group->touched.resize(group->num_unique);
  std::iota(group->touched.begin(), group->touched.end(), 0U);
  group->slots = group->own_slots;
  *rows = {};
  rows->num_rows = piece.num_rows;
  rows->num_unique = group->num_unique;
  rows->scattered = true;
  rows->slots = group->slots;
  rows->touched = group->touched;
  rows->inverse = group->slots;
}

// Splits tuples by one more group, whose unique row of each row is `slots`; tuples are numbered by
// first use.
void TupleFinder::AddMember(size_t at, std::span<const uint32_t> slots, TupleGroup* group) {
  // Open addressing; a place holds the number of a tuple, plus one.
  const size_t size = std::bit_ceil(2 * slots.size() + 1);
  table_.assign(size, 0);
  before_.clear();
  fresh_.clear();
  for (size_t row = 0; row < slots.size(); ++row) {
    const uint32_t old = group->own_slots[row];
    uint64_t hash = (uint64_t{old} << 32 | slots[row]) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    size_t place = hash & (size - 1);
    for (;; place = (place + 1) & (size - 1)) {
      const uint32_t known = table_[place];
      if (known == 0) {
        before_.push_back(old);
        fresh_.push_back(slots[row]);
        table_[place] = static_cast<uint32_t>(before_.size());
        break;
      }
      if (before_[known - 1] == old && fresh_[known - 1] == slots[row]) break;
    }
    group->own_slots[row] = table_[place] - 1;
  }
  group->members[at].swap(fresh_);
  for (size_t m = 0; m < at; ++m) {
    fresh_.clear();
    for (const uint32_t old : before_) fresh_.push_back(group->members[m][old]);
    group->members[m].swap(fresh_);
  }
  group->num_unique = static_cast<uint32_t>(before_.size());
}

}  // namespace dsi::internal
