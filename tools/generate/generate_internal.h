// Made-up training tables: the data of `dsictl generate`, of tests and of benchmarks.
//
// A table is JSON Lines text, one row (impression) a line. The same options give the same bytes;
// but for `news` and `visits`, a libm that rounds a logarithm differently may change some.
// `clicks`, `news` and `visits` are simulated and remember users and items, whose number does not
// grow with the rows. The others draw each value from (seed, feature, session, step) alone; they
// hold no state but the row order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsi::tools {

enum class RowOrder : uint8_t {
  kTime,     // As events happen: the sessions are interleaved.
  kSession,  // The rows of a session stand together, ordered by time inside.
};

enum class SessionLaw : uint8_t {
  kGeometric,  // Mean 16.5 unless said: the usual tail.
  kConstant,   // Every session has the mean (a fractional one: both neighbours, evenly spread).
  kLognormal,  // Sigma 1: a long tail, for stress.
};

struct GenerateOptions {
  std::string profile = "clicks";
  uint64_t rows = 100'000;
  uint64_t seed = 1;
  RowOrder order = RowOrder::kTime;

  // Unset: what the profile says.
  std::optional<double> mean_session;        // Rows per session; p1..p4, sweep, wide.
  std::optional<SessionLaw> session_law;     // The same.
  std::optional<double> sequence_duplicate;  // p1..p4: P(a sequence equals the row before).
  std::optional<double> set_duplicate;       // p1..p4: the same for the sets of a user.
  std::optional<uint32_t> sequence_length;   // p1..p4: the length of every sequence.
  std::optional<uint32_t> sequence_shift;    // p1..p4: ids that a change puts in front.
  std::vector<double> duplicate_rates;       // sweep: one list feature for each.
  std::optional<uint32_t> list_length;       // sweep: ids in each list.
  std::optional<uint32_t> features;          // wide: number of features.
  std::optional<double> coverage;            // wide: share of the features a row has.
  std::optional<uint32_t> items;  // clicks: size of the catalogue; news: articles at a time.

  // p1..p4 and sweep: ids of every feature come from a space of their own, not one shared by all.
  bool separate_id_spaces = false;
  // clicks, news, visits: ids as 63-bit hashes, as production logs have them, instead of short
  // numbers.
  bool hash_ids = false;

  // About the size of what NextBlock returns; a block always ends at the end of a row.
  size_t block_bytes = size_t{1} << 20;
};

struct ProfileDescription {
  std::string_view name;
  std::string_view text;    // One line, no full stop.
  uint64_t rows = 100'000;  // Of a table where nothing else is said.
};

// Every profile, in the order in which they should be listed.
const std::vector<ProfileDescription>& GenerateProfiles();

// Not thread-safe; different objects are independent.
class RowGenerator {
 public:
  virtual ~RowGenerator() = default;

  // Returns null and sets `*error` to one sentence when the options make no table.
  static std::unique_ptr<RowGenerator> Create(const GenerateOptions& options, std::string* error);

  // Replaces `*out` by the next lines. Returns false, with `*out` empty, after the last row. The
  // caller may stop at any block.
  virtual bool NextBlock(std::string* out) = 0;

  // Rows handed out so far.
  virtual uint64_t rows_done() const = 0;

  // The schema of the table as the JSON text that the writer takes.
  virtual std::string SchemaJson() const = 0;
};

}  // namespace dsi::tools
