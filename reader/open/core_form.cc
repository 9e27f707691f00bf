// Where the fields of a core footer lie (spec F-050), in files of minor versions whose own form
// this build does not know.
#include <array>

#include "dsi/base/bytes_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

struct Field {
  uint32_t size, align;
};

// In the order of core.fbs; of a vector the distance to it.
constexpr Field kScalar{4, 4}, kTable{24, 8};
constexpr std::array<Field, 15> kFields = {{{8, 8},
                                            {8, 8},
                                            kScalar,
                                            kScalar,
                                            kScalar,
                                            kTable,
                                            kTable,
                                            kTable,
                                            kTable,
                                            kTable,
                                            kScalar,
                                            kScalar,
                                            kScalar,
                                            kScalar,
                                            {1, 1}}};
constexpr size_t kFirstVector = 10;
constexpr std::array<Field, 3> kElements = {{{4, 4}, {112, 8}, {32, 8}}};  // The fourth is text.

class CoreForm {
 public:
  explicit CoreForm(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool IsSound() {
    if (!FindTable()) return false;
    for (size_t i = 0; i < kFields.size(); ++i) {
      const auto [size, align] = kFields[i];
      const uint32_t place = Place(i);
      if (place < 4 || place + size > table_size_ || (table_ + place) % align != 0) return false;
    }
    for (size_t i = 0; i < kElements.size(); ++i) {
      if (!HasVector(kFirstVector + i, kElements[i])) return false;
    }
    return HasText(kFirstVector + kElements.size());
  }

 private:
  template <typename T>
  T Get(uint64_t at) const {
    return LoadLE<T>(bytes_.data() + at);
  }

  bool Has(uint64_t at, uint64_t size, uint32_t align) const {
    return at % align == 0 && FitsIn(at, size, bytes_.size());
  }

  bool FindTable() {
    if (!Has(0, 4, 4)) return false;
    table_ = Get<uint32_t>(0);
    if (!Has(table_, 4, 4)) return false;
    const int64_t vtable = int64_t{table_} - Get<int32_t>(table_);
    if (vtable < 0 || !Has(static_cast<uint64_t>(vtable), 4, 2)) return false;
    vtable_ = static_cast<uint64_t>(vtable);
    const auto size = Get<uint16_t>(vtable_);
    table_size_ = Get<uint16_t>(vtable_ + 2);
    return size % 2 == 0 && size >= 4 + 2 * kFields.size() && Has(vtable_, size, 2) &&
           Has(table_, table_size_, 4);
  }

  uint32_t Place(size_t field) const { return Get<uint16_t>(vtable_ + 4 + 2 * field); }

  // Where the count of a vector stands, 0 nowhere.
  uint64_t CountAt(size_t field) const {
    const uint64_t at = uint64_t{table_} + Place(field);
    const auto distance = Get<uint32_t>(at);
    return distance >= 4 && Has(at + distance, 4, 4) ? at + distance : 0;
  }

  bool HasVector(size_t field, Field element) const {
    const uint64_t at = CountAt(field);
    return at != 0 && Has(at + 4, uint64_t{Get<uint32_t>(at)} * element.size, element.align);
  }

  bool HasText(size_t field) const {
    const uint64_t at = CountAt(field);
    if (at == 0) return false;
    const uint64_t size = Get<uint32_t>(at);
    return Has(at + 4, size + 1, 1) && bytes_[at + 4 + size] == std::byte{0};
  }

  std::span<const std::byte> bytes_;
  uint32_t table_ = 0;
  uint32_t table_size_ = 0;
  uint64_t vtable_ = 0;
};

}  // namespace

bool HasCoreForm(std::span<const std::byte> bytes) { return CoreForm(bytes).IsSound(); }

}  // namespace dsi::internal
