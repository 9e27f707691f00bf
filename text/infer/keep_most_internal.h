// What becomes of mixtures where rows that do not fit are left out (InferRules::keep_most).
#pragma once

#include <vector>

#include "dsi/format/schema.h"
#include "dsi/text/infer/infer_feature_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// Forgets what no feature can hold beside what most rows have.
void KeepMost(const InferRules& rules, SeenFeature* seen);
// The same of a name in the objects of a list.
void KeepMostOfMember(SeenFeature* member);
// Of a name that has a value in some rows and an object in others: the features of one of them.
// `found`: parallel to the features.
void KeepMostOfNested(Schema* schema, std::vector<FoundFeature>* found);

}  // namespace dsi::internal
