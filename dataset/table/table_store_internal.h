// Where a table lies: names below its folder, on this machine or on S3.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/open.h"

namespace dsi::internal {

// Names are those of files below the table's folder: "data/job/….dsi". Thread safety: calls from
// many threads.
class TableStore {
 public:
  // kInvalidArgument: no place where tables can be. `go_on` is asked while a file is sent to S3.
  static Result<std::unique_ptr<TableStore>> Make(const std::string& where,
                                                  const OpenOptions& options,
                                                  const std::function<bool()>& go_on = {});
  virtual ~TableStore();

  // Ends in a slash; with a name behind it, what OpenUri takes.
  const std::string& root() const { return root_; }
  const OpenOptions& options() const { return options_; }

  // All below a folder ("data/"), hidden ones too; none where the folder is missing.
  virtual Result<std::vector<std::string>> List(const std::string& folder) const = 0;
  // A new file, whole and durable, or none. kAlreadyExists: the name is taken, perhaps by an
  // earlier try of the same call.
  virtual Status Create(const std::string& name, std::string_view text) const = 0;
  // Files that are gone already are fine. Durable when this returns.
  virtual Status Remove(std::span<const std::string> names) const = 0;
  // Whether a step that must fail where a file is would overwrite it. Of a file that is there.
  virtual Status CheckThatCreateIsExclusive(const std::string& name) const = 0;

  // Where a file is written that is to have a name: a path of this machine, in a folder that is
  // there. Adopt takes it to its name; Forget removes what is left of it elsewhere.
  virtual Result<std::string> NewPath(const std::string& name) const = 0;
  virtual Status Adopt(const std::string& path, const std::string& name) const = 0;
  virtual void Forget(const std::string& path) const = 0;
  // A copy of a file of this machine under a name, whole and durable.
  virtual Status CopyIn(const std::string& path, const std::string& name) const = 0;

 protected:
  TableStore(std::string root, OpenOptions options)
      : root_(std::move(root)), options_(std::move(options)) {}

 private:
  std::string root_;
  OpenOptions options_;
};

Result<std::unique_ptr<TableStore>> MakeLocalTableStore(const std::string& folder,
                                                        const OpenOptions& options);
Result<std::unique_ptr<TableStore>> MakeS3TableStore(const std::string& url,
                                                     const OpenOptions& options,
                                                     const std::function<bool()>& go_on = {});

}  // namespace dsi::internal
