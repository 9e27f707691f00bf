#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/io/aws/key_sources_internal.h"
#include "dsi/io/descriptor_internal.h"

namespace dsi::internal {
namespace {

constexpr auto kTimeout = std::chrono::seconds(60);
constexpr size_t kMaxOutput = 64 << 10;
constexpr size_t kMaxArguments = 256;

// Nothing: a quote or a backslash without what belongs behind it.
std::optional<std::vector<std::string>> SplitCommand(std::string_view command) {
  std::vector<std::string> arguments;
  bool is_inside = false;
  char quote = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && is_blank) {
      is_inside = false;
      continue;
    }
    if (!is_inside) arguments.emplace_back();
    is_inside = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'') {
      if (++i == command.size()) return std::nullopt;
      // In quotes only of those that would mean something.
      if (quote == '"' && command[i] != '"' && command[i] != '\\') arguments.back() += c;
      arguments.back() += command[i];
    } else {
      arguments.back() += c;
    }
  }
  if (quote != 0 || arguments.empty() || arguments.size() > kMaxArguments) return std::nullopt;
  return arguments;
}

// Waits for it where it is over, ends it where it is not.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ > 0) (void)::kill(id_, SIGKILL);
    (void)Wait();
  }

  // 0 too where nobody may know, for the process has all its children forgotten.
  int Wait() {
    int status = 0;
    pid_t waited = 0;
    while (id_ > 0 && (waited = ::waitpid(id_, &status, 0)) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return waited < 0 ? 0 : status;
  }

 private:
  pid_t id_;
};

// What is not ours to change in the child: masks and handlers of whoever uses the library.
Result<pid_t> Spawn(std::vector<std::string>* arguments, int output) {
  std::vector<char*> pointers;
  for (std::string& argument : *arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  pid_t id = 0;
  int error = ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (error == 0) error = ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (error == 0) error = ::posix_spawnattr_setsigmask(&attributes, &none);
  if (error == 0) error = ::posix_spawnattr_setsigdefault(&attributes, &all);
  if (error == 0) {
    error = ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  if (error == 0)
    error = ::posix_spawnp(&id, pointers[0], &actions, &attributes, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return Error(StatusCode::kIo, "cannot be run: {}", std::generic_category().message(error));
  return id;
}

Result<std::string> ReadAll(int descriptor) {
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  std::string text;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return Error(StatusCode::kIo, "gave no keys within {} s", kTimeout.count());
    pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
    char bytes[4096];
    const ssize_t count = ::read(descriptor, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return Error(StatusCode::kIo, "cannot be read: {}", std::generic_category().message(errno));
    if (count == 0) return text;
    text.append(bytes, static_cast<size_t>(count));
    if (text.size() > kMaxOutput)
      return Error(StatusCode::kIo, "printed more than {} bytes", kMaxOutput);
  }
}

Result<std::string> Run(const std::string& command) {
  auto arguments = SplitCommand(command);
  if (!arguments) return InvalidArgument("no command, or one with half a quotation");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error(StatusCode::kIo, "no pipe: {}", std::generic_category().message(errno));
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  DSI_ASSIGN_OR_RETURN(const pid_t id, Spawn(&*arguments, input.get()));
  Child child(id);
  input = Descriptor();
  DSI_ASSIGN_OR_RETURN(std::string text, ReadAll(output.get()));
  const int status = child.Wait();
  if (WIFSIGNALED(status))
    return Error(StatusCode::kIo, "was ended by signal {}", WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return Error(StatusCode::kIo, "ended with {}", WEXITSTATUS(status));
  return text;
}

}  // namespace

Result<AwsKeys> KeysOfProcess(const std::string& command, const std::string& shown) {
  const auto text = Run(command);
  if (!text.ok()) return text.status().At(shown);
  return ReadKeysJson(*text, shown);
}

}  // namespace dsi::internal
