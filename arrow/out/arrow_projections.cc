// What a scan should read so that Arrow gets columns whole.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "dsi/arrow/arrow_output.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/base/no_throw_internal.h"

namespace dsi {
namespace {

constexpr size_t kAdvice = 3;

class ColumnPicker {
 public:
  explicit ColumnPicker(std::span<const ColumnInfo> columns)
      : columns_(columns), is_taken_(columns.size(), false) {}

  Status PickAll() {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!IsLeftOut(i)) DSI_RETURN_IF_ERROR(Take(i));
    }
    return Status::Ok();
  }

  Status Pick(std::string_view name) {
    if (by_name_.empty()) Index();
    if (const auto found = by_name_.find(name); found != by_name_.end()) {
      for (const uint32_t i : found->second) DSI_RETURN_IF_ERROR(Take(i));
      return Status::Ok();
    }
    if (name.find_first_of("*?") == std::string_view::npos) {
      internal::NearNames near(name, kAdvice);
      for (const ColumnInfo& column : columns_) near.Offer(column.name);
      return internal::Error(StatusCode::kNotFound, "no feature is called \"{}\"{}", name,
                             near.Advice());
    }
    bool has_matched = false;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (IsLeftOut(i)) continue;
      if (!internal::GlobMatches(name, columns_[i].name) &&
          !internal::GlobMatches(name, columns_[i].feature))
        continue;
      has_matched = true;
      DSI_RETURN_IF_ERROR(Take(i));
    }
    if (has_matched) return Status::Ok();
    return internal::Error(StatusCode::kNotFound, "no feature matches \"{}\"", name);
  }

  const std::vector<size_t>& picked() const { return picked_; }

 private:
  // The name of a column goes before that of a feature with several.
  void Index() {
    for (uint32_t i = 0; i < columns_.size(); ++i) by_name_[columns_[i].name] = {i};
    for (uint32_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].feature == columns_[i].name) continue;
      std::vector<uint32_t>& of_feature = by_name_[columns_[i].feature];
      if (of_feature.empty() || columns_[of_feature[0]].feature == columns_[i].feature)
        of_feature.push_back(i);
    }
  }
  // Where it is not named.
  bool IsLeftOut(size_t i) const { return columns_[i].support.code() == StatusCode::kUnsupported; }
  Status Take(size_t i) {
    DSI_RETURN_IF_ERROR(columns_[i].support);
    if (is_taken_[i]) return Status::Ok();
    is_taken_[i] = true;
    picked_.push_back(i);
    return Status::Ok();
  }

  std::span<const ColumnInfo> columns_;
  std::vector<bool> is_taken_;
  std::vector<size_t> picked_;
  std::unordered_map<std::string_view, std::vector<uint32_t>> by_name_;
};

Projection ProjectionOf(const ColumnInfo& column, bool dictionaries) {
  Projection projection;
  projection.name = column.name;
  if (HasLengths(column.kind, column.type)) {
    projection.layout = dictionaries && IsListKind(column.kind) ? Layout::kIkjt : Layout::kJagged;
  } else if (column.kind == Kind::kEmbedding) {
    projection.layout = dictionaries ? Layout::kPaddedIkjt : Layout::kPadded;
    projection.width = column.fixed_length;
  } else {
    projection.width = 1;
  }
  return projection;
}

}  // namespace

Result<std::vector<Projection>> ArrowProjections(std::span<const ColumnInfo> columns,
                                                 std::span<const std::string> names,
                                                 const ArrowOutputOptions& options) {
  return internal::NoThrow([&]() -> Result<std::vector<Projection>> {
    ColumnPicker picker(columns);
    if (names.empty()) DSI_RETURN_IF_ERROR(picker.PickAll());
    for (const std::string& name : names) DSI_RETURN_IF_ERROR(picker.Pick(name));
    if (picker.picked().empty())
      return internal::InvalidArgument("none of the {} columns can be read", columns.size());
    std::vector<Projection> projections;
    projections.reserve(picker.picked().size());
    for (const size_t i : picker.picked())
      projections.push_back(ProjectionOf(columns[i], options.dictionaries));
    return projections;
  });
}

}  // namespace dsi
