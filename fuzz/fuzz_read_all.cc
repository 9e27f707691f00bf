// Opens the input as a file and reads all of it: every column in every layout, with conversion, and
// verification; and weighs its encodings. Whatever the bytes, a call returns a value or a Status;
// memory stays bounded. What Verify calls sound is read without an error, in all layouts to the
// same values; and whatever it is, by several threads to the same batches.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "dsi/fuzz/sealed_mutator.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"
#include "dsi/tests/support/file_answer.h"
#include "dsi/tests/support/tensor_bytes.h"

namespace {

constexpr uint64_t kMemoryBytes = 64 << 20;
constexpr int kMaxBatches = 64;

using dsi::test::Outcome;

[[noreturn]] void Disagree(const std::string& what) {
  static_cast<void>(std::fprintf(stderr, "Verify and reading disagree: %s\n", what.c_str()));
  std::abort();
}

// Damage where Verify found none: one of the two is wrong.
void RequireAgreement(Outcome verified, const dsi::Status& status) {
  const Outcome found = dsi::test::OutcomeOf(status);
  const bool refused = found == Outcome::kDamaged || found == Outcome::kUnsupported;
  if (verified == Outcome::kSound && refused) Disagree(status.ToString());
  if (verified == Outcome::kUnsupported && found == Outcome::kDamaged) Disagree(status.ToString());
}

struct Batches {
  std::vector<uint64_t> hashes;  // Of the tensors of each.
  dsi::Status end = dsi::Status::Ok();
};

Batches ReadBatches(const dsi::Reader& reader, const dsi::ScanOptions& options) {
  Batches read;
  auto scan = reader.NewScan(options);
  if (!scan.ok()) {
    read.end = scan.status();
    return read;
  }
  dsi::Batch batch;
  for (int i = 0; i < kMaxBatches; ++i) {
    const auto more = (*scan)->Next(&batch);
    read.end = more.status();
    if (!more.ok() || !*more) return read;
    // What was promised to be verified can be read: every byte of its tensors.
    const std::vector<std::byte> bytes = dsi::test::TensorBytes((*scan)->columns(), batch);
    read.hashes.push_back(
        dsi::internal::NameHash({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  return read;
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
  // How much memory several threads take is not the same.
  if (dsi::test::OutcomeOf(one.end) == Outcome::kResource ||
      dsi::test::OutcomeOf(three.end) == Outcome::kResource)
    return;
  if (one.hashes != three.hashes || one.end.ok() != three.end.ok())
    Disagree("one thread: " + one.end.ToString() + ", three: " + three.end.ToString());
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
      ReadWith(**reader, verified, {projection}, 50,
               {.where = {{column.name, dsi::Compare::kGreater, 3}}});
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
