// What the library says of a file, in a form that another decoder can be asked for as well: an
// outcome, the rules that were quoted, and a digest of all values. `tests/reference/answers.py` is
// the same for the reference decoder.
//
// The digest of a column is the XXH3_64 (seed 0) of its rows, one after another: a byte 0 for a
// missing one, or a byte 1, the number of entries as a u32, and the entries as they are stored. The
// digest of a file is that of the digests of its columns, by ordinal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/format/seal_internal.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"

namespace dsi::test {

enum class Outcome { kSound, kDamaged, kUnsupported, kResource, kOther };

inline Outcome OutcomeOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return Outcome::kSound;
    case StatusCode::kCorrupt:
    case StatusCode::kNotDsi:
    case StatusCode::kTruncated:
      return Outcome::kDamaged;
    case StatusCode::kUnsupported:
      return Outcome::kUnsupported;
    case StatusCode::kResourceExhausted:
      return Outcome::kResource;
    default:
      return Outcome::kOther;
  }
}

// Ids of rules in a message: a letter, a dash and three digits.
inline void AddRules(std::string_view message, std::set<std::string>* rules) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t i = 0; i + 5 <= message.size(); ++i) {
    const std::string_view id = message.substr(i, 5);
    if (std::string_view("FDES").find(id[0]) != std::string_view::npos && id[1] == '-' &&
        is_digit(id[2]) && is_digit(id[3]) && is_digit(id[4]))
      rules->emplace(id);
  }
}

struct FileAnswer {
  Outcome outcome = Outcome::kOther;
  std::set<std::string> rules;
  uint64_t digest = 0;       // Of a sound file.
  std::string message;       // The first finding or error.
  std::string inconsistent;  // Where the library contradicts itself; empty: it does not.
};

// Rows of one column, put together batch after batch.
struct ColumnRows {
  std::string bytes;
  uint32_t longest = 1;  // Entries.

  void AddRow(bool present, const void* values, size_t count, size_t width) {
    bytes.push_back(present ? '\1' : '\0');
    if (!present) return;
    const auto n = static_cast<uint32_t>(count);
    longest = std::max(longest, n);
    bytes.append(reinterpret_cast<const char*>(&n), sizeof(n));
    bytes.append(static_cast<const char*>(values), count * width);
  }
};

inline void AddJagged(const JaggedView& view, std::span<const int32_t> rows, ColumnRows* out) {
  const auto width = static_cast<size_t>(TypeWidth(view.dtype));
  for (const int32_t row : rows) {
    const auto begin = static_cast<size_t>(view.offsets[row]);
    const auto end = static_cast<size_t>(view.offsets[row + 1]);
    out->AddRow(view.present[row] != 0, static_cast<const std::byte*>(view.values) + begin * width,
                end - begin, width);
  }
}

inline void AddPadded(const PaddedView& view, std::span<const int32_t> rows, ColumnRows* out) {
  const auto width = static_cast<size_t>(TypeWidth(view.dtype));
  for (const int32_t row : rows) {
    const auto* const at =
        static_cast<const std::byte*>(view.values) + static_cast<size_t>(row) * view.width * width;
    out->AddRow(view.present[row] != 0, at, static_cast<size_t>(view.lengths[row]), width);
  }
}

// All rows of one column in one layout; padded ones must be `width` wide to keep every value.
inline Result<ColumnRows> ReadColumn(const Reader& reader, const std::string& name, Layout layout,
                                     uint32_t width, uint64_t memory_bytes) {
  ScanOptions options;
  options.features = {{.name = name, .layout = layout, .width = width}};
  options.batch_size = 64;
  options.memory_bytes = memory_bytes;
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(options));
  ColumnRows out;
  Batch batch;
  while (true) {
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) return out;
    if (out.bytes.size() > memory_bytes)
      return Status(StatusCode::kResourceExhausted, "the rows are more than this test holds");
    std::vector<int32_t> rows(batch.num_rows());
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int32_t>(i);
    if (layout == Layout::kJagged) {
      DSI_ASSIGN_OR_RETURN(const JaggedView view, batch.Jagged(name));
      AddJagged(view, rows, &out);
    } else if (layout == Layout::kPadded) {
      DSI_ASSIGN_OR_RETURN(const PaddedView view, batch.Padded(name));
      AddPadded(view, rows, &out);
    } else if (layout == Layout::kIkjt) {
      DSI_ASSIGN_OR_RETURN(const IkjtView view, batch.Ikjt(name));
      AddJagged(view.unique, {view.inverse, batch.num_rows()}, &out);
    } else {
      DSI_ASSIGN_OR_RETURN(const PaddedIkjtView view, batch.PaddedIkjt(name));
      AddPadded(view.unique, {view.inverse, batch.num_rows()}, &out);
    }
  }
}

namespace internal_answer {

// What Verify says; sets outcome, rules and message.
inline void Judge(const Reader& reader, FileAnswer* answer) {
  const auto findings = reader.Verify();
  if (!findings.ok()) {
    answer->outcome = OutcomeOf(findings.status());
    answer->message = findings.status().message();
    AddRules(answer->message, &answer->rules);
    return;
  }
  answer->outcome = Outcome::kSound;
  // Damage is worse than what is merely unsupported, as in the reference decoder.
  for (const Outcome wanted : {Outcome::kDamaged, Outcome::kUnsupported, Outcome::kResource}) {
    for (const Damage& finding : *findings) {
      if (OutcomeOf(finding.status) != wanted) continue;
      answer->outcome = wanted;
      if (answer->message.empty())
        answer->message = finding.where + ": " + finding.status.message();
      AddRules(finding.status.message(), &answer->rules);
    }
    if (answer->outcome != Outcome::kSound) return;
  }
}

// Every column in every layout; all must agree, and fail only where Verify found something.
inline void ReadAll(const Reader& reader, uint64_t memory_bytes, FileAnswer* answer) {
  const auto fail = [answer](const std::string& what, const Status& status) {
    // What is too large for this test says nothing.
    if (OutcomeOf(status) == Outcome::kResource) {
      if (answer->outcome == Outcome::kSound) answer->outcome = Outcome::kResource;
    } else if (answer->inconsistent.empty() && OutcomeOf(status) != answer->outcome &&
               answer->outcome != Outcome::kDamaged && answer->outcome != Outcome::kResource) {
      answer->inconsistent = what + ": " + status.ToString();
    }
  };
  const auto columns = reader.Columns();
  if (!columns.ok()) return fail("columns", columns.status());
  std::vector<uint64_t> digests;
  for (const ColumnInfo& column : *columns) {
    const auto first = ReadColumn(reader, column.name, Layout::kJagged, 0, memory_bytes);
    if (!first.ok()) {
      fail(column.name, first.status());
      continue;
    }
    digests.push_back(internal::NameHash(first->bytes));  // XXH3 of any bytes.
    for (const Layout layout : {Layout::kIkjt, Layout::kPadded, Layout::kPaddedIkjt}) {
      const auto rows = ReadColumn(reader, column.name, layout, first->longest, memory_bytes);
      const std::string what =
          column.name + " in layout " + std::to_string(static_cast<int>(layout));
      if (!rows.ok()) {
        fail(what, rows.status());
      } else if (first->bytes != rows->bytes && answer->inconsistent.empty()) {
        answer->inconsistent = what + ": other values than in jagged rows";
      }
    }
  }
  answer->digest = internal::NameHash(
      {reinterpret_cast<const char*>(digests.data()), digests.size() * sizeof(uint64_t)});
}

}  // namespace internal_answer

// Opens, verifies and reads all of a file. `memory_bytes` bounds each scan and each column.
inline FileAnswer AnswerOf(std::vector<std::byte> bytes, uint64_t memory_bytes) {
  FileAnswer answer;
  const auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "input"));
  if (!reader.ok()) {
    answer.outcome = OutcomeOf(reader.status());
    answer.message = reader.status().message();
    AddRules(answer.message, &answer.rules);
    if (answer.message.empty()) answer.inconsistent = "an error without words";
    return answer;
  }
  internal_answer::Judge(**reader, &answer);
  internal_answer::ReadAll(**reader, memory_bytes, &answer);
  return answer;
}

}  // namespace dsi::test
