// All tensors of a batch, one after another, so that two batches can be held against each other.
// What lies between tensors in a slab is nobody's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/scan.h"

namespace dsi::test {

namespace internal_tensors {

class Adder {
 public:
  explicit Adder(std::vector<std::byte>* out) : out_(*out) {}

  void operator()(const void* data, size_t size) {
    const auto* const bytes = static_cast<const std::byte*>(data);
    out_.insert(out_.end(), bytes, bytes + size);
  }
  void operator()(const PaddedView& view) {
    (*this)(view.values, view.rows * view.width * static_cast<size_t>(TypeWidth(view.dtype)));
    (*this)(view.lengths, view.rows * sizeof(int32_t));
    (*this)(view.present, view.rows);
  }
  void operator()(const JaggedView& view) {
    (*this)(view.values, view.num_values * static_cast<size_t>(TypeWidth(view.dtype)));
    (*this)(view.offsets, (view.rows + 1) * sizeof(int64_t));
    (*this)(view.present, view.rows);
  }
  void operator()(const DenseView& view) {
    const size_t cells = view.rows * view.columns;
    (*this)(view.values, cells * static_cast<size_t>(TypeWidth(view.dtype)));
    (*this)(view.present, cells);
  }
  // VBE and KJT.
  template <typename View>
  void Keyed(const View& view, size_t num_rows) {
    const auto width = static_cast<size_t>(TypeWidth(view.lengths_dtype));
    (*this)(view.values, view.num_values * static_cast<size_t>(TypeWidth(view.dtype)));
    (*this)(view.lengths, num_rows * width);
    (*this)(view.offsets, (num_rows + 1) * width);
  }

 private:
  std::vector<std::byte>& out_;
};

}  // namespace internal_tensors

inline std::vector<std::byte> TensorBytes(std::span<const ScanColumn> columns, const Batch& batch) {
  std::vector<std::byte> bytes;
  internal_tensors::Adder add(&bytes);
  std::set<std::pair<Layout, std::string>> sets;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (const auto padded = batch.Padded(i); padded.ok()) add(*padded);
    if (const auto jagged = batch.Jagged(i); jagged.ok()) add(*jagged);
    if (const auto ikjt = batch.Ikjt(i); ikjt.ok()) {
      add(ikjt->unique);
      add(ikjt->inverse, batch.num_rows() * sizeof(int32_t));
    }
    if (const auto ikjt = batch.PaddedIkjt(i); ikjt.ok()) {
      add(ikjt->unique);
      add(ikjt->inverse, batch.num_rows() * sizeof(int32_t));
    }
    sets.emplace(columns[i].layout, columns[i].set);
  }
  for (const auto& [layout, set] : sets) {
    if (layout == Layout::kDense) {
      if (const auto dense = batch.Dense(set); dense.ok()) add(*dense);
    } else if (layout == Layout::kVbe) {
      if (const auto vbe = batch.Vbe(set); vbe.ok()) {
        add.Keyed(*vbe, vbe->num_unique);
        add(vbe->inverse_indices, vbe->keys.size() * vbe->rows * sizeof(int64_t));
      }
    } else if (layout == Layout::kKjt) {
      if (const auto kjt = batch.Kjt(set); kjt.ok()) add.Keyed(*kjt, kjt->keys.size() * kjt->rows);
    }
  }
  return bytes;
}

}  // namespace dsi::test
