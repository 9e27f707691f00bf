// What names hold in messages tf.Example, where every value is a list. A feature that has at most
// one value in every row is no list.
#include <bit>
#include <memory>
#include <string>
#include <unordered_map>

#include <fmt/format.h>
#include <simdjson.h>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/text/example/example_message_internal.h"
#include "dsi/text/infer/row_looker_internal.h"
#include "dsi/text/lines/tf_record_source_internal.h"

namespace dsi::internal {
namespace {

using Form = ExampleFeature::Form;

class ExampleLooker : public RowLooker {
 public:
  using RowLooker::RowLooker;

  Result<bool> LookAtRow() override {
    std::string_view record;
    DSI_ASSIGN_OR_RETURN(const bool more, lines().Next(&record));
    if (!more) return false;
    DSI_RETURN_IF_ERROR(static_cast<const TfRecordSource&>(lines()).CheckRecord());
    DSI_RETURN_IF_ERROR(parser_.Parse(record).At(lines().Where()));
    const bool in_sample = sample().StartRow();
    for (const ExampleFeature& feature : parser_.features()) {
      const auto [at, is_new] = ordinals_.try_emplace(std::string(feature.name), 0);
      if (is_new) {
        DSI_ASSIGN_OR_RETURN(at->second, Add(feature.name));
        seen()[at->second].nested = feature.name.find('.') == std::string_view::npos;
      }
      if (feature.size() == 0) continue;
      DSI_RETURN_IF_ERROR(LookAtFeature(feature, &seen()[at->second]));
      if (in_sample) Sample(feature, at->second);
    }
    return true;
  }

  std::vector<std::string> Valueless() const override {
    std::vector<std::string> names;
    for (const SeenFeature& feature : seen()) {
      if (!feature.has_values()) names.push_back(feature.name);
    }
    return names;
  }

 protected:
  Status ReadStart(bool /*may_be_empty*/) override { return {}; }

 private:
  Status LookAtFeature(const ExampleFeature& feature, SeenFeature* of) {
    const bool is_one = feature.size() == 1;
    SeenValues* const values = is_one ? &of->one : &of->many;
    ++(is_one ? of->num_ones : of->num_lists);
    if (!is_one) of->longest_list = std::max<uint64_t>(of->longest_list, feature.size());
    if (feature.form == Form::kBytes) {
      for (const std::string_view text : parser_.Texts(feature)) {
        if (!simdjson::validate_utf8(text.data(), text.size())) {
          return BadInput(
              "{}: feature {}: bytes that are not valid UTF-8, expected text (a schema with "
              "\"hashed\" takes any bytes)",
              lines().Where(), QuoteForMessage(feature.name));
        }
        values->AddText(text, line(), times());
      }
      if (of->wants_example()) of->OfferExample(ExampleText(feature));
      return {};
    }
    if (of->wants_example()) of->OfferExample(ExampleText(feature));
    if (feature.form == Form::kInts) {
      for (const int64_t value : parser_.Ints(feature)) values->AddInt(value, line());
    } else {
      for (const float value : parser_.Floats(feature)) values->AddDouble(value, line());
    }
    return {};
  }

  std::string ExampleText(const ExampleFeature& feature) const {
    constexpr size_t kMostShown = 10;
    std::string text;
    for (size_t i = 0; i < std::min(feature.size(), kMostShown); ++i) {
      if (i != 0) text += ',';
      if (feature.form == Form::kBytes) text += parser_.Texts(feature)[i];
      if (feature.form == Form::kInts) text += std::to_string(parser_.Ints(feature)[i]);
      if (feature.form == Form::kFloats) text += fmt::format("{}", parser_.Floats(feature)[i]);
    }
    return text;
  }

  void Sample(const ExampleFeature& feature, uint32_t ordinal) {
    ValueHash hash;
    if (feature.form == Form::kInts) {
      for (const int64_t value : parser_.Ints(feature))
        hash.AddNumber(static_cast<uint64_t>(value));
    } else if (feature.form == Form::kFloats) {
      for (const float value : parser_.Floats(feature))
        hash.AddNumber(std::bit_cast<uint32_t>(value));
    } else {
      for (const std::string_view text : parser_.Texts(feature)) hash.AddText(text);
    }
    sample().Add(ordinal, hash, feature.size() != 1);
  }

  ExampleParser parser_;
  std::unordered_map<std::string, uint32_t> ordinals_;
};

}  // namespace

std::unique_ptr<RowLooker> MakeExampleLooker(TimeForms times) {
  return std::make_unique<ExampleLooker>(std::move(times));
}

}  // namespace dsi::internal
