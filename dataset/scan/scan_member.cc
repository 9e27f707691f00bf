#include "dsi/dataset/scan/scan_member_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/reader/open/look_ahead_internal.h"

namespace dsi::internal {

uint32_t MemberRequest::AddUnique(Projection asked) {
  asked.layout = Layout::kIkjt;
  asked.bit_cast = asked.dtype == Type::kInt64 || asked.dtype == Type::kInt32;
  std::vector<Projection>& features = options.features;
  // Not among those that batches show: their values may be narrowed.
  const auto hidden = features.end() - static_cast<ptrdiff_t>(num_hidden);
  const auto known = std::find_if(hidden, features.end(), [&](const Projection& p) {
    return p.name == asked.name && p.layout == asked.layout && p.dtype == asked.dtype &&
           p.bit_cast == asked.bit_cast && p.exact == asked.exact && p.width == asked.width &&
           p.keep == asked.keep && !p.blank && !asked.blank;
  });
  const auto at = static_cast<uint32_t>(known - features.begin());
  if (known == features.end()) {
    features.push_back(std::move(asked));
    ++num_hidden;
  }
  return at;
}

ScanMember::ScanMember(std::shared_ptr<const Reader> reader, std::span<const uint32_t> stripes,
                       ScanWorkers* workers, MemoryBudget* budget)
    : reader_(std::move(reader)),
      ahead_(&ReaderAccess::File(*reader_).file(), ReaderAccess::Options(*reader_), budget),
      file_(ReaderAccess::File(*reader_).Through(&ahead_)),
      shared_(budget, workers),
      records_(budget),
      stripes_(stripes) {
  shared_.file = &file_;
  shared_.stored_file = &ReaderAccess::File(*reader_);
  shared_.reader_options = &ReaderAccess::Options(*reader_);
}

std::unique_ptr<ScanMember> ScanMember::Make(std::shared_ptr<const Reader> reader,
                                             std::span<const uint32_t> stripes,
                                             ScanWorkers* workers, MemoryBudget* budget) {
  return std::unique_ptr<ScanMember>(new ScanMember(std::move(reader), stripes, workers, budget));
}

Status ScanMember::Resolve(const MemberRequest& request) {
  // A file with none of the features: its rows count all the same.
  if (request.options.features.empty()) {
    resolved_ = std::make_shared<ScanProjection>();
  } else {
    DSI_ASSIGN_OR_RETURN(resolved_, LookTogether(&ahead_, [&] {
                           return ResolveProjection(file_, request.options, 0,
                                                    file_.core().stripes.size(), {},
                                                    request.num_hidden);
                         }));
  }
  shared_.projection = resolved_;
  constexpr uint64_t kOutputBytes = sizeof(OpenColumn) + sizeof(ScanValues) + sizeof(ScanOutput);
  return records_.Add(projection().outputs.size() * kOutputBytes);
}

Status ScanMember::ResolveFilter(const RowFilter& filter) {
  DSI_ASSIGN_OR_RETURN(filter_, LookTogether(&ahead_, [&] {
                         return FilterSource::Make(file_, filter, 0, file_.core().stripes.size(),
                                                   shared_.budget);
                       }));
  return Status::Ok();
}

size_t ScanMember::StripeOf(size_t base_stripe) const {
  if (stripes_.empty()) return base_stripe;
  return static_cast<size_t>(std::lower_bound(stripes_.begin(), stripes_.end(), base_stripe) -
                             stripes_.begin());
}

}  // namespace dsi::internal
