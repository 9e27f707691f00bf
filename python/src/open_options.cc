#include "dsi/python/src/open_options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace dsi::python {
namespace {

// What one that is left out is where the other is said.
SourceCosts CostsOf(std::optional<double> latency_s, std::optional<double> bytes_per_s) {
  return {latency_s.value_or(kHttpCosts.latency_s), bytes_per_s.value_or(kHttpCosts.bytes_per_s)};
}

}  // namespace

void BindOpenOptions(nb::module_& module) {
  const RemoteOptions usual;
  nb::class_<OpenOptions>(module, "OpenOptions", "How files are opened.")
      .def(
          "__init__",
          [](OpenOptions* self, std::vector<std::string> headers, std::string ca_file,
             std::string s3_endpoint, std::string s3_region, std::string s3_profile,
             bool s3_no_sign_request, uint32_t connections, uint32_t first_connections,
             uint32_t max_tries, double deadline_s, double connect_timeout_s,
             uint32_t stall_timeout_s, std::optional<double> latency_s,
             std::optional<double> bytes_per_s, bool direct) {
            auto* options = new (self) OpenOptions();
            RemoteOptions& remote = options->remote;
            remote.headers = std::move(headers);
            remote.ca_file = std::move(ca_file);
            remote.connections = connections;
            remote.first_connections = first_connections;
            remote.max_tries = max_tries;
            remote.deadline_s = deadline_s;
            remote.connect_timeout_s = connect_timeout_s;
            remote.stall_timeout_s = stall_timeout_s;
            if (latency_s || bytes_per_s) remote.costs = CostsOf(latency_s, bytes_per_s);
            options->s3.endpoint = std::move(s3_endpoint);
            options->s3.region = std::move(s3_region);
            options->s3.profile = std::move(s3_profile);
            options->s3.no_sign_request = s3_no_sign_request;
            options->local.direct = direct;
            ShareCredentials(options);
          },
          nb::kw_only(), nb::arg("headers") = std::vector<std::string>(), nb::arg("ca_file") = "",
          nb::arg("s3_endpoint") = "", nb::arg("s3_region") = "", nb::arg("s3_profile") = "",
          nb::arg("s3_no_sign_request") = false, nb::arg("connections") = usual.connections,
          nb::arg("first_connections") = usual.first_connections,
          nb::arg("max_tries") = usual.max_tries, nb::arg("deadline_s") = usual.deadline_s,
          nb::arg("connect_timeout_s") = usual.connect_timeout_s,
          nb::arg("stall_timeout_s") = usual.stall_timeout_s,
          nb::arg("latency_s").none() = nb::none(), nb::arg("bytes_per_s").none() = nb::none(),
          nb::arg("direct") = false);
}

}  // namespace dsi::python
