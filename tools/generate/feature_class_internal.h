// The features of the session profiles: how each changes within a session and what it holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsi/tools/generate/generate_internal.h"

namespace dsi::tools {

struct FeatureClass {
  std::string name;
  bool is_list = false;  // Otherwise one float32.

  // P(the value differs from the one a row earlier in the session).
  double change = 1;
  // Of the changes, the share that put `shift` new ids in front and drop the oldest; the others
  // draw the whole list anew.
  double shift_share = 0;
  uint32_t shift = 1;
  // Features of equal number change at the same rows and, if they keep their length, share it.
  uint32_t change_group = 0;

  uint32_t min_length = 0;
  uint32_t max_length = 0;
  double empty_share = 0;          // Share of the draws that are empty lists.
  bool length_of_session = false;  // One length for the session, not one for each draw.
};

struct SessionProfile {
  std::vector<FeatureClass> features;
  SessionLaw law = SessionLaw::kGeometric;
  double mean_session = 16.5;
};

// True if `options.profile` is p1, p2, p3, p4 or sweep; then `*profile` is its table with the
// overrides of the options applied.
bool FindSessionProfile(const GenerateOptions& options, SessionProfile* profile);

}  // namespace dsi::tools
