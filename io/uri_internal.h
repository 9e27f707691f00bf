// Names of files: which have a scheme, what of them may be shown, how they are spelled in requests.
#pragma once

#include <string>
#include <string_view>

#include "dsi/base/status.h"

namespace dsi::internal {

// The lower-case scheme of "scheme://rest" (RFC 3986); empty: a path.
std::string SchemeOf(std::string_view name);

// For messages: user, password, query and fragment of a URL are left out ("?…" says that there is a
// query).
std::string WithoutSecrets(std::string_view url);

// The name of a file for messages: a path as it is, a URL without its secrets.
std::string ShownName(const std::string& name);

// Bytes that no URL may hold, such as blanks and those beyond ASCII, become %XX; what is escaped
// already stays so.
std::string EscapeUrl(std::string_view url);

// All but RFC 3986's unreserved characters and '/' become %XX, once: what S3 signs.
std::string EscapeKey(std::string_view key);
// The same and '/': a value of a query or of a form.
std::string EscapeValue(std::string_view value);

// The folder that a local path lies in; "." where it names none.
std::string FolderOf(const std::string& path);

// The path that a file: URL names. kInvalidArgument: another host, or half an escape.
Result<std::string> PathOfFileUrl(std::string_view url);

}  // namespace dsi::internal
