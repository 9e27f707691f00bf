// What the verbs of dsictl see of the terminal: buffered standard output that reports a full disk
// or a closed pipe, and whether people or programs are reading.
//
// Thread safety: one thread.
#pragma once

#include <string>
#include <string_view>

#include "dsi/base/status.h"

namespace dsi::tools {

class Console {
 public:
  Console();

  // Set by the flags that verbs share.
  bool json = false;
  bool quiet = false;
  bool ids_as_strings = false;  // JSON: whole numbers beyond +-(2^53 - 1).
  // A verb that knows better than the table of hints what to do after its failure says so here.
  std::string hint;
  // What was asked, such as whether two datasets are the same, is not so; no failure.
  bool is_different = false;

  bool out_is_tty() const { return out_is_tty_; }
  bool err_is_tty() const { return err_is_tty_; }
  // Columns of the terminal, or 80.
  size_t width() const { return width_; }

  // Puts text between the codes for bold where standard output shows colours.
  std::string Bold(std::string_view text) const;

  // Adds to standard output. Not before 1 MiB has gathered is anything written, so that a verb that
  // fails early leaves nothing half printed. The first failure stays; later text is dropped.
  Status Print(std::string_view text);
  // The same for JSON; a terminal gets it with control characters escaped.
  Status PrintJsonText(std::string_view lines);
  Status Flush();

  // The reader of standard output is gone: a reason to stop, and none to complain.
  bool pipe_is_closed() const { return pipe_is_closed_; }

 private:
  std::string buffer_;
  Status status_;
  size_t width_ = 80;
  bool out_is_tty_ = false;
  bool err_is_tty_ = false;
  bool color_ = false;
  bool pipe_is_closed_ = false;
};

// Writes straight to standard error; a failure there has nobody to be told to.
void PrintError(std::string_view text);
// One line, made safe to show. Said with --quiet too: that something was left out is no report.
void PrintWarning(std::string_view text);

// Makes text from a file safe to show: control characters, which could drive a terminal, become
// \xNN.
std::string Printable(std::string_view text);
// The same for JSON, whose strings may hold such characters unescaped: they become \u00NN, which
// reads back as what it was.
std::string PrintableJson(std::string_view json);

// Characters that a terminal shows, counted as code points.
size_t DisplayWidth(std::string_view text);
// Cuts to at most `width` characters, the last one then an ellipsis.
std::string CutToWidth(std::string_view text, size_t width);

}  // namespace dsi::tools
