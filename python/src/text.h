// Rows and schemas of texts, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/python/src/told_call.h"
#include "dsi/text/text_input.h"
#include "dsi/writer/writer.h"

namespace dsi::python {

// What was read of a text: rows that were added and rows that were left out, with the reason of the
// first of these.
struct TextRows {
  uint64_t rows = 0;
  uint64_t bad_rows = 0;
  std::string first_bad_row;
  TextCoverage coverage;
};

// Adds all rows to the writer, telling how many bytes were read, by phase 'read'. `bad_row` is None
// or called with file, line, text and reason of a row that cannot be read. Where it is an error
// that ends the reading, the rows before it are added as well.
Status AppendTextRows(const std::vector<std::string>& paths, TextInputOptions options,
                      const nanobind::object& bad_row, ToldCall* told, Writer* writer,
                      TextRows* report);

void BindText(nanobind::module_& module);

}  // namespace dsi::python
