// What the records of a stripe must say, given what they are for: rules that need no page. The
// reader asks them of what it finds, the writer of what it is about to publish.
#pragma once

#include <cstdint>

#include "dsi/format/wire_internal.h"

namespace dsi::internal {

// D-001, D-003, F-073: the record of a group in a stripe of so many rows.
Status CheckGroupRecord(uint32_t group, uint32_t num_rows, const StripeGroupRecord& record);

// F-061: the place of a stream that is no alias, in a stripe of so many pages.
Status CheckStreamPlace(const StreamRecord& stream, uint32_t num_pages, uint32_t page_values);

// F-061, form 4: an alias against the stream that it names, slot alias.first_page.
Status CheckAlias(const StreamRecord& alias, const StreamRecord& target);

// Where the pages of a stripe lie.
struct PagesOfStripe {
  uint32_t count = 0;
  uint64_t end = 0;  // Where the last one ends.
  bool may_have_gaps =
      false;  // F-033: pages ascend, with anything between, behind and before them.
};

// F-062: a page that starts at `expected`, where the one before it ends.
Status CheckPagePlace(const PageRecord& record, uint32_t page, uint64_t expected,
                      const PagesOfStripe& pages);

// F-061: only shape and windows streams state a maximum. `what`: for the message.
Status CheckNoMax(const StreamRecord& stream, const char* what);

// F-066: only values streams have a source. `what`: for the message.
Status CheckNoSource(const StreamRecord& stream, const char* what);

// F-066: the source of a values stream, which is that of a column with lists and without tiers.
Status CheckMayBorrow(const ColumnRecord& column, const StreamRecord& values);
Status CheckSource(const StreamRecord& values, const StreamRecord& source);

// D-010: one code per unique row; `max` within what the kind allows (F-090).
Status CheckShapeRecord(const ColumnRecord& column, uint32_t num_unique, const StreamRecord& shape);

// D-011, S-011: the width of the type, and a number of values that the shape stream allows.
Status CheckValuesRecord(const ColumnRecord& column, const StreamRecord& shape,
                         const StreamRecord& values, bool windows);

// D-001. `parent_unique`: unique rows of the parent, form 4. Of an unknown form nothing is known.
Status CheckIndexRecord(const StripeGroupRecord& group, uint32_t num_rows, uint32_t parent_unique,
                        const StreamRecord& index);

// D-013, D-014: only pools of tiers have a reach.
Status CheckWindowsRecord(const ColumnRecord& leader, uint32_t num_unique,
                          const StreamRecord& windows);

// D-014: a tier beside the values stream, which is tier 0. `reach`: `max` of the windows stream.
Status CheckTierRecord(const StreamRecord& values, const StreamRecord& tier, uint32_t reach);

// F-074.
Status CheckDictionaryRecord(int width, const StreamRecord& dictionary);

// F-061, F-062, F-064: page k of the stream against the stream.
Status CheckPageOfStream(const StreamRecord& stream, uint32_t k, uint32_t page_values,
                         const PageRecord& page);

// Entries of a unique row with this shape code (D-011).
uint64_t EntriesOfCode(const ColumnRecord& column, uint64_t code);

// Values of page k of a stream of form 3, or of the whole node of form 2.
uint32_t ValuesInNode(const StreamRecord& stream, uint32_t k, uint32_t page_values);

}  // namespace dsi::internal
