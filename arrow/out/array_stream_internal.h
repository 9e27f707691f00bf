// A scan as an ArrowArrayStream.
#pragma once

#include <memory>
#include <string>

#include "dsi/arrow/out/array_pool_internal.h"
#include "dsi/arrow/out/output_fields_internal.h"
#include "dsi/reader/scan.h"

namespace dsi::internal {

class ArrayStream {
 public:
  // Throws std::bad_alloc.
  ArrayStream(std::shared_ptr<const OutputFields> fields, std::unique_ptr<Scan> scan,
              std::shared_ptr<void> keep_alive);
  ~ArrayStream();
  ArrayStream(const ArrayStream&) = delete;
  ArrayStream& operator=(const ArrayStream&) = delete;

  // Fills *out, whose `release` destroys the stream.
  static void Export(std::unique_ptr<ArrayStream> stream, ArrowArrayStream* out);

 private:
  static int GetSchema(ArrowArrayStream* self, ArrowSchema* out);
  static int GetNext(ArrowArrayStream* self, ArrowArray* out);
  static const char* GetLastError(ArrowArrayStream* self);
  static void Release(ArrowArrayStream* self);

  Status MakeNext(ArrowArray* out);
  // What the scan held is given back before the stream is.
  void EndScan();
  // Keeps the text and gives the code; 0 for ok.
  int Tell(const Status& status) noexcept;

  std::shared_ptr<const OutputFields> fields_;
  std::shared_ptr<ArrayPool> pool_;
  std::shared_ptr<void> keep_alive_;  // Outlives the scan.
  std::unique_ptr<Scan> scan_;        // Null: it is over.
  Status failed_;
  std::string error_;
};

}  // namespace dsi::internal
