// A small file whose rows and schema are given as JSON: what hostile text is applied to.
#pragma once

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/fuzz/read_batches.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/support/temp_folder.h"
#include "dsi/text/text_input.h"
#include "dsi/writer/writer.h"

namespace dsi::fuzz {

// The rows of a text of JSON Lines.
inline RowBatch RowsOfJson(const std::string& lines, const std::shared_ptr<const Schema>& schema) {
  const test::TempFolder folder;
  const std::string path = folder.File("rows.jsonl");
  std::ofstream(path) << lines;
  TextInputOptions options;
  options.threads = 1;
  const auto input = TextInput::Open(path, schema, options);
  if (!input.ok()) Disagree("rows: " + input.status().ToString());
  RowBatch rows(schema);
  while (true) {
    const auto more = (*input)->Next(1024, &rows);
    if (!more.ok()) Disagree("rows: " + more.status().ToString());
    if (!*more) return rows;
  }
}

// What no hostile input may stop from being written.
inline std::vector<std::byte> WriteFile(const std::string& schema, const std::string& lines,
                                        WriterOptions options = {}) {
  options.threads = 1;
  options.memory_bytes = kMemoryBytes;
  std::vector<std::byte> bytes;
  const auto read = Schema::FromJson(schema);
  if (!read.ok()) Disagree("schema: " + read.status().ToString());
  const auto writer = Writer::Create(CreateMemoryFile(&bytes, "small"), *read, std::move(options));
  if (!writer.ok()) Disagree("writer: " + writer.status().ToString());
  const Status added = (*writer)->Append(RowsOfJson(lines, (*writer)->schema()));
  if (!added.ok()) Disagree("rows: " + added.ToString());
  const auto report = (*writer)->Finish();
  if (!report.ok()) Disagree("file: " + report.status().ToString());
  return bytes;
}

inline std::unique_ptr<Reader> OpenFile(std::vector<std::byte> bytes) {
  auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "small"));
  if (!reader.ok()) Disagree("file: " + reader.status().ToString());
  return std::move(*reader);
}

}  // namespace dsi::fuzz
