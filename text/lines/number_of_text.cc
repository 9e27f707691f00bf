#include "dsi/text/lines/number_of_text_internal.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace dsi::internal {
namespace {

bool ReadsAs(float value, double number) {
  char text[32];
  double read = 0;
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  std::from_chars(text, end, read);
  return read == number;
}

}  // namespace

double NumberOfText(double number, Type type) {
  const auto nearest = static_cast<float>(number);
  if (type != Type::kFloat32 || nearest == number || !std::isfinite(nearest)) return number;
  const float end = number > nearest ? std::numeric_limits<float>::infinity()
                                     : -std::numeric_limits<float>::infinity();
  const float other = std::nextafterf(nearest, end);
  const bool is_halfway = number - nearest == other - number;
  return is_halfway && ReadsAs(other, number) && !ReadsAs(nearest, number) ? other : number;
}

}  // namespace dsi::internal
