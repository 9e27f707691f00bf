// The verbs of dsictl. Each adds its options to a command of its own and returns what runs it;
// main.cc has the table of them.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

#include "dsi/format/status.h"
#include "dsi/tools/console_internal.h"

namespace dsi::tools {

// Runs a verb once its command line is parsed. The console outlives it.
using VerbAction = std::function<Status()>;

VerbAction AddGenerate(CLI::App* app, Console* console);
VerbAction AddConvert(CLI::App* app, Console* console);
VerbAction AddSchema(CLI::App* app, Console* console);
VerbAction AddInspect(CLI::App* app, Console* console);
VerbAction AddHead(CLI::App* app, Console* console);
VerbAction AddCat(CLI::App* app, Console* console);
VerbAction AddVerify(CLI::App* app, Console* console);
VerbAction AddBench(CLI::App* app, Console* console);

// Options that several verbs share.
void AddJsonFlag(CLI::App* app, Console* console);
void AddQuietFlag(CLI::App* app, Console* console);
// A list of names, given with commas, by repeating the option, or both.
CLI::Option* AddNameList(CLI::App* app, const std::string& option, std::vector<std::string>* names,
                         const std::string& text);
// A size such as 512M or 2GiB; K, M and G are powers of 1024.
CLI::Option* AddSize(CLI::App* app, const std::string& option, uint64_t* bytes,
                     const std::string& text);

}  // namespace dsi::tools
