#include "dsi/python/src/batch.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>

#include "dsi/python/src/status.h"
#include "dsi/python/src/tensor.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

// Tensors of one batch.
class Maker {
 public:
  explicit Maker(const PyBatch& of) : owner_(of.batch), slab_(of.batch->slab()) {}

  Tensor operator()(const void* data, Type dtype, std::vector<int64_t> shape) const {
    Tensor made = Tensor::Of(owner_, data, dtype, std::move(shape));
    const auto* at = static_cast<const std::byte*>(data);
    if (at >= slab_.data() && at <= slab_.data() + slab_.size())
      made.slab_offset = at - slab_.data();
    return made;
  }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> slab_;
};

int64_t Signed(size_t n) { return static_cast<int64_t>(n); }

nb::tuple Padded(const Maker& make, const PaddedView& view) {
  return nb::make_tuple(make(view.values, view.dtype, {Signed(view.rows), Signed(view.width)}),
                        make(view.lengths, Type::kInt32, {Signed(view.rows)}),
                        make(view.present, Type::kBool, {Signed(view.rows)}));
}

nb::tuple Jagged(const Maker& make, const JaggedView& view) {
  return nb::make_tuple(make(view.values, view.dtype, {Signed(view.num_values)}),
                        make(view.offsets, Type::kInt64, {Signed(view.rows) + 1}),
                        make(view.present, Type::kBool, {Signed(view.rows)}));
}

template <typename T>
std::vector<T> Copied(std::span<const T> from) {
  return {from.begin(), from.end()};
}

}  // namespace

BatchPool::~BatchPool() {
  for (std::atomic<Batch*>& spare : spare_) delete spare.load();
}

std::shared_ptr<Batch> BatchPool::Take() {
  std::unique_ptr<Batch> batch;
  for (std::atomic<Batch*>& spare : spare_) {
    if (batch == nullptr) batch.reset(spare.exchange(nullptr));
  }
  if (batch == nullptr) batch = std::make_unique<Batch>(allocator_.get());
  return {batch.release(), [pool = shared_from_this()](Batch* used) {
            pool->GiveBack(std::unique_ptr<Batch>(used));
          }};
}

void BatchPool::GiveBack(std::unique_ptr<Batch> batch) {
  if (allocator_ != nullptr) return;
  for (std::atomic<Batch*>& spare : spare_) {
    Batch* none = nullptr;
    if (spare.compare_exchange_strong(none, batch.get())) {
      static_cast<void>(batch.release());
      return;
    }
  }
}

void BindBatch(nb::module_& module) {
  nb::class_<PyBatch>(
      module, "Batch",
      "Rows as tensors in one slab of memory; views by column name as projected.\n\n"
      "NotFound: not projected. InvalidArgument: projected in another layout. The slab is\n"
      "used again when neither the batch nor a tensor of it is left.")
      .def_prop_ro("num_rows", [](const PyBatch& self) { return self.batch->num_rows(); })
      .def_prop_ro(
          "first_row", [](const PyBatch& self) { return self.batch->first_row(); },
          "Row of the dataset where the batch starts.")
      .def_prop_ro(
          "row_numbers",
          [](const PyBatch& self) {
            auto rows = self.batch->row_numbers();
            return Tensor::Of(self.batch, rows.data(), Type::kUint64, {Signed(rows.size())});
          },
          "Of each row its number; empty where they follow first_row. uint64 [B].")
      .def_prop_ro(
          "slab",
          [](const PyBatch& self) {
            auto slab = self.batch->slab();
            return Maker(self)(slab.data(), Type::kUint8, {Signed(slab.size())});
          },
          "All tensors of the batch, for one copy to a device. uint8 [bytes].")
      .def_prop_ro(
          "owner",
          [](const PyBatch& self) {
            return self.allocator == nullptr ? nb::none()
                                             : self.allocator->OwnerOf(self.batch->slab().data());
          },
          "What the callable that gave the slab's memory named as its owner; None: the library.")
      .def(
          "padded",
          [](const PyBatch& self, std::string_view name) {
            return Padded(Maker(self), Take(self.batch->Padded(name)));
          },
          nb::arg("name"), nb::sig("def padded(self, name: str) -> tuple[Tensor, Tensor, Tensor]"),
          "values [B, L], lengths int32 [B], present bool [B].")
      .def(
          "jagged",
          [](const PyBatch& self, std::string_view name) {
            return Jagged(Maker(self), Take(self.batch->Jagged(name)));
          },
          nb::arg("name"), nb::sig("def jagged(self, name: str) -> tuple[Tensor, Tensor, Tensor]"),
          "values [N], offsets int64 [B + 1], present bool [B].")
      .def(
          "ikjt",
          [](const PyBatch& self, std::string_view name) {
            const IkjtView view = Take(self.batch->Ikjt(name));
            const Maker make(self);
            return nb::tuple(
                Jagged(make, view.unique) +
                nb::make_tuple(make(view.inverse, Type::kInt32, {Signed(self.batch->num_rows())})));
          },
          nb::arg("name"),
          nb::sig("def ikjt(self, name: str) -> tuple[Tensor, Tensor, Tensor, Tensor]"),
          "values [N], offsets int64 [U + 1], present bool [U] of the unique rows, inverse int32 "
          "[B].")
      .def(
          "padded_ikjt",
          [](const PyBatch& self, std::string_view name) {
            const PaddedIkjtView view = Take(self.batch->PaddedIkjt(name));
            const Maker make(self);
            return nb::tuple(
                Padded(make, view.unique) +
                nb::make_tuple(make(view.inverse, Type::kInt32, {Signed(self.batch->num_rows())})));
          },
          nb::arg("name"),
          nb::sig("def padded_ikjt(self, name: str) -> tuple[Tensor, Tensor, Tensor, Tensor]"),
          "values [U, L], lengths int32 [U], present bool [U] of the unique rows, inverse int32 "
          "[B].")
      .def(
          "dense",
          [](const PyBatch& self, std::string_view set, bool flat) {
            const DenseView view = Take(self.batch->Dense(set));
            const Maker make(self);
            std::vector<int64_t> shape = {Signed(view.rows), Signed(view.columns)};
            if (flat) shape = {shape[0] * shape[1]};
            return nb::make_tuple(make(view.values, view.dtype, shape),
                                  make(view.present, Type::kBool, shape));
          },
          nb::arg("set") = "", nb::arg("flat") = false,
          nb::sig("def dense(self, set: str = '', flat: bool = False) -> tuple[Tensor, Tensor]"),
          "values [B, D], present bool [B, D]; flat: [B * D].")
      .def(
          "vbe",
          [](const PyBatch& self, std::string_view set) {
            const VbeView view = Take(self.batch->Vbe(set));
            const Maker make(self);
            const int64_t keys = Signed(view.keys.size());
            return nb::make_tuple(
                Copied(view.keys), make(view.values, view.dtype, {Signed(view.num_values)}),
                make(view.lengths, view.lengths_dtype, {Signed(view.num_unique)}),
                make(view.offsets, view.lengths_dtype, {Signed(view.num_unique) + 1}),
                Copied(view.stride_per_key), Copied(view.length_per_key),
                Copied(view.offset_per_key),
                make(view.inverse_indices, Type::kInt64, {keys, Signed(view.rows)}));
          },
          nb::arg("set") = "",
          nb::sig("def vbe(self, set: str = '') -> tuple[list[str], Tensor, Tensor, Tensor, "
                  "list[int], list[int], list[int], Tensor]"),
          "keys [F], values [N], lengths [U], offsets [U + 1], stride_per_key [F], length_per_key "
          "[F],\n"
          "offset_per_key [F + 1], inverse int64 [F, B]; U is the sum of stride_per_key.")
      .def(
          "kjt",
          [](const PyBatch& self, std::string_view set) {
            const KjtView view = Take(self.batch->Kjt(set));
            const Maker make(self);
            const int64_t rows = Signed(view.keys.size() * view.rows);
            return nb::make_tuple(Copied(view.keys),
                                  make(view.values, view.dtype, {Signed(view.num_values)}),
                                  make(view.lengths, view.lengths_dtype, {rows}),
                                  make(view.offsets, view.lengths_dtype, {rows + 1}),
                                  Copied(view.length_per_key), Copied(view.offset_per_key));
          },
          nb::arg("set") = "",
          nb::sig("def kjt(self, set: str = '') -> tuple[list[str], Tensor, Tensor, Tensor, "
                  "list[int], list[int]]"),
          "keys [F], values [N], lengths [F * B], offsets [F * B + 1], length_per_key [F],\n"
          "offset_per_key [F + 1].");
}

}  // namespace dsi::python
