// A message tf.Example: refused, or its features lie within it; the same through a sound frame of
// TFRecord, for which a schema is found that reads it.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "dsi/tests/text/example_text.h"
#include "dsi/text/example/example_message_internal.h"
#include "dsi/text/text_input.h"

namespace {

using dsi::internal::ExampleFeature;

void Require(bool holds) {
  if (!holds) std::abort();
}

void ReadFramed(std::string_view message, bool is_sound) {
  const std::string record = dsi::test::Record(message);
  const int file = memfd_create("fuzz_example", MFD_CLOEXEC);
  Require(file >= 0);
  Require(write(file, record.data(), record.size()) == static_cast<ssize_t>(record.size()));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  dsi::TextInputOptions options;
  options.format = dsi::TextFormat::kTfRecord;
  const auto schema = dsi::InferSchema(path, {.text = options, .max_rows = 0, .progress = {}});
  if (schema.ok()) {
    Require(is_sound);
    const auto shared = std::make_shared<const dsi::Schema>(*schema);
    dsi::RowBatch batch(shared);
    const auto input = dsi::TextInput::Open(path, shared, options);
    Require(input.ok() && (*input)->Next(2, &batch).ok() && batch.num_rows() == 1);
  }
  close(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Of exactly its size, so that what is read beyond it is seen.
  const std::unique_ptr<char[]> copy(new char[size]);
  std::copy(data, data + size, copy.get());
  const std::string_view message(copy.get(), size);
  dsi::internal::ExampleParser parser;
  const dsi::Status parsed = parser.Parse(message);
  if (!parsed.ok()) Require(!parsed.message().empty());
  uint64_t sum = 0;
  for (const ExampleFeature& feature : parser.features()) {
    if (!parsed.ok()) break;
    Require(feature.begin <= feature.end && feature.size() <= size);
    if (feature.form == ExampleFeature::Form::kBytes) {
      for (const std::string_view text : parser.Texts(feature)) {
        Require(text.data() >= message.data() &&
                text.data() + text.size() <= message.data() + size);
        sum += text.size();
      }
    } else if (feature.form == ExampleFeature::Form::kInts) {
      for (const int64_t value : parser.Ints(feature)) sum += static_cast<uint64_t>(value);
    } else if (feature.form == ExampleFeature::Form::kFloats) {
      sum += parser.Floats(feature).size();
    }
  }
  ReadFramed(message, parsed.ok());
  (void)sum;
  return 0;
}
