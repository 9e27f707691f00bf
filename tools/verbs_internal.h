// The verbs of dsictl. Each adds its options to a command of its own and returns what runs it;
// main.cc has the table of them.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/tools/console_internal.h"

namespace dsi::tools {

// Runs a verb once its command line is parsed. The console outlives it.
using VerbAction = std::function<Status()>;

VerbAction AddBatch(CLI::App* app, Console* console);
VerbAction AddShuffle(CLI::App* app, Console* console);
VerbAction AddGenerate(CLI::App* app, Console* console);
VerbAction AddConvert(CLI::App* app, Console* console);
VerbAction AddSchema(CLI::App* app, Console* console);
VerbAction AddInspect(CLI::App* app, Console* console);
VerbAction AddDedup(CLI::App* app, Console* console);
VerbAction AddHead(CLI::App* app, Console* console);
VerbAction AddCat(CLI::App* app, Console* console);
VerbAction AddVerify(CLI::App* app, Console* console);
VerbAction AddDiff(CLI::App* app, Console* console);
VerbAction AddRecover(CLI::App* app, Console* console);
VerbAction AddRewrite(CLI::App* app, Console* console);
VerbAction AddDelete(CLI::App* app, Console* console);
VerbAction AddOverlay(CLI::App* app, Console* console);
VerbAction AddManifest(CLI::App* app, Console* console);
VerbAction AddTable(CLI::App* app, Console* console);
VerbAction AddBench(CLI::App* app, Console* console);
VerbAction AddTransform(CLI::App* app, Console* console);
VerbAction AddValues(CLI::App* app, Console* console);
VerbAction AddCompletion(CLI::App* app, Console* console);
VerbAction AddMan(CLI::App* app, Console* console);

// Options that several verbs share.
void AddJsonFlag(CLI::App* app, Console* console);
void AddQuietFlag(CLI::App* app, Console* console);
// A list of names, given with commas, by repeating the option, or both.
CLI::Option* AddNameList(CLI::App* app, const std::string& option, std::vector<std::string>* names,
                         const std::string& text);
// For readers of JSON that hold every number as a double, and would round others.
void AddIdsAsStrings(CLI::App* app, Console* console);
// A size such as 512M or 2GiB; K, M and G are powers of 1024.
CLI::Option* AddSize(CLI::App* app, const std::string& option, uint64_t* bytes,
                     const std::string& text);
// A number such as 50000, 50k or 1M; k, M and G are powers of 1000.
CLI::Option* AddCount(CLI::App* app, const std::string& option, uint64_t* count,
                      const std::string& text);

// Digits, then K, M, G or T in either case, "i" and "B" after it being ignored. False for anything
// else, a sign among it, and beyond 64 bits.
bool ParseAmount(std::string_view text, uint64_t base, uint64_t* amount);

}  // namespace dsi::tools
