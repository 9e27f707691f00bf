// dsictl rewrite: .dsi files merged, cut into shards, with other features, rows or form.
#include <memory>

#include "dsi/base/error_internal.h"
#include "dsi/tools/rewrite_files_internal.h"
#include "dsi/tools/text_source_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

Status Run(RewriteChoice* choice, std::vector<std::string> paths, Console* console) {
  choice->out = std::move(paths.back());
  paths.pop_back();
  choice->in = std::move(paths);
  const bool in_shards = choice->shards.rows != 0 || choice->shards.bytes != 0;
  const bool is_file = IsDsiName(choice->out);
  if (is_file && in_shards) {
    return internal::InvalidArgument(
        "{}: shards are written into a new folder, and OUT is named like a file", choice->out);
  }
  if (!is_file && !in_shards) {
    return internal::InvalidArgument(
        "{}: OUT ends in .dsi, or is a new folder where --shard-rows or --shard-size is given",
        choice->out);
  }
  if (in_shards && choice->writer.force) {
    return internal::InvalidArgument("--force replaces a file, and shards go into a new folder");
  }
  return RewriteFiles(*choice, console);
}

}  // namespace

VerbAction AddRewrite(CLI::App* app, Console* console) {
  auto choice = std::make_shared<RewriteChoice>();
  auto paths = std::make_shared<std::vector<std::string>>();
  const std::string features = "The features";
  const std::string shards = "Shards";
  app->add_option("IN", *paths,
                  "Files, patterns, folders or manifests, which are one table; last OUT, a .dsi "
                  "file or the folder of shards")
      ->required()
      ->expected(2, CLI::detail::expected_max_vector_size)
      ->type_name("... OUT");
  AddForce(app, &choice->writer);
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  AddNameList(app, "--only", &choice->only, "Keep these; '*' and '?' match")->group(features);
  AddNameList(app, "--drop", &choice->drop, "Leave these out")->group(features);
  app->add_option("--rename", choice->rename, "Call a feature otherwise; repeatable")
      ->allow_extra_args(false)
      ->type_name("OLD=NEW")
      ->group(features);
  app->add_option("--schema", choice->schema_file,
                  "Write this schema: features of the files by id, then name, and new ones")
      ->type_name("FILE")
      ->group(features);
  for (CLI::Option* option : AddRowChoice(app, &choice->rows)) option->group("The rows");
  AddCount(app, "--shard-rows", &choice->shards.rows,
           "OUT is a folder of files of so many rows, at most; no session is in two")
      ->group(shards);
  AddSize(app, "--shard-size", &choice->shards.bytes, "The same by size, about")->group(shards);
  AddWriterChoice(app, &choice->writer, "The order of rows", "The file");
  app->footer(
      "Examples:\n"
      "  dsictl rewrite day1.dsi day2.dsi both.dsi\n"
      "  dsictl rewrite 'clicks/*.dsi' shards --shard-size 512M\n"
      "  dsictl rewrite clicks.dsi small.dsi --only 'user.*,label' --keep-order\n"
      "  dsictl rewrite clicks.dsi new.dsi --rename clicks=user.clicks --drop 'item.old*'\n\n"
      "Rows come out as if they had been written afresh; of several files the schema is that of "
      "the\nlast, with what only others have.\n");
  return [choice, paths, console] { return Run(choice.get(), *paths, console); };
}

}  // namespace dsi::tools
