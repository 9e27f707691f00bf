#include "dsi/text/many_files_internal.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "dsi/base/no_throw_internal.h"
#include "dsi/text/delimited/criteo_rows_internal.h"
#include "dsi/text/example/example_rows_internal.h"
#include "dsi/text/lines/text_rows_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxIgnoredNames = 10'000;

}  // namespace

Status ManyFiles::OpenNext() {
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<LineSource> lines, files_.OpenNext());
  if (files_.format() == TextFormat::kJsonLines) {
    DSI_ASSIGN_OR_RETURN(input_, MakeJsonInput(std::move(lines), schema_, options_));
    return {};
  }
  if (files_.format() == TextFormat::kTfRecord) {
    // TextFiles gives these where the format is so.
    std::unique_ptr<TfRecordSource> records(static_cast<TfRecordSource*>(lines.release()));
    input_ = MakeExampleInput(std::move(records), schema_, options_);
    return {};
  }
  if (files_.format() == TextFormat::kCriteo) {
    DSI_ASSIGN_OR_RETURN(input_, MakeCriteoInput(std::move(lines), schema_, options_));
    return {};
  }
  const char delimiter = files_.format() == TextFormat::kCsv ? ',' : '\t';
  DSI_ASSIGN_OR_RETURN(input_, MakeDelimitedInput(std::move(lines), schema_, options_, delimiter,
                                                  files_.size() > 1));
  return {};
}

Result<bool> ManyFiles::Next(size_t max_rows, RowBatch* batch) {
  while (true) {
    Result<bool> more = input_->Next(max_rows, batch);
    if (!more.ok() || *more || files_.opened() == files_.size()) return more;
    const Status opened = NoThrow([&]() -> Status {
      ended_.Add(*input_, files_.Name(files_.opened() - 1));
      return OpenNext();
    });
    if (!opened.ok()) return opened;
  }
}

TextCoverage ManyFiles::coverage() const {
  Ended all = ended_;
  all.Add(*input_, files_.Name(files_.opened() - 1));
  return {.ignored = std::move(all.ignored),
          .more_ignored = all.more_ignored,
          .absent = std::move(all.absent)};
}

void ManyFiles::Ended::Add(const TextInput& input, const std::string& file) {
  TextCoverage found = input.coverage();
  bytes += input.bytes_done();
  lines += input.lines_done();
  more_ignored += found.more_ignored;
  for (IgnoredName& name : found.ignored) {
    if (ignored.size() == kMaxIgnoredNames && !place_of.contains(name.name)) {
      more_ignored += name.values;
      continue;
    }
    const auto [at, is_new] = place_of.try_emplace(name.name, ignored.size());
    if (is_new) ignored.push_back({.name = name.name});
    IgnoredName& all = ignored[at->second];
    if (all.values == 0 && name.values != 0) {
      all.first_line = name.first_line;
      all.first_file = file;
    }
    all.values += name.values;
  }
  if (files++ == 0) {
    absent = std::move(found.absent);
    return;
  }
  const std::unordered_set<std::string> here(found.absent.begin(), found.absent.end());
  std::erase_if(absent, [&](const std::string& name) { return !here.contains(name); });
}

}  // namespace dsi::internal
