// Files of a random table whose features are spread over overlays, beside the table that they are
// together.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/reader/reader.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/tests/dataset/model_dataset.h"

namespace dsi::test {

// The feature that a column of the table is of.
inline std::string FeatureOf(const ModelTable& table, const ModelColumn& column) {
  for (const FeatureSpec& feature : table.schema.features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      if (ColumnName(feature, c) == column.name) return feature.name;
    }
  }
  return {};
}

// The table with these features alone.
inline ModelTable Only(const ModelTable& table, const std::set<std::string>& names) {
  ModelTable part = table;
  std::erase_if(part.columns, [&](const ModelColumn& column) {
    return !names.contains(FeatureOf(table, column));
  });
  const auto is_gone = [&](const std::string& name) { return !names.contains(name); };
  std::erase_if(part.schema.features,
                [&](const FeatureSpec& feature) { return is_gone(feature.name); });
  for (GroupSpec& group : part.schema.groups) {
    std::erase_if(group.features, is_gone);
    if (is_gone(group.owner)) group.owner.clear();
  }
  std::erase_if(part.schema.groups, [](const GroupSpec& group) { return group.features.empty(); });
  return part;
}

// Leaves a column out of some sequence; its name, empty where none was.
inline std::string LoseColumn(ModelTable* stored, std::mt19937_64* random) {
  for (const FeatureSpec& feature : stored->schema.features) {
    if (feature.kind != Kind::kSequence || feature.columns.size() < 2 || (*random)() % 2 == 0)
      continue;
    const size_t at = (*random)() % feature.columns.size();
    std::string name = ColumnName(feature, at);
    DropColumn(feature.name, std::string(feature.columns[at].name), stored);
    return name;
  }
  return {};
}

// Ranges of whole stripes: each of them with one in `rarity` left out.
inline std::vector<OverlayRows> SomeStripes(const Reader& base, uint64_t rarity,
                                            std::mt19937_64* random) {
  std::vector<OverlayRows> rows;
  for (const StripeInfo& stripe : base.stripes()) {
    if ((*random)() % rarity == 0) continue;
    const uint64_t end = stripe.first_row + stripe.num_rows;
    if (!rows.empty() && rows.back().end == stripe.first_row) {
      rows.back().end = end;
    } else {
      rows.push_back({stripe.first_row, end});
    }
  }
  const StripeInfo& last = base.stripes().back();
  if (rows.empty()) rows.push_back({last.first_row, last.first_row + last.num_rows});
  return rows;
}

struct OverlaidTable {
  TempFolder folder;
  ModelTable table;  // What all files are together; rows in the order of the dataset.
  std::unique_ptr<Dataset> dataset;

  // Some features are in the bases; each base has up to `most_overlays` overlays, of some stripes
  // and features, of which some are in the base or another overlay, too, with other values. Some of
  // either lack a column of a sequence.
  OverlaidTable(uint64_t seed, size_t num_files, uint32_t stripe_rows, size_t most_overlays) {
    Make(seed, num_files, stripe_rows, most_overlays);
  }

  void Open() {
    auto opened = Dataset::Open(folder.path());
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    dataset = std::move(*opened);
  }

 private:
  void Make(uint64_t seed, size_t num_files, uint32_t stripe_rows, size_t most_overlays) {
    std::mt19937_64 random(seed);
    losses_.seed(seed);
    const std::vector<std::string> keys = {"session_id", "time"};
    for (size_t f = 0; f < num_files; ++f) {
      const size_t num_rows = 300 + random() % 500;
      const ModelTable input = RandomTable(random(), num_rows, 9);
      ModelTable whole = Slice(input, ClusteredOrder(input, keys));
      // Other values of the same features.
      const ModelTable other = RandomTable(random(), num_rows, 9);
      std::set<std::string> in_base(keys.begin(), keys.end());
      for (const FeatureSpec& feature : whole.schema.features) {
        if (random() % 2 == 0) in_base.insert(feature.name);
      }
      WriterOptions options = StripesOf(stripe_rows);
      options.cluster_by = keys;
      const std::string path = folder.File("part-" + std::to_string(f) + ".dsi");
      ModelTable base = Only(whole, in_base);
      const std::string lost = LoseColumn(&base, &losses_);
      WriteBytes(path, WriteRows(base, options));
      for (ModelColumn& column : whole.columns) {
        const bool is_there = in_base.contains(FeatureOf(whole, column));
        for (auto& row : column.rows) {
          if (!is_there) row.reset();
          if (column.name == lost) FillRow(BlankEntry(whole.schema, column), &row);
        }
      }
      const auto reader = Reader::Open(path);
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      const size_t num_overlays = random() % (most_overlays + 1);
      for (size_t o = 0; o < num_overlays; ++o)
        AddOverlay(path, **reader, o % 2 == 0 ? input : other, o % 2 == 0, &whole, &random);
      Append(whole);
    }
    Open();
  }

  void AddOverlay(const std::string& base_path, const Reader& base, const ModelTable& values,
                  bool is_clustered, ModelTable* whole, std::mt19937_64* random) {
    std::set<std::string> names;
    while (names.empty()) {
      for (const FeatureSpec& feature : values.schema.features) {
        const bool is_key = feature.name == "session_id" || feature.name == "time";
        if (!is_key && (*random)() % 3 == 0) names.insert(feature.name);
      }
    }
    ModelTable from = Only(values, names);
    if (is_clustered) from = Slice(from, ClusteredOrder(values, {"session_id", "time"}));
    const std::vector<OverlayRows> ranges = SomeStripes(base, 2 + (*random)() % 5, random);
    std::vector<size_t> rows;
    for (const OverlayRows& range : ranges) {
      for (uint64_t row = range.begin; row < range.end; ++row) rows.push_back(row);
    }
    WriterOptions options = StripesOf(1 + static_cast<uint32_t>((*random)() % 1000));
    const auto binding = BindOverlay(base, ranges);
    ASSERT_TRUE(binding.ok()) << binding.status().ToString();
    options.overlay = *binding;
    const std::string name = base_path.substr(0, base_path.size() - 4) + "-overlay-" +
                             std::to_string(num_overlays_++) + ".dsi";
    ModelTable stored = Slice(from, rows);
    const std::string lost = LoseColumn(&stored, &losses_);
    WriteBytes(name, WriteRows(stored, options));
    for (const ModelColumn& column : from.columns) {
      auto to = std::find_if(whole->columns.begin(), whole->columns.end(),
                             [&](const ModelColumn& c) { return c.name == column.name; });
      for (const size_t row : rows) {
        to->rows[row] = column.rows[row];
        if (column.name == lost) FillRow(BlankEntry(values.schema, column), &to->rows[row]);
      }
    }
  }

  void Append(const ModelTable& more) {
    if (table.columns.empty()) {
      table = more;
      return;
    }
    table.num_rows += more.num_rows;
    for (size_t c = 0; c < table.columns.size(); ++c)
      table.columns[c].rows.insert(table.columns[c].rows.end(), more.columns[c].rows.begin(),
                                   more.columns[c].rows.end());
  }

  std::mt19937_64 losses_;
  int num_overlays_ = 0;
};

}  // namespace dsi::test
