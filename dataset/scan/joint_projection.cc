#include "dsi/dataset/scan/joint_projection_internal.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// Splits classes whose outputs differ in the file. True: one was.
bool Refine(std::span<const FilePlace> file, uint32_t FilePlace::*place,
            std::vector<uint32_t>* classes) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> known;
  const uint32_t num_before =
      classes->empty() ? 0 : *std::max_element(classes->begin(), classes->end()) + 1;
  for (size_t i = 0; i < classes->size(); ++i) {
    const auto key = std::pair((*classes)[i], file[i].*place);
    (*classes)[i] = known.try_emplace(key, static_cast<uint32_t>(known.size())).first->second;
  }
  return known.size() != num_before;
}

// By class, the place of the first output of it.
std::vector<uint32_t> PlacesOf(std::span<const FilePlace> file, uint32_t FilePlace::*place,
                               std::span<const uint32_t> classes) {
  std::vector<uint32_t> places;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] == places.size()) places.push_back(file[i].*place);
  }
  return places;
}

}  // namespace

Result<JointProjection> JointProjection::Make(std::vector<ScanOutput> asked, Type kjt_lengths) {
  JointProjection joint;
  ScanProjection& p = joint.asked_;
  p.kjt_lengths = kjt_lengths;
  p.outputs = std::move(asked);
  const std::vector<ScanOutput>& outputs = p.outputs;
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    p.by_name.push_back(i);
    if (HasSet(outputs[i].layout)) DSI_RETURN_IF_ERROR(p.AddToSet(i));
  }
  const auto key = [&](uint32_t i) {
    return std::pair<std::string_view, Layout>(outputs[i].name, outputs[i].layout);
  };
  std::sort(p.by_name.begin(), p.by_name.end(),
            [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  for (size_t i = 1; i < p.by_name.size(); ++i) {
    if (key(p.by_name[i]) == key(p.by_name[i - 1]))
      return InvalidArgument("column {} is projected twice in the same layout",
                             outputs[p.by_name[i]].name);
  }
  for (auto* classes : {&joint.group_, &joint.shape_, &joint.values_})
    classes->assign(outputs.size(), 0);
  joint.MakeProjection();
  return joint;
}

bool JointProjection::Add(std::span<const FilePlace> file) {
  bool is_new = Refine(file, &FilePlace::group, &group_);
  is_new = Refine(file, &FilePlace::shape, &shape_) || is_new;
  is_new = Refine(file, &FilePlace::values, &values_) || is_new;
  if (is_new) MakeProjection();
  return is_new;
}

PieceMap JointProjection::MapOf(std::span<const FilePlace> file) const {
  return {PlacesOf(file, &FilePlace::group, group_), PlacesOf(file, &FilePlace::shape, shape_),
          PlacesOf(file, &FilePlace::values, values_)};
}

void JointProjection::MakeProjection() {
  auto made = std::make_shared<ScanProjection>(asked_);
  for (size_t i = 0; i < made->outputs.size(); ++i) {
    ScanOutput& output = made->outputs[i];
    output.group = group_[i];
    output.shape = shape_[i];
    output.values = values_[i];
    made->groups.resize(std::max<size_t>(made->groups.size(), output.group + 1));
    made->shapes.resize(std::max<size_t>(made->shapes.size(), output.shape + 1));
    ScanGroup& group = made->groups[output.group];
    ScanShape& shape = made->shapes[output.shape];
    shape.group = output.group;
    const bool is_ikjt = output.layout == Layout::kIkjt || output.layout == Layout::kPaddedIkjt;
    group.want_touched |= is_ikjt || output.layout == Layout::kVbe;
    group.want_inverse |= is_ikjt;
    if (output.values == made->values.size()) {
      made->values.push_back({0, output.shape, output.dtype, {}});
      ++shape.num_values;
    }
    output.counts_entries = CountsRows(output.layout) && !std::exchange(shape.is_counted, true);
  }
  projection_ = std::move(made);
}

}  // namespace dsi::internal
