// Answers files that come one after another through a pipe; for tests that compare the library with
// the reference decoder.
//
//   answer_helper [MEMORY_MIB]     in: a size as u32 little-endian and so many bytes, until the end
//
// out, a line for each: outcome, rules with commas between, digest in hexadecimal, where the
// library contradicts itself, the first message; tabs between, "-" for nothing. With the outcome
// "over_budget", by resident memory above MEMORY_MIB (default 400), the program ends: it cannot
// measure the next file any more.
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "dsi/tests/support/file_answer.h"

namespace {

constexpr uint64_t kScanBytes = 16 << 20;
constexpr const char* kOutcomes[] = {"sound", "damaged", "unsupported", "resource", "other"};

bool ReadFrame(std::vector<std::byte>* frame) {
  uint32_t size = 0;
  if (std::fread(&size, sizeof(size), 1, stdin) != 1) return false;
  frame->resize(size);
  return std::fread(frame->data(), 1, size, stdin) == size;
}

// On one line, and never empty.
std::string Field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text.empty() ? "-" : text;
}

}  // namespace

int main(int argc, char** argv) {
  const long limit_mib = argc > 1 ? std::atol(argv[1]) : 400;
  std::vector<std::byte> frame;
  while (ReadFrame(&frame)) {
    const dsi::test::FileAnswer answer = dsi::test::AnswerOf(frame, kScanBytes);
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const bool is_over = usage.ru_maxrss / 1024 > limit_mib;
    std::string rules;
    for (const std::string& rule : answer.rules) rules += (rules.empty() ? "" : ",") + rule;
    std::printf("%s\t%s\t%016llx\t%s\t%s\n",
                is_over ? "over_budget" : kOutcomes[static_cast<int>(answer.outcome)],
                Field(rules).c_str(), static_cast<unsigned long long>(answer.digest),
                Field(answer.inconsistent).c_str(), Field(answer.message).c_str());
    std::fflush(stdout);
    if (is_over) return 1;
  }
  return 0;
}
