#include "dsi/dataset/sessions.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/session_keys_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/reader.h"
#include "dsi/reader/reader_access_internal.h"

namespace dsi {
namespace {

using internal::DatasetFiles;

constexpr uint32_t kMaxParts = 1U << 20;
constexpr uint32_t kBatchRows = 4096;

// The sessions of one file. Rows are those of the file.
class FileSessions {
 public:
  // Gets each row with which a session begins; false ends the walk.
  using EachStart = std::function<bool(uint64_t row)>;

  static Result<FileSessions> Open(const DatasetFiles& files, size_t i) {
    FileSessions sessions;
    DSI_ASSIGN_OR_RETURN(sessions.reader_, files.Acquire(i));
    DSI_ASSIGN_OR_RETURN(const std::vector<internal::OpenColumn> keys,
                         internal::SessionKeys(sessions.file()));
    for (const internal::OpenColumn& column : keys) {
      sessions.keys_.push_back(
          {.name = column.name, .layout = Layout::kJagged, .dtype = column.record.type});
    }
    return sessions;
  }

  Status Walk(uint64_t begin, uint64_t end, const EachStart& each) const {
    if (keys_.empty()) return WalkRows(begin, end, each);
    Row before;
    DSI_RETURN_IF_ERROR(FindBefore(begin, &before));
    return Scan(begin, end, &before, each);
  }

 private:
  struct Row {
    bool is_there = false;
    uint64_t number = 0;
    std::string key;  // Of each key its length, and its bytes.
  };

  const internal::OpenFile& file() const { return internal::ReaderAccess::File(*reader_); }
  const internal::Core& core() const { return file().core(); }

  // Of a file without keys.
  Status WalkRows(uint64_t begin, uint64_t end, const EachStart& each) const {
    internal::MemoryBudget budget{.limit = UINT64_MAX};
    for (size_t s = 0; s < core().stripes.size(); ++s) {
      const internal::StripeRef& stripe = core().stripes[s];
      const uint64_t first = std::max(begin, stripe.first_row);
      const uint64_t last = std::min(end, stripe.first_row + stripe.num_rows);
      if (first >= last) continue;
      DSI_ASSIGN_OR_RETURN(const auto deleted, file().LoadDeleted(s, &budget));
      for (uint64_t row = first; row < last; ++row) {
        const bool is_there = deleted.empty() || deleted[row - stripe.first_row] == 0;
        if (is_there && !each(row)) return Status::Ok();
      }
    }
    return Status::Ok();
  }

  // The last row before `begin` that is not deleted.
  Status FindBefore(uint64_t begin, Row* before) const {
    for (uint64_t back = 1; begin != 0 && !before->is_there; back *= 64) {
      const uint64_t from = begin - std::min(begin, back);
      DSI_RETURN_IF_ERROR(Scan(from, begin, before, [](uint64_t) { return true; }));
      begin = from;
    }
    return Status::Ok();
  }

  // `before`: the row before those of the scan; becomes the last of them.
  Status Scan(uint64_t begin, uint64_t end, Row* before, const EachStart& each) const {
    if (begin >= end) return Status::Ok();
    ScanOptions options;
    options.features = keys_;
    options.row_begin = begin;
    options.row_end = end;
    options.batch_size = kBatchRows;
    DSI_ASSIGN_OR_RETURN(const auto scan, reader_->NewScan(options));
    Batch batch;
    while (true) {
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
      if (!more) return Status::Ok();
      DSI_ASSIGN_OR_RETURN(const bool goes_on, WalkBatch(batch, before, each));
      if (!goes_on) return Status::Ok();
    }
  }

  Result<bool> WalkBatch(const Batch& batch, Row* before, const EachStart& each) const {
    std::vector<JaggedView> keys;
    for (size_t k = 0; k < keys_.size(); ++k) {
      DSI_ASSIGN_OR_RETURN(const JaggedView key, batch.Jagged(k));
      keys.push_back(key);
    }
    const std::span<const uint64_t> numbers = batch.row_numbers();
    Row row{.is_there = true, .number = 0, .key = {}};
    for (size_t r = 0; r < batch.num_rows(); ++r) {
      row.number = numbers.empty() ? batch.first_row() + r : numbers[r];
      row.key.clear();
      for (const JaggedView& key : keys) AppendKey(key, r, &row.key);
      const bool starts =
          !before->is_there || before->key != row.key || IsCutBetween(before->number, row.number);
      std::swap(*before, row);
      row.is_there = true;
      if (starts && !each(before->number)) return false;
    }
    return true;
  }

  // Missing and empty keys differ.
  static void AppendKey(const JaggedView& key, size_t row, std::string* text) {
    const auto begin = static_cast<size_t>(key.offsets[row]);
    const auto end = static_cast<size_t>(key.offsets[row + 1]);
    const size_t size = static_cast<size_t>(TypeWidth(key.dtype));
    const uint64_t length = key.present[row] != 0 ? end - begin + 1 : 0;
    text->append(reinterpret_cast<const char*>(&length), sizeof(length));
    text->append(static_cast<const char*>(key.values) + begin * size, (end - begin) * size);
  }

  // A stripe begins after the one row, at the other at the latest, and goes on with no session.
  bool IsCutBetween(uint64_t before, uint64_t row) const {
    const auto& stripes = core().stripes;
    auto stripe = std::upper_bound(
        stripes.begin(), stripes.end(), before,
        [](uint64_t number, const internal::StripeRef& one) { return number < one.first_row; });
    for (; stripe != stripes.end() && stripe->first_row <= row; ++stripe) {
      if (!stripe->continues_session()) return true;
    }
    return false;
  }

  std::shared_ptr<const Reader> reader_;
  std::vector<Projection> keys_;  // None: each row is a session.
};

// The first row from `row` on with which a session begins, or where the dataset ends.
Result<uint64_t> NextStart(const DatasetFiles& files, uint64_t row) {
  const auto end_of_file =
      std::upper_bound(files.file_ends().begin(), files.file_ends().end(), row);
  if (end_of_file == files.file_ends().end()) return row;
  const auto i = static_cast<size_t>(end_of_file - files.file_ends().begin());
  const uint64_t first = files.files()[i].first_row;
  if (row == first) return row;
  DSI_ASSIGN_OR_RETURN(const FileSessions sessions, FileSessions::Open(files, i));
  uint64_t found = *end_of_file;
  // Sessions are mostly short.
  for (uint64_t length = kBatchRows; row < *end_of_file && found == *end_of_file; length *= 4) {
    const uint64_t end = row + std::min(length, *end_of_file - row);
    DSI_RETURN_IF_ERROR(sessions.Walk(row - first, end - first, [&](uint64_t start) {
      found = first + start;
      return false;
    }));
    row = end;
  }
  return found;
}

Result<std::vector<uint64_t>> Starts(const DatasetFiles& files, DatasetRows rows) {
  if (rows.begin > rows.end || rows.end > files.num_rows()) {
    return internal::InvalidArgument("rows [{}, {}) of a dataset of {}", rows.begin, rows.end,
                                     files.num_rows());
  }
  std::vector<uint64_t> starts;
  for (size_t i = 0; i < files.files().size(); ++i) {
    const DatasetFile& file = files.files()[i];
    const uint64_t begin = std::max(rows.begin, file.first_row);
    const uint64_t end = std::min(rows.end, file.first_row + file.num_rows);
    if (begin >= end) continue;
    DSI_ASSIGN_OR_RETURN(const FileSessions sessions, FileSessions::Open(files, i));
    DSI_RETURN_IF_ERROR(
        sessions.Walk(begin - file.first_row, end - file.first_row, [&](uint64_t start) {
          starts.push_back(file.first_row + start);
          return true;
        }));
  }
  return starts;
}

Result<std::vector<DatasetRows>> Split(const DatasetFiles& files, uint32_t parts) {
  if (parts == 0 || parts > kMaxParts)
    return internal::InvalidArgument("{} parts, expected 1 to {}", parts, kMaxParts);
  std::vector<DatasetRows> ranges(parts);
  const uint64_t num_rows = files.num_rows();
  uint64_t begin = 0;
  for (uint32_t part = 0; part < parts; ++part) {
    uint64_t end = num_rows;
    if (part + 1 < parts) {
      // As DO-011 has it: shares differ by one row at most.
      const uint64_t share = num_rows / parts;
      const uint64_t cut = share * (part + 1) + std::min<uint64_t>(part + 1, num_rows % parts);
      end = begin;  // Where a session reaches beyond its share.
      if (cut > begin) {
        DSI_ASSIGN_OR_RETURN(end, NextStart(files, cut));
      }
    }
    ranges[part] = {begin, end};
    begin = end;
  }
  return ranges;
}

}  // namespace

Result<std::vector<uint64_t>> SessionStarts(const Dataset& dataset, DatasetRows rows) {
  return internal::NoThrow([&] { return Starts(internal::DatasetAccess::Files(dataset), rows); });
}

Result<std::vector<DatasetRows>> SplitBySessions(const Dataset& dataset, uint32_t parts) {
  return internal::NoThrow([&] { return Split(internal::DatasetAccess::Files(dataset), parts); });
}

}  // namespace dsi
