// The report of dsictl dedup as tables.
#include <fmt/format.h>

#include <algorithm>

#include "dsi/tools/dedup/report_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using enum TextTable::Align;

constexpr size_t kMostRows = 10;   // Of a table; --json has all.
constexpr size_t kMostGroups = 5;  // Where the tables are not asked for.
constexpr size_t kWidthOfName = 26;
constexpr size_t kIndent = 6;  // Of a note's later lines.

std::string Join(const std::vector<std::string>& names, std::string_view between) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : std::string(between)) + name;
  return text;
}

double Ratio(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string Share(double share) { return fmt::format("{:.1f}%", 100 * share); }
std::string Share(uint64_t a, uint64_t b) { return b == 0 ? "-" : Share(Ratio(a, b)); }
std::string Number(double x) { return fmt::format("{:.2f}", x); }

std::string Factor(uint64_t a, uint64_t b) {
  return FactorText(static_cast<double>(a), static_cast<double>(b));
}

std::string Change(uint64_t now, uint64_t before) {
  return fmt::format("{:+.1f}%", 100 * Ratio(now, before) - 100);
}

// Bold words and what follows them, after an empty line.
std::string Heading(std::string_view bold, std::string_view rest, const Console& console) {
  const std::string text = Folded(fmt::format("{}{}", bold, rest), console);
  return fmt::format("\n{}{}\n", console.Bold(bold), text.substr(bold.size()));
}

std::string More(size_t all, size_t shown = kMostRows) {
  return all <= shown ? "" : fmt::format("  and {} more: --json has all\n", all - shown);
}

std::string Facts(const DedupReport& report, const Console& console) {
  FactList facts;
  facts.Add("table", report.input);
  const bool all = report.total_rows == report.rows;
  const std::string of = report.total_rows == 0 ? "more" : CountText(report.total_rows);
  facts.Add("rows", all ? fmt::format("{}, all of them", CountText(report.rows))
                        : fmt::format("the first {} of {}{}", CountText(report.rows), of,
                                      report.session_keys.empty() ? "" : ", whole sessions"));
  facts.Add("sessions", report.session_keys.empty() ? "none: the schema clusters by no key"
                                                    : "by " + Join(report.session_keys, ", "));
  if (!report.keys_to_consider.empty()) {
    const KeyAdvice& key = report.keys_to_consider[0];
    facts.Add("key to consider",
              fmt::format("{}  ({:.1f} rows each)", key.name, key.rows_per_value));
  }
  return facts.Render(console);
}

std::string OwnersText(const DedupReport& report, const Console& console) {
  TextTable table({{.title = "key", .align = kLeft, .max_width = 32},
                   {.title = "rows", .align = kRight},
                   {.title = "values", .align = kRight},
                   {.title = "table", .align = kRight},
                   {.title = "stripe", .align = kRight},
                   {.title = "batch", .align = kRight},
                   {.title = "batch, by time", .align = kRight}});
  for (size_t i = 0; i < std::min(report.owners.size(), kMostRows); ++i) {
    const OwnerReport& owner = report.owners[i];
    table.AddRow({owner.name + (owner.is_session ? " (session)" : ""), CountText(owner.rows),
                  CountText(owner.values), Number(owner.per_file), Number(owner.per_stripe),
                  Number(owner.per_batch), Number(owner.per_batch_by_time)});
  }
  return Heading("Rows for each value of a key",
                 fmt::format(", in the table, in {} stripe{} and in batches of {}", report.stripes,
                             report.stripes == 1 ? "" : "s", kDedupBatchRows),
                 console) +
         table.Render(console) + More(report.owners.size());
}

// Shares of all lists together: the mean over features counts rows, the others entries.
void AddTotals(const DedupReport& report, TextTable* table) {
  double rows[3] = {};
  uint64_t values[4] = {};
  uint64_t bytes[4] = {};
  size_t count = 0;
  for (const FeatureReport& f : report.features) {
    if (f.entries == 0) continue;
    ++count;
    rows[0] += Ratio(f.session.equal_rows, f.rows);
    rows[1] += Ratio(f.of_owner.equal_rows, f.rows);
    rows[2] += Ratio(f.of_owner.covered_entries, f.entries);
    const uint64_t parts[4] = {f.session.equal_entries, f.of_owner.equal_entries,
                               f.of_owner.covered_entries, f.entries};
    for (size_t i = 0; i < 4; ++i) {
      values[i] += parts[i] * f.num_columns;
      bytes[i] += parts[i] * f.entry_bytes;
    }
  }
  if (count < 2) return;
  const auto mean = [&](size_t i) { return Share(rows[i] / static_cast<double>(count)); };
  table->AddRow({"mean of features", "", "", mean(0), mean(1), mean(2), "rows; windows: values"});
  const auto add = [&](const char* what, const uint64_t(&parts)[4]) {
    table->AddRow({what, what[3] == 'v' ? CountText(parts[3]) : "",
                   what[3] == 'b' ? BytesText(parts[3]) : "", Share(parts[0], parts[3]),
                   Share(parts[1], parts[3]), Share(parts[2], parts[3]), ""});
  };
  add("by values", values);
  add("by bytes", bytes);
}

std::string RepeatsText(const DedupReport& report, const Console& console) {
  TextTable table({{.title = "list", .align = kLeft, .max_width = kWidthOfName},
                   {.title = "values", .align = kRight},
                   {.title = "bytes", .align = kRight},
                   {.title = "= session", .align = kRight},
                   {.title = "= owner", .align = kRight},
                   {.title = "windows", .align = kRight},
                   {.title = "owner", .align = kLeft, .max_width = 22}});
  for (size_t i = 0; i < std::min(report.features.size(), kMostRows); ++i) {
    const FeatureReport& f = report.features[i];
    table.AddRow(
        {f.name, CountText(f.entries * f.num_columns), BytesText(f.entries * f.entry_bytes),
         Share(f.session.equal_entries, f.entries), Share(f.of_owner.equal_entries, f.entries),
         Share(f.of_owner.covered_entries, f.entries), f.owner.empty() ? "(session)" : f.owner});
  }
  AddTotals(report, &table);
  return Heading("Lists that repeat",
                 ": values in rows equal to the row before of the session, of the owner; values "
                 "that overlap with the owner's row before, at any shift (owner: the key for which "
                 "most do)",
                 console) +
         table.Render(console) + More(report.features.size());
}

std::string FactorsText(const DedupReport& report, const Console& console) {
  TextTable table({{.title = "list", .align = kLeft, .max_width = kWidthOfName},
                   {.title = "S", .align = kRight},
                   {.title = "d", .align = kRight},
                   {.title = "formula", .align = kRight},
                   {.title = "measured", .align = kRight},
                   {.title = "in batches", .align = kRight},
                   {.title = "unique rows", .align = kRight},
                   {.title = "stored", .align = kRight}});
  for (size_t i = 0; i < std::min(report.features.size(), kMostRows); ++i) {
    const FeatureReport& f = report.features[i];
    const auto by = [&](uint64_t part) { return Factor(f.entries, part); };
    // Of a list that is empty in all rows nothing is measured.
    const bool any = f.entries != 0;
    table.AddRow({f.name, Number(f.S()), fmt::format("{:.4f}", f.d()),
                  any ? FactorText(f.formula(), 1) : "-", any ? FactorText(f.measured(), 1) : "-",
                  by(f.batch_entries), by(f.unique_entries), by(f.stored_entries)});
  }
  return Heading("Dedupe factor",
                 ": S rows a session, d of the others equal the row before; formula "
                 "S/(1+(S-1)(1-d)) counts rows. The rest count values: of sessions, of batches as "
                 "an IKJT has them, of the unique rows of a file, and as stored there after "
                 "windows",
                 console) +
         table.Render(console) + More(report.features.size());
}

std::string GroupsText(const DedupReport& report, size_t most, const Console& console) {
  if (report.groups.empty()) return "\nNo dedup groups were found.\n";
  std::vector<const GroupReport*> groups;
  for (const GroupReport& group : report.groups) groups.push_back(&group);
  const auto saved = [](const GroupReport* g) {
    return static_cast<int64_t>(g->bytes_without) - static_cast<int64_t>(g->bytes) -
           static_cast<int64_t>(g->index_bytes);
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const GroupReport* a, const GroupReport* b) { return saved(a) > saved(b); });
  TextTable table({{.title = "features", .align = kLeft, .max_width = kWidthOfName},
                   {.title = "", .align = kRight},
                   {.title = "owner", .align = kLeft, .max_width = 16},
                   {.title = "values", .align = kRight},
                   {.title = "stored", .align = kRight},
                   {.title = "decoded", .align = kRight},
                   {.title = "no dedup", .align = kRight},
                   {.title = "columns", .align = kRight},
                   {.title = "index", .align = kRight}});
  for (size_t i = 0; i < std::min(groups.size(), most); ++i) {
    const GroupReport& g = *groups[i];
    const std::string others =
        g.features.size() > 1 ? fmt::format("+{}", g.features.size() - 1) : "";
    table.AddRow({g.features[0], others, g.owner, CountText(g.values), CountText(g.values_stored),
                  CountText(g.values_decoded), BytesText(g.bytes_without), BytesText(g.bytes),
                  BytesText(g.index_bytes)});
  }
  table.AddRow({"(rows, no group)", "", "", "", "", "", BytesText(report.rows_bytes_without),
                BytesText(report.rows_bytes), ""});
  return Heading("Dedup groups",
                 ", what they cost and save: the rows were written with and without them",
                 console) +
         table.Render(console) + More(groups.size(), most);
}

std::string TrialsText(const DedupReport& report, const Console& console) {
  TextTable table({{.title = "the same rows written", .align = kLeft, .max_width = 60},
                   {.title = "bytes", .align = kRight},
                   {.title = "", .align = kRight},
                   {.title = "indexes", .align = kRight},
                   {.title = "values stored", .align = kRight}});
  for (const TrialReport& trial : report.trials) {
    const bool base = &trial == &report.trials[0];
    table.AddRow({trial.what, BytesText(trial.bytes),
                  base ? "" : Change(trial.bytes, report.trials[0].bytes),
                  BytesText(trial.index_bytes), CountText(trial.values_stored)});
  }
  return Heading("Other ways to write the table",
                 ", measured: each is a whole file, written into memory", console) +
         table.Render(console);
}

std::string NotesText(const DedupReport& report, const Console& console) {
  std::string text;
  const auto add = [&](const std::string& note) {
    text += Folded("note: " + Printable(note), console, kIndent) + "\n";
  };
  const TrialReport* const best = BestTrial(report);
  if (best != nullptr && best->kind == "clustering") {
    add(
        fmt::format("{} saves {}; it changes which rows share a batch, so no schema advised here "
                    "does so",
                    best->what, BytesText(report.trials[0].bytes - best->bytes)));
  }
  for (const std::string& note : report.notes) add(note);
  return text;
}

std::string AdviceText(const DedupReport& report, const std::string& schema,
                       const Console& console) {
  if (!report.groups_advised)
    return Heading("No groups to declare", ": the writer finds by itself what gains 1%", console);
  std::string text =
      Heading("Groups to declare",
              " in the schema for convert --schema (--write-schema FILE writes it whole)", console);
  const size_t begin = schema.find("\"groups\"");
  if (begin == std::string::npos) return text;
  const size_t end = schema.find("\n  ]", begin);
  const std::string groups = schema.substr(begin, end == std::string::npos ? end : end + 4 - begin);
  return text + "  " + PrintableJson(groups) + "\n";
}

}  // namespace

Result<std::string> DedupText(const DedupReport& report, bool tables, const Console& console) {
  DSI_ASSIGN_OR_RETURN(const std::string schema, report.schema.ToJson());
  std::string text = console.Bold(Folded("verdict: " + Printable(VerdictOf(report)), console)) +
                     "\n\n" + Facts(report, console);
  if (!tables) {
    text += GroupsText(report, kMostGroups, console);
    const std::string notes = NotesText(report, console);
    if (!notes.empty()) text += "\n" + notes;
    if (report.groups_advised) text += AdviceText(report, schema, console);
    return text + "\n" +
           Folded("--tables shows what repeats, the dedupe factors and every other way tried",
                  console) +
           "\n";
  }
  if (!report.owners.empty()) text += OwnersText(report, console);
  if (!report.features.empty()) text += RepeatsText(report, console) + FactorsText(report, console);
  return text + GroupsText(report, kMostRows, console) + TrialsText(report, console) +
         NotesText(report, console) + AdviceText(report, schema, console);
}

}  // namespace dsi::tools
