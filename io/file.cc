#include "dsi/io/file.h"

namespace dsi {

// Defined here so that the vtables have one home.
RandomAccessFile::~RandomAccessFile() = default;
WritableFile::~WritableFile() = default;

}  // namespace dsi
