#include "dsi/arrow/arrow_input.h"

#include <utility>

#include "dsi/arrow/in/read_table_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/machine_memory_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi {

using internal::InvalidArgument;
using internal::NoThrow;

class ArrowInput::Impl {
 public:
  // The plan refers to the fields.
  std::unique_ptr<internal::ArrowField> table;
  internal::InputPlan plan;
  std::shared_ptr<const Schema> target;
  uint64_t memory_bytes = 0;
  uint64_t num_rows = 0;

  // `add` adds rows that refer to the array.
  template <typename Add>
  Status Append(const ArrowArray& array, const Add& add) {
    return NoThrow([&]() -> Status {
      internal::ArrowScratch scratch(memory_bytes);
      DSI_ASSIGN_OR_RETURN(const std::vector<FeatureColumns> columns,
                           internal::ReadTable(*table, array, plan, *target, num_rows, &scratch));
      const auto count = static_cast<size_t>(array.length);
      DSI_RETURN_IF_ERROR(add(count, columns));
      num_rows += count;
      return {};
    });
  }
};

ArrowInput::ArrowInput(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ArrowInput::~ArrowInput() = default;

Result<std::unique_ptr<ArrowInput>> ArrowInput::Create(const ArrowSchema& schema,
                                                       std::shared_ptr<const Schema> target,
                                                       const ArrowInputOptions& options) {
  return NoThrow([&]() -> Result<std::unique_ptr<ArrowInput>> {
    if (target == nullptr) return InvalidArgument("no schema to read an Arrow table for");
    DSI_RETURN_IF_ERROR(target->Validate());
    DSI_ASSIGN_OR_RETURN(internal::ArrowField table, internal::ParseArrowSchema(schema));
    auto impl = std::make_unique<Impl>();
    impl->table = std::make_unique<internal::ArrowField>(std::move(table));
    DSI_ASSIGN_OR_RETURN(impl->plan,
                         internal::PlanInput(*impl->table, *target, options.ignore_unknown));
    impl->plan.null_entries = options.null_entries;
    impl->target = std::move(target);
    impl->memory_bytes =
        options.memory_bytes != 0 ? options.memory_bytes : internal::MachineMemory() / 4 * 3;
    return std::unique_ptr<ArrowInput>(new ArrowInput(std::move(impl)));
  });
}

Status ArrowInput::Append(const ArrowArray& array, RowBatch* batch) {
  if (batch == nullptr || batch->shared_schema() != impl_->target) {
    return NoThrow([] { return InvalidArgument("no batch, or one of another schema object"); });
  }
  return impl_->Append(array, [&](size_t count, const std::vector<FeatureColumns>& columns) {
    return batch->AppendColumns(count, columns);
  });
}

Status ArrowInput::Append(const ArrowArray& array, Writer* writer) {
  if (writer == nullptr || writer->schema() != impl_->target) {
    return NoThrow([] { return InvalidArgument("no writer, or one of another schema object"); });
  }
  return impl_->Append(array, [&](size_t count, const std::vector<FeatureColumns>& columns) {
    return writer->AppendColumns(count, columns);
  });
}

uint64_t ArrowInput::num_rows() const { return impl_->num_rows; }
const std::vector<std::string>& ArrowInput::ignored() const { return impl_->plan.ignored; }
const std::vector<std::string>& ArrowInput::absent() const { return impl_->plan.absent; }

}  // namespace dsi
