// The order inside of a window (spec DO-009): as many numbers are shuffled as are dealt out, which
// are all in memory anyway, at a tenth of what a bijection costs for each.
#include <utility>

#include "dsi/dataset/order/keyed_bijection_internal.h"
#include "dsi/dataset/order/row_order_internal.h"

namespace dsi::internal {
namespace {

// Fisher and Yates' shuffle, as Durstenfeld (1964) does it, of the numbers below n <= 2^31.
void Shuffle(uint64_t key, uint32_t n, uint32_t* numbers) {
  for (uint32_t i = 0; i < n; ++i) numbers[i] = i;
  for (uint32_t i = n; i > 1; --i) {
    const uint64_t other = ((SplitMix64(key, i) >> 32) * i) >> 32;  // Below i.
    std::swap(numbers[i - 1], numbers[other]);
  }
}

}  // namespace

void MixWindow(const OrderOptions& options, uint64_t snapshot, uint64_t window,
               std::span<const uint32_t> starts, uint32_t num_rows, std::vector<uint32_t>* order) {
  const uint64_t key = OrderKey(OrderPurpose::kWindow, options, snapshot, window);
  order->resize(num_rows);
  uint32_t* const out = order->data();
  if (options.mix == Mix::kRows) return Shuffle(key, num_rows, out);
  Shuffle(key, static_cast<uint32_t>(starts.size()), out);
  // Sessions become their rows in place, from the back: each has a row, so that what is written
  // stands behind the sessions that are still to come.
  uint32_t* end = out + num_rows;
  for (size_t i = starts.size(); i > 0; --i) {
    const uint32_t session = out[i - 1];
    const uint32_t session_end = session + 1 < starts.size() ? starts[session + 1] : num_rows;
    for (uint32_t row = session_end; row > starts[session]; --row) *--end = row - 1;
  }
}

}  // namespace dsi::internal
