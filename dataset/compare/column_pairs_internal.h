// Which columns of two datasets are one, and what their schemas say of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/comparison.h"

namespace dsi::internal {

// Columns of one feature id, or else of one name, are one, as in a dataset of both (spec DS-020).
// Those of A in its order, then those that B alone has.
std::vector<ComparedColumn> PairColumns(std::span<const ColumnInfo> a,
                                        std::span<const ColumnInfo> b);

// Leaves those that a name stands for, or where there is no name all but the place that rows had in
// the input of a writer. kNotFound: it stands for none.
Status ChoosePairs(std::span<const std::string> names, std::vector<ComparedColumn>* columns);

// Positions of the columns that the names stand for. kNotFound: of none; kInvalidArgument: one that
// cannot be compared.
Result<std::vector<size_t>> FindKey(std::span<const std::string> names,
                                    std::span<const ComparedColumn> columns);

}  // namespace dsi::internal
