// From steps to stages (T-050). Steps that follow one another with nothing else between them form a
// run; in a run truncation goes first, since entries that it drops need no work, and the
// elementwise steps become one pass.
#include <algorithm>
#include <unordered_map>

#include "dsi/base/error_internal.h"
#include "dsi/base/float_mode_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/transform/check_step_internal.h"
#include "dsi/transform/op_table_internal.h"
#include "dsi/transform/plan_state_internal.h"
#include "dsi/transform/step_place_internal.h"

namespace dsi {
namespace internal {
namespace {

class Resolver {
 public:
  Resolver(const Pipeline& pipeline, const std::vector<TransformFeature>& features)
      : pipeline_(pipeline), state_(std::make_shared<PlanState>()) {
    state_->features = features;
  }

  Result<TransformPlan> Run() {
    DSI_RETURN_IF_ERROR(pipeline_.Validate());
    DSI_RETURN_IF_ERROR(NameFeatures());
    DSI_RETURN_IF_ERROR(TypeSteps());
    FindWanted();
    for (size_t i = 0; i < pipeline_.steps.size(); ++i) {
      if (nodes_[i].wanted && !Continues(i)) AddRun(i);
    }
    for (const size_t output : outputs_) state_->outputs.push_back(nodes_[output].stage);
    return TransformPlan(std::move(state_));
  }

 private:
  struct Node {
    std::vector<TransformSource> inputs;  // Features, or steps.
    TransformType type;
    size_t uses = 0;
    size_t only_use = 0;  // A step that takes it.
    bool is_output = false;
    bool wanted = false;
    size_t stage = 0;  // That makes it.
  };

  Status NameFeatures() {
    for (size_t f = 0; f < state_->features.size(); ++f) {
      const std::string& name = state_->features[f].name;
      if (names_.emplace(name, TransformSource{false, f}).second) continue;
      return InvalidArgument("feature {} is given twice", QuoteForMessage(name));
    }
    return {};
  }

  Status NoSuchFeature(const std::string& name) const {
    NearNames near(name, 2);
    for (const TransformFeature& feature : state_->features) near.Offer(feature.name);
    for (const TransformStep& step : pipeline_.steps) near.Offer(step.output);
    return Error(StatusCode::kNotFound, "no feature {}{}", QuoteForMessage(name), near.Advice());
  }

  Status TypeSteps() {
    nodes_.resize(pipeline_.steps.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Status status = TypeStep(i);
      if (!status.ok()) return status.At(StepPlace(i, pipeline_.steps[i]));
    }
    return {};
  }

  Status TypeStep(size_t i) {
    const TransformStep& step = pipeline_.steps[i];
    std::vector<TransformType> types;
    for (const std::string& input : step.inputs) {
      const auto found = names_.find(input);
      if (found == names_.end()) return NoSuchFeature(input);
      nodes_[i].inputs.push_back(found->second);
      types.push_back(found->second.is_stage ? nodes_[found->second.index].type
                                             : state_->features[found->second.index].type);
    }
    DSI_ASSIGN_OR_RETURN(nodes_[i].type, StepType(step, types));
    // Hides a feature of its name, which no step of a valid pipeline takes (T-001).
    names_[step.output] = {true, i};
    return {};
  }

  // Outputs, what they need, and how often each step is needed.
  void FindWanted() {
    std::vector<uint8_t> taken(nodes_.size());
    for (const Node& node : nodes_) {
      for (const TransformSource& input : node.inputs) {
        if (input.is_stage) taken[input.index] = 1;
      }
    }
    for (const std::string& output : pipeline_.outputs) {
      outputs_.push_back(names_.find(output)->second.index);
    }
    for (size_t i = 0; i < nodes_.size() && pipeline_.outputs.empty(); ++i) {
      if (taken[i] == 0) outputs_.push_back(i);
    }
    for (const size_t output : outputs_) {
      nodes_[output].is_output = true;
      nodes_[output].wanted = true;
    }
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (!nodes_[i].wanted) continue;
      for (const TransformSource& input : nodes_[i].inputs) {
        if (!input.is_stage) continue;
        Node& source = nodes_[input.index];
        source.wanted = true;
        source.only_use = i;
        ++source.uses;
      }
    }
  }

  OpForm Form(size_t i) const { return FindOp(pipeline_.steps[i].op)->form; }

  // The next step takes this one's result, nobody else does, and both can be in one run.
  bool Continues(size_t i) const {
    const Node& node = nodes_[i];
    if (node.is_output || node.uses != 1 || Form(i) == OpForm::kRows) return false;
    return Form(node.only_use) != OpForm::kRows;
  }

  // The stages of the run that ends with this step.
  void AddRun(size_t last) {
    if (Form(last) == OpForm::kRows) return AddRows(last, StageSources(last), true);
    std::vector<size_t> run = {last};
    while (true) {
      const TransformSource& input = nodes_[run.back()].inputs[0];
      if (!input.is_stage || !Continues(input.index)) break;
      run.push_back(input.index);
    }
    std::reverse(run.begin(), run.end());
    std::vector<TransformSource> sources = StageSources(run[0]);
    const auto elementwise = std::stable_partition(
        run.begin(), run.end(), [this](size_t i) { return Form(i) == OpForm::kTruncation; });
    for (auto at = run.begin(); at != elementwise; ++at) {
      AddRows(*at, std::move(sources), elementwise == run.end() && at + 1 == run.end());
      sources = {{true, state_->stages.size() - 1}};
    }
    if (elementwise != run.end()) {
      AddElementwise({elementwise, run.end()}, std::move(sources), last);
    }
  }

  std::vector<TransformSource> StageSources(size_t i) const {
    std::vector<TransformSource> sources = nodes_[i].inputs;
    for (TransformSource& source : sources) {
      if (source.is_stage) source.index = nodes_[source.index].stage;
    }
    return sources;
  }

  TransformType TypeOf(const TransformSource& source) const {
    return source.is_stage ? state_->stages[source.index].type
                           : state_->features[source.index].type;
  }

  void AddRows(size_t i, std::vector<TransformSource> sources, bool ends) {
    const TransformStep& step = pipeline_.steps[i];
    const TransformType source = TypeOf(sources[0]);
    TransformStage stage;
    stage.op = step.op;
    stage.steps = {step.output};
    const bool is_cut = Form(i) == OpForm::kTruncation;
    stage.type = is_cut ? source : nodes_[i].type;
    if (is_cut) stage.cut = static_cast<uint32_t>(step.n);
    stage.sources = std::move(sources);
    AddStage(std::move(stage), i, ends);
    state_->steps.back() = step;
    state_->values.emplace_back(source.type, std::vector<ElementwisePtr>());
    state_->scores.emplace_back(Type::kFloat32, std::vector<ElementwisePtr>());
  }

  void AddElementwise(const std::vector<size_t>& steps, std::vector<TransformSource> sources,
                      size_t last) {
    const TransformType source = TypeOf(sources[0]);
    TransformStage stage;
    stage.elementwise = true;
    stage.op = pipeline_.steps[steps.back()].op;
    stage.type = nodes_[last].type;
    stage.sources = std::move(sources);
    std::vector<ElementwisePtr> values;
    std::vector<ElementwisePtr> scores;
    for (const size_t i : steps) {
      const TransformStep& step = pipeline_.steps[i];
      stage.steps.push_back(step.output);
      if (Form(i) == OpForm::kScores) {
        scores.push_back(FindOp(step.op)->make(step, Type::kFloat32));
      } else {
        const Type type = values.empty() ? source.type : values.back()->output();
        values.push_back(FindOp(step.op)->make(step, type));
      }
    }
    AddStage(std::move(stage), last, true);
    state_->values.emplace_back(source.type, std::move(values));
    state_->scores.emplace_back(Type::kFloat32, std::move(scores));
  }

  // `ends`: its result is that of the step, not of one that truncation was moved in front of.
  void AddStage(TransformStage stage, size_t step, bool ends) {
    if (ends) {
      nodes_[step].stage = state_->stages.size();
      stage.name = pipeline_.steps[step].output;
      stage.is_output = nodes_[step].is_output;
    }
    state_->stages.push_back(std::move(stage));
    state_->steps.emplace_back();
  }

  const Pipeline& pipeline_;
  std::shared_ptr<PlanState> state_;
  std::unordered_map<std::string, TransformSource> names_;  // Steps are numbered, not stages.
  std::vector<Node> nodes_;
  std::vector<size_t> outputs_;
};

}  // namespace
}  // namespace internal

Result<TransformPlan> Pipeline::Resolve(const std::vector<TransformFeature>& features) const {
  const internal::DefaultFloats floats;  // T-005: of parameters, too.
  return internal::NoThrow([&] { return internal::Resolver(*this, features).Run(); });
}

}  // namespace dsi
