// One step of a pipeline: an operation, what it takes and its parameters. What each operation does
// to the last bit is in spec/transforms.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/format/types.h"
#include "dsi/transform/rows.h"

namespace dsi {

enum class TransformOp : uint8_t {
  // Value by value, of numbers and of the entries of lists.
  kSigridHash,
  kModulus,
  kClamp,
  kBucketize,
  kMapId,
  kLogit,
  kBoxCox,
  kLog1p,
  kCast,
  kLocalHour,
  // Score by score, of scored lists.
  kScoreAdd,
  kScoreMultiply,
  kScoreClamp,
  // Row by row.
  kFirstX,
  kLastX,
  kFill,
  kOneHot,
  kEnumerate,
  kNGram,
  kCartesian,
  kIntersection,
  kDifference,
  kHasOverlap,
  kOverlapCount,
  kMaxCount,
  kJaccard,
  kScoreSum,
  kScoreMin,
  kScoreMax,
  kCosine,
  kIdOfText,
  // A callback of the caller's; not in JSON.
  kCustom,
};

// "sigrid_hash"; nothing for an unknown value.
DSI_EXPORT std::string_view TransformOpName(TransformOp op);
DSI_EXPORT bool ParseTransformOp(std::string_view name, TransformOp* op);

// Which bucket a value equal to a border falls into: kLeft, the one left of the border
// (TorchArrow, torch.bucketize(right=False)); kRight, the one right of it (NVTabular).
enum class BorderSide : uint8_t { kLeft, kRight };

// A parameter that is of the type of the values: whole for integers, any for floats.
using TransformNumber = std::variant<int64_t, double>;

// Called with one view per input, all of the same number of rows, by one thread per call and from
// several threads at once; it ends as many rows of the builder, which is of the type declared. A
// row that an input misses is its own business. What it throws is kCancelled.
using CustomTransform = std::function<Status(const std::vector<RowsView>&, RowsBuilder*)>;

// Which of the parameters an operation uses is in the table of spec/transforms.md (T-010).
struct TransformStep {
  std::string output = {};
  TransformOp op = TransformOp::kSigridHash;
  std::vector<std::string> inputs = {};  // Features, or outputs of earlier steps.
  int64_t salt = 0;                      // sigrid_hash, ngram, cartesian.
  int64_t max = 0;                       // They and modulus: results are in [0, max).
  int64_t n = 0;      // firstx, lastx: entries; ngram: ids of a window; onehot: length.
  int64_t limit = 0;  // cartesian: entries of a row.
  TransformNumber low = int64_t{0};     // clamp, score_clamp.
  TransformNumber high = int64_t{0};    // clamp, score_clamp.
  TransformNumber value = int64_t{0};   // fill, score_add, score_multiply.
  std::vector<double> borders = {};     // bucketize.
  BorderSide side = BorderSide::kLeft;  // bucketize.
  std::vector<int64_t> keys = {};       // map_id: keys[i] becomes values[i],
  std::vector<int64_t> values = {};
  int64_t fallback = 0;  // and every other id this; "default" in JSON.
  double lambda1 = 0;    // boxcox.
  double lambda2 = 0;
  double epsilon = 1e-6;            // logit.
  Type type = Type::kInt64;         // cast.
  TimeUnit unit = TimeUnit::kNone;  // local_hour.
  int64_t offset_s = 0;             // local_hour: of the zone, in seconds.
  CustomTransform custom = {};      // custom,
  TransformType custom_type = {};   // and what it makes.
};

}  // namespace dsi
