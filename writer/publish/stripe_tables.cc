#include "dsi/writer/publish/stripe_tables_internal.h"

#include <array>
#include <cstring>
#include <span>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// Bytes of tables that stay in memory: too few to be worth a file.
constexpr uint64_t kMostHeld = 8 << 20;

std::array<std::vector<std::byte>*, 3> TablesOf(PlacedStripe* stripe) {
  return {&stripe->groups, &stripe->streams, &stripe->pages};
}

}  // namespace

Status StripeTables::Keep(PlacedStripe* stripe, bool spills) {
  if (spills) return PutAway(stripe);
  uint64_t bytes = 0;
  for (const std::vector<std::byte>* table : TablesOf(stripe)) bytes += table->size();
  if (held_bytes_ + bytes > kMostHeld && PutAway(stripe).ok()) return Status::Ok();
  held_bytes_ += bytes;
  return Status::Ok();
}

Status StripeTables::PutAway(PlacedStripe* stripe) {
  std::vector<std::byte> block;
  for (const std::vector<std::byte>* table : TablesOf(stripe))
    AppendLE(&block, static_cast<uint64_t>(table->size()));
  for (const std::vector<std::byte>* table : TablesOf(stripe))
    block.insert(block.end(), table->begin(), table->end());
  DSI_ASSIGN_OR_RETURN(const uint64_t offset, file_.Append(block));
  stripe->tables_offset = offset;
  for (std::vector<std::byte>* table : TablesOf(stripe)) *table = std::vector<std::byte>();
  return Status::Ok();
}

Status StripeTables::Fetch(PlacedStripe* stripe) const {
  if (!stripe->tables_offset) return Status::Ok();
  std::vector<std::byte> block;
  DSI_RETURN_IF_ERROR(file_.Read(*stripe->tables_offset, &block));
  std::array<uint64_t, 3> sizes{};
  std::span<const std::byte> rest(block);
  const auto damaged = [] {
    return Corrupt("spilled tables of a stripe are not what was written");
  };
  if (rest.size() < sizeof(sizes)) return damaged();
  std::memcpy(sizes.data(), rest.data(), sizeof(sizes));
  rest = rest.subspan(sizeof(sizes));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > rest.size()) return damaged();
    TablesOf(stripe)[i]->assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(sizes[i]));
    rest = rest.subspan(sizes[i]);
  }
  stripe->tables_offset.reset();
  return Status::Ok();
}

}  // namespace dsi::internal
