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

std::shared_ptr<NextCall::Made> NextCall::Run(std::function<void(Made*)> fill, bool waits) {
  if (made_ == nullptr) {
    made_ = std::make_shared<Made>();
    calls_.Run([fill = std::move(fill), made = made_] { fill(made.get()); }, waits);
  } else {
    calls_.Wait();
  }
  std::shared_ptr<Made> made = std::exchange(made_, nullptr);
  Check(made->status);
  return made;
}

}  // namespace dsi::python
