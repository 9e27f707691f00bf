// The arrays of one batch, with the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dsi/arrow/out/output_fields_internal.h"
#include "dsi/arrow/out/arrow_tree_internal.h"
#include "dsi/arrow/out/batch_column_internal.h"
#include "dsi/arrow/out/row_bits_internal.h"

namespace dsi::internal {

class ArrayPool;

class ArrayTree final : public ArrowTree {
 public:
  // Throws std::bad_alloc.
  explicit ArrayTree(std::shared_ptr<const OutputFields> fields);

  // The batch that Export is about: this one, which stays with the tree, unless another was given.
  Batch* own_batch() { return &own_; }
  void SetBatch(std::shared_ptr<const Batch> batch) { shared_ = std::move(batch); }
  // Where the tree goes with the last release of its arrays; without, it is destroyed.
  void SetHome(std::shared_ptr<ArrayPool> home) { home_ = std::move(home); }

  // Fills *root, whose `release` and those of its children own `tree` from then on. Where it fails
  // nothing was handed out. kInvalidArgument, kOutOfRange. Throws std::bad_alloc.
  static Status Export(std::unique_ptr<ArrayTree> tree, ArrowArray* root);

 private:
  void OnLastRelease() noexcept override;

  const Batch& batch() const { return shared_ != nullptr ? *shared_ : own_; }
  Status FindColumns();
  void MakeArrays(ArrowArray* root);
  ArrowArray* MakeColumn(const OutputField& field, const BatchColumn& column);
  ArrowArray* MakeRows(const OutputField& field, const BatchColumn& column);
  // `count` values of one type, none of them null.
  ArrowArray* MakeValues(Type type, const BatchColumn& column);

  ArrowArray* Add(size_t length, size_t num_buffers);
  void Set(size_t length, size_t num_buffers, ArrowArray* node);
  ArrowArray** Links(size_t count);
  void SetValidity(const BatchColumn& column, ArrowArray* node);
  const void* ValuesOf(Type type, const BatchColumn& column);

  std::shared_ptr<const OutputFields> fields_;
  Batch own_;
  std::shared_ptr<const Batch> shared_;
  std::shared_ptr<ArrayPool> home_;
  std::vector<BatchColumn> columns_;
  std::vector<ArrowArray> nodes_;
  std::vector<ArrowArray*> links_;
  std::vector<const void*> buffers_;
  BitRoom bits_;
  size_t num_nodes_ = 0;
  size_t num_links_ = 0;
  size_t num_buffers_ = 0;
};

}  // namespace dsi::internal
