// The main of a fuzz target in ordinary builds: runs the target once over every file named on
// the command line, and over every file below every directory named. With -mutations=N each file
// is also run N times with random damage, the same damage every time. Other arguments that begin
// with a dash are libFuzzer options and are ignored, so that one command line serves both builds.
//
// A bad input makes the target crash or the sanitizer stop the process; the last line printed
// names the file.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Defined by targets that know better mutations than any.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                                                     std::size_t size,
                                                                     std::size_t max_size,
                                                                     unsigned int seed);
// Defined by targets that tell what the last input came to: words, spaces between.
extern "C" __attribute__((weak)) const char* FuzzReached();

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> CollectInputs(int argc, char** argv) {
  std::vector<fs::path> inputs;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("-")) continue;
    if (!fs::is_directory(argument)) {
      inputs.emplace_back(argument);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argument)) {
      if (entry.is_regular_file()) inputs.push_back(entry.path());
    }
  }
  // Directory order differs between file systems; a failure should come at the same place.
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

// Bits flipped, bytes overwritten, pieces cut out or repeated, the end cut off.
void Damage(std::mt19937_64* random, std::vector<char>* bytes) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>((*random)() % n); };
  for (std::size_t times = 1 + below(4); times > 0 && !bytes->empty(); --times) {
    const std::size_t at = below(bytes->size());
    const std::size_t size = 1 + below(std::min<std::size_t>(64, bytes->size() - at));
    const auto begin = bytes->begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(size);
    switch (below(5)) {
      case 0:
        *begin = static_cast<char>(*begin ^ (1 << below(8)));
        break;
      case 1:
        std::fill(begin, end, static_cast<char>((*random)()));
        break;
      case 2:
        bytes->erase(begin, end);
        break;
      case 3: {
        const std::vector<char> piece(begin, end);
        bytes->insert(begin, piece.begin(), piece.end());
        break;
      }
      default:
        bytes->resize(at);
        break;
    }
  }
}

// The damage that libFuzzer would do in the place of this program.
std::mt19937_64 mutations_random(1);

std::vector<char> Mutated(const std::vector<char>& bytes) {
  std::vector<char> mutated = bytes;
  if (LLVMFuzzerCustomMutator == nullptr) {
    Damage(&mutations_random, &mutated);
    return mutated;
  }
  mutated.resize(2 * bytes.size() + 64);
  mutated.resize(LLVMFuzzerCustomMutator(reinterpret_cast<std::uint8_t*>(mutated.data()),
                                         bytes.size(), mutated.size(),
                                         static_cast<unsigned int>(mutations_random())));
  return mutated;
}

void RunOnce(const std::vector<char>& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

// A seed called "reaches.<word>.<word>" comes to all of these; empty, or a word that it does not.
// What its bytes mean may change with the target, and then nobody would miss what it was for.
std::string MissedWord(const fs::path& input) {
  const std::string name = input.filename().string();
  if (!name.starts_with("reaches.")) return "";
  std::set<std::string> reached;
  std::istringstream words(FuzzReached != nullptr ? FuzzReached() : "");
  for (std::string word; words >> word;) reached.insert(word);
  std::istringstream wanted(name.substr(name.find('.') + 1));
  for (std::string word; std::getline(wanted, word, '.');) {
    if (!reached.contains(word)) return word;
  }
  return "";
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size) {
  std::vector<char> bytes(data, data + size);
  Damage(&mutations_random, &bytes);
  bytes.resize(std::min(bytes.size(), max_size));
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

int main(int argc, char** argv) {
  const std::vector<fs::path> inputs = CollectInputs(argc, argv);
  long mutations = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("-mutations=")) mutations = std::atol(argument.c_str() + 11);
  }
  for (const fs::path& input : inputs) {
    std::ifstream file(input, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot open %s\n", input.c_str());
      return 1;
    }
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file),
                                  std::istreambuf_iterator<char>()};
    std::printf("%s (%zu bytes)\n", input.c_str(), bytes.size());
    std::fflush(stdout);
    RunOnce(bytes);
    if (const std::string word = MissedWord(input); !word.empty()) {
      std::fprintf(stderr, "%s does not reach \"%s\"\n", input.c_str(), word.c_str());
      return 1;
    }
    for (long i = 0; i < mutations; ++i) RunOnce(Mutated(bytes));
  }
  std::printf("%zu inputs replayed\n", inputs.size());
  return 0;
}
