// Writers of files for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dsi/python/src/arrow_stream.h"
#include "dsi/python/src/interruptible.h"
#include "dsi/python/src/row_setter.h"
#include "dsi/python/src/text.h"
#include "dsi/python/src/told_call.h"
#include "dsi/writer/writer.h"

namespace dsi::python {

// All that a running call of a writer refers to. A process forked from the one that made it leaves
// it as it is: the file that is being written belongs to the other.
struct OpenWriter : ToldCall {
  explicit OpenWriter(nanobind::object progress);
  ~OpenWriter();

  std::unique_ptr<Writer> writer;
  pid_t process;
  nanobind::object bad_row;  // None, or told of a row that cannot be read.
};

// Ctrl-C stops a call after the piece of work that it is at (an array of a stream, a part of a
// stripe), and a second one leaves it at once. Then the writer can only be discarded.
class PyWriter {
 public:
  PyWriter(const std::string& path, const std::string& schema_json, WriterOptions options,
           nanobind::object progress);

  std::string schema() const;
  // Rows that are dicts, until the iterator ends. Those before one that is refused are added.
  uint64_t AppendRows(nanobind::iterable rows, bool ignore_unknown,
                      const std::string& null_entries);
  // All arrays that are left in the stream.
  uint64_t AppendArrow(PyArrowStream& stream, bool ignore_unknown, const std::string& null_entries,
                       uint64_t total_rows);
  // All rows of these files. What was read is a dict.
  nanobind::dict AppendText(const std::vector<std::string>& paths, const TextInputOptions& options,
                            nanobind::object bad_row);
  uint64_t num_rows() const;
  uint64_t size_bytes() const;
  nanobind::dict Finish();
  // Leaves nothing behind.
  void Discard();

 private:
  const std::shared_ptr<OpenWriter>& Open() const;

  std::shared_ptr<OpenWriter> open_;
  std::shared_ptr<const Schema> schema_;
  Interruptible calls_;
};

void BindWriter(nanobind::module_& module);

}  // namespace dsi::python
