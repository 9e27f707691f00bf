#include "dsi/arrow/out/array_stream_internal.h"

#include <cerrno>
#include <utility>

#include "dsi/base/no_throw_internal.h"

namespace dsi::internal {
namespace {

int ErrnoOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return 0;
    case StatusCode::kResourceExhausted:
      return ENOMEM;
    case StatusCode::kCorrupt:
    case StatusCode::kTruncated:
    case StatusCode::kIo:
      return EIO;
    case StatusCode::kCancelled:
      return ECANCELED;
    case StatusCode::kUnsupported:
      return ENOTSUP;
    case StatusCode::kOutOfRange:
      return ERANGE;
    case StatusCode::kInvalidArgument:
    case StatusCode::kNotFound:
    case StatusCode::kAlreadyExists:
    case StatusCode::kNotDsi:
    case StatusCode::kBadInput:
      break;
  }
  return EINVAL;
}

ArrayStream* StreamOf(ArrowArrayStream* self) {
  return static_cast<ArrayStream*>(self->private_data);
}

}  // namespace

ArrayStream::ArrayStream(std::shared_ptr<const OutputFields> fields, std::unique_ptr<Scan> scan,
                         std::shared_ptr<void> keep_alive)
    : fields_(std::move(fields)),
      pool_(std::make_shared<ArrayPool>(fields_)),
      keep_alive_(std::move(keep_alive)),
      scan_(std::move(scan)) {}

ArrayStream::~ArrayStream() { EndScan(); }

void ArrayStream::Export(std::unique_ptr<ArrayStream> stream, ArrowArrayStream* out) {
  out->get_schema = GetSchema;
  out->get_next = GetNext;
  out->get_last_error = GetLastError;
  out->release = Release;
  out->private_data = stream.release();
}

int ArrayStream::GetSchema(ArrowArrayStream* self, ArrowSchema* out) {
  *out = {};
  ArrayStream* const stream = StreamOf(self);
  return stream->Tell(NoThrow([&] {
    ExportFields(stream->fields_, out);
    return Status::Ok();
  }));
}

int ArrayStream::GetNext(ArrowArrayStream* self, ArrowArray* out) {
  *out = {};
  ArrayStream* const stream = StreamOf(self);
  if (stream->failed_.ok()) {
    stream->failed_ = NoThrow([&] { return stream->MakeNext(out); });
    if (!stream->failed_.ok()) stream->EndScan();
  }
  return stream->Tell(stream->failed_);
}

const char* ArrayStream::GetLastError(ArrowArrayStream* self) {
  const std::string& error = StreamOf(self)->error_;
  return error.empty() ? nullptr : error.c_str();
}

void ArrayStream::Release(ArrowArrayStream* self) {
  delete StreamOf(self);
  self->release = nullptr;
}

Status ArrayStream::MakeNext(ArrowArray* out) {
  while (scan_ != nullptr) {
    std::unique_ptr<ArrayTree> tree = pool_->Take();
    DSI_ASSIGN_OR_RETURN(const bool more, scan_->Next(tree->own_batch()));
    if (!more) {
      EndScan();
    } else if (tree->own_batch()->num_rows() != 0) {
      tree->SetHome(pool_);
      return ArrayTree::Export(std::move(tree), out);
    } else {
      pool_->GiveBack(std::move(tree));
    }
  }
  return Status::Ok();
}

void ArrayStream::EndScan() {
  pool_->Close();
  scan_.reset();
  keep_alive_.reset();
}

int ArrayStream::Tell(const Status& status) noexcept {
  error_.clear();
  if (status.ok()) return 0;
  const Status told = NoThrow([&] {
    error_ = status.ToString();
    return Status::Ok();
  });
  if (!told.ok()) error_ = "out of memory";  // Fits into the string itself.
  return ErrnoOf(status.code());
}

}  // namespace dsi::internal
