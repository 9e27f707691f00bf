#include "dsi/tests/support/random_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "dsi/tests/support/filter_model.h"
#include "dsi/tests/support/history_table.h"

namespace dsi::test {
namespace {

bool IsOneNumber(const ModelColumn& column) {
  return !HasLengths(column.kind, column.type) && column.kind != Kind::kEmbedding;
}

template <typename To>
std::optional<uint64_t> ToInteger(Wide value) {
  if (!(value >= static_cast<Wide>(std::numeric_limits<To>::min()) &&
        value <= static_cast<Wide>(std::numeric_limits<To>::max())) ||
      value != std::trunc(value)) {
    return std::nullopt;
  }
  return static_cast<std::make_unsigned_t<To>>(static_cast<To>(value));
}

template <typename T>
const T& OneOf(std::mt19937_64* random, const std::vector<T>& choices) {
  return choices[(*random)() % choices.size()];
}

// Rows [begin, end) of `rows`, which are equal in all keys before `level`.
void Cluster(const ModelTable& table, const std::vector<std::string>& keys, size_t level,
             const std::vector<int64_t>& times, std::vector<size_t> rows,
             std::vector<size_t>* order) {
  if (level == keys.size()) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](size_t a, size_t b) { return times[a] < times[b]; });
    order->insert(order->end(), rows.begin(), rows.end());
    return;
  }
  const ModelColumn& key = table.Column(keys[level]);
  std::map<std::optional<std::vector<uint64_t>>, std::vector<size_t>> groups;
  for (const size_t row : rows) groups[key.rows[row]].push_back(row);
  std::vector<std::vector<size_t>> ordered;
  for (auto& [value, members] : groups) ordered.push_back(std::move(members));
  const auto first = [&](const std::vector<size_t>& members) {
    int64_t time = std::numeric_limits<int64_t>::max();
    for (const size_t row : members) time = std::min(time, times[row]);
    return std::pair(time, members.front());
  };
  std::sort(ordered.begin(), ordered.end(),
            [&](const auto& a, const auto& b) { return first(a) < first(b); });
  for (std::vector<size_t>& members : ordered)
    Cluster(table, keys, level + 1, times, std::move(members), order);
}

}  // namespace

std::vector<size_t> ClusteredOrder(const ModelTable& table, const std::vector<std::string>& names) {
  std::vector<size_t> rows(table.num_rows);
  std::iota(rows.begin(), rows.end(), size_t{0});
  if (names.empty()) return rows;
  std::vector<std::string> keys = names;
  std::vector<int64_t> times(table.num_rows, 0);
  if (table.Column(keys.back()).kind == Kind::kTimestamp) {
    const ModelColumn& time = table.Column(keys.back());
    for (size_t row = 0; row < times.size(); ++row)
      times[row] = static_cast<int64_t>(time.rows[row]->front());
    keys.pop_back();
  }
  std::vector<size_t> order;
  Cluster(table, keys, 0, times, std::move(rows), &order);
  return order;
}

RandomFile MakeRandomFile(uint64_t seed) {
  std::mt19937_64 random(seed);
  RandomFile file;
  const bool history = random() % 2 == 0;
  const size_t num_rows = 300 + random() % 3000;
  ModelTable input = history ? HistoryTable(random(), num_rows)
                             : RandomTable(random(), num_rows, 1 + random() % 14);
  if (history && random() % 2 == 0) {
    input.schema.groups = {
        {.name = "user", .owner = "user_id", .features = {"user_id", "user.profile"}},
        {.name = "session", .owner = "session_id", .features = {"user.history", "topics"}},
        {.name = "item",
         .owner = "item_id",
         .features = {"item_id", "item.words", "item.views", "item.viewers"}}};
  }
  using Keys = std::vector<std::string>;
  const std::string owner = history ? "user_id" : "item_id";
  const Keys keys = OneOf<Keys>(&random, {{},
                                          {},
                                          {"session_id", "time"},
                                          {owner, "session_id", "time"},
                                          {"session_id"},
                                          {"item_id", "time"},
                                          {"time"}});
  WriterOptions options;
  options.cluster_by = keys;
  options.keep_order = keys.empty();
  options.keep_position = random() % 2 == 0;
  options.stripe_rows = OneOf<uint32_t>(&random, {40, 333, 900, 262'144, 262'144});
  options.page_values = OneOf<uint32_t>(&random, {1024, 2048});
  options.threads = static_cast<int>(1 + random() % 3);
  options.dedup = random() % 6 != 0;
  options.find_groups = random() % 4 != 0;
  options.tuning = random() % 4 == 0 ? Tuning::kNetwork : Tuning::kNvme;
  std::vector<size_t> order = ClusteredOrder(input, keys);
  options.input_is_clustered = !keys.empty() && seed % 3 == 1;
  if (options.input_is_clustered) {
    for (ModelColumn& column : input.columns) {
      const auto rows = column.rows;
      for (size_t p = 0; p < num_rows; ++p) column.rows[p] = rows[order[p]];
    }
    std::iota(order.begin(), order.end(), size_t{0});
  }
  file.bytes = WriteRows(input, options);

  file.table.schema = input.schema;
  file.table.num_rows = num_rows;
  for (const ModelColumn& column : input.columns) {
    ModelColumn& ordered = file.table.columns.emplace_back(column);
    for (size_t p = 0; p < num_rows; ++p) ordered.rows[p] = column.rows[order[p]];
  }
  if (options.keep_position) {
    ModelColumn& position = file.table.columns.emplace_back();
    position.name = "__position";
    position.kind = Kind::kKey;
    position.type = Type::kUint64;
    for (const size_t row : order) position.rows.push_back(std::vector<uint64_t>{row});
  }
  file.what = "seed " + std::to_string(seed) + ": " + std::to_string(num_rows) + " rows of " +
              (history ? "history" : "all kinds") + ", stripes of " +
              std::to_string(options.stripe_rows) + ", keys";
  for (const std::string& key : keys) file.what += " " + key;
  return file;
}

std::optional<uint64_t> ConvertModel(uint64_t bits, Type from, Type to) {
  if (from == to) return bits;
  const Wide value = Widen(bits, from);
  switch (to) {
    case Type::kInt32:
      return ToInteger<int32_t>(value);
    case Type::kInt64:
      return ToInteger<int64_t>(value);
    case Type::kFloat32: {
      // Rounded once from what the value is, as the language does it.
      const float rounded = from == Type::kFloat64 ? static_cast<float>(std::bit_cast<double>(bits))
                                                   : static_cast<float>(value);
      if (std::isfinite(value) && !std::isfinite(rounded)) return std::nullopt;
      return std::bit_cast<uint32_t>(rounded);
    }
    case Type::kFloat64: {
      const double rounded = from == Type::kFloat32
                                 ? static_cast<double>(std::bit_cast<float>(uint32_t(bits)))
                                 : static_cast<double>(value);
      return std::bit_cast<uint64_t>(rounded);
    }
    default:
      return std::nullopt;
  }
}

namespace {

bool AllFit(const ModelColumn& column, Type to) {
  for (const auto& row : column.rows) {
    for (const uint64_t bits : row.value_or(std::vector<uint64_t>())) {
      if (!ConvertModel(bits, column.type, to).has_value()) return false;
    }
  }
  return true;
}

}  // namespace

ScanOptions MakeRandomScan(const ModelTable& table, std::mt19937_64* random) {
  std::mt19937_64& next = *random;
  ScanOptions options;
  options.batch_size = OneOf<uint32_t>(random, {1, 7, 64, 100, 999, 5000});
  if (options.batch_size == 1) options.row_end = 150 + next() % 200;  // Else it takes too long.
  options.drop_last = next() % 4 == 0;
  if (next() % 2 == 0) {
    options.row_begin = next() % table.num_rows;
    options.row_end =
        std::min<uint64_t>(options.row_end, options.row_begin + next() % table.num_rows);
    options.row_end = std::max(options.row_end, options.row_begin);
  }
  options.kjt_lengths = next() % 2 == 0 ? Type::kInt32 : Type::kInt64;
  if (next() % 2 == 0) {
    for (uint64_t i = 0, terms = 1 + next() % 2; i < terms; ++i)
      options.filter.where.push_back(RandomPredicate(table, random));
    if (next() % 2 == 0)
      options.filter.sample = {{.when = {RandomPredicate(table, random)}, .keep = 0}};
  }
  const uint64_t rarity = 1 + next() % 4;
  for (const ModelColumn& column : table.columns) {
    for (const Layout layout : {Layout::kPadded, Layout::kJagged, Layout::kIkjt, Layout::kDense,
                                Layout::kPaddedIkjt, Layout::kVbe, Layout::kKjt}) {
      if (next() % (3 * rarity) != 0) continue;
      if (layout == Layout::kDense && !IsOneNumber(column)) continue;
      Projection asked;
      asked.name = column.name;
      asked.layout = layout;
      Type dtype = column.type;
      if (layout == Layout::kDense) {
        dtype = OneOf<Type>(random, {Type::kInt32, Type::kInt64, Type::kFloat32, Type::kFloat64});
        if (!AllFit(column, dtype)) dtype = Type::kFloat64;
      } else if (column.type != Type::kBytes && next() % 2 == 0) {
        dtype = OneOf<Type>(random, {Type::kInt32, Type::kInt64, Type::kFloat32, Type::kFloat64});
        if (!AllFit(column, dtype)) dtype = column.type;
      }
      // Left out, the type is the column's; but that of a dense matrix is float32.
      if (dtype != column.type || layout == Layout::kDense || next() % 2 == 0) {
        if (dtype == Type::kInt32 || dtype == Type::kInt64 || IsFloat(dtype)) asked.dtype = dtype;
      }
      asked.width = static_cast<uint32_t>(next() % 3 == 0 ? 0 : 1 + next() % 12);
      asked.keep = next() % 2 == 0 ? Keep::kFirst : Keep::kLast;
      asked.pad = next() % 2 == 0 ? Side::kLeft : Side::kRight;
      if (next() % 2 == 0) asked.pad_value = 1;
      if (layout == Layout::kVbe || layout == Layout::kKjt || layout == Layout::kDense)
        asked.set = TypeName(dtype);
      options.features.push_back(asked);
    }
  }
  if (options.features.empty())
    options.features.push_back({.name = "session_id", .layout = Layout::kJagged});
  return options;
}

std::vector<uint64_t> ExpectedRows(const ModelTable& table, const ScanOptions& options) {
  std::vector<uint64_t> rows;
  const uint64_t end = std::min<uint64_t>(options.row_end, table.num_rows);
  for (uint64_t row = options.row_begin; row < end; ++row) {
    bool passes = true;
    for (const Predicate& predicate : options.filter.where)
      passes = passes && Passes(table, predicate, row);
    for (const Sampling& sampling : options.filter.sample)
      passes = passes && !Passes(table, sampling.when.front(), row);
    if (passes) rows.push_back(row);
  }
  if (options.drop_last) rows.resize(rows.size() / options.batch_size * options.batch_size);
  return rows;
}

}  // namespace dsi::test
