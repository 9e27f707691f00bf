#include "dsi/python/src/row_setter.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "dsi/format/limits.h"
#include "dsi/python/src/text_bytes.h"
#include "dsi/text/names_as_data.h"
#include "dsi/text/time_text.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

// As Python shows it; Python refuses to show ints of thousands of digits.
std::string Text(nb::handle value) {
  const nb::object text = nb::steal(PyObject_Str(value.ptr()));
  if (text.is_valid()) return nb::cast<std::string>(text);
  PyErr_Clear();
  return "a number";
}

std::string Quoted(const std::string& name) { return '"' + name + '"'; }

// An int of Python's: exactly one of the two, or neither where it has more than 64 bits.
struct Whole {
  bool fits_signed = false;
  bool fits_unsigned = false;
  int64_t value = 0;
  uint64_t unsigned_value = 0;
};

Whole WholeOf(nb::handle number) {
  Whole whole;
  int overflow = 0;
  whole.value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  whole.fits_signed = overflow == 0;
  if (overflow > 0) {
    whole.unsigned_value = PyLong_AsUnsignedLongLong(number.ptr());
    whole.fits_unsigned = PyErr_Occurred() == nullptr;
    PyErr_Clear();
  }
  return whole;
}

bool IsEqual(nb::handle a, nb::handle b) {
  const int equal = PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal > 0;
}

// A number as an int or a float of Python's; null: it is none. Of those that are neither, whole
// ones are ints, but for floats of numpy and torch; null where the float would be a whole one, or
// infinite, and is not the number.
nb::object NumberOf(nb::handle value) {
  if (PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr())) return nb::borrow(value);
  if (PyIndex_Check(value.ptr())) {
    nb::object made = nb::steal(PyNumber_Index(value.ptr()));
    if (made.is_valid()) return made;
    PyErr_Clear();
  }
  if (!nb::hasattr(value, "__float__")) return {};
  nb::object made = nb::steal(PyNumber_Float(value.ptr()));
  if (!made.is_valid()) {
    PyErr_Clear();
    return {};
  }
  const double number = PyFloat_AsDouble(made.ptr());
  if (std::trunc(number) != number) return made;
  const bool is_float = nb::hasattr(value, "dtype") || std::abs(number) >= 0x1p64 ||
                        (number == 0 && std::signbit(number));
  if (is_float && IsEqual(value, made)) return made;
  nb::object whole = std::isinf(number) ? nb::object() : nb::steal(PyNumber_Long(value.ptr()));
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  return whole.is_valid() && IsEqual(value, whole) ? whole : nb::object();
}

template <typename Float>
bool IsExactIn(const Whole& whole) {
  if (whole.fits_unsigned) {
    const auto number = static_cast<Float>(whole.unsigned_value);
    return number < 0x1p64 && static_cast<uint64_t>(number) == whole.unsigned_value;
  }
  const auto number = static_cast<Float>(whole.value);
  return number < 0x1p63 && static_cast<int64_t>(number) == whole.value;
}

// Whether the floats of a column of this type hold it; of other types those of 64 bits.
bool IsExact(const Whole& whole, Type type) {
  return type == Type::kFloat32 ? IsExactIn<float>(whole) : IsExactIn<double>(whole);
}

// A number, or a point in time, also as text, as one of the unit; null: it is none, or lies between
// two. Points in time of numpy would pass for floats, of units of their own.
nb::object NumberOf(nb::handle value, TimeUnit unit) {
  if (std::string_view text; unit != TimeUnit::kNone && BytesOf(value, &text)) {
    const Result<int64_t> time = TimeOfText(text, unit);
    return time.ok() ? nb::object(nb::int_(*time)) : nb::object();
  }
  if (unit == TimeUnit::kNone || PyIndex_Check(value.ptr()) || PyFloat_Check(value.ptr()))
    return NumberOf(value);
  nb::object number = nb::module_::import_("dsi._time")
                          .attr("units_since_epoch")(value, std::string(TimeUnitName(unit)));
  if (number.is_none()) return NumberOf(value);
  return PyLong_Check(number.ptr()) ? number : nb::object();
}

template <typename Out, typename In>
std::span<const Out> Widened(const Py_buffer& view, std::vector<Out>* out) {
  const auto* from = static_cast<const In*>(view.buf);
  out->assign(from, from + view.len / static_cast<Py_ssize_t>(sizeof(In)));
  return *out;
}

}  // namespace

RowSetter::RowSetter(std::shared_ptr<const Schema> schema, bool ignore_unknown,
                     NullEntries null_entries)
    : schema_(std::move(schema)), ignore_unknown_(ignore_unknown), null_entries_(null_entries) {
  const std::vector<bool> take_names = TakeNamesAsData(*schema_);
  for (uint32_t f = 0; f < schema_->features.size(); ++f) {
    const FeatureSpec& feature = schema_->features[f];
    const bool is_list = IsListKind(feature.kind) || feature.kind == Kind::kEmbedding;
    for (uint32_t c = 0; c < feature.columns.size(); ++c)
      targets_[ColumnName(feature, c)] = {f, c, is_list, feature.columns[c].hashed, false};
    if (feature.kind == Kind::kSequence || feature.kind == Kind::kWeighted) {
      entries_[feature.name] = {f, take_names[f], std::vector<int>(feature.columns.size(), -1)};
    }
  }
  lengths_ = FindLengths(*schema_);
  for (size_t f = 0; f < lengths_.size(); ++f) {
    if (!lengths_[f]) continue;
    const FeatureSpec& of = schema_->features[lengths_[f]->feature];
    targets_[ColumnName(of, lengths_[f]->column)].is_lengths = true;
    const auto entries = entries_.find(of.name);
    if (entries != entries_.end()) entries->second.lists[lengths_[f]->column] = static_cast<int>(f);
  }
}

Status RowSetter::Add(nb::handle row, RowBatch* batch) {
  if (!PyDict_Check(row.ptr()))
    return {StatusCode::kBadInput, "a row is a dict, this one is of type " + TypeNameOf(row)};
  name_.clear();
  flat_.clear();
  given_.clear();
  Status status = SetDict(row, 0, batch);
  if (status.ok() && !flat_.empty()) status = CheckFlat(batch);
  if (!status.ok()) {
    batch->DropRow();
    return status;
  }
  return batch->EndRow();
}

Status RowSetter::SetDict(nb::handle dict, size_t prefix, RowBatch* batch) {
  return ForEachMember(dict, prefix, [&](nb::handle value) {
    if (!PyDict_Check(value.ptr())) return SetValue(value, batch);
    const auto entries = entries_.find(name_);
    if (entries != entries_.end() && IsMap(entries->second, value))
      return SetMap(entries->second, value, batch);
    name_ += '.';
    return SetDict(value, name_.size(), batch);
  });
}

Status RowSetter::AddName(nb::handle key) {
  if (std::string_view word; PyUnicode_Check(key.ptr()) && BytesOf(key, &word)) {
    name_ += word;
  } else if (PyLong_Check(key.ptr()) && !PyBool_Check(key.ptr())) {
    name_ += Text(key);
  } else {
    return {StatusCode::kBadInput, "a key is of type " + TypeNameOf(key) + ", expected str"};
  }
  if (name_.size() <= kMaxNameBytes) return Status::Ok();
  return {StatusCode::kBadInput, Quoted(name_.substr(0, 40) + "…") + " is a name of more than " +
                                     std::to_string(kMaxNameBytes) + " bytes"};
}

Status RowSetter::SetValue(nb::handle value, RowBatch* batch) {
  const auto target = targets_.find(name_);
  if (target == targets_.end()) {
    if (const auto entries = entries_.find(name_); entries != entries_.end())
      return SetEntries(entries->second, value, batch);
    if (ignore_unknown_) return Status::Ok();
    return {StatusCode::kBadInput, Quoted(name_) +
                                       " is no feature of the schema; "
                                       "ignore_unknown=True skips such values"};
  }
  if (target->second.is_list) return SetList(value, target->second, batch);
  if (ColumnOf(target->second).type != Type::kBytes) return SetNumber(value, target->second, batch);
  std::string_view bytes;
  if (!BytesOf(value, &bytes)) return Unfit(value, "str or bytes");
  return batch->SetBytes(target->second.feature, bytes);
}

const ColumnSpec& RowSetter::ColumnOf(const Target& target) const {
  return schema_->features[target.feature].columns[target.column];
}

TimeUnit RowSetter::UnitOf(const Target& target) const { return ColumnOf(target).time_unit; }

Status RowSetter::SetNumber(nb::handle value, const Target& target, RowBatch* batch) {
  const TimeUnit unit = UnitOf(target);
  const nb::object number = NumberOf(value, unit);
  if (!number.is_valid()) {
    return Unfit(
        value, unit == TimeUnit::kNone ? "a number" : "a number, or a point in time that is exact");
  }
  if (PyFloat_Check(number.ptr()))
    return batch->SetDouble(target.feature, PyFloat_AsDouble(number.ptr()));
  const Whole whole = WholeOf(number);
  if (whole.fits_signed) return batch->SetInt(target.feature, whole.value);
  if (whole.fits_unsigned) return batch->SetUint(target.feature, whole.unsigned_value);
  return {StatusCode::kOutOfRange, Quoted(name_) + ": " + Text(number) + " has more than 64 bits"};
}

Status RowSetter::SetList(nb::handle value, const Target& target, RowBatch* batch) {
  if (std::string_view text; target.hashed && BytesOf(value, &text))
    return batch->SetTexts(target.feature, target.column, {&text, 1});
  if (target.is_lengths) given_.emplace_back(target.feature, target.column);
  if (lengths_[target.feature]) {
    const nb::object list = ListOf(value);
    if (HoldsLists(list)) return SetListOfLists(list, target.feature, batch);
    flat_.emplace_back(target.feature, IsListOfValues(list) && nb::len(list) == 0);
  }
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()))
    return SetItems(value, target, batch);
  if (UnitOf(target) != TimeUnit::kNone) {
    const nb::object times = nb::module_::import_("dsi._time").attr("times_of_array")(value);
    if (PyList_Check(times.ptr())) return SetItems(times, target, batch);
  }
  Status status;
  if (PyObject_CheckBuffer(value.ptr()) != 0 && !PyBytes_Check(value.ptr()) &&
      SetBuffer(value, target, batch, &status)) {
    return status;
  }
  if (nb::hasattr(value, "tolist")) {
    const nb::object items = value.attr("tolist")();
    if (PyList_Check(items.ptr())) return SetItems(items, target, batch);
  }
  return Unfit(value, "a list of numbers");
}

Status RowSetter::SetItems(nb::handle items, const Target& target, RowBatch* batch) {
  ints_.clear();
  uints_.clear();
  doubles_.clear();
  bool has_float = false, has_negative = false, has_wide = false, has_inexact = false;
  bool has_number = false;
  const Type type = ColumnOf(target).type;
  const bool is_float = IsFloat(type);
  const TimeUnit unit = UnitOf(target);
  const bool is_list = PyList_Check(items.ptr());
  const Py_ssize_t size = is_list ? PyList_Size(items.ptr()) : PyTuple_Size(items.ptr());
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* item = is_list ? PyList_GetItem(items.ptr(), i) : PyTuple_GetItem(items.ptr(), i);
    if (item == nullptr) throw nb::python_error();
    const nb::object held = nb::borrow(item);
    if (TakesNulls(target) && IsNull(held)) {
      if (null_entries_ == NullEntries::kDrop) continue;
      has_float = has_float || is_float;
      doubles_.push_back(is_float ? std::numeric_limits<double>::quiet_NaN() : 0);
      ints_.push_back(0);
      uints_.push_back(0);
      continue;
    }
    const nb::object number = NumberOf(held, unit);
    if (std::string_view text; target.hashed && !has_number && BytesOf(held, &text))
      return SetTexts(items, target, batch);
    has_number = true;
    if (!number.is_valid()) {
      return Unfit(held, unit == TimeUnit::kNone ? "numbers in the list"
                                                 : "numbers, or exact points in time, in the list");
    }
    if (PyFloat_Check(number.ptr())) {
      has_float = true;
      doubles_.push_back(PyFloat_AsDouble(number.ptr()));
      ints_.push_back(0);
      uints_.push_back(0);
      continue;
    }
    const Whole whole = WholeOf(number);
    if (!whole.fits_signed && !whole.fits_unsigned) {
      return {StatusCode::kOutOfRange,
              Quoted(name_) + ": " + Text(number) + " has more than 64 bits"};
    }
    has_wide = has_wide || whole.fits_unsigned;
    has_negative = has_negative || (whole.fits_signed && whole.value < 0);
    ints_.push_back(whole.value);
    uints_.push_back(whole.fits_signed ? static_cast<uint64_t>(whole.value) : whole.unsigned_value);
    doubles_.push_back(whole.fits_signed ? static_cast<double>(whole.value)
                                         : static_cast<double>(whole.unsigned_value));
    has_inexact = has_inexact || !IsExact(whole, type);  // Beside fractions.
  }
  // Nulls alone are those of texts.
  if (target.hashed && !has_number && !ints_.empty()) return SetTexts(items, target, batch);
  if (has_float && has_inexact) {
    return {StatusCode::kOutOfRange,
            Quoted(name_) +
                ": fractions beside whole numbers that floats do not hold exactly fit no type"};
  }
  if (has_float) return batch->SetDoubles(target.feature, target.column, doubles_);
  if (!has_wide) return batch->SetInts(target.feature, target.column, std::span(ints_));
  if (!has_negative) return batch->SetUints(target.feature, target.column, uints_);
  return {StatusCode::kOutOfRange,
          Quoted(name_) + ": negative numbers beside some of 2^63 and more fit no type"};
}

bool RowSetter::TakesNulls(const Target& target) const {
  return null_entries_ == NullEntries::kFill ||
         (null_entries_ == NullEntries::kDrop &&
          schema_->features[target.feature].columns.size() == 1);
}

Status RowSetter::SetTexts(nb::handle items, const Target& target, RowBatch* batch) {
  texts_.clear();
  for (const nb::handle item : items) {
    if (TakesNulls(target) && IsNull(item)) {
      if (null_entries_ == NullEntries::kFill) texts_.emplace_back();
      continue;
    }
    // Held by the list, or the tuple.
    if (!BytesOf(item, &texts_.emplace_back())) return Unfit(item, "strings alone in the list");
  }
  return batch->SetTexts(target.feature, target.column, texts_);
}

bool RowSetter::SetBuffer(nb::handle value, const Target& target, RowBatch* batch, Status* status) {
  Py_buffer view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_ND | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  const size_t f = target.feature, c = target.column;
  const char* format = view.format == nullptr ? "B" : view.format;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const auto ints = [&](std::span<const int64_t> values) { return batch->SetInts(f, c, values); };
  const auto width = view.itemsize;
  bool taken = view.ndim == 1 && format[0] != '\0' && format[1] == '\0';
  if (taken) {
    const auto count = static_cast<size_t>(view.len / (width > 0 ? width : 1));
    switch (format[0]) {
      case 'b':
        *status = ints(Widened<int64_t, int8_t>(view, &ints_));
        break;
      case '?':
      case 'B':
        *status = ints(Widened<int64_t, uint8_t>(view, &ints_));
        break;
      case 'h':
        *status = ints(Widened<int64_t, int16_t>(view, &ints_));
        break;
      case 'H':
        *status = ints(Widened<int64_t, uint16_t>(view, &ints_));
        break;
      case 'i':
      case 'l':
      case 'q':
        if (width == 4) {
          *status = batch->SetInts(f, c, std::span(static_cast<const int32_t*>(view.buf), count));
        } else {
          *status = ints(std::span(static_cast<const int64_t*>(view.buf), count));
        }
        break;
      case 'I':
      case 'L':
      case 'Q':
        if (width == 4) {
          *status = ints(Widened<int64_t, uint32_t>(view, &ints_));
        } else {
          *status = batch->SetUints(f, c, std::span(static_cast<const uint64_t*>(view.buf), count));
        }
        break;
      case 'f':
        *status = batch->SetFloats(f, c, std::span(static_cast<const float*>(view.buf), count));
        break;
      case 'd':
        *status = batch->SetDoubles(f, c, std::span(static_cast<const double*>(view.buf), count));
        break;
      default:
        taken = false;
    }
  }
  PyBuffer_Release(&view);
  return taken;
}

Status RowSetter::Unfit(nb::handle value, const char* expected) const {
  return {StatusCode::kBadInput,
          Quoted(name_) + " is of type " + TypeNameOf(value) + ", expected " + expected};
}

}  // namespace dsi::python
