#include "dsi/rewrite/readable_rows_internal.h"

#include <algorithm>
#include <span>
#include <utility>

#include "dsi/dataset/dataset_access_internal.h"

namespace dsi::internal {
namespace {

// Ranges are not cut finer: about what one page holds.
constexpr uint64_t kFewestRows = 1024;

bool IsDamage(const Status& status) {
  return status.code() == StatusCode::kCorrupt || status.code() == StatusCode::kTruncated ||
         status.code() == StatusCode::kIo;
}

// Where a feature cannot be read.
struct Hole {
  DatasetRows rows;
  size_t feature = 0;
  Status why;
};

class ReadTrials {
 public:
  explicit ReadTrials(const RowCopy& copy) : copy_(copy), all_(*copy.plan) {
    for (size_t f = 0; f < all_.sources.size(); ++f) {
      if (!all_.sources[f].empty()) features_.push_back(f);
    }
  }

  // What cannot be read of rows of one stripe.
  Status Search(const DatasetRows& rows, std::vector<Hole>* holes) {
    const Status whole = Try(all_, rows);
    if (whole.ok() || !IsDamage(whole)) return whole;
    const size_t found = holes->size();
    for (const size_t feature : features_) {
      one_.sources = {all_.sources[feature]};
      DSI_RETURN_IF_ERROR(SearchFeature(feature, rows, holes));
    }
    // Each feature by itself can be read, but not together: a source that fails now and then.
    return holes->size() == found ? whole : Status::Ok();
  }

 private:
  Status SearchFeature(size_t feature, const DatasetRows& rows, std::vector<Hole>* holes) {
    Status status = Try(one_, rows);
    if (status.ok() || !IsDamage(status)) return status;
    const uint64_t size = rows.end - rows.begin;
    if (size <= kFewestRows) {
      const bool goes_on = !holes->empty() && holes->back().feature == feature &&
                           holes->back().rows.end == rows.begin;
      if (goes_on) {
        holes->back().rows.end = rows.end;
      } else {
        holes->push_back({rows, feature, std::move(status)});
      }
      return Status::Ok();
    }
    // Cut at multiples, so that holes of features end at the same rows.
    const uint64_t blocks = (size + kFewestRows - 1) / kFewestRows;
    const uint64_t middle = rows.begin + blocks / 2 * kFewestRows;
    DSI_RETURN_IF_ERROR(SearchFeature(feature, {rows.begin, middle}, holes));
    return SearchFeature(feature, {middle, rows.end}, holes);
  }

  Status Try(const RewritePlan& plan, const DatasetRows& rows) {
    RowCopy trial = copy_;
    trial.plan = &plan;
    trial.ranges = {rows};
    trial.progress = [&](uint64_t /*rows_done*/) {
      return !copy_.progress || copy_.progress(rows.begin);
    };
    return CopyBatches(trial, [](BatchColumns* /*columns*/, std::span<const uint64_t> /*numbers*/) {
      return Status::Ok();
    });
  }

  const RowCopy& copy_;
  const RewritePlan& all_;
  RewritePlan one_;  // One feature of it, and no schema: nothing is written.
  std::vector<size_t> features_;
};

// The rows of a stripe, cut at every end of a hole.
void CutAtHoles(const DatasetRows& stripe, uint32_t file, const std::vector<Hole>& holes,
                std::vector<ReadableRows>* parts) {
  std::vector<uint64_t> cuts = {stripe.begin, stripe.end};
  for (const Hole& hole : holes) {
    cuts.push_back(hole.rows.begin);
    cuts.push_back(hole.rows.end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (size_t i = 1; i < cuts.size(); ++i) {
    ReadableRows part{{cuts[i - 1], cuts[i]}, file, {}, Status::Ok()};
    for (const Hole& hole : holes) {
      if (part.rows.begin < hole.rows.begin || part.rows.end > hole.rows.end) continue;
      if (part.unreadable.empty()) part.why = hole.why;
      part.unreadable.push_back(hole.feature);
    }
    const bool goes_on = !parts->empty() && parts->back().file == file &&
                         parts->back().unreadable == part.unreadable;
    if (goes_on) {
      parts->back().rows.end = part.rows.end;
    } else {
      parts->push_back(std::move(part));
    }
  }
}

}  // namespace

Result<std::vector<ReadableRows>> FindReadableRows(const RowCopy& copy) {
  std::vector<ReadableRows> parts;
  ReadTrials trials(copy);
  const DatasetFiles& files = DatasetAccess::Files(*copy.from);
  uint64_t begin = 0;
  for (uint32_t i = 0; i < files.files().size(); ++i) {
    for (const uint32_t num_rows : files.stripe_rows(i)) {
      const DatasetRows rows = {begin, begin + num_rows};
      std::vector<Hole> holes;
      DSI_RETURN_IF_ERROR(trials.Search(rows, &holes));
      CutAtHoles(rows, i, holes, &parts);
      begin = rows.end;
    }
  }
  return parts;
}

}  // namespace dsi::internal
