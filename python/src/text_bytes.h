#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

namespace dsi::python {

// The bytes of a str or of bytes, as long as the object lives. False: it is neither. Called
// with the interpreter's lock held.
inline bool BytesOf(nanobind::handle value, std::string_view* bytes) {
  if (PyUnicode_Check(value.ptr())) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (data == nullptr) throw nanobind::python_error();
    *bytes = {data, static_cast<size_t>(size)};
    return true;
  }
  if (!PyBytes_Check(value.ptr())) return false;
  *bytes = {PyBytes_AsString(value.ptr()), static_cast<size_t>(PyBytes_Size(value.ptr()))};
  return true;
}

// A str of bytes that may be anything: what is no UTF-8 is shown as U+FFFD. Called with the
// interpreter's lock held.
inline nanobind::object ShownText(std::string_view bytes) {
  nanobind::object made = nanobind::steal(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
  if (!made.is_valid()) throw nanobind::python_error();
  return made;
}

// A list, tuple or array; numbers of numpy have no length.
inline bool IsListOfValues(nanobind::handle value) {
  return nanobind::hasattr(value, "__len__") && !PyUnicode_Check(value.ptr()) &&
         !PyBytes_Check(value.ptr());
}

// As Python calls it: "int".
inline std::string TypeNameOf(nanobind::handle value) {
  return nanobind::cast<std::string>(nanobind::str(value.type().attr("__name__")));
}

// None, and what says so in frames: NA and NaT of pandas, NaT of numpy.
inline bool IsNull(nanobind::handle value) {
  PyObject* const p = value.ptr();
  if (value.is_none()) return true;
  if (PyLong_Check(p) || PyFloat_Check(p) || PyUnicode_Check(p) || PyBytes_Check(p) ||
      PyList_Check(p) || PyTuple_Check(p) || PyDict_Check(p))
    return false;
  const std::string type = TypeNameOf(value);
  if (type == "datetime64") {
    // RichCompareBool takes every object for equal to itself.
    const nanobind::object differs = nanobind::steal(PyObject_RichCompare(p, p, Py_NE));
    const bool is_nat = differs.is_valid() && PyObject_IsTrue(differs.ptr()) > 0;
    if (PyErr_Occurred() != nullptr) PyErr_Clear();
    return is_nat;
  }
  return type == "NAType" || type == "NaTType";
}

}  // namespace dsi::python
