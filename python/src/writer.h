// Writers of files for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dsi/python/src/arrow_stream.h"
#include "dsi/python/src/interruptible.h"
#include "dsi/python/src/row_setter.h"
#include "dsi/writer/writer.h"

namespace dsi::python {

// All that a running call of a writer refers to. A process forked from the one that made it leaves
// it as it is: the file that is being written belongs to the other.
struct OpenWriter {
  std::unique_ptr<Writer> writer;
  nanobind::object progress;  // None, or a callable: phase, rows done, rows in all.
  nanobind::object raised;    // What it raised.
  std::atomic<bool> stopped = false;
  pid_t process = 0;

  ~OpenWriter();
  // Tells the callable how far it is, from any thread; false: it, or a signal, asks to stop.
  bool Tell(const char* phase, uint64_t done, uint64_t total);
};

// Ctrl-C stops a call after the piece of work that it is at (an array of a stream, a part of a
// stripe), and a second one leaves it at once. Then the writer can only be discarded.
class PyWriter {
 public:
  PyWriter(const std::string& path, const std::string& schema_json, WriterOptions options,
           nanobind::object progress);

  std::string schema() const;
  // Rows that are dicts, until the iterator ends. Those before one that is refused are added.
  uint64_t AppendRows(nanobind::iterable rows, bool ignore_unknown);
  // All arrays that are left in the stream.
  uint64_t AppendArrow(PyArrowStream& stream, bool ignore_unknown, uint64_t total_rows);
  uint64_t num_rows() const;
  uint64_t size_bytes() const;
  nanobind::dict Finish();
  // Leaves nothing behind.
  void Discard();

 private:
  OpenWriter& Open() const;
  void Run(const std::function<Status()>& call);

  std::shared_ptr<OpenWriter> open_;
  std::shared_ptr<const Schema> schema_;
  Interruptible calls_;
};

void BindWriter(nanobind::module_& module);

}  // namespace dsi::python
