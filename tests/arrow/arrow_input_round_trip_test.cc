// Random rows as Arrow arrays of random layout, in batches of random size, give the file that the
// same rows give one by one; and the file has them.
#include <algorithm>
#include <random>

#include "dsi/reader/reader.h"
#include "dsi/tests/arrow/arrow_input_fixture.h"

namespace dsi::arrow_input_test {
namespace {

using Random = std::mt19937_64;
using Values = std::vector<std::optional<int64_t>>;
using Rows = std::vector<std::optional<std::vector<int64_t>>>;

const char kFeatures[] = R"(
    {"name": "session_id", "kind": "key", "type": "int64"},
    {"name": "time", "kind": "timestamp", "unit": "ms"},
    {"name": "label", "kind": "label", "type": "bool"},
    {"name": "user.age", "kind": "dense", "type": "int16"},
    {"name": "user.name", "kind": "string"},
    {"name": "clicks", "kind": "list", "type": "int32"},
    {"name": "vector", "kind": "embedding", "type": "float32", "length": 3},
    {"name": "topics", "kind": "weighted", "type": "int64"},
    {"name": "history", "kind": "sequence", "columns": [
        {"name": "item", "type": "int64"}, {"name": "time", "type": "uint32"}]})";

// What rows hold, by name of the column.
struct Model {
  size_t num_rows = 0;
  Values session, time, label, age, name;
  Rows clicks, vector, topics, history;
};

size_t Below(Random& random, size_t n) { return static_cast<size_t>(random() % n); }

Model MakeModel(Random& random) {
  Model model;
  model.num_rows = Below(random, 200);
  const auto value = [&](size_t n) -> std::optional<int64_t> {
    if (Below(random, 6) == 0) return std::nullopt;
    return static_cast<int64_t>(Below(random, n));
  };
  const auto list = [&](size_t least, size_t most) -> std::optional<std::vector<int64_t>> {
    if (Below(random, 6) == 0) return std::nullopt;
    std::vector<int64_t> entries(least + Below(random, most - least + 1));
    for (int64_t& entry : entries) entry = static_cast<int64_t>(Below(random, 100));
    return entries;
  };
  for (size_t i = 0; i < model.num_rows; ++i) {
    model.session.push_back(value(10));
    model.time.push_back(value(1000));
    model.label.push_back(value(2));
    model.age.push_back(value(100));
    model.name.push_back(value(30));
    model.clicks.push_back(list(0, 5));
    model.vector.push_back(list(3, 3));
    model.topics.push_back(list(0, 3));
    model.history.push_back(list(0, 4));
  }
  return model;
}

std::string Name(int64_t value) { return std::string(static_cast<size_t>(value), 'n'); }

// Sets what is there.
template <typename T, typename Set>
void SetWhere(const std::optional<T>& value, const Set& set) {
  const bool is_set = !value.has_value() || set(*value).ok();
  EXPECT_TRUE(is_set);
}

void SetRows(const Model& model, RowBatch* batch) {
  using Entries = std::vector<int64_t>;
  const auto doubles = [](const Entries& from) {
    return std::vector<double>(from.begin(), from.end());
  };
  for (size_t i = 0; i < model.num_rows; ++i) {
    SetWhere(model.session[i], [&](int64_t v) { return batch->SetInt(0, v); });
    SetWhere(model.time[i], [&](int64_t v) { return batch->SetInt(1, v * 1000); });
    SetWhere(model.label[i], [&](int64_t v) { return batch->SetInt(2, v); });
    SetWhere(model.age[i], [&](int64_t v) { return batch->SetInt(3, v); });
    SetWhere(model.name[i], [&](int64_t v) { return batch->SetBytes(4, Name(v)); });
    SetWhere(model.clicks[i], [&](const Entries& v) { return batch->SetInts(5, 0, v); });
    SetWhere(model.vector[i],
             [&](const Entries& v) { return batch->SetDoubles(6, 0, doubles(v)); });
    SetWhere(model.topics[i], [&](const Entries& v) { return batch->SetInts(7, 0, v); });
    SetWhere(model.topics[i],
             [&](const Entries& v) { return batch->SetDoubles(7, 1, doubles(v)); });
    SetWhere(model.history[i], [&](const Entries& v) { return batch->SetInts(8, 0, v); });
    SetWhere(model.history[i], [&](const Entries& v) { return batch->SetInts(8, 1, v); });
    ASSERT_TRUE(batch->EndRow().ok());
  }
}

// Makes arrays, each of a layout of its own.
class Layouts {
 public:
  explicit Layouts(Random& random) : random_(random) {}

  template <typename T>
  ArrowNode NumbersOf(const std::string& name, const std::string& format, const Values& values) {
    std::vector<std::optional<T>> typed;
    for (const auto& value : values)
      typed.push_back(value ? std::optional<T>(static_cast<T>(*value)) : std::nullopt);
    return Somehow(name, values.size(),
                   [&](const std::vector<int64_t>& rows, const std::string& as) {
                     return Numbers<T>(as, format, Picked(typed, rows), static_cast<T>(random_()));
                   });
  }
  ArrowNode IntsOf(const std::string& name, const Values& values) {
    switch (Below(random_, 4)) {
      case 0:
        return NumbersOf<int64_t>(name, "l", values);
      case 1:
        return NumbersOf<uint8_t>(name, "C", values);
      case 2:
        return NumbersOf<double>(name, "g", values);
      default:
        return NumbersOf<int16_t>(name, "s", values);
    }
  }
  ArrowNode BoolsOf(const std::string& name, const Values& values) {
    std::vector<std::optional<bool>> typed;
    for (const auto& value : values)
      typed.push_back(value ? std::optional<bool>(*value != 0) : std::nullopt);
    return Somehow(name, values.size(),
                   [&](const std::vector<int64_t>& rows, const std::string& as) {
                     return Bools(as, Picked(typed, rows));
                   });
  }
  ArrowNode StringsOf(const std::string& name, const Values& values) {
    Texts texts;
    for (const auto& value : values)
      texts.push_back(value ? std::optional<std::string>(Name(*value)) : std::nullopt);
    return Somehow(name, values.size(),
                   [&](const std::vector<int64_t>& rows, const std::string& as) {
                     const Texts picked = Picked(texts, rows);
                     switch (Below(random_, 3)) {
                       case 0:
                         return Strings<int32_t>(as, "u", picked);
                       case 1:
                         return Strings<int64_t>(as, "Z", picked);
                       default:
                         return StringViews(as, picked);
                     }
                   });
  }
  // `items` makes an array of all entries.
  template <typename Items>
  ArrowNode ListsOf(const std::string& name, const Rows& lists, const Items& items) {
    return Somehow(
        name, lists.size(), [&](const std::vector<int64_t>& rows, const std::string& as) {
          Values entries;
          std::vector<int64_t> offsets;
          std::vector<bool> valid;
          const auto garbage = [&](size_t n) {
            for (size_t i = Below(random_, n); i > 0; --i) entries.push_back(std::nullopt);
          };
          garbage(3);
          offsets.push_back(static_cast<int64_t>(entries.size()));
          for (const auto& list : Picked(lists, rows)) {
            valid.push_back(list.has_value());
            if (list) {
              for (const int64_t entry : *list) entries.push_back(entry);
            } else {
              garbage(3);
            }
            offsets.push_back(static_cast<int64_t>(entries.size()));
          }
          garbage(3);
          if (Below(random_, 2) == 0) return Lists<int64_t>(as, offsets, items(entries), valid);
          return Lists<int32_t>(as, {offsets.begin(), offsets.end()}, items(entries), valid);
        });
  }

 private:
  template <typename T>
  static std::vector<std::optional<T>> Picked(const std::vector<std::optional<T>>& values,
                                              const std::vector<int64_t>& rows) {
    std::vector<std::optional<T>> picked;
    for (const int64_t row : rows)
      picked.push_back(row < 0 ? std::nullopt : values[static_cast<size_t>(row)]);
    return picked;
  }

  // Slots around a slice, or values in any order behind a dictionary; -1 is a null slot.
  template <typename Make>
  ArrowNode Somehow(const std::string& name, size_t count, const Make& make) {
    const size_t before = Below(random_, 3) == 0 ? Below(random_, 70) : 0;
    std::vector<int64_t> rows(before, -1);
    for (size_t i = 0; i < count; ++i) rows.push_back(static_cast<int64_t>(i));
    rows.insert(rows.end(), Below(random_, 3), -1);
    if (Below(random_, 3) != 0) {
      return Slice(make(rows, name), static_cast<int64_t>(before), static_cast<int64_t>(count));
    }
    std::shuffle(rows.begin(), rows.end(), random_);
    std::vector<std::optional<int32_t>> indices(count);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= 0) indices[static_cast<size_t>(rows[i])] = static_cast<int32_t>(i);
    }
    return Dictionary(Numbers<int32_t>(name, "i", indices), make(rows, ""));
  }

  Random& random_;
};

std::vector<ArrowNode> MakeColumns(const Model& model, Random& random) {
  Layouts layouts(random);
  const auto ints = [&](const std::string& name) {
    return [&layouts, name](const Values& values) { return layouts.IntsOf(name, values); };
  };
  const auto floats = [&](const std::string& name) {
    return [&layouts, name](const Values& values) {
      return layouts.NumbersOf<float>(name, "f", values);
    };
  };
  const auto pairs = [&](const std::string& first, const std::string& second) {
    return [&, first, second](const Values& values) {
      return Structs("item", {ints(first)(values), ints(second)(values)});
    };
  };
  std::vector<ArrowNode> columns;
  ArrowNode user =
      Structs("user", {layouts.IntsOf("age", model.age), layouts.StringsOf("name", model.name)});
  user.length = static_cast<int64_t>(model.num_rows);
  columns.push_back(std::move(user));
  columns.push_back(layouts.IntsOf("session_id", model.session));
  columns.push_back(layouts.NumbersOf<int64_t>("time", "tss:", model.time));
  columns.push_back(layouts.BoolsOf("label", model.label));
  columns.push_back(layouts.ListsOf("clicks", model.clicks, ints("item")));
  columns.push_back(layouts.ListsOf("vector", model.vector, floats("item")));
  if (Below(random, 2) == 0) {
    columns.push_back(layouts.ListsOf("topics", model.topics, pairs("ids", "weights")));
    columns.push_back(layouts.ListsOf("history", model.history, pairs("item", "time")));
  } else {
    columns.push_back(layouts.ListsOf("topics.weights", model.topics, floats("item")));
    columns.push_back(layouts.ListsOf("topics.ids", model.topics, ints("item")));
    columns.push_back(layouts.ListsOf("history.item", model.history, ints("item")));
    columns.push_back(layouts.ListsOf("history.time", model.history, ints("item")));
  }
  std::shuffle(columns.begin(), columns.end(), random);
  return columns;
}

template <typename Add>
std::vector<std::byte> Write(const Add& add) {
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "memory"), *SchemaOf(kFeatures),
                               {.keep_order = true});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  add(writer->get());
  const auto report = (*writer)->Finish();
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return bytes;
}

TEST(ArrowInputRoundTrip, AnyLayoutOfTheSameRowsIsTheSameFile) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Model model = MakeModel(random);
    const std::vector<std::byte> expected = Write([&](Writer* writer) {
      RowBatch batch(writer->schema());
      SetRows(model, &batch);
      ASSERT_TRUE(writer->Append(std::move(batch)).ok());
    });
    const std::vector<std::byte> found = Write([&](Writer* writer) {
      ArrowTable table(MakeColumns(model, random));
      table.array()->length = static_cast<int64_t>(model.num_rows);
      const auto input = ArrowInput::Create(*table.schema(), writer->schema());
      ASSERT_TRUE(input.ok()) << input.status().ToString();
      // The table in slices, one after another.
      for (size_t done = 0; done < model.num_rows;) {
        const size_t count = 1 + Below(random, model.num_rows - done);
        table.array()->offset = static_cast<int64_t>(done);
        table.array()->length = static_cast<int64_t>(count);
        const Status status = (*input)->Append(*table.array(), writer);
        ASSERT_TRUE(status.ok()) << status.ToString();
        done += count;
      }
    });
    ASSERT_EQ(found, expected);
    const auto reader = Reader::Open(OpenMemoryFile(found, "memory"));
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    EXPECT_EQ((*reader)->info().num_rows, model.num_rows);
  }
}

// And what is read back are the rows that went in.
TEST(ArrowInputRoundTrip, TheFileHasTheRows) {
  Random random(1);
  Model model = MakeModel(random);
  const std::vector<std::byte> bytes = Write([&](Writer* writer) {
    ArrowTable table(MakeColumns(model, random));
    table.array()->length = static_cast<int64_t>(model.num_rows);
    const auto input = ArrowInput::Create(*table.schema(), writer->schema());
    ASSERT_TRUE(input.ok()) << input.status().ToString();
    ASSERT_TRUE((*input)->Append(*table.array(), writer).ok());
  });
  const auto reader = Reader::Open(OpenMemoryFile(bytes, "memory"));
  ASSERT_TRUE(reader.ok());
  ScanOptions options;
  options.features = {{.name = "clicks", .layout = Layout::kJagged}};
  options.batch_size = 1000;
  const auto scan = (*reader)->NewScan(options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  Batch batch;
  ASSERT_TRUE(*(*scan)->Next(&batch));
  const JaggedView view = *batch.Jagged(size_t{0});
  ASSERT_EQ(view.rows, model.num_rows);
  const auto* values = static_cast<const int32_t*>(view.values);
  for (size_t i = 0; i < view.rows; ++i) {
    ASSERT_EQ(view.present[i] != 0, model.clicks[i].has_value());
    const std::vector<int64_t> row(values + view.offsets[i], values + view.offsets[i + 1]);
    EXPECT_EQ(row, model.clicks[i].value_or(std::vector<int64_t>()));
  }
}

}  // namespace
}  // namespace dsi::arrow_input_test
