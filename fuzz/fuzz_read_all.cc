// Opens the input as a file and reads all of it: every column in every layout, with conversion, and
// verification; and weighs its encodings. Whatever the bytes, a call returns a value or a Status;
// memory stays bounded. What Verify calls sound is read without an error, in all layouts to the
// same values; and whatever it is, by several threads to the same batches.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dsi/fuzz/read_batches.h"
#include "dsi/fuzz/sealed_mutator.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"
#include "dsi/tests/support/file_answer.h"

namespace {

using dsi::fuzz::Batches;
using dsi::fuzz::kMaxBatches;
using dsi::fuzz::kMemoryBytes;
using dsi::test::Outcome;

[[noreturn]] void Disagree(const std::string& what) {
  dsi::fuzz::Disagree("Verify and reading disagree: " + what);
}

// Damage where Verify found none: one of the two is wrong.
void RequireAgreement(Outcome verified, const dsi::Status& status) {
  const Outcome found = dsi::test::OutcomeOf(status);
  const bool refused = found == Outcome::kDamaged || found == Outcome::kUnsupported;
  if (verified == Outcome::kSound && refused) Disagree(status.ToString());
  if (verified == Outcome::kUnsupported && found == Outcome::kDamaged) Disagree(status.ToString());
}

Batches ReadBatches(const dsi::Reader& reader, const dsi::ScanOptions& options) {
  return dsi::fuzz::ReadBatches(reader.NewScan(options), [](const auto&, const auto&) {});
}

void ReadWith(const dsi::Reader& reader, Outcome verified, std::vector<dsi::Projection> features,
              uint32_t batch_size, dsi::RowFilter filter = {}) {
  dsi::ScanOptions options;
  options.features = std::move(features);
  options.batch_size = batch_size;
  options.filter = std::move(filter);
  options.memory_bytes = kMemoryBytes;
  RequireAgreement(verified, ReadBatches(reader, options).end);
}

// By one thread, and by several with batches made ahead: the same batches, the same end.
void ReadWithThreads(const dsi::Reader& reader, Outcome verified,
                     const std::vector<dsi::Projection>& features, uint32_t batch_size) {
  dsi::ScanOptions options;
  options.features = features;
  options.batch_size = batch_size;
  options.memory_bytes = kMemoryBytes;
  const Batches one = ReadBatches(reader, options);
  RequireAgreement(verified, one.end);
  options.threads = 3;
  options.read_ahead_bytes = batch_size;
  const Batches three = ReadBatches(reader, options);
  RequireAgreement(verified, three.end);
  dsi::fuzz::RequireSame(one, three);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  auto reader = dsi::Reader::Open(dsi::OpenMemoryFile({bytes, bytes + size}, "input"));
  if (!reader.ok()) return 0;
  const dsi::test::FileAnswer answer = dsi::test::AnswerOf({bytes, bytes + size}, kMemoryBytes);
  if (!answer.inconsistent.empty()) Disagree(answer.inconsistent);
  const Outcome verified = answer.outcome;
  ReadWith(**reader, verified, {}, 100);
  for (const dsi::Layout layout :
       {dsi::Layout::kPadded, dsi::Layout::kJagged, dsi::Layout::kIkjt, dsi::Layout::kPaddedIkjt}) {
    dsi::Projection projection;
    projection.name = "*";
    projection.layout = layout;
    projection.width = 5;
    ReadWithThreads(**reader, verified, {projection}, 37);
    ReadWithThreads(**reader, verified, {projection}, 1200);
  }
  const auto columns = (*reader)->Columns();
  if (columns.ok()) {
    for (const dsi::ColumnInfo& column : *columns) {
      dsi::Projection projection;
      projection.name = column.name;
      projection.dtype = dsi::Type::kFloat32;
      projection.layout = dsi::Layout::kDense;
      ReadWith(**reader, verified, {projection}, 1000);
      projection.dtype.reset();
      projection.layout = dsi::Layout::kVbe;
      dsi::Projection expanded = projection;
      expanded.layout = dsi::Layout::kKjt;
      ReadWithThreads(**reader, verified, {projection, expanded}, 1200);
      ReadWith(**reader, verified, {expanded}, 50, {.sample = {{.when = {}, .keep = 0.5}}});
      ReadWith(**reader, verified, {projection}, 50, {.sample = {{.when = {}, .keep = 0.5}}});
      ReadWith(**reader, verified, {projection}, 50, dsi::fuzz::FilterOf(column));
    }
  }
  static_cast<void>((*reader)->Streams(""));
  if (auto text = dsi::RowText::Create(**reader, {}); text.ok()) {
    std::string out;
    for (int i = 0; i < kMaxBatches; ++i) {
      const auto more = (*text)->Next(&out, nullptr);
      // Sound values may have no JSON: strings of any bytes.
      if (more.status().code() != dsi::StatusCode::kUnsupported)
        RequireAgreement(verified, more.status());
      if (!more.ok() || !*more) break;
    }
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  return dsi::internal::fuzz::MutateSealed(data, size, max_size, seed);
}
