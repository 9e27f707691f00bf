// What a scan was asked for, settled: which columns, in which layout and type, and what they share.
//
// Columns of a feature share its shape, features of a dedup group share its index, columns of an id
// space share its dictionary: each is decoded once per stripe, so each has one entry here.
// Immutable once a scan begins; its batches share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/scan.h"
#include "dsi/reader/scan_options.h"
#include "dsi/reader/decode/convert_values_internal.h"

namespace dsi::internal {

struct ScanGroup {
  uint32_t ordinal = 0;
  bool want_touched = false;  // Some output is deduplicated …
  bool want_inverse = false;  // … and its view has the group's inverse: all but VBE.
};

struct ScanShape {
  uint32_t column = 0;        // One that has it.
  uint32_t group = 0;         // Position in groups.
  uint32_t num_values = 0;    // Columns with this shape that are read.
  bool is_counted = false;    // An output counts the entries of all rows while it is filled.
  bool may_be_sparse = true;  // All its outputs can be filled from a sparse view.
};

// One column decoded to one type.
struct ScanValues {
  uint32_t column = 0;
  uint32_t shape = 0;
  Type type = Type::kInt64;
  Conversion conversion;
  // Who fills batches alone looks at them, and takes them in fewer bytes as well: those of general
  // groups, whose rows are never in order.
  bool may_be_narrow = false;
};

// One tensor, or a column of a set.
struct ScanOutput {
  std::string name;
  Layout layout = Layout::kPadded;
  uint32_t values = kNone32;  // Position in ScanProjection::values; none of a shape alone.
  uint32_t shape = 0;
  uint32_t group = 0;
  Type dtype = Type::kInt64;
  uint32_t item_size = 8;
  // Padded. Of an IKJT that is known by its position alone: so many entries at one end are looked
  // at; 0: all.
  uint32_t width = 0;
  bool keep_last = true;
  bool pad_left = false;
  bool counts_entries = false;  // The first of its shape that holds all rows.
  uint64_t pad_bits = 0;        // Padded: the pad. Dense: what stands for a missing value.
  std::string set;              // Dense, VBE, KJT: the name of its set.
};

// Outputs that are one dense matrix or one KeyedJaggedTensor.
struct ScanSet {
  Layout layout = Layout::kDense;
  std::string name;
  Type dtype = Type::kInt64;
  std::vector<uint32_t> outputs;  // In order.
  std::vector<std::string> keys;  // VBE, KJT: their names.
};

inline bool IsPadded(Layout layout) {
  return layout == Layout::kPadded || layout == Layout::kPaddedIkjt;
}
// A column of a KeyedJaggedTensor.
inline bool IsKeyed(Layout layout) { return layout == Layout::kVbe || layout == Layout::kKjt; }
inline bool HasSet(Layout layout) { return layout == Layout::kDense || IsKeyed(layout); }
// Who fills it sees the entries of every row: see ScanOutput::counts_entries.
inline bool CountsRows(Layout layout) {
  return layout == Layout::kPadded || layout == Layout::kJagged || layout == Layout::kKjt;
}

struct ScanProjection {
  std::vector<OpenColumn> columns;
  std::vector<ScanGroup> groups;
  std::unordered_map<uint32_t, uint32_t> group_position;  // Of an ordinal in groups.
  std::vector<ScanShape> shapes;
  std::vector<ScanValues> values;
  std::vector<ScanOutput> outputs;
  std::vector<ScanSet> sets;  // In the order of their first outputs.
  Type kjt_lengths = Type::kInt32;
  std::vector<uint32_t> by_name;  // Outputs sorted by (name, layout).

  // Makes output `at` part of its set, which may be new. kInvalidArgument: of another type.
  Status AddToSet(uint32_t at);
  // Position in sets, or kNone32.
  uint32_t FindSet(Layout layout, std::string_view name) const;
  // Another output, hidden, of the same column, whose values are its own; its position.
  uint32_t AddHiddenCopy(uint32_t output);
  // For values whose only user wants what a map makes of them, of type `to`: they are it as soon as
  // they are decoded. Only those that are as they are stored, or in a wider type, can be mapped.
  bool CanMapValues(uint32_t at) const;
  void MapValues(uint32_t at, std::shared_ptr<const ValueMap> map, Type to);
  // The outputs as a scan tells them.
  std::vector<ScanColumn> ScanColumns() const;
  // Position in outputs, or kNone32. *other_layout tells that the name is there in another one.
  uint32_t Find(std::string_view name, Layout layout, bool* other_layout) const;
};

// How values are converted, as was asked.
Casting CastingOf(const Projection& asked, Type from, Type to);
// What stands where a number is missing and nobody says what: the feature's default, a value of
// `type`, else NaN, of whole numbers 0. kOutOfRange: the default does not fit.
Status PadWithDefault(std::string_view name, std::optional<uint64_t> default_bits, Type type,
                      Casting casting, ScanOutput* output);

// Stripes [first, end) are those scanned; their greatest lengths give the width of padded outputs
// that state none. `columns`: of each feature those that its name stands for, as LookAtScan found
// them; where none are, and without it, they are looked up. The last `num_hidden` features are
// known by their position alone, so that they may be those of others once more; of such an IKJT
// Projection::width says how many entries of each list are looked at, from the end that is kept.
Result<std::shared_ptr<ScanProjection>> ResolveProjection(
    const OpenFile& file, const ScanOptions& options, size_t first_stripe, size_t end_stripe,
    std::vector<std::vector<OpenColumn>> columns = {}, size_t num_hidden = 0);

}  // namespace dsi::internal
