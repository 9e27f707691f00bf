#include "dsi/python/src/scan_options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "dsi/format/types.h"
#include "dsi/python/src/filter.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/words.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

const Words<Layout> kLayouts = {
    {"padded", Layout::kPadded}, {"jagged", Layout::kJagged},          {"ikjt", Layout::kIkjt},
    {"dense", Layout::kDense},   {"padded_ikjt", Layout::kPaddedIkjt}, {"vbe", Layout::kVbe},
    {"kjt", Layout::kKjt}};
const Words<Keep> kKeeps = {{"first", Keep::kFirst}, {"last", Keep::kLast}};
const Words<Side> kSides = {{"left", Side::kLeft}, {"right", Side::kRight}};
const Words<OrderUnit> kUnits = {{"none", OrderUnit::kNone},
                                 {"block", OrderUnit::kBlock},
                                 {"stripe", OrderUnit::kStripe},
                                 {"file", OrderUnit::kFile}};
const Words<Mix> kMixes = {{"sessions", Mix::kSessions}, {"rows", Mix::kRows}};
const Words<Remainder> kRemainders = {
    {"drop", Remainder::kDrop}, {"pad", Remainder::kPad}, {"uneven", Remainder::kUneven}};

Type TypeOf(std::string_view name) {
  Type type;
  if (ParseType(name, &type)) return type;
  Raise({StatusCode::kInvalidArgument, "dtype is '" + std::string(name) +
                                           "', expected 'int32', 'int64', 'float32' or 'float64'"});
}

void MakeProjection(Projection* out, std::string name, std::string_view layout, uint32_t width,
                    std::string_view keep, std::string_view pad, std::optional<double> pad_value,
                    std::optional<std::string> dtype, bool bit_cast, std::string set) {
  Projection made;
  made.name = std::move(name);
  made.layout = Value(kLayouts, "layout", layout);
  made.width = width;
  made.keep = Value(kKeeps, "keep", keep);
  made.pad = Value(kSides, "pad", pad);
  made.pad_value = pad_value;
  if (dtype) made.dtype = TypeOf(*dtype);
  made.bit_cast = bit_cast;
  made.set = std::move(set);
  new (out) Projection(std::move(made));
}

void MakeOptions(DatasetScanOptions* out, std::vector<Projection> features, uint32_t batch_size,
                 bool drop_last, std::vector<Clause> where, std::vector<SamplingTerm> sample,
                 uint64_t sample_seed, std::string_view index_dtype, uint64_t memory_bytes,
                 uint32_t threads, uint64_t read_ahead_bytes, const Pipeline* pipeline,
                 std::vector<std::pair<uint64_t, uint64_t>> rows, std::string_view unit,
                 uint64_t seed, uint64_t epoch, uint32_t block_rows, uint32_t mixing_rows,
                 uint64_t mixing_bytes, std::string_view mix, uint32_t rank, uint32_t world,
                 std::string_view remainder, std::string state, std::string access_log) {
  DatasetScanOptions made;
  made.scan.features = std::move(features);
  made.scan.batch_size = batch_size;
  made.scan.drop_last = drop_last;
  made.scan.filter.where = Predicates(std::move(where));
  for (SamplingTerm& term : sample)
    made.scan.filter.sample.push_back({Predicates(std::move(term.first)), term.second});
  made.scan.filter.seed = sample_seed;
  made.scan.kjt_lengths = TypeOf(index_dtype);
  made.scan.memory_bytes = memory_bytes;
  made.scan.threads = threads;
  made.scan.read_ahead_bytes = read_ahead_bytes;
  if (pipeline != nullptr) made.pipeline = *pipeline;
  for (const auto& [begin, end] : rows) made.rows.push_back({begin, end});
  made.order = {Value(kUnits, "shuffle", unit), seed,        epoch, block_rows, mixing_rows,
                Value(kMixes, "mix", mix),      mixing_bytes};
  made.shard = {rank, world, Value(kRemainders, "remainder", remainder)};
  made.state = std::move(state);
  made.access_log = std::move(access_log);
  new (out) DatasetScanOptions(std::move(made));
}

}  // namespace

void BindScanOptions(nb::module_& module) {
  nb::class_<Projection>(module, "Projection", "One column to read, and how.")
      .def("__init__", MakeProjection, nb::arg("name"), nb::kw_only(), nb::arg("layout") = "jagged",
           nb::arg("width") = 0, nb::arg("keep") = "last", nb::arg("pad") = "right",
           nb::arg("pad_value") = nb::none(), nb::arg("dtype") = nb::none(),
           nb::arg("bit_cast") = false, nb::arg("set") = "")
      .def_prop_ro("name", [](const Projection& p) { return p.name; })
      .def_prop_ro("layout", [](const Projection& p) { return Word(kLayouts, p.layout); })
      .def_prop_ro("set", [](const Projection& p) { return p.set; });
  nb::class_<ScanColumn>(module, "ScanColumn", "What a batch has of one column.")
      .def_prop_ro("name", [](const ScanColumn& c) { return c.name; })
      .def_prop_ro("layout", [](const ScanColumn& c) { return Word(kLayouts, c.layout); })
      .def_prop_ro("dtype", [](const ScanColumn& c) { return TypeName(c.dtype); })
      .def_prop_ro("width", [](const ScanColumn& c) { return c.width; })
      .def_prop_ro("set", [](const ScanColumn& c) { return c.set; });
  const DatasetScanOptions usual;
  nb::class_<DatasetScanOptions>(module, "ScanOptions",
                                 "What a scan reads, in which order, for whom.")
      .def("__init__", MakeOptions, nb::kw_only(), nb::arg("features") = nb::make_tuple(),
           nb::arg("batch_size") = usual.scan.batch_size, nb::arg("drop_last") = false,
           nb::arg("where") = nb::make_tuple(), nb::arg("sample") = nb::make_tuple(),
           nb::arg("sample_seed") = 0, nb::arg("index_dtype") = "int64",
           nb::arg("memory_bytes") = usual.scan.memory_bytes, nb::arg("threads") = 1,
           nb::arg("read_ahead_bytes") = 0, nb::arg("pipeline") = nb::none(),
           nb::arg("rows") = nb::make_tuple(), nb::arg("unit") = "none", nb::arg("seed") = 0,
           nb::arg("epoch") = 0, nb::arg("block_rows") = usual.order.block_rows,
           nb::arg("mixing_rows") = 0, nb::arg("mixing_bytes") = 0, nb::arg("mix") = "sessions",
           nb::arg("rank") = 0, nb::arg("world") = 1, nb::arg("remainder") = "drop",
           nb::arg("state") = "", nb::arg("access_log") = "");
}

}  // namespace dsi::python
