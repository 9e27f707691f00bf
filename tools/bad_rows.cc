#include "dsi/tools/bad_rows_internal.h"

#include <simdjson.h>

#include <nlohmann/json.hpp>

#include <span>
#include <string_view>

#include "dsi/base/error_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view part = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < part.size() ? static_cast<unsigned char>(part[k]) : 0U);
    for (size_t k = 0; k < 4; ++k)
      text += k <= part.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string RejectLine(const BadRow& row) {
  nlohmann::ordered_json line = {{"file", row.file}, {"line", row.line}, {"reason", row.reason}};
  if (simdjson::validate_utf8(row.text.data(), row.text.size())) {
    line["raw"] = row.text;
  } else {
    line["raw_base64"] = Base64(row.text);
  }
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

CLI::Option* AddOnError(CLI::App* app, BadRowOptions* options) {
  return app
      ->add_option("--on-error", options->on_error,
                   "What a row that cannot be read does: fail (the default) or skip")
      ->check(CLI::IsMember({"fail", "skip"}))
      ->type_name("WORD");
}

std::vector<CLI::Option*> AddBadRowOptions(CLI::App* app, BadRowOptions* options) {
  return {AddOnError(app, options),
          AddCount(app, "--max-errors", &options->max_errors,
                   "Skip so many rows at most; default any number"),
          app->add_option("--rejects", options->rejects,
                          "Keep the rows skipped, with file, line and reason, as JSON Lines")
              ->type_name("FILE")};
}

Result<BadRows> BadRows::Create(const BadRowOptions& options, bool overwrite) {
  BadRows made(options.max_errors);
  const bool needs_skip = options.max_errors != UINT64_MAX || !options.rejects.empty();
  if (needs_skip && !options.skips()) {
    return internal::InvalidArgument("{} is for rows that are skipped: --on-error skip",
                                     options.rejects.empty() ? "--max-errors" : "--rejects");
  }
  if (!options.rejects.empty()) {
    DSI_ASSIGN_OR_RETURN(made.file_, CreateLocalFile(options.rejects, {.overwrite = overwrite}));
  }
  return made;
}

Status BadRows::Add(const BadRow& row) {
  if (rejected_.rows++ == 0) rejected_.first = row.reason;
  if (file_) {
    const std::string line = RejectLine(row);
    DSI_RETURN_IF_ERROR(file_->Append(std::as_bytes(std::span(line))));
  }
  if (rejected_.rows <= max_errors_) return Status::Ok();
  return internal::BadInput("{} (more rows than --max-errors {} cannot be read)", row.reason,
                            max_errors_);
}

Status BadRows::Finish() {
  if (!file_) return Status::Ok();
  const Status published = file_->Publish();
  file_.reset();
  return published;
}

}  // namespace dsi::tools
