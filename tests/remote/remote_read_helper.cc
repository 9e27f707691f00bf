// Reads a file by its URI for the script tests, which serve it and damage it in between.
//
//   remote_read_helper URI [NAME=NUMBER|header=TEXT|ca_file=PATH|profile=NAME|key=ID:SECRET|
//                           no_sign_request=1|direct=1]…
//
// NAME is one of RemoteOptions. Opens the file, says "ok SIZE", and then answers lines of standard
// input:
//   read OFFSET SIZE [OFFSET SIZE]…       one ReadMany: "ok DIGEST", XXH3 of the bytes in order
//   threads COUNT OFFSET SIZE…            the same from many threads at once
//   fork OFFSET SIZE…                     the same in a process forked from this one
//   costs                                 "ok LATENCY BYTES_PER_S"
// or "error CODE MESSAGE". What failed to open ends the program.
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "dsi/io/open.h"

namespace {

using dsi::Status;

std::pair<std::string, std::string> Halves(const std::string& text) {
  const size_t colon = text.find(':');
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool SetOption(const std::string& text, dsi::OpenOptions* options) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  const std::string name = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  const double number = std::atof(value.c_str());
  dsi::RemoteOptions& remote = options->remote;
  if (name == "connections")
    remote.connections = static_cast<uint32_t>(number);
  else if (name == "first_connections")
    remote.first_connections = static_cast<uint32_t>(number);
  else if (name == "max_tries")
    remote.max_tries = static_cast<uint32_t>(number);
  else if (name == "deadline_s")
    remote.deadline_s = number;
  else if (name == "connect_timeout_s")
    remote.connect_timeout_s = number;
  else if (name == "stall_timeout_s")
    remote.stall_timeout_s = static_cast<uint32_t>(number);
  else if (name == "max_redirects")
    remote.max_redirects = static_cast<uint32_t>(number);
  else if (name == "header")
    remote.headers.push_back(value);
  else if (name == "ca_file")
    remote.ca_file = value;
  else if (name == "profile")
    options->s3.profile = value;
  else if (name == "key")  // ID:SECRET
    std::tie(options->s3.access_key_id, options->s3.secret_access_key) = Halves(value);
  else if (name == "no_sign_request")
    options->s3.no_sign_request = number != 0;
  else if (name == "direct")
    options->local.direct = number != 0;
  else
    return false;
  return true;
}

std::string Answer(const Status& status, const std::string& what) {
  if (status.ok()) return "ok " + what;
  return "error " + std::string(dsi::StatusCodeName(status.code())) + " " + status.message();
}

std::string Read(const dsi::RandomAccessFile& file, const std::vector<uint64_t>& numbers) {
  std::vector<std::vector<std::byte>> memory;
  for (size_t i = 1; i < numbers.size(); i += 2) memory.emplace_back(numbers[i]);
  std::vector<dsi::ReadRequest> requests;
  for (size_t i = 0; i < memory.size(); ++i) requests.push_back({numbers[2 * i], memory[i]});
  const Status status = file.ReadMany(requests);
  XXH3_state_t* const state = XXH3_createState();
  XXH3_64bits_reset(state);
  for (const auto& bytes : memory) XXH3_64bits_update(state, bytes.data(), bytes.size());
  char digest[17];
  std::snprintf(digest, sizeof(digest), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits_digest(state)));
  XXH3_freeState(state);
  return Answer(status, digest);
}

// The answer of all, or all of them where they differ.
std::string ReadInThreads(const dsi::RandomAccessFile& file, std::vector<uint64_t> numbers) {
  const size_t count = numbers.at(0);
  numbers.erase(numbers.begin());
  std::vector<std::string> answers(count);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] { answers[i] = Read(file, numbers); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& answer : answers) {
    if (answer != answers[0]) return answers[0] + " BUT " + answer;
  }
  return answers[0];
}

// What the child says, and whether it ended well.
void ReadInChild(const dsi::RandomAccessFile& file, const std::vector<uint64_t>& numbers) {
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    std::cout << Read(file, numbers) << std::endl;
    std::_Exit(0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0)
    std::cout << "error child " << status << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  dsi::OpenOptions options;
  for (int i = 2; i < argc; ++i) {
    if (!SetOption(argv[i], &options)) return 2;
  }
  if (argc < 2) return 2;
  const auto file = dsi::OpenUri(argv[1], options);
  std::cout << Answer(file.status(), file.ok() ? std::to_string((*file)->size()) : "") << std::endl;
  if (!file.ok()) return 3;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    std::vector<uint64_t> numbers;
    for (uint64_t number = 0; words >> number;) numbers.push_back(number);
    if (verb == "read") std::cout << Read(**file, numbers) << std::endl;
    if (verb == "threads") std::cout << ReadInThreads(**file, numbers) << std::endl;
    if (verb == "fork") ReadInChild(**file, numbers);
    if (verb == "costs") {
      const dsi::SourceCosts costs = (*file)->costs();
      std::cout << "ok " << costs.latency_s << " " << costs.bytes_per_s << std::endl;
    }
  }
  return 0;
}
