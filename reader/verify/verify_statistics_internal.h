// Holds the statistics section (spec F-082, F-083) against the values, stripe by stripe.
#pragma once

#include <cstdint>
#include <string>

#include "dsi/format/statistics_internal.h"
#include "dsi/reader/verify/verify_internal.h"

namespace dsi::internal {

class StatisticsVerifier {
 public:
  // All must outlive it.
  StatisticsVerifier(const OpenFile& file, const VerifiedDirectory& directory, MemoryBudget* budget,
                     DamageLog* log);

  // The next stripe. `sound`: nothing was found wrong in it, so that its values can be looked at.
  // Errors other than damage.
  Status CheckStripe(size_t stripe, bool sound);
  // After the last stripe.
  void Finish();

 private:
  // Bytes of the section that are left of a column.
  struct Left {
    uint32_t column = 0;
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  Status ReadEnds();
  Result<ColumnStatistics> Take(Left* left, const OpenColumn& column, size_t stripe) const;
  Status Compare(const OpenColumn& column, size_t stripe, const ColumnStatistics& stated) const;
  void Report(Status status, std::string where);

  const OpenFile& file_;
  const VerifiedDirectory& directory_;
  MemoryBudget* budget_;
  DamageLog& log_;
  CountedVector<Left> left_;  // Of columns that have statistics.
};

}  // namespace dsi::internal
