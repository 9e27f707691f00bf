// Streams of arrays, which somebody else's code produces.
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "dsi/arrow/arrow_input.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi {

using internal::InvalidArgument;
using internal::NoThrow;

namespace {

// Holds one of the structs of the interface, and releases it once.
template <typename T>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Release(); }

  void Release() {
    if (value_.release != nullptr) value_.release(&value_);
    value_ = {};
  }
  // A struct is moved by copying it and marking the old one as released.
  void Take(T* from) {
    Release();
    value_ = *from;
    from->release = nullptr;
  }
  T* get() { return &value_; }
  const T* get() const { return &value_; }

 private:
  T value_ = {};
};

constexpr size_t kMaxErrorBytes = 4096;

StatusCode CodeOf(int error) {
  if (error == ENOMEM) return StatusCode::kResourceExhausted;
  return error == ECANCELED || error == EINTR ? StatusCode::kCancelled : StatusCode::kIo;
}

}  // namespace

class ArrowStream::Impl {
 public:
  explicit Impl(ArrowArrayStream* stream) { stream_.Take(stream); }

  Status ReadSchema() {
    ArrowArrayStream* stream = stream_.get();
    if (stream->get_schema == nullptr || stream->get_next == nullptr) {
      return InvalidArgument("an Arrow stream without its functions");
    }
    const int error = stream->get_schema(stream, schema_.get());
    if (error != 0) {
      *schema_.get() = {};  // As below.
      return Fault(error);
    }
    if (schema_.get()->release != nullptr) return {};
    return internal::BadInput("an Arrow stream without a schema");
  }

  // The first array, without going past it.
  Result<const ArrowArray*> Peek() {
    if (!has_next_) {
      DSI_RETURN_IF_ERROR(Read());
      has_next_ = true;
    }
    return array_.get()->release != nullptr ? array_.get() : nullptr;
  }

  Result<const ArrowArray*> Next() {
    DSI_ASSIGN_OR_RETURN(const ArrowArray* array, Peek());
    has_next_ = array == nullptr;  // The end stays.
    return array;
  }

  const ArrowSchema& schema() const { return *schema_.get(); }

 private:
  Status Read() {
    DSI_RETURN_IF_ERROR(error_);
    array_.Release();
    const int error = stream_.get()->get_next(stream_.get(), array_.get());
    if (error == 0) return {};
    // What a failed call has left there is nobody's.
    *array_.get() = {};
    error_ = Fault(error);
    return error_;
  }

  Status Fault(int error) {
    ArrowArrayStream* stream = stream_.get();
    std::string text = std::generic_category().message(error);
    const char* words =
        stream->get_last_error != nullptr ? stream->get_last_error(stream) : nullptr;
    if (words != nullptr) text.append(": ").append(words, strnlen(words, kMaxErrorBytes));
    return internal::Error(CodeOf(error), "Arrow stream: {}", text);
  }

  // In this order: what came from the stream goes before it does.
  Owned<ArrowArrayStream> stream_;
  Owned<ArrowSchema> schema_;
  Owned<ArrowArray> array_;
  bool has_next_ = false;  // The array is the one that Next will return.
  Status error_;
};

ArrowStream::ArrowStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ArrowStream::~ArrowStream() = default;

Result<std::unique_ptr<ArrowStream>> ArrowStream::Open(ArrowArrayStream* stream) {
  return NoThrow([&]() -> Result<std::unique_ptr<ArrowStream>> {
    if (stream == nullptr || stream->release == nullptr) {
      return InvalidArgument("no Arrow stream, or one that was released");
    }
    Owned<ArrowArrayStream> taken;
    taken.Take(stream);
    auto impl = std::make_unique<Impl>(taken.get());
    DSI_RETURN_IF_ERROR(impl->ReadSchema());
    return std::unique_ptr<ArrowStream>(new ArrowStream(std::move(impl)));
  });
}

const ArrowSchema& ArrowStream::schema() const { return impl_->schema(); }

Result<Schema> ArrowStream::InferSchema(ArrowSchemaReport* report) {
  return NoThrow([&]() -> Result<Schema> {
    DSI_ASSIGN_OR_RETURN(const ArrowArray* rows, impl_->Peek());
    return SchemaFromArrow(impl_->schema(), rows, report);
  });
}

Result<const ArrowArray*> ArrowStream::Next() {
  return NoThrow([&]() -> Result<const ArrowArray*> { return impl_->Next(); });
}

Result<ArrowStreamReport> AppendStream(ArrowStream* stream, Writer* writer,
                                       const ArrowStreamOptions& options) {
  return NoThrow([&]() -> Result<ArrowStreamReport> {
    if (stream == nullptr || writer == nullptr) return InvalidArgument("no stream, or no writer");
    DSI_ASSIGN_OR_RETURN(const std::unique_ptr<ArrowInput> input,
                         ArrowInput::Create(stream->schema(), writer->schema(), options.input));
    while (true) {
      DSI_ASSIGN_OR_RETURN(const ArrowArray* array, stream->Next());
      if (array == nullptr) break;
      DSI_RETURN_IF_ERROR(input->Append(*array, writer));
      if (options.progress && !options.progress(input->num_rows())) {
        return Status(StatusCode::kCancelled, "cancelled while reading an Arrow stream");
      }
    }
    return ArrowStreamReport{input->num_rows(), input->ignored(), input->absent()};
  });
}

}  // namespace dsi
