// Formats and names that tables of arrow_table_maker.h are made of. Inputs name them by position:
// new ones go to the end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsi::fuzz {

// Who reads a struct must know all of what a format says; `width`: bytes of a slot.
struct ArrowFormat {
  const char* text;
  size_t width;
  int64_t buffers;
};
inline constexpr ArrowFormat kArrowFormats[] = {
    {"l", 8, 2},       {"i", 4, 2},    {"s", 2, 2},     {"c", 1, 2},   {"L", 8, 2},   {"I", 4, 2},
    {"S", 2, 2},       {"C", 1, 2},    {"f", 4, 2},     {"g", 8, 2},   {"e", 2, 2},   {"b", 0, 2},
    {"tsn:", 8, 2},    {"tdD", 4, 2},  {"tdm", 8, 2},   {"ttm", 4, 2}, {"tDu", 8, 2}, {"n", 0, 0},
    {"u", 4, 3},       {"Z", 8, 3},    {"vu", 16, 4},   {"w:0", 0, 2}, {"w:3", 3, 2}, {"+l", 4, 2},
    {"+L", 8, 2},      {"+w:1", 0, 1}, {"+w:3", 0, 1},  {"+s", 0, 1},  {"+l", 4, 2},  {"+s", 0, 1},
    {"d:38,9", 16, 2}, {"+m", 4, 2},   {"+ud:0", 0, 2}, {"+r", 0, 0},  {"w:x", 0, 2}, {"", 0, 0},
    {"+l", 4, 2},      {"+L", 8, 2},   {"+w:3", 0, 1},  {"vu", 16, 4}, {"c", 1, 2},   {"i", 4, 2},
    {"+vl", 4, 3},     {"+vL", 8, 3}};
inline constexpr const char* kColumnNames[] = {"a",      "b",          "v",   "h",       "t",
                                               "item",   "time",       "ids", "weights", "h.item",
                                               "h.time", "session_id", "l",   "g",       "tags"};
// Columns as a table has them that is read into kTarget, beside those that are anything.
struct ArrowColumn {
  const char* name;
  size_t format;
};
inline constexpr ArrowColumn kUsualColumns[] = {
    {"h.item", 23}, {"h.time", 24},    {"v", 26}, {"item", 18}, {"b", 23}, {"a", 0},
    {"t", 23},      {"session_id", 1}, {"l", 23}, {"l", 24},    {"g", 23}};

}  // namespace dsi::fuzz
