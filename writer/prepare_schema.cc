#include "dsi/writer/prepare_schema_internal.h"

#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/overlay_internal.h"
#include "dsi/format/reserved_names_internal.h"

namespace dsi::internal {
namespace {

Status CheckOptions(const WriterOptions& options) {
  if (options.overlay && options.keep_position)
    return InvalidArgument(
        "an overlay does not keep positions: its rows stand where those of the "
        "base stand");
  if (options.overlay) DSI_RETURN_IF_ERROR(CheckBinding(*options.overlay));
  if (options.stripe_rows < 1 || options.stripe_rows > kMaxStripeRows) {
    return InvalidArgument("stripe_rows is {}; allowed are 1 to {}", options.stripe_rows,
                           kMaxStripeRows);
  }
  if (options.page_values < 1'024 || options.page_values > kMaxPageValues ||
      options.page_values % 1'024 != 0) {
    return InvalidArgument("page_values is {}; allowed are multiples of 1024 up to {}",
                           options.page_values, kMaxPageValues);
  }
  if (options.stripe_bytes == 0) return InvalidArgument("stripe_bytes is 0");
  if (options.threads < 0) return InvalidArgument("threads is {}", options.threads);
  return Status::Ok();
}

}  // namespace

Status PrepareSchema(const WriterOptions& options, Schema* schema) {
  if (!options.cluster_by.empty()) schema->cluster_by = options.cluster_by;
  if (options.keep_order || options.overlay) schema->cluster_by.clear();
  DSI_RETURN_IF_ERROR(schema->Validate());
  DSI_RETURN_IF_ERROR(CheckOptions(options));
  if (options.input_is_clustered && schema->cluster_by.empty()) {
    return InvalidArgument("rows are said to come clustered, and {}",
                           options.overlay ? "an overlay has no keys"
                           : options.keep_order
                               ? "keys are to be ignored"
                               : "there are no keys that they could be clustered by");
  }
  if (schema->FindFeature(kPositionName) < 0) return Status::Ok();
  return InvalidArgument("the feature name {} is kept for where rows stood before clustering",
                         kPositionName);
}

}  // namespace dsi::internal
