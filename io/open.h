// Opening a file by its name, wherever it lies.
#pragma once

#include <memory>
#include <string>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/io/file.h"
#include "dsi/io/remote_options.h"

namespace dsi {

struct OpenOptions {
  LocalOptions local;
  RemoteOptions remote;
  S3Options s3;
};

// Opens a path, file:///path, http://…, https://… or s3://bucket/key for reading. A name with
// another scheme before "://" is kInvalidArgument; a local file of such a name is "./name".
//
// A remote file costs one step: its first and last bytes are asked for together and kept, so that
// the footers of a dsi file are not asked for again. Each later request names the version that was
// opened (ETag, else time and length), so that a file replaced meanwhile is an error (kIo), never a
// mixture. Messages name the URL without what may be secret in it: user, password, query.
//
// Thread safety: as RandomAccessFile. Reading starts no thread that outlives a call, raises no
// signal, and goes on in a process forked from the one that opened. Errors: kNotFound (404), kIo,
// kInvalidArgument.
DSI_EXPORT Result<std::unique_ptr<RandomAccessFile>> OpenUri(const std::string& uri,
                                                             const OpenOptions& options = {});

// Files of S3 that are opened with these options, and with copies of them, share who asks: keys are
// found once, when they are first needed, and renewed for all. Does nothing where they do already.
// Datasets and tables do it by themselves; each file else finds keys for itself. Costs nothing.
DSI_EXPORT void ShareCredentials(OpenOptions* options);

}  // namespace dsi
