#include "dsi/reader/scan/projection_internal.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/reader/decode/widened_map_internal.h"

namespace dsi::internal {
namespace {

bool IsText(const OpenColumn& column) { return column.entry_type() == Type::kBytes; }
bool IsScalar(const OpenColumn& column) {
  return !HasLengths(column.record.kind, column.record.type) &&
         column.record.kind != Kind::kEmbedding;
}

// What a scan of everything gives: lists jagged, the rest padded.
Projection DefaultProjection(const OpenColumn& column) {
  Projection projection;
  projection.name = column.name;
  projection.layout =
      HasLengths(column.record.kind, column.record.type) ? Layout::kJagged : Layout::kPadded;
  return projection;
}

bool IsAskable(Type type) { return type == Type::kInt32 || type == Type::kInt64 || IsFloat(type); }

Result<Type> OutputType(const OpenColumn& column, const Projection& asked, bool one_of_many) {
  const Type stored = column.entry_type();
  if (IsText(column)) {
    if (asked.layout == Layout::kDense)
      return InvalidArgument("{}: bytes cannot stand in a dense matrix", column.name);
    if (asked.dtype.has_value() && *asked.dtype != Type::kBytes && !one_of_many) {
      return InvalidArgument("{}: bytes cannot be read as {}", column.name, TypeName(*asked.dtype));
    }
    return Type::kBytes;
  }
  if (asked.bit_cast && (!asked.dtype.has_value() ||
                         (*asked.dtype != Type::kInt64 && *asked.dtype != Type::kInt32))) {
    return InvalidArgument("{}: bit_cast needs a dtype of int64 or int32", column.name);
  }
  if (!asked.dtype.has_value()) return asked.layout == Layout::kDense ? Type::kFloat32 : stored;
  // A name that stands for ids and weights changes the type of those it is meant for.
  if (one_of_many && asked.layout != Layout::kDense && IsFloat(*asked.dtype) != IsFloat(stored))
    return stored;
  if (*asked.dtype != stored && !IsAskable(*asked.dtype)) {
    return InvalidArgument(
        "{}: dtype {} asked for; int32, int64, float32, float64 or the stored type ({}) can be",
        column.name, TypeName(*asked.dtype), TypeName(stored));
  }
  return *asked.dtype;
}

class Resolver {
 public:
  Resolver(const OpenFile& file, size_t first_stripe, size_t end_stripe, Type kjt_lengths)
      : file_(file),
        first_stripe_(first_stripe),
        end_stripe_(end_stripe),
        out_(std::make_shared<ScanProjection>()) {
    out_->kjt_lengths = kjt_lengths;
  }

  // For so many columns, more or fewer.
  void Expect(size_t num_columns) {
    out_->columns.reserve(num_columns);
    out_->shapes.reserve(num_columns);
    out_->values.reserve(num_columns);
    out_->outputs.reserve(num_columns);
    out_->by_name.reserve(num_columns);
  }

  Status AddAll() {
    for (uint32_t ordinal = 0; ordinal < file_.columns().count(); ++ordinal) {
      DSI_ASSIGN_OR_RETURN(OpenColumn loaded, file_.LoadAnyColumn(ordinal));
      // Who asks for everything asks for what this build can read (S-010, S-011).
      if (!loaded.record.Support().ok()) continue;
      const uint32_t column = Keep(std::move(loaded));
      DSI_RETURN_IF_ERROR(AddOutput(column, DefaultProjection(out_->columns[column]), false));
    }
    return Status::Ok();
  }

  Status Add(const Projection& asked, std::vector<OpenColumn> found) {
    const bool one_of_many = found.size() > 1;
    for (OpenColumn& column : found) {
      DSI_ASSIGN_OR_RETURN(const uint32_t at, Place(std::move(column), asked));
      DSI_RETURN_IF_ERROR(AddOutput(at, asked, one_of_many));
    }
    if (!found.empty()) return Status::Ok();
    DSI_ASSIGN_OR_RETURN(const std::vector<uint32_t> ordinals, file_.FindColumns(asked.name));
    for (const uint32_t ordinal : ordinals) {
      DSI_ASSIGN_OR_RETURN(const uint32_t at, Column(ordinal, asked));
      DSI_RETURN_IF_ERROR(AddOutput(at, asked, ordinals.size() > 1));
    }
    return Status::Ok();
  }

  // All after this are not known by their names.
  void EndNamed() {
    num_named_ = static_cast<uint32_t>(out_->outputs.size());
    is_named_ = false;
  }

  Result<std::shared_ptr<ScanProjection>> Finish() {
    SetNewest();
    auto& by_name = out_->by_name;
    const auto key = [&](uint32_t i) {
      return std::pair<std::string_view, Layout>(out_->outputs[i].name, out_->outputs[i].layout);
    };
    for (uint32_t i = 0; i < num_named_; ++i) {
      if (!IsBlank(out_->outputs[i])) by_name.push_back(i);
    }
    std::sort(by_name.begin(), by_name.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    for (size_t i = 1; i < by_name.size(); ++i) {
      if (key(by_name[i]) == key(by_name[i - 1]))
        return InvalidArgument("column {} is projected twice in the same layout",
                               out_->outputs[by_name[i]].name);
    }
    return std::move(out_);
  }

 private:
  bool IsBlank(const ScanOutput& output) const {
    return output.values != kNone32 &&
           out_->columns[out_->values[output.values].column].blank.has_value();
  }

  // Columns that are only read cut, from their newest end, need not be decoded further (D-014).
  void SetNewest() {
    std::vector<bool> cut(out_->columns.size(), true);
    for (const ScanOutput& output : out_->outputs) {
      if (output.values == kNone32) continue;
      const uint32_t c = out_->values[output.values].column;
      OpenColumn& column = out_->columns[c];
      const bool newest_end = output.keep_last != column.record.newest_first;
      const bool may_be_cut = IsPadded(output.layout) || output.layout == Layout::kIkjt;
      cut[c] = cut[c] && may_be_cut && newest_end && output.width != 0;
      column.newest = std::max(column.newest, output.width);
    }
    for (size_t c = 0; c < cut.size(); ++c) {
      if (!cut[c]) out_->columns[c].newest = 0;
    }
    CutFeaturesAlike();
  }

  // Who looks at the ends of lists finds ids and weights of an entry in one place.
  void CutFeaturesAlike() {
    static constexpr uint32_t kWhole = UINT32_MAX;
    std::unordered_map<uint32_t, uint32_t> newest_of;  // Of a shape; kWhole: all entries.
    for (const ScanOutput& output : out_->outputs) {
      if (output.layout == Layout::kIkjt && output.width != 0) newest_of.emplace(output.shape, 0);
    }
    const auto each = [&](const auto& work) {
      for (const ScanOutput& output : out_->outputs) {
        const auto found = newest_of.find(output.shape);
        if (output.values == kNone32 || found == newest_of.end()) continue;
        work(&out_->columns[out_->values[output.values].column].newest, &found->second);
      }
    };
    each([](const uint32_t* of_column, uint32_t* of_shape) {
      *of_shape = std::max(*of_shape, *of_column == 0 ? kWhole : *of_column);
    });
    each([](uint32_t* of_column, const uint32_t* of_shape) {
      *of_column = *of_shape == kWhole ? 0 : *of_shape;
    });
  }

  // Position of the entry for `key`, made by `make` when it is new.
  template <typename Key, typename Entry, typename Make>
  static uint32_t FindOrAdd(std::unordered_map<Key, uint32_t>* known, uint64_t key,
                            std::vector<Entry>* entries, Make make) {
    const auto [at, is_new] =
        known->try_emplace(static_cast<Key>(key), static_cast<uint32_t>(entries->size()));
    if (is_new) entries->push_back(make());
    return at->second;
  }

  Result<uint32_t> Column(uint32_t ordinal, const Projection& asked) {
    const auto known = columns_.find(ordinal);
    if (known != columns_.end() && !asked.blank) return known->second;
    DSI_ASSIGN_OR_RETURN(OpenColumn column, file_.LoadColumn(ordinal));
    return Place(std::move(column), asked);
  }

  Result<uint32_t> Place(OpenColumn column, const Projection& asked) {
    if (asked.blank) return KeepBlank(std::move(column), *asked.blank);
    const auto known = columns_.find(column.ordinal);
    return known != columns_.end() ? known->second : Keep(std::move(column));
  }

  // Position of a column that is new.
  uint32_t Keep(OpenColumn column) {
    const auto position = static_cast<uint32_t>(out_->columns.size());
    columns_.emplace(column.ordinal, position);
    out_->columns.push_back(std::move(column));
    return position;
  }

  // Beside the column itself, which may be asked for as well.
  Result<uint32_t> KeepBlank(OpenColumn column, const BlankEntries& blank) {
    if (TypeWidth(blank.type) == 0 || blank.type == Type::kBytes)
      return InvalidArgument("{}: blank entries of no type of numbers", column.name);
    // What the file seems to lack may be there, written by a newer version (S-010, S-011).
    for (uint32_t place = 0; place < column.record.num_columns; ++place) {
      DSI_ASSIGN_OR_RETURN(const OpenColumn other,
                           file_.LoadAnyColumn(column.first_column() + place));
      const Status support = other.record.Support();
      if (!support.ok()) return support.At(other.name);
    }
    column.blank = blank;
    out_->columns.push_back(std::move(column));
    return static_cast<uint32_t>(out_->columns.size() - 1);
  }

  Status AddOutput(uint32_t c, const Projection& asked, bool one_of_many) {
    const OpenColumn& column = out_->columns[c];
    if (asked.layout > Layout::kKjt)
      return InvalidArgument("{}: {} is no layout", column.name, static_cast<int>(asked.layout));
    ScanOutput output;
    output.name = column.name;
    output.layout = asked.layout;
    output.keep_last = asked.keep == Keep::kLast;
    output.pad_left = asked.pad == Side::kLeft;
    DSI_ASSIGN_OR_RETURN(output.dtype, OutputType(column, asked, one_of_many));
    output.item_size = static_cast<uint32_t>(TypeWidth(output.dtype));
    const bool unique = asked.layout == Layout::kIkjt || asked.layout == Layout::kPaddedIkjt;
    const bool padded = IsPadded(asked.layout);
    const Casting casting = CastingOf(asked, column.entry_type(), output.dtype);
    if (padded) {
      DSI_ASSIGN_OR_RETURN(output.width, Width(column, asked));
    } else if (!is_named_ && asked.layout == Layout::kIkjt) {
      output.width = asked.width;
    }
    if (asked.layout == Layout::kDense && !IsScalar(column))
      return InvalidArgument("{}: only features of one number stand in a dense matrix",
                             column.name);
    if (padded || asked.layout == Layout::kDense)
      DSI_RETURN_IF_ERROR(SetPad(column, asked, casting, &output));

    output.group = FindOrAdd(&out_->group_position, column.record.group, &out_->groups, [&] {
      return ScanGroup{column.record.group, false};
    });
    out_->groups[output.group].want_touched |= unique || asked.layout == Layout::kVbe;
    out_->groups[output.group].want_inverse |= unique;
    output.shape = FindOrAdd(&shapes_, column.first_column(), &out_->shapes, [&] {
      return ScanShape{c, output.group, 0};
    });
    if (asked.layout == Layout::kDense) out_->shapes[output.shape].may_be_sparse = false;
    // Checked and cast values of one type differ.
    const uint64_t form = static_cast<uint64_t>(output.dtype) << 2 | static_cast<uint64_t>(casting);
    if (!column.shape_only) {
      output.values = FindOrAdd(&values_, uint64_t{c} << 8 | form, &out_->values, [&] {
        ++out_->shapes[output.shape].num_values;
        return ScanValues{
            c, output.shape, output.dtype,
            FindConversion(column.entry_type(), output.dtype, casting),
            HasLengths(column.record.kind, column.record.type) && IsInteger(output.dtype)};
      });
      out_->values[output.values].may_be_narrow &= is_named_;
    }
    if (CountsRows(asked.layout))
      output.counts_entries = !std::exchange(out_->shapes[output.shape].is_counted, true);
    const bool has_set = HasSet(asked.layout);
    if (has_set) output.set = asked.set;
    out_->outputs.push_back(std::move(output));
    if (!has_set) return Status::Ok();
    return out_->AddToSet(static_cast<uint32_t>(out_->outputs.size() - 1));
  }

  // What stands where there is no value; the rule is told beside Projection::pad_value.
  static Status SetPad(const OpenColumn& column, const Projection& asked, Casting casting,
                       ScanOutput* output) {
    if (asked.pad_value.has_value()) {
      if (BitsOf(*asked.pad_value, output->dtype, &output->pad_bits)) return Status::Ok();
      return InvalidArgument("{}: the pad value {} is no {}", column.name, *asked.pad_value,
                             TypeName(output->dtype));
    }
    output->pad_bits = 0;
    if (!IsScalar(column)) return Status::Ok();
    std::optional<uint64_t> default_bits;
    if (column.record.has_default) default_bits = column.record.default_bits;
    return PadWithDefault(column.name, default_bits, column.record.type, casting, output);
  }

  Result<uint32_t> Width(const OpenColumn& column, const Projection& asked) const {
    if (asked.width != 0) return asked.width;
    if (column.record.kind == Kind::kEmbedding) return column.record.fixed_length;
    if (IsScalar(column)) return 1U;
    if (column.record.max_length != 0) return column.record.max_length;
    uint32_t width = 0;
    for (size_t stripe = first_stripe_; stripe < end_stripe_; ++stripe) {
      DSI_ASSIGN_OR_RETURN(const StreamRecord shape, file_.LoadStream(stripe, column.shape_slot()));
      if (shape.max > kMaxListLength)
        return Corrupt("stripe {}, column {}: greatest shape code {} (F-090)", stripe, column.name,
                       shape.max);
      width = std::max(width, shape.max);
    }
    return width == 0 ? 0 : width - 1;
  }

  const OpenFile& file_;
  size_t first_stripe_;
  size_t end_stripe_;
  std::shared_ptr<ScanProjection> out_;
  uint32_t num_named_ = 0;
  bool is_named_ = true;  // What is added now.
  std::unordered_map<uint64_t, uint32_t> columns_, shapes_, values_;
};

}  // namespace

Casting CastingOf(const Projection& asked, Type from, Type to) {
  if (asked.bit_cast && IsBitCast(from, to)) return Casting::kBits;
  return asked.exact && IsInteger(from) && IsFloat(to) ? Casting::kExact : Casting::kValue;
}

Status PadWithDefault(std::string_view name, std::optional<uint64_t> default_bits, Type type,
                      Casting casting, ScanOutput* output) {
  output->pad_bits = 0;
  if (default_bits) {
    if (ConvertBits(*default_bits, type, output->dtype, casting, &output->pad_bits))
      return Status::Ok();
    return Error(StatusCode::kOutOfRange, "{}: the feature's default does not fit {}", name,
                 TypeName(output->dtype));
  }
  if (IsFloat(output->dtype))
    BitsOf(std::numeric_limits<double>::quiet_NaN(), output->dtype, &output->pad_bits);
  return Status::Ok();
}

Status ScanProjection::AddToSet(uint32_t at) {
  const ScanOutput& output = outputs[at];
  uint32_t found = FindSet(output.layout, output.set);
  if (found == kNone32) {
    found = static_cast<uint32_t>(sets.size());
    sets.push_back({output.layout, output.set, output.dtype, {}, {}});
  }
  ScanSet& set = sets[found];
  if (output.dtype != set.dtype) {
    return InvalidArgument(
        "{}: a set has one type; {} and {} are asked for in \"{}\" (another type, such as that of "
        "weights: a set of its own, see Projection::set)",
        output.name, TypeName(set.dtype), TypeName(output.dtype), set.name);
  }
  set.outputs.push_back(at);
  if (IsKeyed(output.layout)) set.keys.push_back(output.name);
  return Status::Ok();
}

uint32_t ScanProjection::FindSet(Layout layout, std::string_view name) const {
  for (uint32_t i = 0; i < sets.size(); ++i) {
    if (sets[i].layout == layout && sets[i].name == name) return i;
  }
  return kNone32;
}

uint32_t ScanProjection::AddHiddenCopy(uint32_t output) {
  ScanOutput copy = outputs[output];
  values.push_back(ScanValues(values[copy.values]));
  copy.values = static_cast<uint32_t>(values.size() - 1);
  ++shapes[copy.shape].num_values;
  outputs.push_back(std::move(copy));
  return static_cast<uint32_t>(outputs.size() - 1);
}

bool ScanProjection::CanMapValues(uint32_t at) const {
  const ScanValues& of = values[at];
  const OpenColumn& column = columns[of.column];
  return !column.blank && (of.conversion.run == nullptr || Widens(column.entry_type(), of.type));
}

void ScanProjection::MapValues(uint32_t at, std::shared_ptr<const ValueMap> map, Type to) {
  ScanValues& of = values[at];
  if (of.conversion.run != nullptr)
    map = WidenedMap(columns[of.column].entry_type(), of.type, std::move(map));
  of.conversion = {.to_width = map->width(), .map = std::move(map)};
  of.type = to;
  of.may_be_narrow = false;
}

std::vector<ScanColumn> ScanProjection::ScanColumns() const {
  std::vector<ScanColumn> made;
  for (const ScanOutput& output : outputs) {
    made.push_back({output.name, output.layout, output.dtype,
                    IsPadded(output.layout) ? output.width : 0, output.set});
  }
  return made;
}

uint32_t ScanProjection::Find(std::string_view name, Layout layout, bool* other_layout) const {
  *other_layout = false;
  auto at = std::lower_bound(by_name.begin(), by_name.end(), name,
                             [&](uint32_t i, std::string_view n) { return outputs[i].name < n; });
  for (; at != by_name.end() && outputs[*at].name == name; ++at) {
    if (outputs[*at].layout == layout) return *at;
    *other_layout = true;
  }
  return kNone32;
}

Result<std::shared_ptr<ScanProjection>> ResolveProjection(
    const OpenFile& file, const ScanOptions& options, size_t first_stripe, size_t end_stripe,
    std::vector<std::vector<OpenColumn>> columns, size_t num_hidden) {
  if (options.kjt_lengths != Type::kInt32 && options.kjt_lengths != Type::kInt64)
    return InvalidArgument("kjt_lengths {}: int32 or int64", TypeName(options.kjt_lengths));
  Resolver resolver(file, first_stripe, end_stripe, options.kjt_lengths);
  resolver.Expect(options.features.empty() ? file.columns().count() : options.features.size());
  if (options.features.empty()) DSI_RETURN_IF_ERROR(resolver.AddAll());
  columns.resize(options.features.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i == columns.size() - num_hidden) resolver.EndNamed();
    DSI_RETURN_IF_ERROR(resolver.Add(options.features[i], std::move(columns[i])));
  }
  if (num_hidden == 0) resolver.EndNamed();
  return resolver.Finish();
}

}  // namespace dsi::internal
