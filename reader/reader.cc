#include "dsi/reader/reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dsi/codecs/choice/tuning_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/open.h"
#include "dsi/reader/describe/describe_internal.h"
#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/open/previous_file_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/reader_access_internal.h"
#include "dsi/reader/scan/look_at_scan_internal.h"
#include "dsi/reader/scan/filter_source_internal.h"
#include "dsi/reader/scan/scan_internal.h"
#include "dsi/reader/verify/verify_internal.h"

namespace dsi {
namespace {

using internal::OpenColumn;
using internal::OpenFile;

// Says which file an error is about.
template <typename Call>
auto About(const OpenFile& file, const Call& call) noexcept -> decltype(call()) {
  auto result = internal::NoThrow(call);
  if (result.ok()) return result;
  return internal::NoThrow(
      [&]() -> decltype(call()) { return result.status().At(file.file().name()); });
}

FileInfo InfoOf(const OpenFile& file) {
  const internal::Core& core = file.core();
  FileInfo info;
  info.file_bytes = file.file().size();
  info.num_rows = core.num_rows;
  info.num_deleted_rows = file.num_deleted();
  info.num_sessions = core.num_sessions;
  info.num_features = core.num_features;
  info.num_columns = core.columns.count;
  info.num_groups = core.groups.count;
  info.num_stripes = static_cast<uint32_t>(core.stripes.size());
  info.page_values = core.page_values;
  info.major = internal::kMajorVersion;
  info.minor = file.minor();
  info.previous_file_bytes = file.previous_size();
  info.may_have_gaps = file.may_have_gaps();
  info.fingerprint = file.fingerprint();
  info.rows_fingerprint = file.rows_fingerprint();
  info.overlay = file.overlay();
  info.writer = core.writer;
  const auto tuning = static_cast<Tuning>(core.tuning);
  if (core.tuning != 0) info.tuning = tuning;
  info.ns_per_byte = internal::TuningOf(tuning).ns_per_byte;
  return info;
}

std::vector<StripeInfo> StripesOf(const OpenFile& file) {
  std::vector<StripeInfo> stripes;
  stripes.reserve(file.core().stripes.size());
  for (const internal::StripeRef& s : file.core().stripes) {
    stripes.push_back({.first_row = s.first_row,
                       .num_rows = s.num_rows,
                       .num_deleted_rows = file.num_deleted(stripes.size()),
                       .num_sessions = s.num_sessions,
                       .offset = s.data_offset,
                       .bytes = s.data_size,
                       .continues_session = s.continues_session()});
  }
  return stripes;
}

Status AddStripe(const OpenFile& file, const std::vector<OpenColumn>& columns, size_t i,
                 const ReaderOptions& options, internal::MemoryBudget* budget, ReadPlan* plan) {
  DSI_ASSIGN_OR_RETURN(const internal::StripePlan stripe,
                       internal::PlanTogether(file, columns, i, options, budget));

  for (const internal::PlannedRange& range : stripe.ranges) {
    plan->ranges.push_back({.offset = range.offset,
                            .size = range.size,
                            .stripe = static_cast<uint32_t>(i),
                            .num_pages = range.num_pages});
  }
  plan->bytes += stripe.bytes;
  plan->bytes_needed += stripe.bytes_needed;
  plan->num_pages += static_cast<uint32_t>(stripe.pages.size());
  return Status::Ok();
}

}  // namespace

class Reader::Impl {
 public:
  std::unique_ptr<OpenFile> file;
  ReaderOptions options;
  FileInfo info;
  std::vector<StripeInfo> stripes;
};

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::~Reader() = default;

const OpenFile& internal::ReaderAccess::File(const Reader& reader) { return *reader.impl_->file; }
const ReaderOptions& internal::ReaderAccess::Options(const Reader& reader) {
  return reader.impl_->options;
}

Result<std::unique_ptr<Reader>> Reader::Open(const std::string& path,
                                             const ReaderOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<Reader>> {
    DSI_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenUri(path));
    return Open(std::move(file), options);
  });
}

Result<std::unique_ptr<Reader>> Reader::Open(std::unique_ptr<RandomAccessFile> file,
                                             const ReaderOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<Reader>> {
    if (file == nullptr) return internal::InvalidArgument("no file");
    if (options.max_read_bytes == 0) return internal::InvalidArgument("max_read_bytes is 0");
    const std::string name = file->name();
    auto open = OpenFile::Open(std::move(file));
    if (!open.ok()) return open.status().At(name);
    auto impl = std::make_unique<Impl>();
    impl->file = *std::move(open);
    impl->options = options;
    impl->info = InfoOf(*impl->file);
    impl->stripes = StripesOf(*impl->file);
    return std::unique_ptr<Reader>(new Reader(std::move(impl)));
  });
}

Result<uint64_t> Reader::FindLastFile(const std::string& path) {
  return internal::NoThrow([&]() -> Result<uint64_t> {
    DSI_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file, OpenUri(path));
    return internal::FindLastFile(*file);
  });
}

const FileInfo& Reader::info() const noexcept { return impl_->info; }

std::span<const StripeInfo> Reader::stripes() const noexcept { return impl_->stripes; }

Result<ColumnInfo> Reader::FindColumn(std::string_view name) const {
  const OpenFile& file = *impl_->file;
  return About(file, [&]() -> Result<ColumnInfo> {
    DSI_ASSIGN_OR_RETURN(const std::vector<uint32_t> ordinals, file.FindColumns(name));
    if (ordinals.size() != 1) {
      return internal::Error(StatusCode::kNotFound,
                             "\"{}\" stands for {} columns; name one of them", name,
                             ordinals.size());
    }
    DSI_ASSIGN_OR_RETURN(const OpenColumn column, file.LoadAnyColumn(ordinals[0]));
    DSI_ASSIGN_OR_RETURN(const auto precisions, internal::LoadPrecisions(file));
    return DescribeColumn(file, column, precisions);
  });
}

Result<std::vector<ColumnInfo>> Reader::Columns() const {
  return About(*impl_->file, [&] { return internal::DescribeColumns(*impl_->file); });
}

Result<std::vector<GroupInfo>> Reader::Groups() const {
  return About(*impl_->file, [&] { return internal::DescribeGroups(*impl_->file); });
}

Result<Schema> Reader::schema() const {
  return About(*impl_->file, [&] { return internal::RebuildSchema(*impl_->file); });
}

Result<std::vector<FeatureDedup>> Reader::Dedup() const {
  return About(*impl_->file, [&] { return internal::DescribeDedup(*impl_->file); });
}

Result<std::vector<LayoutPart>> Reader::Layout() const {
  return About(*impl_->file, [&] { return internal::DescribeLayout(*impl_->file); });
}

Result<std::map<std::string, std::string>> Reader::Metadata() const {
  return About(*impl_->file, [&] { return internal::LoadUserMetadata(*impl_->file); });
}

Result<std::vector<StreamInfo>> Reader::Streams(std::string_view column) const {
  return About(*impl_->file,
               [&] { return internal::DescribeStreams(*impl_->file, impl_->options, column); });
}

Result<ReadPlan> Reader::Plan(const ScanOptions& options) const {
  return About(*impl_->file, [&]() -> Result<ReadPlan> {
    internal::MemoryBudget budget{.limit = options.memory_bytes};
    internal::LookAhead ahead(&impl_->file->file(), impl_->options, &budget);
    const OpenFile file = impl_->file->Through(&ahead);
    internal::LookedAt looked_at;
    // No rows, no pages.
    if (const auto range = internal::FindRange(file, options); range.ok()) {
      DSI_ASSIGN_OR_RETURN(looked_at, internal::LookAtScan(file, impl_->options, options, *range,
                                                           internal::LookFor::kPlan));
    }
    DSI_ASSIGN_OR_RETURN(const std::vector<OpenColumn> columns,
                         internal::OpenProjection(file, options));
    DSI_ASSIGN_OR_RETURN(const internal::FilterColumns filter,
                         internal::FindFilterColumns(file, options.filter));
    ReadPlan plan;
    std::optional<uint64_t> directory_steps;  // Up to those of the first stripe.
    const size_t num_stripes = file.core().stripes.size();
    DSI_ASSIGN_OR_RETURN(
        const auto ruled_out,
        internal::RuledOutStripes(file, options.filter, filter, 0, num_stripes, &budget));
    for (size_t i = 0; i < num_stripes; ++i) {
      const internal::StripeRef& s = file.core().stripes[i];
      if (s.first_row >= options.row_end || s.first_row + s.num_rows <= options.row_begin) continue;
      if ((!ruled_out.empty() && ruled_out[i]) || file.is_all_deleted(i)) {
        ++plan.stripes_skipped;
        continue;
      }
      if (!filter.columns.empty())
        DSI_RETURN_IF_ERROR(AddStripe(file, filter.columns, i, impl_->options, &budget, &plan));
      DSI_RETURN_IF_ERROR(AddStripe(file, columns, i, impl_->options, &budget, &plan));
      if (!directory_steps.has_value()) directory_steps = ahead.steps();
      ahead.Forget();
    }
    plan.directory_reads = ahead.reads();
    plan.directory_bytes = ahead.bytes();
    if (ahead.pays()) {
      const uint64_t page_steps = plan.ranges.empty() ? 0 : filter.columns.empty() ? 1 : 2;
      plan.steps = file.open_steps() + directory_steps.value_or(ahead.steps()) + page_steps -
                   (looked_at.knows_pages ? 1 : 0);
    }
    return plan;
  });
}

Result<uint64_t> Reader::CountRows(const ScanOptions& options) const {
  return About(*impl_->file,
               [&] { return internal::CountScanRows(*impl_->file, impl_->options, options); });
}

Result<std::unique_ptr<Scan>> Reader::NewScan(const ScanOptions& options) const {
  return About(*impl_->file,
               [&] { return internal::MakeScan(*impl_->file, impl_->options, options); });
}

Result<std::vector<Damage>> Reader::Verify(const VerifyOptions& options) const {
  return About(*impl_->file, [&] { return internal::VerifyFile(*impl_->file, options); });
}

}  // namespace dsi
