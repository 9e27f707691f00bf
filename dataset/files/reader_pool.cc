#include <mutex>
#include <utility>

#include "dsi/dataset/files/reader_pool_internal.h"

namespace dsi::internal {

// A call of Acquire, for as long as it looks at its slot.
class ReaderPool::Use {
 public:
  Use(ReaderPool* pool, size_t file) : pool_(pool), file_(file), slot_(pool->Enter(file)) {}
  ~Use() { pool_->Leave(file_, has_failed_); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  OneAtATime* opening() const { return &slot_->opening; }
  // Null: it has not been opened.
  std::shared_ptr<const Reader> Opened() const {
    const std::lock_guard lock(pool_->mutex_);
    return slot_->reader;
  }
  void Open(std::shared_ptr<const Reader> reader) {
    const std::lock_guard lock(pool_->mutex_);
    slot_->reader = std::move(reader);
  }
  void Fail() { has_failed_ = true; }

 private:
  ReaderPool* pool_;
  size_t file_;
  Slot* slot_;
  bool has_failed_ = false;
};

Result<std::shared_ptr<const Reader>> ReaderPool::Acquire(size_t file) {
  Use use(this, file);
  if (auto opened = use.Opened()) return opened;
  DSI_ASSIGN_OR_RETURN(const OneAtATime::Turn turn, use.opening()->Wait("a file of a dataset"));
  if (auto opened = use.Opened()) return opened;
  auto opened = open_(file);
  if (!opened.ok()) {
    use.Fail();
    return opened.status();
  }
  std::shared_ptr<const Reader> reader = *std::move(opened);
  use.Open(reader);
  return reader;
}

ReaderPool::Slot* ReaderPool::Enter(size_t file) {
  const std::lock_guard lock(mutex_);
  auto found = slots_.find(file);
  if (found == slots_.end()) {
    // Without memory for all of it there is nothing of it.
    std::list<size_t> place = {file};
    found = slots_.emplace(file, std::make_unique<Slot>()).first;
    found->second->place = place.begin();
    order_.splice(order_.begin(), place);
  } else {
    order_.splice(order_.begin(), order_, found->second->place);
  }
  ++found->second->num_users;
  return found->second.get();
}

void ReaderPool::Leave(size_t file, bool has_failed) {
  std::list<std::unique_ptr<Slot>> idle;
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(file);
  Slot& slot = *found->second;
  --slot.num_users;
  // Others may have waited for it, who try by themselves.
  if (has_failed && slot.num_users == 0 && slot.reader == nullptr) {
    order_.erase(slot.place);
    slots_.erase(found);
  }
  idle = TakeIdle();
}

std::list<std::unique_ptr<ReaderPool::Slot>> ReaderPool::TakeIdle() {
  std::list<std::unique_ptr<Slot>> idle;
  for (auto i = order_.end(); slots_.size() > most_open_ && i != order_.begin();) {
    --i;
    const auto found = slots_.find(*i);
    const Slot& slot = *found->second;
    if (slot.num_users != 0 || slot.reader.use_count() > 1) continue;
    idle.push_back(std::move(found->second));
    slots_.erase(found);
    i = order_.erase(i);
  }
  return idle;
}

}  // namespace dsi::internal
