// The order inside of a window (spec DO-009).
#include "dsi/dataset/order/keyed_bijection_internal.h"
#include "dsi/dataset/order/row_order_internal.h"

namespace dsi::internal {

void MixWindow(const OrderOptions& options, uint64_t snapshot, uint64_t window,
               std::span<const uint32_t> starts, uint32_t num_rows, std::vector<uint32_t>* order) {
  const uint64_t key = OrderKey(OrderPurpose::kWindow, options, snapshot, window);
  order->resize(num_rows);
  if (options.mix == Mix::kRows) {
    const KeyedBijection rows(key, num_rows);
    for (uint32_t i = 0; i < num_rows; ++i) (*order)[i] = static_cast<uint32_t>(rows.At(i));
    return;
  }
  const KeyedBijection sessions(key, starts.size());
  uint32_t* out = order->data();
  for (size_t i = 0; i < starts.size(); ++i) {
    const uint64_t session = sessions.At(i);
    const uint32_t end = session + 1 < starts.size() ? starts[session + 1] : num_rows;
    for (uint32_t row = starts[session]; row < end; ++row) *out++ = row;
  }
}

}  // namespace dsi::internal
