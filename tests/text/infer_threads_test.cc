// A schema is found by several threads: it and its report are those of one, whatever stands behind
// the first rows, and in whichever block.
#include <random>

#include "dsi/tests/text/text_fixture.h"
#include "dsi/text/infer/row_looker_internal.h"

namespace dsi {
namespace {

class InferThreadsTest : public test::TextTest {
 protected:
  static std::string Found(const std::vector<TextFile>& files, int threads, size_t block_bytes,
                           bool leaves_out) {
    InferOptions options;
    options.text.threads = threads;
    options.text.block_bytes = block_bytes;
    if (leaves_out) options.text.on_bad_row = [](const BadRow&) { return Status::Ok(); };
    InferReport report;
    const Result<Schema> schema = InferSchema(files, options, &report);
    if (!schema.ok()) return schema.status().ToString();
    std::string told = *schema->ToJson() + "\n" + std::to_string(report.rows) + " rows\n";
    for (const std::string& name : report.dropped) told += "dropped " + name + "\n";
    told += std::to_string(report.repeats) + "\n";
    for (const KeyAdvice& key : report.keys) told += "key " + key.name + "\n";
    for (const FoundFeature& found : report.features) {
      told += found.name + ": " + found.why + "; " + std::to_string(found.rows) + " " +
              std::to_string(found.missing) + " " + found.least + " " + found.greatest + " " +
              std::to_string(found.longest);
      for (const std::string& example : found.examples) told += " <" + example + ">";
      told += "\n";
    }
    return told;
  }

  // Rows of which `late` come behind the first ones, at places of their own.
  std::string Rows(uint64_t seed, const std::vector<std::string>& late) {
    std::mt19937_64 random(seed);
    std::vector<std::string> lines;
    for (int i = 0; i < 24'000; ++i) {
      std::string line = "{\"id\":" + std::to_string(random() % 5000) +
                         ",\"label\":" + std::to_string(random() % 2);
      if (i % 2 == 0) line += ",\"l\":[" + std::to_string(random() % 9) + ",2]";
      if (i % 3 == 0) line += ",\"at\":\"2024-05-0" + std::to_string(1 + random() % 9) + "\"";
      if (i % 500 == 0) line += ",\"few\":\"t" + std::to_string(random() % 50) + "\"";
      if (i == 7) line += ",\"never\":null";
      lines.push_back(line + "}");
    }
    for (const std::string& line : late) lines[17'000 + random() % 7000] = line;
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  void ExpectSame(const std::string& name, const std::vector<std::string>& late) {
    for (uint64_t seed = 0; seed < 3; ++seed) {
      const std::string text = Rows(seed, late);
      const size_t half = text.find('\n', text.size() / 2) + 1;
      const std::vector<TextFile> files = {
          {.path = Write("a.jsonl", text.substr(0, half)), .name = "a", .before_open = {}},
          {.path = Write("b.jsonl.gz", test::Gzip(text.substr(half))),
           .name = "b",
           .before_open = {}}};
      for (const bool leaves_out : {false, true}) {
        const std::string expected = Found(files, 1, 0, leaves_out);
        for (const size_t block_bytes : {300, 20'000}) {
          EXPECT_EQ(Found(files, 3, block_bytes, leaves_out), expected)
              << name << ", seed " << seed << (leaves_out ? ", rows left out" : "");
        }
      }
    }
  }
};

TEST_F(InferThreadsTest, WhatComesLate) {
  ExpectSame("nothing", {});
  ExpectSame("names", {R"({"new":{"b":1,"a":2}})", R"({"z":[1,2,3],"new":{"a":-7}})", R"({"y":1})",
                       R"({"few":"last"})", R"({"y":0.5})", R"({"x":{"b":[]}})"});
  std::vector<std::string> many;
  for (int i = 0; i < 300; ++i)
    many.push_back("{\"n" + std::to_string(i % 200) + "\":" + std::to_string(i) + "}");
  ExpectSame("many names", many);
  ExpectSame("times", {R"({"at":"2023-01-01"})", R"({"at":"2023-01-01T00:00"})",
                       R"({"at":"2025-01-01T00:00Z"})", R"({"at":"2025-01-01"})"});
  ExpectSame("texts among times", {R"({"at":"noon"})", R"({"at":"2020-01-01"})"});
  ExpectSame("lists of objects", {R"({"h":[{"b":1,"a":"x"}]})", R"({"h":[]})",
                                  R"({"h":[{"a":"y","b":0.5},{"b":2,"a":"z"}]})"});
  ExpectSame("lists of lists", {R"({"h":[{"b":[1],"a":["x"]}],"t":[[1],[]]})", R"({"t":[[0.5]]})",
                                R"({"h":[{"a":[],"b":[0.5,2]}]})"});
  ExpectSame("lists and lists of lists", {R"({"t":[[1]]})", R"({"t":[1]})", R"({"t":[2]})"});
  ExpectSame("objects that differ", {R"({"h":[{"a":1}]})", R"({"h":[{"b":1}]})"});
  ExpectSame("objects and numbers", {R"({"h":[{"a":1}]})", R"({"h":[1]})"});
  ExpectSame("other numbers", {R"({"id":18446744073709551615})", R"({"label":0.25})",
                               R"({"l":[0.5,1,2,3]})", R"({"l":[]})"});
}

// All that was seen of names, in their order.
std::string Told(const internal::RowLooker& rows) {
  std::string told;
  for (const internal::SeenFeature& seen : rows.seen()) {
    told += seen.name + (seen.nested ? " nested" : "");
    told += " of '" + seen.list + "'";
    for (const uint64_t number :
         {seen.objects_line, seen.num_objects, seen.num_ones, seen.num_lists, seen.longest_list,
          seen.empty_list_line, seen.num_inner, seen.inner_line, seen.num_flat, seen.flat_line,
          uint64_t{seen.num_offered}})
      told += " " + std::to_string(number);
    for (const internal::SeenValues* of : {&seen.one, &seen.many}) {
      for (const uint64_t number :
           {of->whole_line, of->fraction_line, of->text_line, of->time_line, of->num_numbers,
            of->num_texts, of->first_time_line, of->last_time_line})
        told += " " + std::to_string(number);
      told += " " + of->first_time + " " + of->last_time;
    }
    for (const std::string& example : seen.examples) told += " <" + example + ">";
    told += "\n";
  }
  return told;
}

// Which thread gets which block is chance; here it is chosen.
TEST_F(InferThreadsTest, PartsOfAnyThread) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::string> lines;
    for (uint64_t i = 0; i < 1500; ++i) {
      lines.push_back("{\"id\":" + std::to_string(random() % 99) + ",\"n" +
                      std::to_string(random() % (1 + i / 10)) + "\":" +
                      (i % 3 == 0   ? "[1,2]"
                       : i % 5 == 0 ? "[[1],[2,3]]"
                       : i % 7 == 0 ? R"([{"x":1,"y":2}])"
                                    : "0.5") +
                      ",\"t" + std::to_string(random() % 200) + "\":\"2024-05-0" +
                      std::to_string(1 + random() % 3) + (random() % 2 == 0 ? "" : "T00:00") +
                      "\"}\n");
    }
    internal::LineSource source(1 << 20);
    const auto look = [&](internal::RowLooker* rows, size_t begin, size_t end) {
      internal::TextBlock block;
      for (size_t i = begin; i < end; ++i)
        block.bytes.insert(block.bytes.end(), lines[i].begin(), lines[i].end());
      block.size = block.bytes.size();
      block.bytes.resize(block.size + internal::kTextPadding);
      block.lines_before = begin;
      block.ends_file = true;
      source.StartBlock(block, "a");
      ASSERT_TRUE(rows->StartFile(&source, 0, true).ok());
      while (*rows->LookAtRow()) {
      }
    };
    const auto alone = internal::MakeJsonLooker({}, {});
    look(alone.get(), 0, lines.size());
    const auto first = internal::MakeJsonLooker({}, {});
    std::vector<std::unique_ptr<internal::RowLooker>> others;
    for (int i = 0; i < 3; ++i) {
      others.push_back(internal::MakeJsonLooker({}, {}));
      others.back()->NoteOffers();
    }
    look(first.get(), 0, 100);
    for (size_t at = 100; at < lines.size();) {
      const size_t end = std::min<size_t>(lines.size(), at + 1 + random() % 40);
      look(others[random() % 3].get(), at, end);
      at = end;
    }
    ASSERT_TRUE(first->MergeAll(others));
    ASSERT_EQ(Told(*first), Told(*alone)) << "seed " << seed;
  }
}

TEST_F(InferThreadsTest, WhatDependsOnTheOrderOfRows) {
  ExpectSame("a value at last", {R"({"never":3})"});
  ExpectSame("an object at last", {R"({"never":{"deep":3}})"});
  ExpectSame("another one without values", {R"({"nor":null})", R"({"nor2":null})"});
  ExpectSame("kinds that do not mix", {R"({"id":"word"})", R"({"label":[1]})", R"({"id":true})"});
  ExpectSame("texts in a list", {R"({"l":["a"]})", R"({"l":[1,"b"],"after":1})"});
  ExpectSame("rows that cannot be read", {"{", "[]", R"({"id":1,"id":2})"});
}

}  // namespace
}  // namespace dsi
