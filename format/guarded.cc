#include "dsi/format/guarded_internal.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "dsi/format/error_internal.h"
#include "dsi/format/memory_budget_internal.h"

namespace dsi::internal {
namespace {

Status Translate() {
  try {
    throw;
  } catch (const OverBudget& error) {
    return error.ToStatus();
  } catch (const std::bad_alloc&) {
    return Error(StatusCode::kResourceExhausted, "out of memory");
  } catch (const std::length_error&) {
    return Error(StatusCode::kResourceExhausted, "an array would be too long");
  } catch (const std::exception& error) {
    return Error(StatusCode::kCancelled, "a callback threw: {}", error.what());
  } catch (...) {
    return Error(StatusCode::kCancelled, "a callback threw");
  }
}

}  // namespace

Status StatusOfException() noexcept {
  try {
    return Translate();
  } catch (...) {
    // Short enough for a string that holds no memory of its own.
    return {StatusCode::kResourceExhausted, "out of memory"};
  }
}

}  // namespace dsi::internal
