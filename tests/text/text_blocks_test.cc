// A text is cut into blocks that several threads parse: whatever the cuts, the threads and how many
// rows are asked for, rows, errors, rows left out and coverage are the same.
#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <random>
#include <thread>

#include "dsi/tests/text/example_text.h"
#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

enum class BadRows : uint8_t { kFail, kSkip, kSkipFew };

struct Way {
  int threads = 1;
  size_t block_bytes = 1ULL << 30;
  size_t max_rows = SIZE_MAX;
  bool one_batch = true;
  uint64_t ahead_bytes = 0;
};

class TextBlocksTest : public test::TextTest {
 protected:
  // All that reading gives, in words.
  std::string ReadAll(const std::shared_ptr<const Schema>& schema, TextInputOptions options,
                      BadRows policy, const Way& way) {
    std::string told;
    int left_out = 0;
    const std::thread::id caller = std::this_thread::get_id();
    if (policy != BadRows::kFail) {
      options.on_bad_row = [&](const BadRow& row) -> Status {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        told += std::string(row.file) + " " + std::to_string(row.line) + " [" +
                std::string(row.text) + "] " + std::string(row.reason) + "\n";
        if (policy == BadRows::kSkipFew && ++left_out == 3)
          return {StatusCode::kBadInput, "enough of them"};
        return {};
      };
    }
    options.threads = way.threads;
    options.block_bytes = way.block_bytes;
    options.ahead_bytes = way.ahead_bytes;
    const auto input = TextInput::Open(files_, schema, options);
    if (!input.ok()) return "no input: " + input.status().ToString();
    RowBatch all(schema);
    RowBatch some(schema);
    int failures = 0;
    while (true) {
      RowBatch* const batch = way.one_batch ? &all : &some;
      const size_t before = batch->num_rows();
      const Result<bool> more = (*input)->Next(way.max_rows, batch);
      EXPECT_LE(batch->num_rows() - before, way.max_rows);
      if (!way.one_batch) EXPECT_TRUE(all.Append(std::move(some)).ok());
      if (!more.ok()) {
        told += "after " + std::to_string(all.num_rows()) + ": " + more.status().ToString() + "\n";
        if (++failures == 40) break;
      } else if (!*more) {
        break;
      }
    }
    told += std::to_string((*input)->lines_done()) + " lines\n";
    const TextCoverage coverage = (*input)->coverage();
    for (const IgnoredName& name : coverage.ignored) {
      told += name.name + " " + std::to_string(name.values) + " from " + name.first_file + ":" +
              std::to_string(name.first_line) + "\n";
    }
    for (const std::string& name : coverage.absent) told += "no " + name + "\n";
    for (size_t f = 0; f < schema->features.size() && all.num_rows() != 0; ++f) {
      const RowBatch::FeatureBuffer& buffer = all.feature(f);
      told += schema->features[f].name + (buffer.all_present ? " in all:" : " in some:");
      for (const uint32_t row : buffer.rows) told += " " + std::to_string(row);
      for (const uint32_t length : buffer.lengths) told += " " + std::to_string(length);
      for (const auto& values : buffer.values) {
        told += " /";
        for (const std::byte value : values) told += " " + std::to_string(static_cast<int>(value));
      }
      told += "\n";
    }
    return told;
  }

  // Sets files_ to a text in up to three parts, which may be packed.
  void SetFiles(const std::vector<std::string>& texts, const std::string& ending, bool packed) {
    files_.clear();
    for (const std::string& text : texts) {
      const std::string name = std::to_string(files_.size()) + ending + (packed ? ".gz" : "");
      const std::string path = Write(name, packed ? test::Gzip(text) : text);
      files_.push_back({.path = path, .name = std::to_string(files_.size()), .before_open = {}});
    }
  }

  void ExpectSame(const std::string& features, const TextInputOptions& options, uint64_t seed) {
    const auto schema = MakeSchema(features);
    for (const BadRows policy : {BadRows::kFail, BadRows::kSkip, BadRows::kSkipFew}) {
      // Row by row, from one block: nobody cuts, nobody reads ahead.
      const std::string expected = ReadAll(schema, options, policy, {.max_rows = 1});
      const Way ways[] = {{.block_bytes = 1},
                          {.block_bytes = 1, .max_rows = 2},
                          {.threads = 2, .block_bytes = 1},
                          {.threads = 3, .block_bytes = 2, .one_batch = false},
                          {.threads = 2, .block_bytes = 7},
                          {.threads = 4, .block_bytes = 33, .one_batch = false},
                          {.threads = 2, .block_bytes = 100, .max_rows = 10'000},
                          {.threads = 3, .block_bytes = 333, .ahead_bytes = 1},
                          {.threads = 2}};
      for (const Way& way : ways) {
        ASSERT_EQ(ReadAll(schema, options, policy, way), expected)
            << "seed " << seed << ", " << way.threads << " threads, blocks of " << way.block_bytes
            << ", policy " << static_cast<int>(policy);
      }
    }
  }

  std::vector<TextFile> files_;
};

// A text of random lines, some of them from `odd`, with either line break, or none at the end.
template <typename MakeLine>
std::string RandomText(std::mt19937_64* random, const std::vector<std::string>& odd,
                       int percent_odd, const MakeLine& make_line) {
  std::string text;
  const size_t lines = (*random)() % 60;
  for (size_t i = 0; i < lines; ++i) {
    text += (*random)() % 100 < static_cast<size_t>(percent_odd) ? odd[(*random)() % odd.size()]
                                                                 : make_line();
    if (i + 1 < lines || (*random)() % 2 == 0) text += (*random)() % 3 == 0 ? "\r\n" : "\n";
  }
  return text;
}

TEST_F(TextBlocksTest, JsonLines) {
  const std::string long_line = "{\"x\":7,\"s\":\"" + std::string(700, 'a') + "\"}";
  const std::vector<std::string> odd = {"",
                                        "  ",
                                        "null",
                                        "{\"x\":",
                                        "{\"x\":\"w\"}",
                                        "\xff",
                                        "{\"x\":1,\"x\":2}",
                                        long_line,
                                        "{\"l\":[1,\"a\"]}",
                                        "{\"u\":{\"v\":1,\"w\":2}}",
                                        "{\"z\":null}"};
  for (uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::string> texts;
    for (size_t i = 0; i <= seed % 3; ++i) {
      texts.push_back((seed % 4 == 0 ? "\xef\xbb\xbf" : "") +
                      RandomText(&random, odd, seed % 5 == 0 ? 60 : 8, [&] {
                        std::string line = "{\"x\":" + std::to_string(random() % 1000);
                        if (random() % 3 == 0) line += ",\"l\":[1,2]";
                        if (random() % 4 == 0)
                          line += ",\"n" + std::to_string(random() % 5) + "\":1";
                        return line + "}";
                      }));
    }
    SetFiles(texts, ".jsonl", seed % 2 == 1);
    TextInputOptions options;
    options.ignore_unknown = seed % 3 != 0;
    if (seed % 7 == 0) options.max_line_bytes = 600;
    ExpectSame(R"({"name":"x","kind":"dense","type":"int64"},{"name":"l","kind":"list"},
                  {"name":"s","kind":"string"},{"name":"q","kind":"dense"})",
               options, seed);
  }
}

TEST_F(TextBlocksTest, DelimitedText) {
  const std::vector<std::string> odd = {
      "",
      "1,\"open",
      "2,\"two\nlines\",",
      "3,\"a\r\nb\n\nc\"",
      "x,s,u",
      "4",
      "5,\"z\"y",
      "w,\"of\nthese\",1",
      "6,a\"b,",
      "7,\"\"",
      "8,\"in\"\"side\n\",",
      "\xff,,",
      "9,\"" + std::string(300, 'b') + "\n" + std::string(300, 'c') + "\","};
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const char delimiter = seed % 4 == 3 ? '\t' : ',';
    std::vector<std::string> texts;
    for (size_t i = 0; i <= seed % 3; ++i) {
      std::string text = (seed % 5 == 0 ? "\xef\xbb\xbf" : "") + std::string("x,s,u\r\n") +
                         RandomText(&random, odd, seed % 6 == 0 ? 50 : 6, [&] {
                           return std::to_string(random() % 1000) + ",t" +
                                  std::to_string(random() % 7) + (random() % 2 == 0 ? ",1" : ",");
                         });
      if (delimiter == '\t') std::replace(text.begin(), text.end(), ',', '\t');
      texts.push_back(text);
    }
    SetFiles(texts, delimiter == '\t' ? ".tsv" : ".csv", seed % 2 == 1);
    TextInputOptions options;
    options.ignore_unknown = true;
    if (seed % 7 == 0) options.max_line_bytes = 400;
    ExpectSame(R"({"name":"x","kind":"dense","type":"int64"},{"name":"s","kind":"string"},
                  {"name":"q","kind":"dense"})",
               options, seed);
  }
}

TEST_F(TextBlocksTest, Criteo) {
  const std::vector<std::string> odd = {"", "1\t2", std::string(39, '\t') + "zz"};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = RandomText(&random, odd, 10, [&] {
      return std::to_string(random() % 2) + "\t" + std::to_string(random() % 50) +
             std::string(13, '\t') + "ab12" + std::string(25, '\t');
    });
    SetFiles({text}, ".log", false);
    TextInputOptions options;
    options.format = TextFormat::kCriteo;
    options.ignore_unknown = true;
    ExpectSame(R"({"name":"label","kind":"label","type":"int8"},
                  {"name":"C1","kind":"list","type":"uint32"})",
               options, seed);
  }
}

TEST_F(TextBlocksTest, TfRecord) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::string> texts;
    for (size_t i = 0; i <= seed % 2; ++i) {
      std::string text;
      for (size_t k = random() % 40; k > 0; --k) {
        const std::string entries =
            test::Entry("x", test::IntList({static_cast<int64_t>(random() % 1000)})) +
            test::Entry(random() % 3 == 0 ? "u" : "l", test::IntList({1, 2}));
        std::string record = test::Record(test::Example(entries));
        if (random() % 10 == 0) record.back() = static_cast<char>(record.back() + 1);
        text += record;
      }
      // The length of a record, or the end of the file, is lost.
      if (seed % 5 == 0 && !text.empty())
        text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
      if (seed % 5 == 1) text.resize(text.size() - std::min<size_t>(text.size(), 5));
      texts.push_back(text);
    }
    SetFiles(texts, ".tfrecord", seed % 3 == 1);
    TextInputOptions options;
    options.ignore_unknown = true;
    if (seed % 7 == 0) options.max_line_bytes = 20;
    ExpectSame(R"({"name":"x","kind":"dense","type":"int64"},{"name":"l","kind":"list"},
                  {"name":"q","kind":"dense"})",
               options, seed);
  }
}

TEST_F(TextBlocksTest, PackedDataThatEndEarlyGiveTheRowsBefore) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "{\"x\":" + std::to_string(i * 7919 % 10'007) + "}\n";
  const auto schema = MakeSchema(R"({"name":"x","kind":"dense","type":"int64"})");
  const std::string packed = test::Gzip(text);
  files_ = {{.path = Write("a.jsonl.gz", packed.substr(0, packed.size() / 2)), .name = "a"}};
  const std::string expected = ReadAll(schema, {}, BadRows::kFail, {.max_rows = 1});
  EXPECT_NE(expected.find("end early"), std::string::npos);
  for (const size_t block_bytes : {100, 5000, 1 << 20})
    EXPECT_EQ(ReadAll(schema, {}, BadRows::kFail, {.threads = 3, .block_bytes = block_bytes}),
              expected);
}

// A pipe whose writer is silent once it has written some rows.
class SilentPipeTest : public TextBlocksTest {
 protected:
  static constexpr std::string_view kRow = "{\"x\":1}\n";

  void SetUp() override {
    const std::string path = folder_.File("pipe.jsonl");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    both_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);  // So that opening does not wait.
    ASSERT_GE(both_, 0);
    ASSERT_GE(::fcntl(both_, F_SETPIPE_SZ, 1 << 20), 1 << 20);
    WriteRows(100);  // Opening looks at the first bytes.
    TextInputOptions options;
    options.threads = 3;
    options.block_bytes = 1 << 20;
    auto input = TextInput::Open(path, schema_, options);
    ASSERT_TRUE(input.ok());
    input_ = *std::move(input);
  }
  void TearDown() override { ::close(both_); }

  void WriteRows(size_t count) const {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += kRow;
    ASSERT_EQ(::write(both_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void ReadRows(size_t count) {
    RowBatch batch(schema_);
    while (batch.num_rows() < count) ASSERT_TRUE(input_->Next(SIZE_MAX, &batch).ok());
    EXPECT_EQ(batch.num_rows(), count);
  }

  std::shared_ptr<const Schema> schema_ =
      MakeSchema(R"({"name":"x","kind":"dense","type":"int64"})");
  std::unique_ptr<TextInput> input_;
  int both_ = -1;
};

// What is read ahead must not keep a caller waiting who has had enough.
TEST_F(SilentPipeTest, ACallerGoesAtOnce) {
  ReadRows(100);
  for (int i = 0; i < 3; ++i) {
    WriteRows(100);
    ReadRows(100);
  }
  const auto start = std::chrono::steady_clock::now();
  input_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

// Nor one for whom rows are being parsed by another thread.
TEST_F(SilentPipeTest, ACallerGetsTheRowsThatAreThere) {
  ReadRows(100);
  WriteRows(100);
  ReadRows(100);
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  // Ends a test that fails.
  std::thread rescuer([&] {
    std::unique_lock lock(mutex);
    if (changed.wait_for(lock, std::chrono::seconds(60), [&] { return is_done; })) return;
    ADD_FAILURE() << "the caller waits for rows behind those that are there";
    WriteRows(1 << 14);
  });
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    WriteRows(1 << 14);
    ReadRows(1 << 14);
  }
  {
    const std::lock_guard lock(mutex);
    is_done = true;
  }
  changed.notify_all();
  rescuer.join();
}

// Who writes by lines may wait for what becomes of a row before the next one.
TEST_F(TextBlocksTest, ARowOfManyLinesIsThereWithItsLastLine) {
  const auto schema = MakeSchema(R"({"name":"x","kind":"dense","type":"int64"},
                                    {"name":"s","kind":"string"})");
  for (const int threads : {1, 3}) {
    const std::string path = folder_.File("pipe" + std::to_string(threads) + ".csv");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const int both = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(both, 0);
    const auto write = [&](const std::string& text) {
      EXPECT_EQ(::write(both, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    };
    write("x,s\n");
    TextInputOptions options;
    options.threads = threads;
    auto input = TextInput::Open(path, schema, options);
    ASSERT_TRUE(input.ok());
    RowBatch batch(schema);
    for (size_t row = 1; row <= 4; ++row) {
      auto next = std::async(std::launch::async, [&] { return (*input)->Next(SIZE_MAX, &batch); });
      write(std::to_string(row) + ",\"a\n");
      for (size_t line = 0; line < row; ++line) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        write(line + 1 < row ? "b\n" : "c\"\n");
      }
      EXPECT_EQ(next.wait_for(std::chrono::seconds(10)), std::future_status::ready)
          << "row " << row << ", threads " << threads;
      while (next.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
        write("0,\n");
      const Result<bool> more = next.get();
      EXPECT_TRUE(more.ok() && *more) << more.status().ToString();
      EXPECT_EQ(batch.num_rows(), row);
      if (HasFailure()) break;
    }
    input->reset();
    ::close(both);
  }
}

}  // namespace
}  // namespace dsi
