// What a call holds on to while another thread may close it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

namespace dsi::python {

// A share of what `owner` has. Where the owner has given it up by the end of the call this may be
// the last one, and its threads may want the interpreter's lock before they end: it is then let go
// without it. Made, and destroyed, with that lock held.
template <typename T>
class Held {
 public:
  explicit Held(const std::shared_ptr<T>& owner) : owner_(owner), held_(owner) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (owner_ == held_) return;
    nanobind::gil_scoped_release release;
    held_ = nullptr;
  }

  const std::shared_ptr<T>& get() const { return held_; }

 private:
  const std::shared_ptr<T>& owner_;
  std::shared_ptr<T> held_;
};

}  // namespace dsi::python
