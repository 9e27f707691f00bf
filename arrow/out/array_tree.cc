#include "dsi/arrow/out/array_tree_internal.h"

#include <utility>

#include "dsi/arrow/out/array_pool_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

using Shape = OutputField::Shape;

constexpr size_t kMostBuffers = 3;  // Of one array: validity, offsets, bytes.

// What buffers of no bytes point to: not every consumer takes null for them.
alignas(64) constexpr std::byte kNoBytes[64] = {};

}  // namespace

ArrayTree::ArrayTree(std::shared_ptr<const OutputFields> fields)
    : fields_(std::move(fields)),
      columns_(fields_->fields.size()),
      nodes_(fields_->num_nodes),
      links_(fields_->num_links),
      buffers_((fields_->num_nodes + 1) * kMostBuffers) {}

void ArrayTree::OnLastRelease() noexcept {
  std::unique_ptr<ArrayTree> self(this);
  shared_.reset();
  if (const auto home = std::move(home_); home != nullptr) home->GiveBack(std::move(self));
}

Status ArrayTree::Export(std::unique_ptr<ArrayTree> tree, ArrowArray* root) {
  DSI_RETURN_IF_ERROR(tree->FindColumns());
  tree.release()->MakeArrays(root);
  return Status::Ok();
}

Status ArrayTree::FindColumns() {
  size_t bit_bytes = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const OutputField& field = fields_->fields[i];
    BatchColumn& column = columns_[i];
    DSI_RETURN_IF_ERROR(FindBatchColumn(batch(), i, field, &column));
    if (field.shape == Shape::kBytes && !fields_->binary)
      DSI_RETURN_IF_ERROR(CheckUtf8(batch(), field, column));
    bit_bytes += BitRoom::BytesOf(column.rows);
    if (field.is_dictionary()) bit_bytes += BitRoom::BytesOf(batch().num_rows());
    if (field.dtype == Type::kBool) bit_bytes += BitRoom::BytesOf(column.num_values);
  }
  bits_.Reserve(bit_bytes);
  return Status::Ok();
}

void ArrayTree::MakeArrays(ArrowArray* root) {
  num_nodes_ = num_links_ = num_buffers_ = 0;
  Set(batch().num_rows(), 1, root);
  root->n_children = static_cast<int64_t>(columns_.size());
  root->children = Links(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i)
    root->children[i] = MakeColumn(fields_->fields[i], columns_[i]);
  SetReferences(num_nodes_ + 1);
}

ArrowArray* ArrayTree::MakeColumn(const OutputField& field, const BatchColumn& column) {
  if (!field.is_dictionary()) return MakeRows(field, column);
  const size_t num_rows = batch().num_rows();
  ArrowArray* const node = Add(num_rows, 2);
  // Null by the index and by the dictionary: consumers look at either.
  if (!AllSet(column.present, column.rows)) {
    uint64_t* const bits = bits_.Cut(num_rows);
    const size_t set = PackBitsAt(column.present, column.inverse, num_rows, bits);
    node->null_count = static_cast<int64_t>(num_rows - set);
    node->buffers[0] = bits;
  }
  node->buffers[1] = column.inverse;
  node->dictionary = MakeRows(field, column);
  return node;
}

ArrowArray* ArrayTree::MakeRows(const OutputField& field, const BatchColumn& column) {
  ArrowArray* node = nullptr;
  switch (field.shape) {
    case Shape::kNumber:
      node = Add(column.rows, 2);
      node->buffers[1] = ValuesOf(field.dtype, column);
      break;
    case Shape::kBytes:
      node = Add(column.rows, 3);
      node->buffers[1] = column.offsets;
      node->buffers[2] = ValuesOf(field.dtype, column);
      break;
    case Shape::kList:
      node = Add(column.rows, 2);
      node->buffers[1] = column.offsets;
      break;
    case Shape::kFixedList:
      node = Add(column.rows, 1);
      break;
  }
  SetValidity(column, node);
  if (!field.is_nested()) return node;
  node->n_children = 1;
  node->children = Links(1);
  node->children[0] = MakeValues(field.dtype, column);
  return node;
}

ArrowArray* ArrayTree::MakeValues(Type type, const BatchColumn& column) {
  ArrowArray* const node = Add(column.num_values, 2);
  node->buffers[1] = ValuesOf(type, column);
  return node;
}

ArrowArray* ArrayTree::Add(size_t length, size_t num_buffers) {
  ArrowArray* const node = &nodes_[num_nodes_++];
  Set(length, num_buffers, node);
  return node;
}

void ArrayTree::Set(size_t length, size_t num_buffers, ArrowArray* node) {
  *node = {};
  node->length = static_cast<int64_t>(length);
  node->n_buffers = static_cast<int64_t>(num_buffers);
  node->buffers = buffers_.data() + num_buffers_;
  num_buffers_ += num_buffers;
  node->buffers[0] = nullptr;
  node->release = ReleaseNode<ArrowArray>;
  node->private_data = static_cast<ArrowTree*>(this);
}

ArrowArray** ArrayTree::Links(size_t count) {
  ArrowArray** const links = links_.data() + num_links_;
  num_links_ += count;
  return links;
}

void ArrayTree::SetValidity(const BatchColumn& column, ArrowArray* node) {
  if (AllSet(column.present, column.rows)) return;
  uint64_t* const bits = bits_.Cut(column.rows);
  const size_t set = PackBits(column.present, column.rows, bits);
  node->null_count = static_cast<int64_t>(column.rows - set);
  node->buffers[0] = bits;
}

const void* ArrayTree::ValuesOf(Type type, const BatchColumn& column) {
  if (column.num_values == 0) return kNoBytes;
  if (type != Type::kBool) return column.values;
  uint64_t* const bits = bits_.Cut(column.num_values);
  PackBits(static_cast<const uint8_t*>(column.values), column.num_values, bits);
  return bits;
}

}  // namespace dsi::internal
