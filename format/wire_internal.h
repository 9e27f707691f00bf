// The fixed-size records of the file, one home each: sizes, fields, EncodeTo and DecodeFrom (spec
// §3–§10). Symmetric for writer and reader.
//
// DecodeFrom checks what can be checked from the record alone (reserved fields, ranges, forms);
// what needs other records is checked by the reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dsi/format/limits.h"
#include "dsi/base/status.h"
#include "dsi/format/types.h"

namespace dsi::internal {

inline constexpr std::array<uint8_t, 8> kHeadMagic = {0x89, 'D', 'S', 'I', '\r', '\n', 0x1A, '\n'};
inline constexpr std::array<uint8_t, 8> kTailMagic = {'D', 'S', 'I', '!', '\r', '\n', 0x1A, '\n'};
inline constexpr uint16_t kMajorVersion = 1;
inline constexpr uint16_t kMinorVersion = 0;
inline constexpr size_t kHeaderSize = 64;
inline constexpr size_t kTrailerSize = 80;
inline constexpr uint32_t kNone32 = 0xFFFFFFFF;
inline constexpr uint16_t kNone16 = 0xFFFF;

// F-020. The magic is checked first, then the seal, then the version: a foreign file is told apart
// from damage, and damage from a newer file.
struct Header {
  uint16_t minor = kMinorVersion;
  uint64_t salt = 0;
  void EncodeTo(std::span<std::byte, kHeaderSize> out) const;
  static Result<Header> DecodeFrom(std::span<const std::byte, kHeaderSize> bytes);
};

// F-030.
struct Trailer {
  uint64_t core_offset = 0;
  uint32_t core_size = 0;
  uint16_t minor = kMinorVersion;
  uint64_t compat = 0;
  uint64_t ro_compat = 0;
  uint64_t incompat = 0;
  uint64_t file_size = 0;
  uint64_t core_seal = 0;
  uint64_t salt = 0;
  void EncodeTo(std::span<std::byte, kTrailerSize> out) const;
  // `found_size` is the size of the file (F-031).
  static Result<Trailer> DecodeFrom(std::span<const std::byte, kTrailerSize> bytes,
                                    uint64_t found_size);
};

// F-060.
struct StripeGroupRecord {
  static constexpr size_t kSize = 8;
  IndexForm form = IndexForm::kIdentity;
  uint32_t num_unique = 0;
  void EncodeTo(std::byte* out) const;
  static Result<StripeGroupRecord> DecodeFrom(const std::byte* bytes);
};

enum class StreamForm : uint8_t { kEmpty = 0, kConstant = 1, kPacked = 2, kPaged = 3, kAlias = 4 };
constexpr bool IsKnown(StreamForm form) { return form <= StreamForm::kAlias; }

// Values of a page are counted in as many (F-050, F-061).
inline constexpr uint32_t kPageValuesUnit = 1024;

// F-061.
struct StreamRecord {
  static constexpr size_t kSize = 40;
  static constexpr uint32_t kPerRecord = 3;  // In a record of the table.
  uint64_t num_values = 0;
  uint64_t constant = 0;    // Of forms 2 and 3: the source (F-066), 0 none.
  uint32_t first_page = 0;  // Of an alias: the slot whose stream it is. No place in unknown forms.
  uint32_t num_pages = 0;
  uint32_t offset_in_page = 0;
  uint32_t size = 0;  // Of form 2: bytes. Of form 3: values per page, 0 as the core footer says.
  uint8_t width = 8;
  StreamForm form = StreamForm::kEmpty;
  uint32_t max = 0;
  bool is_alias = false;  // Not stored: the reader gives an alias the record of its target.
  // kUnsupported in an unknown form, for who wants the values (F-061).
  Status Support() const;
  // `page_values`: what the core footer says, and form 3 may say otherwise.
  uint32_t PageValues(uint32_t page_values) const {
    return form == StreamForm::kPaged && size != 0 ? size : page_values;
  }

  // F-066: the column whose values serve as dictionary, and its id space, kNone32 without one.
  bool has_source() const {
    return constant != 0 && (form == StreamForm::kPacked || form == StreamForm::kPaged);
  }
  uint32_t source_column() const { return static_cast<uint32_t>(constant) - 1; }
  uint32_t source_id_space() const { return static_cast<uint32_t>(constant >> 32) - 1; }
  void SetSource(uint32_t column, uint32_t id_space) {
    constant = uint64_t{id_space + 1} << 32 | (column + 1);
  }

  void EncodeTo(std::byte* out) const;
  // kCorrupt. An unknown form is none.
  static Result<StreamRecord> DecodeFrom(const std::byte* bytes);
};

// A record of the table of streams.
inline constexpr size_t kStreamsRecordSize = StreamRecord::kPerRecord * StreamRecord::kSize;
// Records of that table.
constexpr uint32_t NumStreamsRecords(uint32_t num_slots) {
  return (num_slots + StreamRecord::kPerRecord - 1) / StreamRecord::kPerRecord;
}

// In num_values of a compressed page, beside the bytes of its content (F-065).
inline constexpr uint32_t kCompressedPage = uint32_t{1} << 31;

// F-062.
struct PageRecord {
  static constexpr size_t kSize = 24;
  uint64_t offset = 0;
  uint32_t stored_size = 0;
  uint32_t num_values = 0;
  uint64_t seal = 0;
  // F-065: a page of packed streams that is one node, of as many bytes.
  bool compressed() const { return num_values > kMaxPageValues; }
  bool packed() const { return num_values == 0 || compressed(); }
  // Bytes in which the nodes of its streams stand.
  uint32_t content_size() const {
    return compressed() ? num_values ^ kCompressedPage : stored_size;
  }
  void EncodeTo(std::byte* out) const;
  static Result<PageRecord> DecodeFrom(const std::byte* bytes);
};

// F-070.
struct ColumnRecord {
  static constexpr size_t kSize = 72;
  uint64_t id_less_hash = 0;  // The feature's id less the hash of its name.
  uint64_t default_bits = 0;
  uint64_t stored_bytes = 0;
  uint64_t num_values = 0;
  uint32_t name_offset = 0;
  uint16_t name_size = 0;
  uint16_t feature_name_size = 0;
  uint16_t place = 0;  // Among the columns of the feature.
  uint16_t num_columns = 1;
  uint32_t group = 0;
  uint32_t max_length = 0;
  uint32_t fixed_length = 0;
  uint32_t tiers_slot = kNone32;
  uint16_t id_space = kNone16;
  uint8_t num_tiers = 0;
  Kind kind = Kind::kDense;
  Type type = Type::kInt64;
  bool newest_first = false;
  bool nested = true;
  bool has_default = false;
  bool hashed = false;  // S-015.
  TimeUnit time_unit = TimeUnit::kNone;
  void EncodeTo(std::byte* out) const;
  // kCorrupt. An unknown kind or type is none: what depends on it is left unchecked (S-010 …
  // S-012).
  static Result<ColumnRecord> DecodeFrom(const std::byte* bytes);
  // S-010, S-011: kUnsupported where the kind or the type is that of a newer version.
  Status Support() const;
  // D-013; of an unknown kind or type it is not known.
  bool MayHaveWindows() const;
};

// F-072.
struct NameIndexRecord {
  static constexpr size_t kSize = 8;
  uint32_t hash = 0;
  uint32_t column = 0;
  bool is_feature = false;
  static uint32_t HashOf(std::string_view name);
  void EncodeTo(std::byte* out) const;
  static Result<NameIndexRecord> DecodeFrom(const std::byte* bytes);
};

// F-073.
struct GroupRecord {
  static constexpr size_t kSize = 24;
  uint32_t name_offset = 0;
  uint16_t name_size = 0;
  uint8_t source = 0;  // 0 rows, 1 declared, 2 found, 3 declared, its owner found.
  uint32_t owner = kNone32;
  uint32_t num_columns = 0;
  uint32_t parent = 0;  // Forms 4 to 6 refer to its unique rows; 0 none.
  void EncodeTo(std::byte* out) const;
  static Result<GroupRecord> DecodeFrom(const std::byte* bytes);
};

// F-074.
struct IdSpaceRecord {
  static constexpr size_t kSize = 8;
  uint32_t name_offset = 0;
  uint16_t name_size = 0;
  uint8_t width = 8;
  void EncodeTo(std::byte* out) const;
  static Result<IdSpaceRecord> DecodeFrom(const std::byte* bytes);
};

// F-081.
struct PrecisionRecord {
  static constexpr size_t kSize = 16;
  uint32_t column = 0;
  Precision precision = Precision::kFp16;
  double max_error = 0;
  void EncodeTo(std::byte* out) const;
  static Result<PrecisionRecord> DecodeFrom(const std::byte* bytes);
};

inline constexpr size_t kNameRecordSize = 1;       // F-071.
inline constexpr uint32_t kSectionMetadata = 1;    // F-080.
inline constexpr uint32_t kSectionPrecision = 2;   // F-081.
inline constexpr uint32_t kSectionStatistics = 3;  // F-082.
inline constexpr uint32_t kSectionDeleted = 4;     // F-084.
inline constexpr uint32_t kSectionPrevious = 5;    // F-034.
inline constexpr uint32_t kSectionOverlay = 7;     // F-087.

// Compat flags of the trailer: not every byte need be in an extent (F-033).
inline constexpr uint64_t kCompatGaps = 1;

// Flags of a section (F-080).
inline constexpr uint32_t kSectionRequired = 1;
inline constexpr uint32_t kSectionInBlocks = 2;  // It is a table of records of one byte.

// Records per block of a sealed table (F-040).
constexpr uint32_t RecordsPerBlock(uint32_t record_size) { return kMaxRecordBytes / record_size; }

}  // namespace dsi::internal
