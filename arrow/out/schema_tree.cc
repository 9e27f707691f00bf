// Fields as ArrowSchema structs.
#include <string>
#include <utility>
#include <vector>

#include "dsi/arrow/out/output_fields_internal.h"
#include "dsi/arrow/out/arrow_tree_internal.h"

namespace dsi::internal {
namespace {

using Shape = OutputField::Shape;

const char* NumberFormat(Type type, TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNone:
      break;
    case TimeUnit::kSeconds:
      return "tss:";
    case TimeUnit::kMillis:
      return "tsm:";
    case TimeUnit::kMicros:
      return "tsu:";
    case TimeUnit::kNanos:
      return "tsn:";
  }
  switch (type) {
    case Type::kBool:
      return "b";
    case Type::kInt8:
      return "c";
    case Type::kInt16:
      return "s";
    case Type::kInt32:
      return "i";
    case Type::kInt64:
      return "l";
    case Type::kUint8:
      return "C";
    case Type::kUint16:
      return "S";
    case Type::kUint32:
      return "I";
    case Type::kUint64:
      return "L";
    case Type::kFloat32:
      return "f";
    case Type::kFloat64:
      return "g";
    case Type::kBytes:
      break;
  }
  return "Z";
}

class SchemaTree final : public ArrowTree {
 public:
  explicit SchemaTree(std::shared_ptr<const OutputFields> fields)
      : fields_(std::move(fields)),
        nodes_(fields_->num_nodes),
        links_(fields_->num_links),
        sized_formats_(fields_->fields.size()) {
    for (size_t i = 0; i < sized_formats_.size(); ++i) {
      const OutputField& field = fields_->fields[i];
      if (field.shape == Shape::kFixedList) sized_formats_[i] = "+w:" + std::to_string(field.width);
    }
  }

  void Export(ArrowSchema* root) {
    const size_t count = fields_->fields.size();
    ArrowSchema** const children = Links(count);
    Set("+s", "", 0, root);
    root->n_children = static_cast<int64_t>(count);
    root->children = children;
    for (size_t i = 0; i < count; ++i) children[i] = AddField(i);
    SetReferences(nodes_.size() + 1);
  }

 private:
  void OnLastRelease() noexcept override { delete this; }

  ArrowSchema** Links(size_t count) {
    ArrowSchema** const links = links_.data() + num_links_;
    num_links_ += count;
    return links;
  }
  void Set(const char* format, const char* name, int64_t flags, ArrowSchema* node) {
    *node = {};
    node->format = format;
    node->name = name;
    node->flags = flags;
    node->release = ReleaseNode<ArrowSchema>;
    node->private_data = static_cast<ArrowTree*>(this);
  }
  ArrowSchema* Add(const char* format, const char* name) {
    ArrowSchema* const node = &nodes_[num_nodes_++];
    Set(format, name, ARROW_FLAG_NULLABLE, node);
    return node;
  }

  ArrowSchema* AddField(size_t i) {
    const OutputField& field = fields_->fields[i];
    ArrowSchema* node = nullptr;
    if (field.is_dictionary()) {
      node = Add(NumberFormat(Type::kInt32, TimeUnit::kNone), field.name.c_str());
      node->dictionary = AddValues(i, "");
    } else {
      node = AddValues(i, field.name.c_str());
    }
    if (!field.metadata.empty()) node->metadata = field.metadata.data();
    return node;
  }

  ArrowSchema* AddValues(size_t i, const char* name) {
    const OutputField& field = fields_->fields[i];
    switch (field.shape) {
      case Shape::kNumber:
        return Add(NumberFormat(field.dtype, field.time_unit), name);
      case Shape::kBytes:
        return Add(fields_->binary ? "Z" : "U", name);
      case Shape::kList:
      case Shape::kFixedList:
        break;
    }
    ArrowSchema* const node =
        Add(field.shape == Shape::kList ? "+L" : sized_formats_[i].c_str(), name);
    node->n_children = 1;
    node->children = Links(1);
    node->children[0] = Add(NumberFormat(field.dtype, field.time_unit), "item");
    return node;
  }

  std::shared_ptr<const OutputFields> fields_;  // Names and metadata are its.
  std::vector<ArrowSchema> nodes_;
  std::vector<ArrowSchema*> links_;
  std::vector<std::string> sized_formats_;  // Parallel to fields.
  size_t num_nodes_ = 0;
  size_t num_links_ = 0;
};

}  // namespace

void ExportFields(std::shared_ptr<const OutputFields> fields, ArrowSchema* out) {
  auto tree = std::make_unique<SchemaTree>(std::move(fields));
  tree.release()->Export(out);  // Its structs own it from here on.
}

}  // namespace dsi::internal
