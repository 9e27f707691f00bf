// Reads a manifest. Every member is known by name and stands once, so that nothing of it is
// overlooked; what contradicts something else is an error (DS-010 … DS-015).
#include <simdjson.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/files/file_schema_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/files/manifest_statistics_internal.h"
#include "dsi/dataset/files/manifest_values_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/overlay_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;

constexpr uint64_t kVersion = 1;
constexpr uint64_t kMostFiles = 100'000'000;
constexpr uint32_t kMostRowsOfStripe = UINT32_MAX;

template <typename Word>
Status ReadWord(dom::element value, bool (*parse)(std::string_view, Word*), Word* out) {
  std::string text;
  DSI_RETURN_IF_ERROR(ReadText(value, &text));
  if (parse(text, out)) return Status::Ok();
  return BadInput("{} is none that this version knows", QuoteForMessage(text));
}

bool ParseNewest(std::string_view end, bool* is_first) {
  *is_first = end == "first";
  return *is_first;
}

Status ReadBool(dom::element member, bool* out) {
  if (member.get(*out) == simdjson::SUCCESS) return Status::Ok();
  return BadInput("expected true or false");
}

Status ReadColumn(dom::element value, ColumnInfo* column) {
  constexpr std::string_view kNames[] = {"name",   "feature",  "id",        "kind",   "type",
                                         "unit",   "id_space", "precision", "length", "max_length",
                                         "newest", "nested",   "hashed",    "default"};
  bool has_id = false, has_kind = false, has_type = false;
  std::optional<dom::element> default_value;
  DSI_RETURN_IF_ERROR(ReadMembers(value, kNames, [&](size_t place, dom::element member) -> Status {
    switch (place) {
      case 0:
        return ReadText(member, &column->name);
      case 1:
        return ReadText(member, &column->feature);
      case 2:
        has_id = true;
        return ReadNumber(member, UINT64_MAX, &column->feature_id);
      case 3:
        has_kind = true;
        return ReadWord(member, ParseKind, &column->kind);
      case 4:
        has_type = true;
        return ReadWord(member, ParseType, &column->type);
      case 5:
        return ReadWord(member, ParseTimeUnit, &column->time_unit);
      case 6:
        return ReadText(member, &column->id_space);
      case 7:
        return ReadWord(member, ParsePrecision, &column->precision);
      case 8:
        return ReadNumber32(member, kMaxListLength, &column->fixed_length);
      case 9:
        return ReadNumber32(member, kMaxListLength, &column->max_length);
      case 10:
        return ReadWord(member, ParseNewest, &column->newest_first);
      case 11:
        return ReadBool(member, &column->nested);
      case 12:
        return ReadBool(member, &column->hashed);
      default:
        default_value = member;
        return Status::Ok();
    }
  }));
  if (column->name.empty() || !has_id || !has_kind || !has_type)
    return BadInput("expected \"name\", \"id\", \"kind\" and \"type\"");
  if (column->feature.empty()) column->feature = column->name;
  const bool is_named =
      column->name == column->feature || column->name.starts_with(column->feature + ".");
  if (!is_named) return BadInput("{} is no column of that feature", QuoteForMessage(column->name));
  if (default_value) {
    uint64_t bits = 0;
    if (!ReadTypedValue(*default_value, column->type, &bits))
      return Expected("default", "a value that fits the type");
    column->default_bits = bits;
  }
  return Status::Ok();
}

class Parse {
 public:
  explicit Parse(ManifestContent* out) : out_(out) {}

  Status Run(dom::element root) {
    constexpr std::string_view kNames[] = {"dsi_manifest", "schemas", "files", "snapshot"};
    std::optional<dom::element> files;
    bool has_schemas = false;
    DSI_RETURN_IF_ERROR(ReadMembers(root, kNames, [&](size_t place, dom::element value) -> Status {
      if (place == 2) files = value;
      if (place == 3) return ReadSnapshotHead(value, &out_->snapshot);
      if (place != 1) return Status::Ok();
      has_schemas = true;
      return ReadArray(value, kMostFiles, [&](uint64_t i, dom::element item) {
        return At(ReadSchema(item), "schema", i);
      });
    }));
    if (!has_schemas || !files) return BadInput("expected \"schemas\" and \"files\"");
    return ReadArray(*files, kMostFiles, [&](uint64_t i, dom::element item) {
      const Status status = ReadFile(item);
      const bool is_named = i < out_->paths.size() && !out_->paths[i].empty();
      if (status.ok() || !is_named) return At(status, "file", i);
      return status.At(QuoteForMessage(out_->paths[i]));
    });
  }

 private:
  static Status At(Status status, std::string_view what, uint64_t i) {
    if (status.ok()) return status;
    return status.At(fmt::format("{} {}", what, i));
  }

  Status ReadSchema(dom::element value) {
    constexpr std::string_view kNames[] = {"id", "columns"};
    std::string id;
    std::vector<ColumnInfo> columns;
    DSI_RETURN_IF_ERROR(ReadMembers(value, kNames, [&](size_t place, dom::element member) {
      if (place == 0) return ReadText(member, &id);
      return ReadArray(member, kMaxColumns, [&](uint64_t i, dom::element item) {
        return At(ReadColumn(item, &columns.emplace_back()), "column", i);
      });
    }));
    if (id.empty()) return Expected("id", "a string");
    std::unordered_map<std::string_view, size_t> names;
    for (const ColumnInfo& column : columns) {
      if (!names.emplace(column.name, 0).second)
        return BadInput("two columns are called {}", QuoteForMessage(column.name));
    }
    const auto place = static_cast<uint32_t>(out_->schemas.size());
    if (!schemas_.emplace(id, place).second)
      return BadInput("{} is the id of two schemas", QuoteForMessage(id));
    out_->schemas.push_back(MakeFileSchema(std::move(columns)));
    return Status::Ok();
  }

  // DS-013.
  Status ReadFile(dom::element value) {
    constexpr std::string_view kNames[] = {"path", "bytes",   "fingerprint", "schema",
                                           "rows", "stripes", "overlay",     "statistics"};
    constexpr size_t kNumRequired = 6;
    std::string& path = out_->paths.emplace_back();
    FileFacts& facts = out_->facts.emplace_back();
    uint32_t seen = 0;
    std::optional<dom::element> statistics;
    std::optional<dom::element> overlay;
    DSI_RETURN_IF_ERROR(ReadMembers(value, kNames, [&](size_t place, dom::element member) {
      seen |= uint32_t{1} << place;
      switch (place) {
        case 0:
          return ReadText(member, &path);
        case 1:
          return ReadNumber(member, INT64_MAX, &facts.bytes);
        case 2:
          return ReadFingerprint(member, &facts.fingerprint);
        case 3:
          return FindSchema(member, &facts.schema);
        case 4:
          return ReadNumber(member, INT64_MAX, &facts.num_rows);
        case 5:
          return ReadStripes(member, &facts);
        case 6:
          overlay = member;
          return Status::Ok();
        default:
          statistics = member;
          return Status::Ok();
      }
    }));
    for (size_t i = 0; i < kNumRequired; ++i) {
      if ((seen >> i & 1) == 0) return BadInput("expected {}", QuoteForMessage(kNames[i]));
    }
    if (path.empty() || path.find('\0') != std::string::npos)
      return Expected("path", "a path without a NUL");
    uint64_t rows = 0;
    for (const uint32_t of_stripe : facts.stripe_rows) rows += of_stripe;
    if (rows != facts.num_rows)
      return BadInput("{} rows, and its stripes have {}", facts.num_rows, rows);
    if (__builtin_add_overflow(num_rows_, rows, &num_rows_) || num_rows_ > INT64_MAX)
      return BadInput("more than 2^63 rows up to it");
    if (overlay) DSI_RETURN_IF_ERROR(ReadOverlay(*overlay, &facts).At("overlay"));
    if (!statistics) return Status::Ok();
    return ReadStatistics(*statistics, out_->schemas[facts.schema].columns, facts.num_rows,
                          &facts.statistics)
        .At("statistics");
  }

  Status FindSchema(dom::element value, uint32_t* out) {
    std::string_view id;
    if (value.get(id) != simdjson::SUCCESS) return BadInput("expected a string");
    if (id != last_id_) {
      const auto found = schemas_.find(std::string(id));
      if (found == schemas_.end()) return BadInput("{} is no schema of it", QuoteForMessage(id));
      last_id_ = found->first;
      last_schema_ = found->second;
    }
    *out = last_schema_;
    return Status::Ok();
  }

  static Status ReadStripes(dom::element value, FileFacts* facts) {
    return ReadArray(value, UINT32_MAX, [&](uint64_t, dom::element item) {
      return ReadNumber32(item, kMostRowsOfStripe, &facts->stripe_rows.emplace_back());
    });
  }

  // DS-017.
  static Status ReadOverlay(dom::element value, FileFacts* facts) {
    constexpr std::string_view kNames[] = {"fingerprint", "base_rows", "rows", "base"};
    constexpr size_t kNumRequired = 3;
    OverlayBinding& overlay = facts->overlay.emplace();
    uint32_t seen = 0;
    DSI_RETURN_IF_ERROR(ReadMembers(value, kNames, [&](size_t place, dom::element member) {
      seen |= uint32_t{1} << place;
      switch (place) {
        case 0:
          return ReadFingerprint(member, &overlay.base_fingerprint);
        case 1:
          return ReadNumber(member, INT64_MAX, &overlay.base_rows);
        case 2:
          return ReadArray(member, kMaxStripes, [&](uint64_t, dom::element item) {
            OverlayRows& rows = overlay.rows.emplace_back();
            return ReadArray(item, 2, [&](uint64_t i, dom::element end) {
              return ReadNumber(end, INT64_MAX, i == 0 ? &rows.begin : &rows.end);
            });
          });
        default:
          return ReadText(member, &facts->base_path);
      }
    }));
    for (size_t i = 0; i < kNumRequired; ++i) {
      if ((seen >> i & 1) == 0) return BadInput("expected {}", QuoteForMessage(kNames[i]));
    }
    overlay.stripe_rows = facts->stripe_rows;
    const Status sound = CheckBinding(overlay);
    return sound.ok() ? sound : BadInput("{}", sound.message());
  }

  ManifestContent* out_;
  std::unordered_map<std::string, uint32_t> schemas_;
  std::string_view last_id_;  // Most files have the schema of the one before.
  uint32_t last_schema_ = 0;
  uint64_t num_rows_ = 0;
};

}  // namespace

Result<ManifestContent> ParseManifest(std::string_view json) {
  if (json.starts_with("\xef\xbb\xbf")) json.remove_prefix(3);
  if (json.empty()) json = "";  // Not null.
  dom::parser parser;
  if (parser.allocate(json.size() + 1, kMaxJsonDepth + 1) != simdjson::SUCCESS)
    return OutOfMemory();
  dom::element root;
  const simdjson::error_code code = parser.parse(json.data(), json.size(), true).get(root);
  if (code == simdjson::MEMALLOC) return OutOfMemory();
  if (code != simdjson::SUCCESS) {
    const JsonFault fault = FindJsonFault(json);
    return BadInput("malformed JSON at byte {}: {}", fault.offset,
                    fault.message.empty() ? simdjson::error_message(code) : fault.message.c_str());
  }
  // DS-010: of another version nothing else is known.
  uint64_t version = 0;
  if (root["dsi_manifest"].get(version) != simdjson::SUCCESS)
    return BadInput("no manifest of a dataset: expected \"dsi_manifest\": 1");
  if (version != kVersion) {
    return Error(StatusCode::kUnsupported, "a manifest of version {}; this build reads version {}",
                 version, kVersion);
  }
  ManifestContent content;
  DSI_RETURN_IF_ERROR(Parse(&content).Run(root));
  return content;
}

}  // namespace dsi::internal
