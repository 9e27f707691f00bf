// What names hold in JSON Lines, which states what is a string, a number and a list.
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/limits.h"
#include "dsi/text/json/json_line_internal.h"
#include "dsi/text/json/key_tree_internal.h"
#include "dsi/text/infer/row_looker_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;
using dom::element_type;

class JsonLooker : public RowLooker {
 public:
  JsonLooker(const TextInputOptions& options, TimeForms times)
      : RowLooker(std::move(times)), null_entries_(options.null_entries) {}

  Result<bool> LookAtRow() override {
    std::string_view text;
    do {
      DSI_ASSIGN_OR_RETURN(const bool more, lines().Next(&text));
      if (!more) return false;
    } while (IsBlank(text));
    dom::object object;
    DSI_RETURN_IF_ERROR(parser_.Parse(text, lines(), &object));
    ++row_;
    in_sample_ = sample().StartRow();
    DSI_RETURN_IF_ERROR(LookAtObject(object, keys_.root()));
    return true;
  }

  std::vector<std::string> Valueless() const override {
    std::vector<std::string> names;
    for (const KeyTree::Node& node : keys_.nodes()) {
      const bool is_object = node.first != nullptr;
      if (node.feature == KeyTree::kNone && !is_object) names.push_back(node.name);
    }
    return names;
  }

  size_t num_names() const override { return keys_.size(); }

 protected:
  Status ReadStart(bool /*may_be_empty*/) override { return {}; }

 private:
  Status LookAtObject(dom::object object, KeyTree::Node* parent) {
    KeyTree::Entry* last = nullptr;
    for (const dom::key_value_pair member : object) {
      if (keys_.size() > kMaxColumns || parent->name.size() > kMaxNameBytes) {
        return BadInput(
            "{}: too many or too long names; names that are data take a schema that declares the "
            "object they are in, as a weighted feature",
            lines().Where());
      }
      KeyTree::Node* node = keys_.FindOrAdd(parent, member.key, &last);
      if (node->row == row_) {
        return BadInput("{}: {} stands twice in the row", lines().Where(),
                        QuoteForMessage(node->name));
      }
      node->row = row_;
      if (member.value.is_null()) continue;
      if (member.value.is_object()) {
        DSI_RETURN_IF_ERROR(LookAtObject(member.value, node));
        continue;
      }
      if (node->feature == KeyTree::kNone) {
        DSI_ASSIGN_OR_RETURN(node->feature, Add(node->name));
      }
      SeenFeature& feature = seen()[node->feature];
      // A dot inside a top-level key is part of the key; below, it cannot be told from nesting.
      const bool dotted = member.key.find('.') != std::string_view::npos;
      feature.nested |= parent != keys_.root() || !dotted;
      if (feature.wants_example()) OfferValue(member.value, node->feature);
      DSI_RETURN_IF_ERROR(LookAtValue(member.value, node, &feature));
      if (in_sample_) Sample(member.value, node->feature);
    }
    return {};
  }

  void Sample(dom::element value, uint32_t feature) {
    ValueHash hash;
    dom::array array;
    const bool is_list = value.get(array) == simdjson::SUCCESS;
    if (is_list) {
      for (const dom::element item : array) AddTo(&hash, item);
    } else {
      AddTo(&hash, value);
    }
    sample().Add(feature, hash, is_list);
  }

  static void AddTo(ValueHash* hash, dom::element value) {
    std::string_view text;
    double number = 0;
    int64_t whole = 0;
    uint64_t big = 0;
    if (value.get(text) == simdjson::SUCCESS) return hash->AddText(text);
    if (value.get(whole) == simdjson::SUCCESS) return hash->AddNumber(static_cast<uint64_t>(whole));
    if (value.get(big) == simdjson::SUCCESS) return hash->AddNumber(big);
    if (value.get(number) == simdjson::SUCCESS)
      return hash->AddNumber(std::bit_cast<uint64_t>(number));
    if (value.is_object() || value.is_array()) return hash->AddText(simdjson::minify(value));
    hash->AddText(value.is_bool() && bool(value) ? "1" : "0");
  }

  void OfferValue(dom::element value, uint32_t feature) {
    std::string_view string;
    const bool is_text = value.get(string) == simdjson::SUCCESS;
    Offer(feature, is_text ? std::string(string) : simdjson::minify(value));
  }

  Status LookAtValue(dom::element value, KeyTree::Node* node, SeenFeature* feature) {
    dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
      ++feature->num_ones;
      (void)LookAtNumber(value, &feature->one);
      return {};
    }
    ++feature->num_lists;
    uint64_t length = 0;
    const uint64_t objects_before = feature->num_objects;
    const uint64_t flat_before = feature->num_flat;
    const uint64_t inner_before = feature->num_inner;
    for (const dom::element item : array) {
      if (item.is_null() && null_entries_ != NullEntries::kFail) continue;
      if (dom::object object; item.get(object) == simdjson::SUCCESS) {
        ++length;
        ++feature->num_objects;
        if (feature->objects_line == 0) feature->objects_line = line();
        entry_names_.clear();
        DSI_RETURN_IF_ERROR(LookAtMembers(object, node, *feature));
      } else {
        DSI_RETURN_IF_ERROR(LookAtItem(item, feature, &length));
      }
    }
    // Most rows decide, not most entries.
    feature->num_flat = std::min(feature->num_flat, flat_before + 1);
    feature->num_inner = std::min(feature->num_inner, inner_before + 1);
    const uint64_t num_objects = feature->num_objects - objects_before;
    feature->num_object_lists += num_objects != 0 ? 1 : 0;
    feature->num_value_lists += length != num_objects ? 1 : 0;
    feature->longest_list = std::max(feature->longest_list, length);
    if (length == 0 && feature->empty_list_line == 0) feature->empty_list_line = line();
    return {};
  }

  // An entry of a list, or a list of entries, which stand side by side.
  Status LookAtItem(dom::element item, SeenFeature* feature, uint64_t* length) {
    dom::array list;
    if (item.get(list) != simdjson::SUCCESS) {
      ++feature->num_flat;
      if (feature->flat_line == 0) feature->flat_line = line();
      return LookAtEntryValue(item, false, feature, length);
    }
    ++feature->num_inner;
    if (feature->inner_line == 0) feature->inner_line = line();
    const uint64_t before = *length;
    for (const dom::element value : list) {
      if (value.is_null() && null_entries_ != NullEntries::kFail) continue;
      DSI_RETURN_IF_ERROR(LookAtEntryValue(value, true, feature, length));
    }
    if (*length == before && feature->empty_list_line == 0) feature->empty_list_line = line();
    return {};
  }

  Status LookAtEntryValue(dom::element value, bool is_inner, SeenFeature* feature,
                          uint64_t* length) {
    ++*length;
    if (LookAtNumber(value, &feature->many)) return {};
    const std::string where = !feature->list.empty()
                                  ? "an object of the array " + QuoteForMessage(feature->list)
                              : is_inner ? "an array of arrays"
                                         : "an array";
    return BadInput(
        "{}: feature {}: found {} in {}, expected numbers or strings (lists hold neither null nor "
        "lists)",
        lines().Where(), QuoteForMessage(feature->name), DescribeJson(value), where);
  }

  // Of an object in a list, or in such an object: its names are features of their own until the
  // schema is made. The parser has bounded how deep objects nest.
  Status LookAtMembers(dom::object object, KeyTree::Node* node, const SeenFeature& list) {
    KeyTree::Entry* last = nullptr;
    for (const dom::key_value_pair member : object) {
      if (keys_.size() > kMaxColumns || node->name.size() > kMaxNameBytes)
        return BadInput("{}: too many or too long names", lines().Where());
      KeyTree::Node* column = keys_.FindOrAdd(node, member.key, &last);
      if (std::find(entry_names_.begin(), entry_names_.end(), column) != entry_names_.end()) {
        return BadInput("{}: {} stands twice in an object", lines().Where(),
                        QuoteForMessage(column->name));
      }
      entry_names_.push_back(column);
      if (member.value.is_null()) continue;
      if (dom::object inner; member.value.get(inner) == simdjson::SUCCESS) {
        DSI_RETURN_IF_ERROR(LookAtMembers(inner, column, list));
        continue;
      }
      if (column->feature == KeyTree::kNone) {
        DSI_ASSIGN_OR_RETURN(column->feature, Add(column->name));
      }
      SeenFeature& of = seen()[column->feature];
      if (of.list.empty()) of.list = list.name;
      ++of.num_objects;
      uint64_t length = 0;
      DSI_RETURN_IF_ERROR(LookAtItem(member.value, &of, &length));
      of.longest_list = std::max(of.longest_list, length);
    }
    return {};
  }

  // False for what is neither number, string nor truth value.
  bool LookAtNumber(dom::element value, SeenValues* values) {
    switch (value.type()) {
      case element_type::INT64:
        values->AddInt(int64_t(value), line());
        return true;
      case element_type::UINT64:
        values->AddUint(uint64_t(value), line());
        return true;
      case element_type::DOUBLE:
        values->AddDouble(double(value), line());
        return true;
      case element_type::BOOL:
        values->AddBool(line());
        return true;
      case element_type::STRING:
        values->AddText(std::string_view(value), line(), times());
        return true;
      default:
        return false;
    }
  }

  const NullEntries null_entries_;
  KeyTree keys_;
  JsonLineParser parser_;
  uint64_t row_ = 0;
  bool in_sample_ = false;
  std::vector<const KeyTree::Node*> entry_names_;  // Of the object being looked at.
};

}  // namespace

std::unique_ptr<RowLooker> MakeJsonLooker(const TextInputOptions& options, TimeForms times) {
  return std::make_unique<JsonLooker>(options, std::move(times));
}

}  // namespace dsi::internal
