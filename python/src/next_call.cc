#include "dsi/python/src/next_call.h"

#include <unistd.h>

#include "dsi/python/src/status.h"

namespace dsi::python {

void CheckProcess(pid_t began) {
  if (getpid() == began) return;
  Raise({StatusCode::kInvalidArgument,
         "this scan was begun before the process forked, and its threads stayed there: begin one "
         "in each process (a DataLoader does with num_workers > 0 when the dataset is given)"});
}

namespace {

class IsCalled {
 public:
  explicit IsCalled(bool* is_called) : is_called_(is_called) { *is_called_ = true; }
  ~IsCalled() { *is_called_ = false; }
  IsCalled(const IsCalled&) = delete;
  IsCalled& operator=(const IsCalled&) = delete;

 private:
  bool* is_called_;
};

}  // namespace

std::shared_ptr<NextCall::Made> NextCall::Run(std::function<void(Made*)> fill, bool waits) {
  if (is_called_) {
    Raise({StatusCode::kInvalidArgument,
           "another thread is waiting for the next batch of this scan: one thread at a time"});
  }
  const IsCalled called(&is_called_);
  std::shared_ptr<Made> made = made_;  // Another thread may close the scan meanwhile.
  if (made == nullptr) {
    made = made_ = std::make_shared<Made>();
    calls_.Run([fill = std::move(fill), made] { fill(made.get()); }, waits);
  } else {
    calls_.Wait();
  }
  made_ = nullptr;
  Check(made->status);
  return made;
}

}  // namespace dsi::python
