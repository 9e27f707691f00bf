#include "dsi/format/stream_rules_internal.h"

#include <algorithm>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kMaxListCode = uint64_t{kMaxListLength} + 1;

// As far as is known (F-061).
bool HasNodes(StreamForm form) {
  return form == StreamForm::kPacked || form == StreamForm::kPaged || !IsKnown(form);
}

}  // namespace

Status CheckNoMax(const StreamRecord& stream, const char* what) {
  if (stream.max == 0) return Status::Ok();
  return Corrupt("{} stream with a maximum of {} (F-061)", what, stream.max);
}

Status CheckNoSource(const StreamRecord& stream, const char* what) {
  if (!stream.has_source()) return Status::Ok();
  return Corrupt("{} stream with a source, column {} (F-066)", what, stream.source_column());
}

Status CheckMayBorrow(const ColumnRecord& column, const StreamRecord& values) {
  if (!values.has_source()) return Status::Ok();
  if (column.MayHaveWindows() && column.tiers_slot == kNone32 && values.width >= 4)
    return Status::Ok();
  return Corrupt(
      "values stream with a source, column {}, expected of lists of width 4 or 8 without tiers "
      "(F-066)",
      values.source_column());
}

Status CheckSource(const StreamRecord& values, const StreamRecord& source) {
  if (HasNodes(source.form) && !source.is_alias && !source.has_source() &&
      source.width == values.width)
    return Status::Ok();
  return Corrupt(
      "the source, column {}, has values of width {} in form {}{}, expected width {} in form 2 or "
      "3 "
      "(F-066)",
      values.source_column(), source.width,
      source.is_alias ? static_cast<int>(StreamForm::kAlias) : static_cast<int>(source.form),
      source.has_source() ? " and a source" : "", values.width);
}

uint64_t EntriesOfCode(const ColumnRecord& column, uint64_t code) {
  if (code == 0) return 0;
  if (HasLengths(column.kind, column.type)) return code - 1;
  return column.kind == Kind::kEmbedding ? column.fixed_length : 1;
}

uint32_t ValuesInNode(const StreamRecord& stream, uint32_t k, uint32_t page_values) {
  const uint32_t per_page = stream.PageValues(page_values);
  const uint64_t before = uint64_t{k} * per_page;
  return static_cast<uint32_t>(std::min<uint64_t>(per_page, stream.num_values - before));
}

Status CheckGroupRecord(uint32_t group, uint32_t num_rows, const StripeGroupRecord& r) {
  if (r.num_unique < 1 || r.num_unique > num_rows) {
    return Corrupt("{} unique rows of {} (D-003)", r.num_unique, num_rows);
  }
  if (r.form == IndexForm::kIdentity && r.num_unique != num_rows) {
    return Corrupt("{} unique rows of {} in form 0 (D-001)", r.num_unique, num_rows);
  }
  if (group == 0 && r.form != IndexForm::kIdentity) {
    return Corrupt("the group of rows has form {} (F-073)", static_cast<uint32_t>(r.form));
  }
  return Status::Ok();
}

Status CheckStreamPlace(const StreamRecord& r, uint32_t num_pages, uint32_t page_values) {
  if (r.form == StreamForm::kEmpty || r.form == StreamForm::kConstant || !IsKnown(r.form))
    return Status::Ok();
  if (!FitsIn(r.first_page, r.num_pages, num_pages)) {
    return Corrupt("pages {}..{} of {} (F-061)", r.first_page, uint64_t{r.first_page} + r.num_pages,
                   num_pages);
  }
  if (r.form == StreamForm::kPacked && r.num_values > page_values) {
    return Corrupt("{} values in form 2, at most {} (F-061)", r.num_values, page_values);
  }
  if (r.form != StreamForm::kPaged) return Status::Ok();
  if (r.size == page_values)
    return Corrupt("{} values a page, as the core footer has it: 0 expected (F-061)", r.size);
  const uint32_t per_page = r.PageValues(page_values);
  const uint64_t expected = (r.num_values + per_page - 1) / per_page;
  if (r.num_pages != expected) {
    return Corrupt("{} pages for {} values, expected {} (F-061)", r.num_pages, r.num_values,
                   expected);
  }
  return Status::Ok();
}

Status CheckAlias(const StreamRecord& alias, const StreamRecord& target) {
  const bool has_nodes = HasNodes(target.form);
  if (has_nodes && target.num_values == alias.num_values && target.width == alias.width &&
      target.max == alias.max)
    return Status::Ok();
  return Corrupt(
      "{} values of width {} as an alias of slot {}, which has {} of width {} in form {} (F-061)",
      alias.num_values, alias.width, alias.first_page, target.num_values, target.width,
      static_cast<int>(target.form));
}

Status CheckPagePlace(const PageRecord& r, uint32_t page, uint64_t expected,
                      const PagesOfStripe& pages) {
  const bool in_place =
      pages.may_have_gaps ? r.offset >= expected && r.offset % 8 == 0 : r.offset == expected;
  if (!in_place || !FitsIn(r.offset, r.stored_size, pages.end)) {
    return Corrupt("{} bytes at {}, expected at {}; pages end at {} (F-062)", r.stored_size,
                   r.offset, expected, pages.end);
  }
  if (!pages.may_have_gaps && page + 1 == pages.count && r.offset + r.stored_size != pages.end) {
    return Corrupt("the last page ends at {}, expected {} (F-062)", r.offset + r.stored_size,
                   pages.end);
  }
  return Status::Ok();
}

Status CheckShapeRecord(const ColumnRecord& column, uint32_t num_unique,
                        const StreamRecord& shape) {
  DSI_RETURN_IF_ERROR(CheckNoSource(shape, "shape"));
  const bool lengths = HasLengths(column.kind, column.type);
  const int width = lengths ? 4 : 1;
  const uint64_t limit = lengths ? kMaxListCode : 1;
  if (shape.width != width || shape.num_values != num_unique) {
    return Corrupt("shape stream: {} codes of width {}, expected {} of width {} (D-010)",
                   shape.num_values, shape.width, num_unique, width);
  }
  if (shape.max > limit) {
    return Corrupt("shape stream: code {}, at most {} (D-010, F-090)", shape.max, limit);
  }
  if (shape.form == StreamForm::kConstant && shape.constant != shape.max) {
    return Corrupt("shape stream: maximum {}, every code is {} (D-010)", shape.max, shape.constant);
  }
  return Status::Ok();
}

Status CheckValuesRecord(const ColumnRecord& column, const StreamRecord& shape,
                         const StreamRecord& values, bool windows) {
  DSI_RETURN_IF_ERROR(CheckNoMax(values, "values"));
  DSI_RETURN_IF_ERROR(CheckMayBorrow(column, values));
  if (values.width != TypeWidth(column.type)) {
    return Corrupt("values stream: width {}, expected {} for {} (F-061)", values.width,
                   TypeWidth(column.type), TypeName(column.type));
  }
  // 2^24 unique rows of at most 2^32 entries: the product fits.
  const uint64_t per_row = EntriesOfCode(column, shape.max);
  const uint64_t most = shape.num_values * per_row;
  // At least one row has the greatest code; windows may overlap, and are all that is in the pool.
  const uint64_t least = shape.form == StreamForm::kConstant && !windows ? most : per_row;
  if (values.num_values >= least && values.num_values <= most) return Status::Ok();
  return Corrupt("values stream: {} values, the shape stream allows {} to {} ({})",
                 values.num_values, least, most, windows ? "D-013" : "D-011");
}

namespace {

Status CheckViaParentRecord(const StreamRecord& index, uint32_t num_rows, uint32_t parent_unique) {
  const uint64_t exceptions = index.num_values - parent_unique;  // Twice their number.
  if (index.width == 4 && index.num_values >= parent_unique && exceptions % 2 == 0 &&
      exceptions / 2 <= num_rows)
    return Status::Ok();
  return Corrupt(
      "index stream: {} values of width {}, expected {} of width 4 and two for each exception, at "
      "most {} (D-001)",
      index.num_values, index.width, parent_unique, num_rows);
}

}  // namespace

Status CheckIndexRecord(const StripeGroupRecord& group, uint32_t num_rows, uint32_t parent_unique,
                        const StreamRecord& index) {
  DSI_RETURN_IF_ERROR(CheckNoMax(index, "index"));
  DSI_RETURN_IF_ERROR(CheckNoSource(index, "index"));
  uint64_t count = 0;
  int width = index.width;
  switch (group.form) {
    case IndexForm::kIdentity:
      break;
    case IndexForm::kRunLengths:
    case IndexForm::kAsOf:
      count = group.num_unique, width = 4;
      break;
    case IndexForm::kNewRowBits:
      count = num_rows, width = 1;
      break;
    case IndexForm::kGeneral:
    case IndexForm::kVersions:
      count = num_rows, width = 4;
      break;
    case IndexForm::kViaParent:
      return CheckViaParentRecord(index, num_rows, parent_unique);
    default:
      return Status::Ok();  // What an unknown form needs is not known.
  }
  if (index.num_values == count && index.width == width) return Status::Ok();
  return Corrupt("index stream: {} values of width {}, expected {} of width {} in form {} (D-001)",
                 index.num_values, index.width, count, width, static_cast<uint32_t>(group.form));
}

Status CheckWindowsRecord(const ColumnRecord& leader, uint32_t num_unique,
                          const StreamRecord& windows) {
  DSI_RETURN_IF_ERROR(CheckNoSource(windows, "windows"));
  const bool fits = windows.num_values == 0 || windows.num_values == num_unique;
  if (!fits || windows.width != 4) {
    return Corrupt("windows stream: {} codes of width {}, expected 0 or {} of width 4 (D-013)",
                   windows.num_values, windows.width, num_unique);
  }
  if (windows.max == 0 || leader.tiers_slot != kNone32) return Status::Ok();
  return Corrupt("windows stream: a maximum of {} without tiers (D-014)", windows.max);
}

Status CheckTierRecord(const StreamRecord& values, const StreamRecord& tier, uint32_t reach) {
  DSI_RETURN_IF_ERROR(CheckNoMax(tier, "tier"));
  DSI_RETURN_IF_ERROR(CheckNoSource(tier, "tier"));
  if (tier.width == values.width && (reach != 0 || tier.num_values == 0)) return Status::Ok();
  return Corrupt("tier: {} values of width {} beside width {}, reach {} (F-061, D-014)",
                 tier.num_values, tier.width, values.width, reach);
}

Status CheckDictionaryRecord(int width, const StreamRecord& dictionary) {
  DSI_RETURN_IF_ERROR(CheckNoMax(dictionary, "dictionary"));
  DSI_RETURN_IF_ERROR(CheckNoSource(dictionary, "dictionary"));
  if (dictionary.width == width) return Status::Ok();
  return Corrupt("dictionary stream: width {}, expected {} (F-061, F-074)", dictionary.width,
                 width);
}

Status CheckPageOfStream(const StreamRecord& stream, uint32_t k, uint32_t page_values,
                         const PageRecord& page) {
  if (stream.form == StreamForm::kPacked) {
    if (!page.packed()) {
      return Corrupt("packed stream in a page of {} values (F-062)", page.num_values);
    }
    if (!FitsIn(stream.offset_in_page, stream.size, page.content_size())) {
      return Corrupt("packed stream at {} of {} bytes in a page of {} (F-064)",
                     stream.offset_in_page, stream.size, page.content_size());
    }
    return Status::Ok();
  }
  const uint32_t expected = ValuesInNode(stream, k, page_values);
  if (page.num_values == expected) return Status::Ok();
  return Corrupt("page {} of the stream: {} values, expected {} (F-062)", k, page.num_values,
                 expected);
}

}  // namespace dsi::internal
