// The report of dsictl dedup for programs. Shares and factors are plain numbers, sizes bytes.
#include <nlohmann/json.hpp>

#include "dsi/tools/dedup/report_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

double Ratio(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

Json RepeatsJson(const FeatureReport& feature, const Repeats& repeats) {
  return {{"owners", repeats.owners},
          {"equal_rows", repeats.equal_rows},
          {"equal_rows_share", Ratio(repeats.equal_rows, feature.rows)},
          {"equal_values", repeats.equal_entries * feature.num_columns},
          {"equal_values_share", Ratio(repeats.equal_entries, feature.entries)},
          {"equal_bytes", repeats.equal_entries * feature.entry_bytes},
          {"windows_values", repeats.covered_entries * feature.num_columns},
          {"windows_values_share", Ratio(repeats.covered_entries, feature.entries)},
          {"windows_bytes", repeats.covered_entries * feature.entry_bytes}};
}

Json FeatureJson(const FeatureReport& f) {
  const auto factor = [&](uint64_t part) { return part == 0 ? 1 : Ratio(f.entries, part); };
  return {{"feature", f.name},
          {"kind", KindName(f.kind)},
          {"rows", f.rows},
          {"values", f.entries * f.num_columns},
          {"bytes", f.entries * f.entry_bytes},
          {"session", RepeatsJson(f, f.session)},
          {"owner", f.owner},
          {"of_owner", RepeatsJson(f, f.of_owner)},
          {"S", f.S()},
          {"d", f.d()},
          {"factor_formula", f.formula()},
          {"factor_measured", f.measured()},
          {"factor_in_batches", factor(f.batch_entries)},
          {"factor_unique_rows", factor(f.unique_entries)},
          {"factor_stored", factor(f.stored_entries)}};
}

Json TotalsJson(const DedupReport& report) {
  uint64_t values = 0;
  uint64_t bytes = 0;
  uint64_t sums[6] = {};
  for (const FeatureReport& f : report.features) {
    values += f.entries * f.num_columns;
    bytes += f.entries * f.entry_bytes;
    const uint64_t entries[3] = {f.session.equal_entries, f.of_owner.equal_entries,
                                 f.of_owner.covered_entries};
    for (size_t i = 0; i < 3; ++i) {
      sums[i] += entries[i] * f.num_columns;
      sums[i + 3] += entries[i] * f.entry_bytes;
    }
  }
  const auto shares = [](const uint64_t* parts, uint64_t whole) -> Json {
    return {{"equal_session", Ratio(parts[0], whole)},
            {"equal_owner", Ratio(parts[1], whole)},
            {"windows", Ratio(parts[2], whole)}};
  };
  return {{"values", values},
          {"bytes", bytes},
          {"by_values", shares(sums, values)},
          {"by_bytes", shares(sums + 3, bytes)}};
}

Json GroupJson(const GroupReport& g) {
  return {{"group", g.ordinal},
          {"name", g.name},
          {"owner", g.owner},
          {"parent", g.parent},
          {"form", g.forms},
          {"features", g.features},
          {"rows", g.rows},
          {"unique_rows", g.unique_rows},
          {"values", g.values},
          {"values_stored", g.values_stored},
          {"values_decoded", g.values_decoded},
          {"index_bytes", g.index_bytes},
          {"bytes", g.bytes},
          {"bytes_without_dedup", g.bytes_without}};
}

}  // namespace

Result<std::string> DedupJson(const DedupReport& report) {
  DSI_ASSIGN_OR_RETURN(const std::string schema, report.schema.ToJson());
  Json owners = Json::array();
  for (const OwnerReport& owner : report.owners) {
    owners.push_back({{"key", owner.name},
                      {"session", owner.is_session},
                      {"list_of_one_id", owner.is_list},
                      {"rows", owner.rows},
                      {"values", owner.values},
                      {"rows_per_value", owner.per_file},
                      {"rows_per_value_in_stripe", owner.per_stripe},
                      {"rows_per_value_in_batch", owner.per_batch},
                      {"rows_per_value_in_batch_by_time", owner.per_batch_by_time}});
  }
  Json features = Json::array();
  for (const FeatureReport& feature : report.features) features.push_back(FeatureJson(feature));
  Json groups = Json::array();
  for (const GroupReport& group : report.groups) groups.push_back(GroupJson(group));
  Json trials = Json::array();
  for (const TrialReport& trial : report.trials) {
    trials.push_back({{"what", trial.what},
                      {"kind", trial.kind},
                      {"cluster_by", trial.cluster_by},
                      {"stripe_rows", trial.stripe_rows},
                      {"bytes", trial.bytes},
                      {"index_bytes", trial.index_bytes},
                      {"values_stored", trial.values_stored}});
  }
  Json keys = Json::array();
  for (const KeyAdvice& key : report.keys_to_consider) keys.push_back(key.name);
  const Json json = {
      {"input", report.input},
      {"verdict", VerdictOf(report)},
      {"rows", report.rows},
      {"rows_of_input", report.total_rows == 0 ? Json() : Json(report.total_rows)},
      {"session_keys", report.session_keys},
      {"keys_to_consider", keys},
      {"batch_rows", kDedupBatchRows},
      {"stripes", report.stripes},
      {"owners", owners},
      {"features", features},
      {"totals", TotalsJson(report)},
      {"groups", groups},
      {"no_group",
       {{"bytes", report.rows_bytes}, {"bytes_without_dedup", report.rows_bytes_without}}},
      {"trials", trials},
      {"groups_advised", report.groups_advised},
      {"schema", Json::parse(schema, nullptr, false)},
      {"notes", report.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dsi::tools
