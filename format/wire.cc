#include "dsi/format/wire_internal.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/seal_internal.h"

namespace dsi::internal {
namespace {

template <typename T>
T Get(const std::byte* bytes, size_t at) {
  return LoadLE<T>(bytes + at);
}

template <typename T>
void Put(std::byte* out, size_t at, T value) {
  StoreLE<T>(out + at, value);
}

// F-072: in `column` of an entry.
constexpr uint32_t kNamesFeature = uint32_t{1} << 31;

// F-003.
Status CheckReserved(std::span<const std::byte> bytes, const char* record) {
  if (!AllZero(bytes)) return Corrupt("{}: reserved bytes are not zero (F-003)", record);
  return Status::Ok();
}

}  // namespace

void Header::EncodeTo(std::span<std::byte, kHeaderSize> out) const {
  std::memset(out.data(), 0, out.size());
  std::memcpy(out.data(), kHeadMagic.data(), kHeadMagic.size());
  Put<uint16_t>(out.data(), 8, kMajorVersion);
  Put<uint16_t>(out.data(), 10, minor);
  Put<uint32_t>(out.data(), 12, kHeaderSize);
  Put<uint64_t>(out.data(), 16, salt);
  Put<uint64_t>(out.data(), 56, Seal(out.first(56), SealKind::kHeader, 0, 0));
}

Result<Header> Header::DecodeFrom(std::span<const std::byte, kHeaderSize> bytes) {
  if (std::memcmp(bytes.data(), kHeadMagic.data(), kHeadMagic.size()) != 0) {
    return Status(StatusCode::kNotDsi, "the first 8 bytes are not the magic of a dsi file (F-020)");
  }
  const auto seal = Get<uint64_t>(bytes.data(), 56);
  const uint64_t expected = Seal(bytes.first(56), SealKind::kHeader, 0, 0);
  if (seal != expected)
    return Corrupt("header: seal {:016x}, expected {:016x} (F-020)", seal, expected);
  const auto major = Get<uint16_t>(bytes.data(), 8);
  if (major != kMajorVersion) {
    return Error(StatusCode::kUnsupported,
                 "major version {} (this build reads {}); use a newer build (F-020)", major,
                 kMajorVersion);
  }
  if (Get<uint32_t>(bytes.data(), 12) != kHeaderSize) {
    return Corrupt("header: size {}, expected {} (F-020)", Get<uint32_t>(bytes.data(), 12),
                   kHeaderSize);
  }
  DSI_RETURN_IF_ERROR(CheckReserved(bytes.subspan(24, 32), "header"));
  Header header;
  header.minor = Get<uint16_t>(bytes.data(), 10);
  header.salt = Get<uint64_t>(bytes.data(), 16);
  return header;
}

void Trailer::EncodeTo(std::span<std::byte, kTrailerSize> out) const {
  std::byte* p = out.data();
  Put<uint64_t>(p, 0, core_offset);
  Put<uint32_t>(p, 8, core_size);
  Put<uint16_t>(p, 12, kMajorVersion);
  Put<uint16_t>(p, 14, minor);
  Put<uint64_t>(p, 16, compat);
  Put<uint64_t>(p, 24, ro_compat);
  Put<uint64_t>(p, 32, incompat);
  Put<uint64_t>(p, 40, file_size);
  Put<uint64_t>(p, 48, core_seal);
  Put<uint64_t>(p, 56, salt);
  Put<uint64_t>(p, 64, Seal(out.first(64), SealKind::kTrailer, file_size - kTrailerSize, 0));
  std::memcpy(p + 72, kTailMagic.data(), kTailMagic.size());
}

Result<Trailer> Trailer::DecodeFrom(std::span<const std::byte, kTrailerSize> bytes,
                                    uint64_t found_size) {
  const std::byte* p = bytes.data();
  if (std::memcmp(p + 72, kTailMagic.data(), kTailMagic.size()) != 0) {
    return Status(StatusCode::kTruncated,
                  "the last 8 bytes are not the closing magic: the file was cut, grew, or was "
                  "never finished (F-030)");
  }
  const auto seal = Get<uint64_t>(p, 64);
  const uint64_t expected = Seal(bytes.first(64), SealKind::kTrailer, found_size - kTrailerSize, 0);
  const auto stated_size = Get<uint64_t>(p, 40);
  if (seal != expected) {
    // A trailer that is sound for another size tells cut or grown files from damaged ones (F-031).
    if (stated_size != found_size && stated_size >= kTrailerSize &&
        seal == Seal(bytes.first(64), SealKind::kTrailer, stated_size - kTrailerSize, 0)) {
      return Error(StatusCode::kTruncated, "the trailer states {} bytes, the file has {} (F-031)",
                   stated_size, found_size);
    }
    return Corrupt("trailer at offset {}: seal {:016x}, expected {:016x} (F-030)",
                   found_size - kTrailerSize, seal, expected);
  }
  Trailer t;
  t.core_offset = Get<uint64_t>(p, 0);
  t.core_size = Get<uint32_t>(p, 8);
  t.minor = Get<uint16_t>(p, 14);
  t.compat = Get<uint64_t>(p, 16);
  t.ro_compat = Get<uint64_t>(p, 24);
  t.incompat = Get<uint64_t>(p, 32);
  t.file_size = stated_size;
  t.core_seal = Get<uint64_t>(p, 48);
  t.salt = Get<uint64_t>(p, 56);
  if (t.file_size != found_size) {
    return Error(StatusCode::kTruncated, "the trailer states {} bytes, the file has {} (F-031)",
                 t.file_size, found_size);
  }
  if (t.incompat != 0) {
    return Error(StatusCode::kUnsupported,
                 "the file needs features {:#x} that this build does not know (F-030)", t.incompat);
  }
  if (Get<uint16_t>(p, 12) != kMajorVersion) {
    return Corrupt("trailer: major version {}, header has {} (F-030)", Get<uint16_t>(p, 12),
                   kMajorVersion);
  }
  if (t.core_size < 8 || t.core_size % 8 != 0 || t.core_size > kMaxCoreBytes) {
    return Corrupt("trailer: core footer of {} bytes (F-030)", t.core_size);
  }
  if (found_size < kHeaderSize + kTrailerSize ||
      t.core_size > found_size - kHeaderSize - kTrailerSize ||
      t.core_offset != found_size - kTrailerSize - t.core_size) {
    return Corrupt(
        "trailer: core footer at {} of {} bytes does not end where the trailer starts, at {} "
        "(F-032)",
        t.core_offset, t.core_size, found_size - kTrailerSize);
  }
  return t;
}

void StripeGroupRecord::EncodeTo(std::byte* out) const {
  std::memset(out, 0, kSize);
  Put(out, 0, static_cast<uint32_t>(form));
  Put(out, 4, num_unique);
}

Result<StripeGroupRecord> StripeGroupRecord::DecodeFrom(const std::byte* bytes) {
  return StripeGroupRecord{.form = static_cast<IndexForm>(Get<uint32_t>(bytes, 0)),
                           .num_unique = Get<uint32_t>(bytes, 4)};
}

void StreamRecord::EncodeTo(std::byte* out) const {
  std::memset(out, 0, kSize);
  Put(out, 0, num_values);
  Put(out, 8, constant);
  Put(out, 16, first_page);
  Put(out, 20, num_pages);
  Put(out, 24, offset_in_page);
  Put(out, 28, size);
  Put(out, 32, width);
  Put(out, 33, static_cast<uint8_t>(form));
  Put(out, 36, max);
}

Status StreamRecord::Support() const {
  if (IsKnown(form)) return Status::Ok();
  return Error(StatusCode::kUnsupported, "stream form {} (F-061)", static_cast<int>(form));
}

Result<StreamRecord> StreamRecord::DecodeFrom(const std::byte* bytes) {
  StreamRecord r;
  const auto form = Get<uint8_t>(bytes, 33);
  r.form = static_cast<StreamForm>(form);
  r.num_values = Get<uint64_t>(bytes, 0);
  r.width = Get<uint8_t>(bytes, 32);
  r.max = Get<uint32_t>(bytes, 36);
  if (IsKnown(r.form)) {
    r.constant = Get<uint64_t>(bytes, 8);
    r.first_page = Get<uint32_t>(bytes, 16);
    r.num_pages = Get<uint32_t>(bytes, 20);
    r.offset_in_page = Get<uint32_t>(bytes, 24);
    r.size = Get<uint32_t>(bytes, 28);
    DSI_RETURN_IF_ERROR(CheckReserved({bytes + 34, 2}, "stream record"));
  }
  if (r.width != 1 && r.width != 2 && r.width != 4 && r.width != 8)
    return Corrupt("stream record: width {} (F-061)", r.width);
  const bool empty = r.form == StreamForm::kEmpty;
  if (empty != (r.num_values == 0))
    return Corrupt("stream record: form {} with {} values (F-061)", form, r.num_values);
  if (r.num_values > kMaxStreamValues)
    return Corrupt("stream record: {} values (F-090)", r.num_values);
  const bool constant = r.form == StreamForm::kConstant;
  if (!constant && r.constant != 0 && !r.has_source())
    return Corrupt("stream record: a constant in form {} (F-061)", form);
  if (r.has_source() && (r.source_column() >= kMaxColumns || (r.constant >> 32) > kMaxIdSpaces))
    return Corrupt("stream record: source {:#x} (F-066)", r.constant);
  if (constant && r.width < 8 && (r.constant >> (8 * r.width)) != 0) {
    return Corrupt("stream record: constant {:#x} is wider than {} bytes (F-061)", r.constant,
                   r.width);
  }
  const bool packed = r.form == StreamForm::kPacked;
  const bool paged = r.form == StreamForm::kPaged;
  if (!packed && (r.offset_in_page != 0 || (!paged && r.size != 0)))
    return Corrupt("stream record: a place in a page in form {} (F-061)", form);
  if (paged && (r.size % kPageValuesUnit != 0 || r.size > kMaxPageValues))
    return Corrupt("stream record: {} values a page in form 3 (F-061)", r.size);
  if (packed && (r.num_pages != 1 || r.offset_in_page % 8 != 0 || r.size % 8 != 0 || r.size < 16)) {
    return Corrupt("stream record: {} pages, offset {}, size {} in form 2 (F-061)", r.num_pages,
                   r.offset_in_page, r.size);
  }
  if (empty || constant) {
    if (r.first_page != 0 || r.num_pages != 0)
      return Corrupt("stream record: pages in form {} (F-061)", form);
    if (empty && r.max != 0) return Corrupt("stream record: a maximum in form 0 (F-061)");
  }
  if (r.form == StreamForm::kAlias && r.num_pages != 0)
    return Corrupt("stream record: pages in form 4 (F-061)");
  return r;
}

void PageRecord::EncodeTo(std::byte* out) const {
  Put(out, 0, offset);
  Put(out, 8, stored_size);
  Put(out, 12, num_values);
  Put(out, 16, seal);
}

Result<PageRecord> PageRecord::DecodeFrom(const std::byte* bytes) {
  PageRecord r;
  r.offset = Get<uint64_t>(bytes, 0);
  r.stored_size = Get<uint32_t>(bytes, 8);
  r.num_values = Get<uint32_t>(bytes, 12);
  r.seal = Get<uint64_t>(bytes, 16);
  if (r.offset % 8 != 0 || r.stored_size % 8 != 0 || r.stored_size < 16)
    return Corrupt("page record: {} bytes at offset {} (F-062)", r.stored_size, r.offset);
  if (r.stored_size > kMaxPageBytes) {
    return Corrupt("page record: {} bytes, at most {} (F-090)", r.stored_size, kMaxPageBytes);
  }
  if (r.compressed() && (r.content_size() > kMaxPageValues || r.content_size() % 8 != 0 ||
                         r.content_size() < r.stored_size)) {
    return Corrupt("page record: {:#x} values in {} bytes (F-062, F-065)", r.num_values,
                   r.stored_size);
  }
  return r;
}

void NameIndexRecord::EncodeTo(std::byte* out) const {
  Put(out, 0, hash);
  Put(out, 4, column | (is_feature ? kNamesFeature : 0));
}

Result<NameIndexRecord> NameIndexRecord::DecodeFrom(const std::byte* bytes) {
  const auto column = Get<uint32_t>(bytes, 4);
  return NameIndexRecord{.hash = Get<uint32_t>(bytes, 0),
                         .column = column & ~kNamesFeature,
                         .is_feature = (column & kNamesFeature) != 0};
}

uint32_t NameIndexRecord::HashOf(std::string_view name) {
  return static_cast<uint32_t>(NameHash(name) >> 32);
}

void GroupRecord::EncodeTo(std::byte* out) const {
  std::memset(out, 0, kSize);
  Put(out, 0, name_offset);
  Put(out, 4, name_size);
  Put(out, 6, source);
  Put(out, 8, owner);
  Put(out, 12, num_columns);
  Put(out, 16, parent);
}

Result<GroupRecord> GroupRecord::DecodeFrom(const std::byte* bytes) {
  GroupRecord r;
  r.name_offset = Get<uint32_t>(bytes, 0);
  r.name_size = Get<uint16_t>(bytes, 4);
  r.source = Get<uint8_t>(bytes, 6);
  r.owner = Get<uint32_t>(bytes, 8);
  r.num_columns = Get<uint32_t>(bytes, 12);
  r.parent = Get<uint32_t>(bytes, 16);
  if (Get<uint8_t>(bytes, 7) != 0 || Get<uint32_t>(bytes, 20) != 0)
    return Corrupt("group record: reserved bytes are not zero (F-003)");
  if (r.name_size == 0 && r.name_offset != 0)
    return Corrupt("group record: no name at {} (F-073)", r.name_offset);
  if (r.source > 3) return Corrupt("group record: source {} (F-073)", r.source);
  return r;
}

void IdSpaceRecord::EncodeTo(std::byte* out) const {
  std::memset(out, 0, kSize);
  Put(out, 0, name_offset);
  Put(out, 4, name_size);
  Put(out, 6, width);
}

Result<IdSpaceRecord> IdSpaceRecord::DecodeFrom(const std::byte* bytes) {
  IdSpaceRecord r;
  r.name_offset = Get<uint32_t>(bytes, 0);
  r.name_size = Get<uint16_t>(bytes, 4);
  r.width = Get<uint8_t>(bytes, 6);
  if (Get<uint8_t>(bytes, 7) != 0)
    return Corrupt("id space record: reserved bytes are not zero (F-003)");
  if (r.name_size == 0 && r.name_offset != 0)
    return Corrupt("id space record: no name at {} (F-073)", r.name_offset);
  if (r.width != 4 && r.width != 8) return Corrupt("id space record: width {} (F-074)", r.width);
  return r;
}

void PrecisionRecord::EncodeTo(std::byte* out) const {
  Put(out, 0, column);
  Put(out, 4, static_cast<uint32_t>(precision));
  Put(out, 8, std::bit_cast<uint64_t>(max_error));
}

Result<PrecisionRecord> PrecisionRecord::DecodeFrom(const std::byte* bytes) {
  const auto precision = Get<uint32_t>(bytes, 4);
  PrecisionRecord r;
  r.column = Get<uint32_t>(bytes, 0);
  r.max_error = std::bit_cast<double>(Get<uint64_t>(bytes, 8));
  if (precision < 1 || precision > 3) {
    return Corrupt("precision record of column {}: precision {} (F-081)", r.column, precision);
  }
  r.precision = static_cast<Precision>(precision);
  if (!std::isfinite(r.max_error) || std::signbit(r.max_error)) {
    return Corrupt("precision record of column {}: error {} (F-081)", r.column, r.max_error);
  }
  return r;
}

}  // namespace dsi::internal
