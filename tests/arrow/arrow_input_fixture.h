// Reads Arrow tables into batches, and batches back into what a person would write.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "dsi/arrow/arrow_input.h"
#include "dsi/tests/arrow/arrow_input_arrays.h"

namespace dsi::arrow_input_test {

inline std::shared_ptr<const Schema> SchemaOf(const std::string& features) {
  Result<Schema> schema = Schema::FromJson("{\"features\": [" + features + "]}");
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  return std::make_shared<const Schema>(*std::move(schema));
}

inline std::string ValueText(Type type, const std::byte* at) {
  const auto load = [at](auto value) {
    std::memcpy(&value, at, sizeof(value));
    std::string text = std::to_string(value);
    if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
    return text;
  };
  switch (type) {
    case Type::kInt8:
      return load(int8_t{});
    case Type::kInt16:
      return load(int16_t{});
    case Type::kInt32:
      return load(int32_t{});
    case Type::kInt64:
      return load(int64_t{});
    case Type::kUint16:
      return load(uint16_t{});
    case Type::kUint32:
      return load(uint32_t{});
    case Type::kUint64:
      return load(uint64_t{});
    case Type::kFloat32:
      return load(float{});
    case Type::kFloat64:
      return load(double{});
    default:
      return load(uint8_t{});
  }
}

// "7 - [1 2] abc": the rows of a column of a feature, "-" where it is missing.
inline std::string RowsOf(const RowBatch& batch, const std::string& feature, size_t column = 0) {
  const int f = batch.schema().FindFeature(feature);
  if (f < 0) return "no such feature";
  const FeatureSpec& spec = batch.schema().features[static_cast<size_t>(f)];
  const RowBatch::FeatureBuffer& from = batch.feature(static_cast<size_t>(f));
  const Type type = spec.columns[column].type;
  const auto width = static_cast<size_t>(TypeWidth(type));
  std::string text;
  size_t present = 0;
  size_t entry = 0;
  for (size_t row = 0; row < batch.num_rows(); ++row) {
    if (row > 0) text += ' ';
    if (!from.all_present && (present == from.rows.size() || from.rows[present] != row)) {
      text += '-';
      continue;
    }
    size_t count = std::max<size_t>(spec.fixed_length, 1);
    if (HasLengths(spec.kind, type)) count = from.lengths[present];
    ++present;
    const std::byte* at = from.values[column].data() + entry * width;
    entry += count;
    if (type == Type::kBytes) {
      text.append(reinterpret_cast<const char*>(at), count);
      continue;
    }
    const bool many = IsListKind(spec.kind) || spec.kind == Kind::kEmbedding;
    if (many) text += '[';
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) text += ' ';
      text += ValueText(type, at + i * width);
    }
    if (many) text += ']';
  }
  EXPECT_EQ(present, from.num_present);
  EXPECT_EQ(entry * width, from.values[column].size());
  return text;
}

class ArrowInputTest : public ::testing::Test {
 protected:
  // Adds the rows of the table to a fresh batch_.
  Status Read(ArrowTable& table, const std::string& features,
              const ArrowInputOptions& options = {}) {
    const std::shared_ptr<const Schema> schema = SchemaOf(features);
    batch_ = std::make_unique<RowBatch>(schema);
    DSI_ASSIGN_OR_RETURN(const std::unique_ptr<ArrowInput> input,
                         ArrowInput::Create(*table.schema(), schema, options));
    absent_ = input->absent();
    ignored_ = input->ignored();
    return input->Append(*table.array(), batch_.get());
  }
  Status Read(std::vector<ArrowNode> columns, const std::string& features,
              const ArrowInputOptions& options = {}) {
    ArrowTable table(std::move(columns));
    return Read(table, features, options);
  }

  // One column "a" as the rows of one feature "a", which `kind` declares.
  std::string Rows(ArrowNode column, const std::string& kind) {
    const Status status = Read({std::move(column)}, R"({"name": "a", )" + kind + "}");
    return status.ok() ? RowsOf(*batch_, "a") : status.ToString();
  }

  std::unique_ptr<RowBatch> batch_;
  std::vector<std::string> absent_;
  std::vector<std::string> ignored_;
};

}  // namespace dsi::arrow_input_test

#define EXPECT_REFUSED(status_expression, expected_code, part)                    \
  do {                                                                            \
    const ::dsi::Status refused_status = (status_expression);                     \
    EXPECT_EQ(refused_status.code(), expected_code) << refused_status.ToString(); \
    EXPECT_NE(refused_status.message().find(part), std::string::npos)             \
        << refused_status.ToString();                                             \
  } while (false)
