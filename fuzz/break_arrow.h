// One thing wrong with a struct of Arrow. Bytes of an input say which.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/arrow/abi.h"

namespace dsi::fuzz {

inline int64_t AnyArrowLength(uint8_t byte) {
  constexpr int64_t kLengths[] = {-1, INT64_MIN, INT64_MAX, 0};
  return kLengths[byte % 4];
}

template <typename NextByte>
void BreakArrow(const NextByte& next_byte, ArrowSchema* schema, ArrowArray* array) {
  switch (next_byte() % 16) {
    case 0:
      array->length = AnyArrowLength(next_byte());
      break;
    case 1:
      array->offset = AnyArrowLength(next_byte());
      break;
    case 2:
      array->null_count = next_byte() - 3;
      break;
    case 3:
      array->n_buffers += next_byte() % 2 == 0 ? -1 : -2;
      break;
    case 4:
      array->n_children = AnyArrowLength(next_byte());
      break;
    case 5:
      schema->n_children = AnyArrowLength(next_byte());
      break;
    case 6:
      array->children = nullptr;
      break;
    case 7:
      schema->children = nullptr;
      break;
    case 8:
      array->buffers = nullptr;
      break;
    case 9:
      array->release = nullptr;
      break;
    case 10:
      schema->release = nullptr;
      break;
    case 11:
      array->dictionary = nullptr;
      break;
    case 12:
      schema->name = nullptr;
      break;
    case 13:
      schema->format = nullptr;
      break;
    case 14:
      if (array->n_children > 0) array->children[0] = nullptr;
      break;
    default:
      if (schema->n_children > 0 && schema->children != nullptr) schema->children[0] = schema;
  }
}

}  // namespace dsi::fuzz
