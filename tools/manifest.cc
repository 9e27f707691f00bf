// dsictl manifest: which files a dataset has and what is in them, so that opening it reads no file.
#include <filesystem>
#include <memory>
#include <span>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/io/file.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

struct ManifestOptions {
  std::vector<std::string> where;
  std::string out;
  bool force = false;
  uint64_t threads = 0;
};

Status WriteManifest(const ManifestOptions& options, const Console& console) {
  // Before all files are looked at: what exists is not to be replaced.
  DSI_ASSIGN_OR_RETURN(const auto file, CreateLocalFile(options.out, {.overwrite = options.force}));
  Progress progress(console);
  DatasetOptions dataset_options;
  dataset_options.threads = static_cast<uint32_t>(options.threads);
  dataset_options.progress = [&](uint64_t done, uint64_t total) {
    return progress.Update("reading footers", done, total, ProgressUnit::kFiles);
  };
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(options.where, dataset_options));
  // What cannot be read as one table is no dataset.
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset->Columns());
  DSI_RETURN_IF_ERROR(internal::CheckReconciled(columns));
  const std::string folder = std::filesystem::path(options.out).parent_path().string();
  DSI_ASSIGN_OR_RETURN(const std::string text, dataset->Manifest(folder.empty() ? "." : folder));
  progress.Clear();
  DSI_RETURN_IF_ERROR(file->Append(std::as_bytes(std::span(text))));
  return file->Publish();
}

}  // namespace

VerbAction AddManifest(CLI::App* app, Console* console) {
  auto options = std::make_shared<ManifestOptions>();
  app->add_option("WHERE", options->where,
                  "Files, patterns, folders, s3 prefixes, manifests; in this order")
      ->required()
      ->type_name("");
  app->add_option("-o,--out", options->out, "The manifest, a local path; ends in .json")
      ->required()
      ->type_name("PATH");
  app->add_flag("--force", options->force, "Replace an existing one");
  AddCount(app, "--threads", &options->threads,
           "Threads that read footers; default: cores, or 32 for remote files");
  AddQuietFlag(app, console);
  app->footer(
      "Examples:\n"
      "  dsictl manifest clicks/ -o clicks/all.json\n"
      "  dsictl manifest 's3://bucket/clicks/day=2*/*.dsi' -o clicks.json\n\n"
      "Files below the manifest's folder are named from there, so that both can be moved.\n");
  return [options, console]() -> Status {
    if (!options->out.ends_with(".json") || options->threads > 1024) {
      return {StatusCode::kInvalidArgument, "--out ends in .json; --threads is at most 1024"};
    }
    return WriteManifest(*options, *console);
  };
}

}  // namespace dsi::tools
