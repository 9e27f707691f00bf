// Columns of files as Arrow arrays: every kind and type, missing and empty rows, dictionaries, all
// value for value against what was written.
#include "dsi/arrow/arrow_output.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

#include "dsi/tests/arrow/arrow_output_table.h"
#include "dsi/tests/support/random_file.h"

namespace dsi::test {
namespace {

std::string TextOf(uint64_t bits, Type type) {
  switch (type) {
    case Type::kFloat32:
      return TextOfNumber(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case Type::kFloat64:
      return TextOfNumber(std::bit_cast<double>(bits));
    case Type::kInt8:
      return TextOfNumber(static_cast<int8_t>(bits));
    case Type::kInt16:
      return TextOfNumber(static_cast<int16_t>(bits));
    case Type::kInt32:
      return TextOfNumber(static_cast<int32_t>(bits));
    case Type::kInt64:
      return TextOfNumber(static_cast<int64_t>(bits));
    default:
      return TextOfNumber(bits);
  }
}

std::vector<std::string> TextsOf(const ModelColumn& column) {
  std::vector<std::string> texts;
  for (const auto& row : column.rows) {
    if (!row.has_value()) {
      texts.emplace_back("null");
    } else if (column.type == Type::kBytes) {
      texts.emplace_back(row->begin(), row->end());
    } else {
      std::vector<std::string> entries;
      for (const uint64_t bits : *row) entries.push_back(TextOf(bits, column.type));
      const bool is_list = IsListKind(column.kind) || column.kind == Kind::kEmbedding;
      texts.push_back(is_list ? ListText(entries, 0, entries.size()) : entries.at(0));
    }
  }
  return texts;
}

TEST(ArrowOutputTest, RandomFilesComeValueForValue) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const RandomFile file = MakeRandomFile(seed);
    std::mt19937_64 random(seed);
    const auto reader = OpenShared(file.bytes);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    ScanOptions scan_options;
    scan_options.batch_size = static_cast<uint32_t>(1 + random() % 700);
    scan_options.read_ahead_bytes = seed % 3 == 0 ? 1 << 20 : 0;
    const ArrowOutputOptions options{.dictionaries = seed % 2 != 0, .binary = true};
    const auto texts = ReadTexts(*reader, {}, options, scan_options);
    ASSERT_TRUE(texts.ok()) << texts.status().ToString();
    for (const ModelColumn& column : file.table.columns) {
      const auto found = texts->find(column.name);
      ASSERT_TRUE(found != texts->end()) << column.name;
      EXPECT_TRUE(found->second == TextsOf(column)) << file.what << ": " << column.name;
    }
    EXPECT_EQ(texts->size(), file.table.columns.size());
  }
}

TEST(ArrowOutputTest, FormatsFollowKindsAndTypes) {
  const auto reader = OpenShared(SampleFile(10));
  ASSERT_TRUE(reader.ok());
  const std::vector<std::pair<std::string, std::string>> expected = {{"session_id", "l"},
                                                                     {"timestamp", "tsm:"},
                                                                     {"label", "b"},
                                                                     {"user.age", "f"},
                                                                     {"user.clicks", "+L l"},
                                                                     {"user.history.item", "+L l"},
                                                                     {"user.history.time", "+L i"},
                                                                     {"topics.ids", "+L L"},
                                                                     {"topics.weights", "+L f"},
                                                                     {"vector", "+w:3 g"},
                                                                     {"query", "U"}};
  for (const bool dictionaries : {false, true}) {
    OwnedArrow<ArrowArrayStream> stream;
    OwnedArrow<ArrowSchema> schema;
    ASSERT_TRUE(
        StreamOf(*reader, {}, {.dictionaries = dictionaries}, ScanOptions(), stream.get()).ok());
    ASSERT_EQ(stream->get_schema(stream.get(), schema.get()), 0);
    EXPECT_STREQ(schema->format, "+s");
    ASSERT_EQ(schema->n_children, static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
      const ArrowSchema& field = *schema->children[i];
      EXPECT_EQ(field.name, expected[i].first);
      EXPECT_EQ(field.flags, ARROW_FLAG_NULLABLE);
      const bool is_nested = expected[i].second[0] == '+';
      EXPECT_EQ(FormatOf(field),
                (dictionaries && is_nested ? "dictionary " : "") + expected[i].second);
    }
    // One pair, "dsi.kind" and "label"; then two.
    const std::string one("\1\0\0\0\10\0\0\0dsi.kind\5\0\0\0label", 25);
    EXPECT_EQ(std::string(schema->children[2]->metadata, one.size()), one);
    const std::string two("\2\0\0\0\10\0\0\0dsi.kind\4\0\0\0list\14\0\0\0dsi.id_space\4\0\0\0item",
                          48);
    EXPECT_EQ(std::string(schema->children[4]->metadata, two.size()), two);
  }
}

TEST(ArrowOutputTest, EveryTypeMissingAndEmpty) {
  Schema schema;
  std::vector<Type> types;
  for (auto type = static_cast<uint8_t>(Type::kBool); type <= static_cast<uint8_t>(Type::kFloat64);
       ++type)
    types.push_back(static_cast<Type>(type));
  for (const Type type : types) {
    const std::string name(TypeName(type));
    schema.features.push_back(Feature("one." + name, Kind::kDense, {{"", type, ""}}));
    schema.features.push_back(Feature("list." + name, Kind::kList, {{"", type, ""}}));
  }
  schema.features.push_back(Feature("word", Kind::kKey, {{"", Type::kBytes, ""}}));
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "types"), schema, {.threads = 1});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch rows((*writer)->schema());
  const auto word = schema.features.size() - 1;
  constexpr int64_t kRows = 200;  // More than one word of bits, and not a whole number of them.
  for (int64_t i = 0; i < kRows; ++i) {
    const std::vector<int64_t> entries(static_cast<size_t>(i % 3), i % 2);
    for (size_t f = 0; f < word && i % 4 != 3; f += 2) {
      ASSERT_TRUE(rows.SetInt(f, i % 2).ok());
      ASSERT_TRUE(rows.SetInts(f + 1, 0, entries).ok());
    }
    if (i % 5 != 0) {
      ASSERT_TRUE(rows.SetBytes(word, std::string(static_cast<size_t>(i % 3), 'w')).ok());
    }
    ASSERT_TRUE(rows.EndRow().ok());
  }
  ASSERT_TRUE((*writer)->Append(rows).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  const auto reader = OpenShared(bytes);
  ASSERT_TRUE(reader.ok());
  for (const bool dictionaries : {false, true}) {
    const auto texts = ReadTexts(*reader, {}, {.dictionaries = dictionaries}, {.batch_size = 130});
    ASSERT_TRUE(texts.ok()) << texts.status().ToString();
    for (int64_t i = 0; i < kRows; ++i) {
      const auto row = static_cast<size_t>(i);
      const std::string one = std::to_string(i % 2);
      const std::string list = i % 3 == 0   ? "[]"
                               : i % 3 == 1 ? "[" + one + "]"
                                            : "[" + one + "," + one + "]";
      for (const Type type : types) {
        const std::string name(TypeName(type));
        ASSERT_EQ(texts->at("one." + name).at(row), i % 4 == 3 ? "null" : one) << name << i;
        ASSERT_EQ(texts->at("list." + name).at(row), i % 4 == 3 ? "null" : list) << name << i;
      }
      ASSERT_EQ(texts->at("word").at(row),
                i % 5 == 0 ? "null" : std::string(static_cast<size_t>(i % 3), 'w'));
    }
  }
}

TEST(ArrowOutputTest, OtherProjectionsBecomeWhatTheyHold) {
  const auto reader = OpenShared(SampleFile(20));
  ASSERT_TRUE(reader.ok());
  ScanOptions scan_options;
  scan_options.features = {{.name = "timestamp", .width = 1, .dtype = Type::kFloat64},
                           {.name = "user.clicks", .width = 2},
                           {.name = "label", .layout = Layout::kPaddedIkjt, .width = 1},
                           {.name = "query", .layout = Layout::kIkjt},
                           {.name = "topics.ids", .width = 1, .dtype = Type::kInt32}};
  const auto texts = ReadTexts(*reader, {}, {}, scan_options);
  ASSERT_TRUE(texts.ok()) << texts.status().ToString();
  EXPECT_EQ(texts->at("timestamp").at(7), "1007");
  EXPECT_EQ(texts->at("user.clicks").at(7), "[1,0]");
  EXPECT_EQ(texts->at("label").at(7), "1");
  EXPECT_EQ(texts->at("query").at(12), "q1");
  EXPECT_EQ(texts->at("topics.ids").at(7), "[7]");
  EXPECT_EQ(texts->at("topics.ids").at(9), "[0]");
}

TEST(ArrowOutputTest, ProjectionsFollowNames) {
  const auto reader = OpenShared(SampleFile(10));
  ASSERT_TRUE(reader.ok());
  auto columns = *(*reader)->Columns();
  const auto names_of = [&](std::vector<std::string> names) {
    const auto projections = ArrowProjections(columns, names);
    if (!projections.ok()) return projections.status().ToString();
    std::string text;
    for (const Projection& projection : *projections) text += projection.name + " ";
    return text;
  };
  EXPECT_EQ(names_of({"query", "label"}), "query label ");
  EXPECT_EQ(names_of({"user.history"}), "user.history.item user.history.time ");
  EXPECT_EQ(names_of({"topics.weights", "to*"}), "topics.weights topics.ids ");
  EXPECT_EQ(names_of({"user.a?e", "user.*", "label"}),
            "user.age user.clicks user.history.item user.history.time label ");
  EXPECT_EQ(names_of({"labl"}),
            "not found: no feature is called \"labl\"; did you mean \"label\"?");
  EXPECT_EQ(names_of({"item*"}), "not found: no feature matches \"item*\"");
  EXPECT_EQ(ArrowProjections({}).status().code(), StatusCode::kInvalidArgument);
  // A newer version's column is left out, but for who names it.
  columns[2].support = Status(StatusCode::kUnsupported, "newer");
  EXPECT_EQ(names_of({"la*", "query"}), "not found: no feature matches \"la*\"");
  EXPECT_EQ(names_of({"label"}), "unsupported: newer");
  EXPECT_EQ(ArrowProjections(columns)->size(), columns.size() - 1);
}

TEST(ArrowOutputTest, WhatIsNoColumnIsRefused) {
  const auto make = [](ScanColumn column) {
    return ArrowOutput::Make({&column, 1}, {}).status().ToString();
  };
  EXPECT_EQ(make({"x", Layout::kDense, Type::kFloat32, 0}),
            "invalid argument: column x: a part of a dense matrix or of a KeyedJaggedTensor is no "
            "column of "
            "Arrow; expected padded, jagged or IKJT");
  EXPECT_TRUE(make({"x", Layout::kVbe, Type::kInt64, 0}).starts_with("invalid argument: column x"));
  EXPECT_EQ(make({"x", Layout::kPadded, Type::kBytes, 3}),
            "invalid argument: column x: padded bytes are no column of Arrow; expected jagged");
  EXPECT_EQ(make({"x", Layout::kJagged, Type::kBytes, 0}), "ok");
}

TEST(ArrowOutputTest, BatchesAndScansOfOtherColumnsAreRefused) {
  const auto reader = OpenShared(SampleFile(10));
  ASSERT_TRUE(reader.ok());
  const auto columns = *(*reader)->Columns();
  const auto scan_of = [&](Projection projection) {
    return *(*reader)->NewScan({.features = {std::move(projection)}});
  };
  const auto wide = scan_of({.name = "user.clicks", .width = 3});
  const auto output = ArrowOutput::Make(wide->columns(), columns);
  ASSERT_TRUE(output.ok());
  ArrowArray array;
  EXPECT_EQ(output->ExportBatch(nullptr, &array).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(output->ExportBatch(std::make_shared<Batch>(), nullptr).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(output->ExportBatch(std::make_shared<Batch>(), &array).code(),
            StatusCode::kInvalidArgument);
  ArrowArrayStream stream;
  EXPECT_EQ(output->ExportStream(nullptr, nullptr, &stream).code(), StatusCode::kInvalidArgument);
  for (const Projection& other :
       {Projection{.name = "user.clicks", .width = 2},
        Projection{.name = "user.clicks", .width = 3, .dtype = Type::kInt32},
        Projection{.name = "user.clicks", .layout = Layout::kJagged}, Projection{.name = "*"}}) {
    auto scan = other.name == "*" ? *(*reader)->NewScan({}) : scan_of(other);
    auto batch = std::make_shared<Batch>();
    ASSERT_TRUE(*scan->Next(batch.get()));
    array.release = [](ArrowArray*) {};
    EXPECT_EQ(output->ExportBatch(batch, &array).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(array.release, nullptr);
    EXPECT_EQ(batch.use_count(), 1);
    EXPECT_EQ(output->ExportStream(std::move(scan), nullptr, &stream).code(),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(stream.release, nullptr);
  }
}

}  // namespace
}  // namespace dsi::test
