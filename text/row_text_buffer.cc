#include "dsi/text/row_text_buffer_internal.h"

#include <algorithm>

namespace dsi::internal {

void TextBuffer::Grow(size_t more) {
  const size_t capacity = std::max<size_t>({4096, size_ + more, capacity_ * 2});
  std::unique_ptr<char[]> grown(new char[capacity]);
  if (size_ != 0) std::memcpy(grown.get(), data_.get(), size_);
  data_ = std::move(grown);
  capacity_ = capacity;
}

void TextBuffer::AddQuoted(std::string_view text) {
  // Six characters at most for one byte, and the quotes.
  Room(text.size() * 6 + 2);
  char* out = &data_[size_];
  *out++ = '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '"' && c != '\\') {
      *out++ = c;
      continue;
    }
    *out++ = '\\';
    switch (c) {
      case '"':
      case '\\':
        *out++ = c;
        break;
      case '\n':
        *out++ = 'n';
        break;
      case '\r':
        *out++ = 'r';
        break;
      case '\t':
        *out++ = 't';
        break;
      case '\b':
        *out++ = 'b';
        break;
      case '\f':
        *out++ = 'f';
        break;
      default: {
        constexpr char kHex[] = "0123456789abcdef";
        for (const char digit : {'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]}) *out++ = digit;
      }
    }
  }
  *out++ = '"';
  size_ = static_cast<size_t>(out - data_.get());
}

}  // namespace dsi::internal
