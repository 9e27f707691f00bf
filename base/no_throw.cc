#include "dsi/base/no_throw_internal.h"

#include <exception>
#include <new>
#include <stdexcept>

#include "dsi/base/error_internal.h"
#include "dsi/base/memory_budget_internal.h"

namespace dsi::internal {
namespace {

Status Translate() {
  try {
    throw;
  } catch (const OverBudget& error) {
    return error.ToStatus();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {
    return OutOfMemory();  // A size beyond all memory.
  } catch (const std::exception& error) {
    return Error(StatusCode::kCancelled, "user code threw: {}", error.what());
  } catch (...) {
    return Error(StatusCode::kCancelled, "user code threw");
  }
}

}  // namespace

Status StatusOfException() noexcept {
  try {
    return Translate();
  } catch (...) {
    return OutOfMemory();
  }
}

}  // namespace dsi::internal
