#include "dsi/tools/console_internal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace dsi::tools {
namespace {

constexpr size_t kFlushBytes = size_t{1} << 20;

bool EnvironmentAllowsColor() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) != "dumb";
}

// Length of the UTF-8 character that starts at `at`, 0 where none does: a byte that is no part of
// one may be a control character to a terminal that does not know UTF-8.
size_t CharacterBytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const size_t size = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead >= 0xF5 || size > text.size() - at) return 0;
  for (size_t i = 1; i < size; ++i) {
    if (byte(at + i) < 0x80 || byte(at + i) > 0xBF) return 0;
  }
  return size;
}

template <typename EscapeByte>
std::string Escape(std::string_view text, const EscapeByte& escape) {
  std::string safe;
  safe.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t size = CharacterBytes(text, i);
    // U+0080 to U+009F are control characters too; in UTF-8 they begin with C2.
    const bool is_c1 = c == 0xC2 && size == 2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (size == 0 || c < 0x20 || c == 0x7F) {
      safe += escape(c);
    } else if (is_c1) {
      safe += escape(static_cast<unsigned char>(text[i + 1]));
    } else {
      safe += text.substr(i, size);
    }
    i += std::max<size_t>(size, 1);
  }
  return safe;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

Console::Console()
    : out_is_tty_(isatty(STDOUT_FILENO) == 1), err_is_tty_(isatty(STDERR_FILENO) == 1) {
  color_ = out_is_tty_ && EnvironmentAllowsColor();
  winsize size{};
  const int terminal = out_is_tty_ ? STDOUT_FILENO : STDERR_FILENO;
  if ((out_is_tty_ || err_is_tty_) && ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) {
    width_ = size.ws_col;
  }
}

std::string Console::Bold(std::string_view text) const {
  return color_ ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

Status Console::Print(std::string_view text) {
  if (!status_.ok()) return status_;
  buffer_.append(text);
  return buffer_.size() < kFlushBytes ? Status::Ok() : Flush();
}

Status Console::PrintJsonText(std::string_view lines) {
  return Print(out_is_tty_ ? PrintableJson(lines) : std::string(lines));
}

Status Console::Flush() {
  size_t done = 0;
  while (status_.ok() && done < buffer_.size()) {
    const ssize_t n = write(STDOUT_FILENO, buffer_.data() + done, buffer_.size() - done);
    if (n >= 0) {
      done += static_cast<size_t>(n);
    } else if (errno == EPIPE) {
      pipe_is_closed_ = true;
      status_ = Status(StatusCode::kCancelled, "standard output: the reader is gone");
    } else if (errno != EINTR) {
      status_ = Status(StatusCode::kIo,
                       fmt::format("standard output: cannot write: {}", std::strerror(errno)));
    }
  }
  buffer_.clear();
  return status_;
}

void PrintError(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

void PrintWarning(std::string_view text) {
  PrintError(fmt::format("dsictl: warning: {}\n", Printable(text)));
}

std::string Printable(std::string_view text) {
  return Escape(text, [](unsigned char c) { return fmt::format("\\x{:02x}", c); });
}

std::string PrintableJson(std::string_view json) {
  return Escape(json, [](unsigned char c) {
    // Between the strings of JSON there are line breaks; inside they are escaped already.
    return c == '\n' ? std::string("\n") : fmt::format("\\u{:04x}", c);
  });
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (const char c : text) width += IsContinuation(c) ? 0 : 1;
  return width;
}

std::string CutToWidth(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  size_t end = 0;
  for (size_t seen = 0; end < text.size(); ++end) {
    if (!IsContinuation(text[end]) && seen++ + 1 >= width) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace dsi::tools
