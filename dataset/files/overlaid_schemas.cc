#include "dsi/dataset/files/overlaid_schemas_internal.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

// Columns of a file and its overlays as one schema.
struct Combined {
  std::vector<ColumnInfo> columns;
  std::vector<uint16_t> members;
};

// Columns [begin, end) of the feature that the one at `begin` is of.
size_t EndOfFeature(const std::vector<ColumnInfo>& columns, size_t begin) {
  size_t end = begin + 1;
  while (end < columns.size() && columns[end].feature == columns[begin].feature) ++end;
  return end;
}

// DS-042: a feature of the overlay takes the place of that of the same id, else of the same name;
// others follow behind.
Status AddColumns(const std::vector<ColumnInfo>& columns, uint16_t member, Combined* sum) {
  for (size_t begin = 0; begin < columns.size();) {
    const size_t end = EndOfFeature(columns, begin);
    const auto find = [&](const auto& is_same) {
      return static_cast<size_t>(std::find_if(sum->columns.begin(), sum->columns.end(), is_same) -
                                 sum->columns.begin());
    };
    size_t at =
        find([&](const ColumnInfo& c) { return c.feature_id == columns[begin].feature_id; });
    const size_t named =
        find([&](const ColumnInfo& c) { return c.feature == columns[begin].feature; });
    if (at == sum->columns.size()) at = named;
    if (named != at && named != sum->columns.size()) {
      return BadInput("feature {} is {} by its id, and another one has its name (DS-042)",
                      QuoteForMessage(columns[begin].feature),
                      QuoteForMessage(sum->columns[at].feature));
    }
    if (at != sum->columns.size()) {
      const size_t old_end = EndOfFeature(sum->columns, at);
      const auto erase = [&](auto* of) {
        of->erase(of->begin() + static_cast<ptrdiff_t>(at),
                  of->begin() + static_cast<ptrdiff_t>(old_end));
      };
      erase(&sum->columns);
      erase(&sum->members);
    }
    sum->columns.insert(sum->columns.begin() + static_cast<ptrdiff_t>(at),
                        columns.begin() + static_cast<ptrdiff_t>(begin),
                        columns.begin() + static_cast<ptrdiff_t>(end));
    sum->members.insert(sum->members.begin() + static_cast<ptrdiff_t>(at), end - begin, member);
    begin = end;
  }
  return Status::Ok();
}

Status CheckNames(const Combined& sum) {
  std::unordered_map<std::string_view, size_t> names;
  for (const ColumnInfo& column : sum.columns) {
    if (!names.emplace(column.name, 0).second)
      return BadInput("two columns are called {} then (DS-042)", QuoteForMessage(column.name));
  }
  return Status::Ok();
}

class Adder {
 public:
  Adder(const SchemasOfFiles& stored, const FileOverlays& overlays)
      : stored_(stored), overlays_(overlays), collector_(stored.schemas) {}

  Status AddFile(size_t file, const FileFacts& facts, OverlaidFile* made) {
    const std::span<const PlacedOverlay> placed = overlays_.of_file(file);
    std::vector<std::vector<uint32_t>> of_stripe(facts.stripe_rows.size());
    for (const PlacedOverlay& one : placed) {
      for (const uint32_t stripe : one.stripes) of_stripe[stripe].push_back(one.overlay);
    }
    std::map<std::vector<uint32_t>, uint32_t> variants;
    uint64_t rows = 0;
    for (size_t stripe = 0; stripe < of_stripe.size(); ++stripe) {
      made->stripe_ends.push_back(rows += facts.stripe_rows[stripe]);
      const auto [at, is_new] =
          variants.try_emplace(of_stripe[stripe], static_cast<uint32_t>(variants.size()));
      if (is_new) {
        DSI_RETURN_IF_ERROR(AddVariant(file, at->first, &made->variants.emplace_back()));
      }
      made->of_stripe.push_back(at->second);
    }
    return Status::Ok();
  }

  SchemaCollector* collector() { return &collector_; }

 private:
  Status AddVariant(size_t file, const std::vector<uint32_t>& overlays, FileVariant* made) {
    std::vector<uint32_t> schemas = {stored_.of_file[file]};
    for (const uint32_t overlay : overlays) schemas.push_back(SchemaOf(overlay));
    auto known = combined_.find(schemas);
    if (known == combined_.end()) {
      Combined sum{stored_.schemas[schemas[0]].columns, {}};
      sum.members.assign(sum.columns.size(), 0);
      for (size_t i = 0; i < overlays.size(); ++i) {
        Status status =
            AddColumns(stored_.schemas[schemas[i + 1]].columns, static_cast<uint16_t>(i + 1), &sum);
        if (status.ok()) status = CheckNames(sum);
        if (!status.ok()) return status.At(ShownName(overlays_.overlays()[overlays[i]].path));
      }
      AddUnsupported(schemas, &sum);
      FileVariant variant{collector_.Add(std::move(sum.columns)), {}, std::move(sum.members)};
      known = combined_.emplace(std::move(schemas), std::move(variant)).first;
    }
    *made = known->second;
    made->overlays = overlays;
    return Status::Ok();
  }

  // But those in whose place a later one has a feature that can be read.
  void AddUnsupported(const std::vector<uint32_t>& schemas, Combined* sum) const {
    std::unordered_set<uint64_t> ids;
    std::unordered_set<std::string_view> names;
    for (size_t i = schemas.size(); i-- > 0;) {
      const FileSchema& schema = stored_.schemas[schemas[i]];
      for (const ColumnInfo& column : schema.unsupported) {
        if (!ids.contains(column.feature_id) && !names.contains(column.feature))
          sum->columns.push_back(column);
      }
      for (const ColumnInfo& column : schema.columns) {
        ids.insert(column.feature_id);
        names.insert(column.feature);
      }
    }
  }

  uint32_t SchemaOf(uint32_t overlay) const {
    const size_t num_files = stored_.of_file.size() - overlays_.overlays().size();
    return stored_.of_file[num_files + overlay];
  }

  const SchemasOfFiles& stored_;
  const FileOverlays& overlays_;
  SchemaCollector collector_;
  std::map<std::vector<uint32_t>, FileVariant> combined_;  // By schemas, without overlays.
};

}  // namespace

size_t SchemasOfFiles::VariantAt(size_t file, uint64_t row) const {
  const auto found = overlaid.find(file);
  if (found == overlaid.end()) return 0;
  const std::vector<uint64_t>& ends = found->second.stripe_ends;
  return found->second.of_stripe[static_cast<size_t>(
      std::upper_bound(ends.begin(), ends.end(), row) - ends.begin())];
}

Result<SchemasOfFiles> AddOverlays(const SchemasOfFiles& stored, const FileOverlays& overlays,
                                   std::span<const FileFacts> facts) {
  SchemasOfFiles made;
  Adder adder(stored, overlays);
  std::vector<uint32_t> used;  // In the order of files and variants.
  for (size_t file = 0; file < facts.size(); ++file) {
    if (overlays.of_file(file).empty()) {
      used.push_back(stored.of_file[file]);
      continue;
    }
    OverlaidFile& overlaid = made.overlaid[file];
    DSI_RETURN_IF_ERROR(adder.AddFile(file, facts[file], &overlaid));
    for (const FileVariant& variant : overlaid.variants) used.push_back(variant.schema);
  }
  made.schemas = adder.collector()->TakeInOrder(&used);
  size_t next = 0;
  for (size_t file = 0; file < facts.size(); ++file) {
    made.of_file.push_back(used[next]);
    const auto overlaid = made.overlaid.find(file);
    if (overlaid == made.overlaid.end()) {
      ++next;
      continue;
    }
    for (FileVariant& variant : overlaid->second.variants) variant.schema = used[next++];
  }
  return made;
}

}  // namespace dsi::internal
