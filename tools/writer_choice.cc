#include "dsi/tools/writer_choice_internal.h"

#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/dataset/access_log.h"
#include "dsi/format/limits.h"

namespace dsi::tools {
namespace {

Result<FeatureSpec*> FindKey(const std::string& option, const std::string& name, Schema* schema) {
  const int at = schema->FindFeature(name);
  if (at < 0) {
    internal::NearNames near(name, 1);
    for (const FeatureSpec& feature : schema->features) near.Offer(feature.name);
    return internal::InvalidArgument("{}: there is no feature \"{}\"{}", option, name,
                                     near.Advice());
  }
  return &schema->features[static_cast<size_t>(at)];
}

}  // namespace

void AddForce(CLI::App* app, WriterChoice* choice) {
  app->add_flag("--force", choice->force, "Replace an existing OUT");
}

std::vector<CLI::Option*> AddFileChoice(CLI::App* app, WriterChoice* choice,
                                        const std::string& group) {
  WriterOptions* writer = &choice->writer;
  std::vector<CLI::Option*> options;
  const auto add = [&](CLI::Option* option) { options.push_back(option->group(group)); };
  add(app->add_flag("--no-dedup", choice->no_dedup, "Store every row's values"));
  add(app->add_flag("--no-groups", choice->no_groups, "Only the groups that the schema declares"));
  add(app->add_option_function<std::string>(
             "--tuning", [writer](const std::string& word) { ParseTuning(word, &writer->tuning); },
             "Where files are read from, by which encodings are chosen; default nvme")
          ->check(CLI::IsMember({"nvme", "network", "archive"}))
          ->type_name("WORD"));
  add(app->add_option("--threads", writer->threads, "Threads; default: one for each core")
          ->check(CLI::Range(0, 1024).description(""))
          ->type_name("N"));
  add(AddSize(app, "--memory", &writer->memory_bytes,
              "Memory to take, such as 4G; default: three quarters of what there is"));
  add(app->add_option("--spill-folder", writer->spill_folder,
                      "Where rows wait that it does not hold; default: OUT's folder")
          ->type_name("FOLDER"));
  add(app->add_option("--layout-from", choice->layout_from,
                      "An access log: features that its jobs read lie beside each other")
          ->type_name("FILE"));
  add(app->add_option("--metadata", choice->metadata, "Store a note; repeatable")
          ->allow_extra_args(false)
          ->type_name("KEY=VALUE"));
  return options;
}

std::vector<CLI::Option*> AddWriterChoice(CLI::App* app, WriterChoice* choice,
                                          const std::string& order_group,
                                          const std::string& file_group) {
  WriterOptions* writer = &choice->writer;
  std::vector<CLI::Option*> options;
  const auto add = [&options](CLI::Option* option, const std::string& group) {
    options.push_back(option->group(group));
    return option;
  };
  auto* keys = add(AddNameList(app, "--session-key", &choice->session_keys,
                               "Cluster by these, outermost first; default: the schema's"),
                   order_group);
  auto* time =
      add(app->add_option("--time", choice->time_feature, "Order the rows of a session by this")
              ->type_name("NAME"),
          order_group);
  auto* keep = add(app->add_flag("--keep-order", writer->keep_order, "Leave rows as they come")
                       ->excludes(keys)
                       ->excludes(time),
                   order_group);
  add(app->add_flag("--clustered", writer->input_is_clustered,
                    "Rows come so, session by session, and stay so: written while they are read")
          ->excludes(keep),
      order_group);
  add(app->add_flag("--keep-position", writer->keep_position,
                    "Store each row's place, for --original-order later"),
      order_group);

  add(app->add_option("--stripe-rows", writer->stripe_rows,
                      "Rows in a stripe, half as many more in the last; default 262144")
          ->check(CLI::Range(1U, kMaxStripeRows).description(""))
          ->type_name("N"),
      file_group);
  add(AddSize(app, "--stripe-memory", &writer->stripe_bytes,
              "Rows of a stripe in memory, at most; default 1G"),
      file_group);
  for (CLI::Option* option : AddFileChoice(app, choice, file_group)) options.push_back(option);
  return options;
}

Result<WriterOptions> WriterOptionsOf(const WriterChoice& choice) {
  if (choice.writer.stripe_bytes == 0)
    return internal::InvalidArgument("--stripe-memory is 0, expected a size such as 512M or 1G");
  WriterOptions options = choice.writer;
  options.dedup = !choice.no_dedup;
  options.find_groups = !choice.no_groups;
  options.overwrite = choice.force;
  if (!choice.layout_from.empty()) {
    DSI_ASSIGN_OR_RETURN(options.uses, ReadAccessLog(choice.layout_from));
  }
  return options;
}

Result<std::map<std::string, std::string>> MetadataOf(const WriterChoice& choice) {
  std::map<std::string, std::string> notes;
  for (const std::string& pair : choice.metadata) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return internal::InvalidArgument("--metadata takes key=value, not '{}'", pair);
    }
    notes[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return notes;
}

Result<std::vector<std::string>> ClusterKeysOf(const WriterChoice& choice, bool inferred,
                                               Schema* schema) {
  if (!NamesKeys(choice)) return std::vector<std::string>();
  std::vector<std::string> keys = schema->cluster_by;
  std::string time;
  if (!keys.empty()) {
    DSI_ASSIGN_OR_RETURN(const FeatureSpec* last, FindKey("cluster_by", keys.back(), schema));
    if (last->kind == Kind::kTimestamp) {
      time = keys.back();
      keys.pop_back();
    }
  }
  if (!choice.session_keys.empty()) keys = choice.session_keys;
  for (const std::string& key : keys) {
    DSI_ASSIGN_OR_RETURN(FeatureSpec * feature, FindKey("--session-key", key, schema));
    const bool is_number = feature->kind == Kind::kDense && IsInteger(feature->columns[0].type);
    if (inferred && (is_number || feature->kind == Kind::kString)) feature->kind = Kind::kKey;
    if (feature->kind != Kind::kKey) {
      return internal::InvalidArgument("--session-key: \"{}\" is a {} feature, expected a key", key,
                                       KindName(feature->kind));
    }
  }
  if (!choice.time_feature.empty()) {
    time = choice.time_feature;
    DSI_ASSIGN_OR_RETURN(FeatureSpec * feature, FindKey("--time", time, schema));
    if (inferred && feature->kind == Kind::kDense && feature->columns[0].type == Type::kInt64) {
      feature->kind = Kind::kTimestamp;
      feature->columns[0].time_unit = TimeUnit::kMillis;
    }
    if (feature->kind != Kind::kTimestamp) {
      return internal::InvalidArgument("--time: \"{}\" is a {} feature, expected a timestamp", time,
                                       KindName(feature->kind));
    }
  }
  for (size_t i = 0; time.empty() && i < schema->features.size(); ++i) {
    if (schema->features[i].kind == Kind::kTimestamp) time = schema->features[i].name;
  }
  if (!time.empty()) keys.push_back(time);
  return keys;
}

bool ShowWriteProgress(const WriteProgress& now, Progress* progress) {
  switch (now.phase) {
    case WriteProgress::Phase::kCluster:
      return progress->Update("clustering", now.rows_done, now.rows_total, ProgressUnit::kRows);
    case WriteProgress::Phase::kEncode:
      return progress->Update("encoding", now.rows_done, now.rows_total, ProgressUnit::kRows);
    case WriteProgress::Phase::kPublish:
      return progress->Update("publishing", now.bytes_written, 0, ProgressUnit::kBytes);
  }
  return true;
}

}  // namespace dsi::tools
