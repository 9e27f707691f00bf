#include "dsi/tools/generate/wide_internal.h"

#include <cmath>

#include "dsi/tools/generate/counter_rng_internal.h"
#include "dsi/tools/generate/feature_stream_internal.h"
#include "dsi/tools/generate/json_text_internal.h"
#include "dsi/tools/generate/schema_text_internal.h"
#include "dsi/tools/generate/session_order_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kPresenceStream = 0x41;
constexpr uint64_t kLabelStream = 0x42;
constexpr uint64_t kIdSpace = 1;
constexpr uint64_t kSessionSpace = 2;
constexpr double kClickRate = 0.04;
constexpr double kChange = 0.1;

// Even features are floats, odd ones short lists; both mostly repeat within a session.
FeatureClass SpecOf(uint32_t index) {
  FeatureClass f;
  f.is_list = index % 2 == 1;
  f.name = (f.is_list ? "list" : "dense") + std::to_string(index);
  f.change = kChange;
  f.change_group = index;
  if (f.is_list) {
    f.max_length = 8;
    f.empty_share = 0.1;
    f.min_length = 1;
  }
  return f;
}

class WideTable : public RowGenerator {
 public:
  explicit WideTable(const GenerateOptions& options)
      : order_(options.seed, options.rows, options.order,
               options.session_law.value_or(SessionLaw::kGeometric),
               options.mean_session.value_or(16.5)),
        presence_key_(DeriveKey(options.seed, kPresenceStream)),
        label_key_(DeriveKey(options.seed, kLabelStream)),
        session_key_(DeriveKey(options.seed, kSessionSpace)),
        block_bytes_(options.block_bytes),
        coverage_(options.coverage.value_or(0.01)) {
    const uint32_t count = options.features.value_or(20'000);
    streams_.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
      streams_.emplace_back(SpecOf(i), options.seed, i, kIdSpace);
    }
  }

  bool NextBlock(std::string* out) override {
    text_.Clear();
    RowPlace place;
    while (text_.size() < block_bytes_ && order_.Next(&place)) AppendRow(place);
    out->assign(text_.View());
    return !text_.empty();
  }

  uint64_t rows_done() const override { return rows_done_; }

  std::string SchemaJson() const override {
    SchemaText schema;
    schema.AddKey("session_id");
    schema.AddTimestamp("timestamp");
    schema.AddLabel("label");
    for (uint32_t i = 0; i < streams_.size(); ++i) {
      const FeatureClass spec = SpecOf(i);
      if (spec.is_list) {
        schema.AddList(spec.name, "", false);
      } else {
        schema.AddDense(spec.name);
      }
    }
    return schema.Finish();
  }

 private:
  // Jumps from one present feature to the next, so that a row costs what it holds and not what
  // the table could hold.
  void AppendRow(const RowPlace& place) {
    text_.Append("{\"session_id\":");
    text_.AppendInteger(static_cast<int64_t>(Mix64(session_key_ + place.session) >> 1));
    text_.Append(",\"timestamp\":");
    text_.AppendInteger(place.timestamp_ms);
    const uint64_t bits = DrawBits(DeriveKey(label_key_, place.session), place.step);
    text_.Append(Happens(bits, ProbabilityThreshold(kClickRate)) ? ",\"label\":1" : ",\"label\":0");
    const uint64_t key = DeriveKey(DeriveKey(presence_key_, place.session), place.step);
    uint64_t at = 0;
    for (uint64_t jump = 0; coverage_ > 0; ++jump) {
      at += GeometricFromBits(DrawBits(key, jump), 1 / coverage_);
      if (at > streams_.size()) break;
      text_.Append(streams_[at - 1].Text(place.session, place.step));
    }
    text_.Append("}\n");
    ++rows_done_;
  }

  SessionOrder order_;
  uint64_t presence_key_;
  uint64_t label_key_;
  uint64_t session_key_;
  size_t block_bytes_;
  double coverage_;
  std::vector<FeatureStream> streams_;
  JsonText text_;
  uint64_t rows_done_ = 0;
};

}  // namespace

std::unique_ptr<RowGenerator> MakeWide(const GenerateOptions& options) {
  return std::make_unique<WideTable>(options);
}

}  // namespace dsi::tools
