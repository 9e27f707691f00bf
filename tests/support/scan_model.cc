#include "dsi/tests/support/scan_model.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include "dsi/io/file.h"

namespace dsi::test {
namespace {

// What a feature belongs to: its value changes with that.
enum class Entity { kRow, kSession, kItem, kFile };

struct FeaturePlan {
  FeatureSpec spec;
  Entity entity = Entity::kRow;
  double missing = 0.1;
  uint32_t max_entries = 8;
};

FeaturePlan Plan(std::string name, Kind kind, Type type, Entity entity, double missing = 0.1,
                 uint32_t max_entries = 8) {
  FeaturePlan plan;
  plan.spec.name = std::move(name);
  plan.spec.kind = kind;
  plan.spec.columns = {{.name = "", .type = type, .id_space = ""}};
  plan.entity = entity;
  plan.missing = missing;
  plan.max_entries = max_entries;
  return plan;
}

std::vector<FeaturePlan> Plans() {
  std::vector<FeaturePlan> plans;
  plans.push_back(Plan("session_id", Kind::kKey, Type::kInt64, Entity::kSession, 0));
  plans.push_back(Plan("time", Kind::kTimestamp, Type::kInt64, Entity::kRow, 0));
  plans.back().spec.columns[0].time_unit = TimeUnit::kMillis;
  plans.push_back(Plan("label", Kind::kLabel, Type::kInt8, Entity::kRow, 0));
  plans.push_back(Plan("user.clicks", Kind::kList, Type::kInt64, Entity::kSession, 0.1, 40));
  plans.back().spec.columns[0].id_space = "item";
  plans.back().spec.max_length = 20;
  plans.push_back(Plan("user.likes", Kind::kList, Type::kInt64, Entity::kSession, 0.2, 6));
  plans.back().spec.columns[0].id_space = "item";
  plans.push_back(Plan("user.age", Kind::kDense, Type::kFloat32, Entity::kSession, 0.3));
  plans.push_back(Plan("user.topics", Kind::kWeighted, Type::kInt32, Entity::kSession, 0.1, 5));
  plans.back().spec.columns = {
      {.name = "ids", .type = Type::kInt32, .id_space = "", .hashed = true},
      {.name = "weights", .type = Type::kFloat32, .id_space = ""}};
  plans.push_back(Plan("user.history", Kind::kSequence, Type::kInt64, Entity::kSession, 0.1, 9));
  plans.back().spec.columns = {
      {.name = "item", .type = Type::kInt64, .id_space = "item", .hashed = true},
      {.name = "time", .type = Type::kInt16, .id_space = ""}};
  plans.push_back(Plan("item_id", Kind::kKey, Type::kInt64, Entity::kItem, 0));
  plans.push_back(Plan("item.tags", Kind::kList, Type::kUint16, Entity::kItem, 0.1));
  plans.push_back(Plan("item.price", Kind::kDense, Type::kFloat64, Entity::kItem, 0.1));
  plans.push_back(Plan("item.vector", Kind::kEmbedding, Type::kFloat32, Entity::kItem, 0.1));
  plans.back().spec.fixed_length = 3;
  plans.push_back(Plan("full_vector", Kind::kEmbedding, Type::kFloat64, Entity::kRow, 0));
  plans.back().spec.fixed_length = 2;
  plans.push_back(Plan("query", Kind::kString, Type::kBytes, Entity::kRow, 0.2, 12));
  plans.push_back(Plan("flag", Kind::kDense, Type::kBool, Entity::kRow, 0.2));
  plans.push_back(Plan("full", Kind::kDense, Type::kFloat32, Entity::kRow, 0));
  plans.push_back(Plan("big", Kind::kDense, Type::kUint64, Entity::kRow, 0.2));
  plans.push_back(Plan("small", Kind::kList, Type::kUint8, Entity::kRow, 0.2));
  plans.push_back(Plan("shorts", Kind::kList, Type::kInt16, Entity::kRow, 0, 3));
  plans.push_back(Plan("unsigned", Kind::kList, Type::kUint32, Entity::kRow, 0.5));
  plans.push_back(Plan("never", Kind::kList, Type::kFloat32, Entity::kRow, 1));
  plans.push_back(Plan("nothing", Kind::kDense, Type::kInt32, Entity::kRow, 1));
  plans.push_back(Plan("same", Kind::kDense, Type::kInt16, Entity::kFile, 0));
  plans.push_back(Plan("same_list", Kind::kList, Type::kInt32, Entity::kFile, 0));
  plans.push_back(Plan("dotted.but.flat", Kind::kDense, Type::kInt8, Entity::kRow, 0.1));
  plans.back().spec.nested = false;
  return plans;
}

uint64_t RandomBits(std::mt19937_64* rng, Type type, Kind kind) {
  const uint64_t bits = (*rng)();
  const uint64_t pick = (*rng)() % 16;
  switch (type) {
    case Type::kBool:
      return bits & 1;
    case Type::kFloat32: {
      if (pick == 0) return 0x7FC12345;  // NaN with payload.
      if (pick == 1) return 0x80000000;  // -0.0
      return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(bits % 2000) - 1000) / 8);
    }
    case Type::kFloat64: {
      if (pick == 0) return 0x7FF8000000012345;
      if (pick == 1) return 0x8000000000000000;
      return std::bit_cast<uint64_t>(static_cast<double>(static_cast<int>(bits % 20000) - 10000) /
                                     64);
    }
    case Type::kBytes:
      return 'a' + bits % 26;
    case Type::kInt64:
      return kind == Kind::kKey || kind == Kind::kTimestamp ? bits % 100000
                                                            : bits % 500 * 0x123456789;
    case Type::kUint64:
      return bits;
    default:
      return TypeWidth(type) == 8 ? bits : bits & ((uint64_t{1} << (8 * TypeWidth(type))) - 1);
  }
}

}  // namespace

const ModelColumn& ModelTable::Column(const std::string& name) const {
  for (const ModelColumn& column : columns) {
    if (column.name == name) return column;
  }
  ADD_FAILURE() << "no column " << name;
  return columns.front();
}

ModelTable RandomTable(uint64_t seed, size_t num_rows, size_t max_session) {
  std::mt19937_64 rng(seed);
  std::vector<uint64_t> sessions;
  std::vector<uint64_t> items;
  for (uint64_t session = 0; sessions.size() < num_rows; ++session) {
    const size_t rows = 1 + rng() % max_session;
    for (size_t i = 0; i < rows && sessions.size() < num_rows; ++i) {
      sessions.push_back(session);
      items.push_back(rng() % 40);
    }
  }
  ModelTable table;
  table.num_rows = num_rows;
  for (const FeaturePlan& plan : Plans()) {
    const FeatureSpec& spec = plan.spec;
    const size_t first_column = table.columns.size();
    for (size_t c = 0; c < spec.columns.size(); ++c) {
      table.columns.push_back({.name = ColumnName(spec, c),
                               .kind = spec.kind,
                               .type = spec.columns[c].type,
                               .nested = spec.nested,
                               .rows = {}});
    }
    const uint64_t feature_seed = rng();
    for (size_t row = 0; row < num_rows; ++row) {
      const uint64_t entity = plan.entity == Entity::kRow       ? row
                              : plan.entity == Entity::kSession ? sessions[row]
                              : plan.entity == Entity::kItem    ? items[row]
                                                                : 0;
      std::mt19937_64 own(feature_seed + entity * 0x9E3779B97F4A7C15);
      const bool missing = static_cast<double>(own() % 1000) < plan.missing * 1000;
      uint64_t entries = 1;
      if (spec.kind == Kind::kEmbedding) entries = spec.fixed_length;
      if (HasLengths(spec.kind, spec.columns[0].type))
        entries = own() % 4 == 0 ? 0 : own() % (plan.max_entries + 1);
      for (size_t c = 0; c < spec.columns.size(); ++c) {
        ModelColumn& column = table.columns[first_column + c];
        auto& value = column.rows.emplace_back();
        if (missing) continue;
        value.emplace();
        for (uint64_t i = 0; i < entries; ++i)
          value->push_back(RandomBits(&own, column.type, column.kind));
      }
    }
    table.schema.features.push_back(spec);
  }
  table.schema.groups = {{.name = "item",
                          .owner = "item_id",
                          .features = {"item_id", "item.tags", "item.price", "item.vector"}}};
  return table;
}

std::vector<std::byte> WriteTable(const ModelTable& table, WriterOptions options) {
  options.keep_order = true;
  return WriteRows(table, options);
}

std::vector<std::byte> WriteRows(const ModelTable& table, const WriterOptions& options) {
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "table.dsi"), table.schema, options);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  if (!writer.ok()) return {};
  struct Buffers {
    std::vector<uint8_t> validity;
    std::vector<int64_t> offsets;
    std::vector<std::vector<std::byte>> values;
  };
  std::vector<Buffers> buffers(table.schema.features.size());
  std::vector<FeatureColumns> columns(buffers.size());
  size_t first = 0;
  for (size_t f = 0; f < buffers.size(); ++f) {
    const FeatureSpec& spec = table.schema.features[f];
    Buffers& b = buffers[f];
    b.validity.assign(table.num_rows / 8 + 1, 0);
    b.offsets.push_back(0);
    b.values.resize(spec.columns.size());
    const bool lengths = HasLengths(spec.kind, spec.columns[0].type);
    const size_t fixed = spec.kind == Kind::kEmbedding ? spec.fixed_length : 1;
    for (size_t row = 0; row < table.num_rows; ++row) {
      for (size_t c = 0; c < spec.columns.size(); ++c) {
        const ModelColumn& column = table.columns[first + c];
        std::vector<uint64_t> entries(lengths ? 0 : fixed);
        if (column.rows[row].has_value()) {
          entries = *column.rows[row];
          b.validity[row / 8] |= static_cast<uint8_t>(1 << (row % 8));
        }
        for (const uint64_t bits : entries) {
          const auto* p = reinterpret_cast<const std::byte*>(&bits);
          b.values[c].insert(b.values[c].end(), p, p + TypeWidth(column.type));
        }
        if (c == 0) b.offsets.push_back(b.offsets.back() + static_cast<int64_t>(entries.size()));
      }
    }
    columns[f].feature = f;
    columns[f].validity = b.validity.data();
    if (lengths) columns[f].offsets64 = b.offsets.data();
    for (auto& values : b.values) {
      values.resize(values.size() + 8);
      columns[f].values.push_back(values.data());
    }
    first += spec.columns.size();
  }
  const Status appended = (*writer)->AppendColumns(table.num_rows, columns);
  EXPECT_TRUE(appended.ok()) << appended.ToString();
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return bytes;
}

std::unique_ptr<Reader> OpenTable(const ModelTable& table, const WriterOptions& options) {
  auto reader = Reader::Open(OpenMemoryFile(WriteTable(table, options), "table.dsi"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return reader.ok() ? *std::move(reader) : nullptr;
}

}  // namespace dsi::test
