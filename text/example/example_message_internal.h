// Reads one tf.Example: a map of names to lists of int64, float or bytes.
//
//   Example  { Features features = 1; }        Features  { map<string, Feature> feature = 1; }
//   Feature  { oneof { BytesList = 1; FloatList = 2; Int64List = 3; } }
//   …List    { repeated … value = 1; }         numbers packed or one by one
//
// Unknown fields are skipped, as protocol buffers ask for. Memory: at most 8 bytes for each byte of
// the message. Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"

namespace dsi::internal {

struct ExampleFeature {
  enum class Form : uint8_t { kNone, kBytes, kFloats, kInts };
  std::string_view name;
  Form form = Form::kNone;
  size_t begin = 0;  // Of its values in the parser's list of this form.
  size_t end = 0;
  size_t size() const { return end - begin; }
};

class ExampleParser {
 public:
  // Views are into the message, valid as long as it and until the next call. kBadInput says at
  // which byte of the message what is wrong; names are UTF-8, and none stands twice.
  Status Parse(std::string_view message);

  const std::vector<ExampleFeature>& features() const { return features_; }
  std::span<const int64_t> Ints(const ExampleFeature& feature) const {
    return std::span(ints_).subspan(feature.begin, feature.size());
  }
  std::span<const float> Floats(const ExampleFeature& feature) const {
    return std::span(floats_).subspan(feature.begin, feature.size());
  }
  std::span<const std::string_view> Texts(const ExampleFeature& feature) const {
    return std::span(texts_).subspan(feature.begin, feature.size());
  }

 private:
  // A field of a message: its number, and its value of either kind.
  struct Field {
    uint64_t number = 0;
    uint32_t wire = 0;
    uint64_t varint = 0;     // Of wire type 0.
    std::string_view bytes;  // Of 1, 2 and 5.
  };
  // Takes the next field from the front of a message that is not empty.
  Status Next(std::string_view* message, Field* field) const;
  Status Varint(std::string_view* message, uint64_t* value) const;
  Status Fault(const char* at, std::string_view what) const;

  Status ReadMap(std::string_view message);
  Status ReadEntry(std::string_view message);
  Status ReadFeature(std::string_view message, ExampleFeature* feature);
  Status ReadList(std::string_view message, ExampleFeature* feature);
  Status ReadInts(const Field& field);
  Status ReadFloats(const Field& field);
  Status CheckNames();

  std::string_view message_;
  std::vector<ExampleFeature> features_;
  std::vector<std::string_view> names_;
  std::vector<int64_t> ints_;
  std::vector<float> floats_;
  std::vector<std::string_view> texts_;
};

}  // namespace dsi::internal
