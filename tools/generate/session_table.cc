#include "dsi/tools/generate/session_table_internal.h"

#include <utility>

#include "dsi/tools/generate/counter_rng_internal.h"
#include "dsi/tools/generate/feature_stream_internal.h"
#include "dsi/tools/generate/json_text_internal.h"
#include "dsi/tools/generate/schema_text_internal.h"
#include "dsi/tools/generate/session_order_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kLabelStream = 0x31;
constexpr double kClickRate = 0.04;
constexpr uint64_t kIdSpace = 1;
constexpr uint64_t kSessionSpace = 2;
constexpr uint64_t kFirstFeatureSpace = 16;

class SessionTable : public RowGenerator {
 public:
  SessionTable(const GenerateOptions& options, const SessionProfile& profile)
      : order_(options.seed, options.rows, options.order, profile.law, profile.mean_session),
        label_key_(DeriveKey(options.seed, kLabelStream)),
        session_key_(DeriveKey(options.seed, kSessionSpace)),
        block_bytes_(options.block_bytes),
        specs_(profile.features) {
    streams_.reserve(specs_.size());
    for (size_t i = 0; i < specs_.size(); ++i) {
      const uint64_t space = options.separate_id_spaces ? kFirstFeatureSpace + i : kIdSpace;
      streams_.emplace_back(specs_[i], options.seed, i, space);
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
    for (const FeatureClass& spec : specs_) {
      if (spec.is_list) {
        schema.AddList(spec.name, "", spec.shift_share > 0);
      } else {
        schema.AddDense(spec.name);
      }
    }
    return schema.Finish();
  }

 private:
  void AppendRow(const RowPlace& place) {
    text_.Append("{\"session_id\":");
    text_.AppendInteger(static_cast<int64_t>(Mix64(session_key_ + place.session) >> 1));
    text_.Append(",\"timestamp\":");
    text_.AppendInteger(place.timestamp_ms);
    const uint64_t bits = DrawBits(DeriveKey(label_key_, place.session), place.step);
    text_.Append(Happens(bits, ProbabilityThreshold(kClickRate)) ? ",\"label\":1" : ",\"label\":0");
    for (FeatureStream& stream : streams_) text_.Append(stream.Text(place.session, place.step));
    text_.Append("}\n");
    ++rows_done_;
  }

  SessionOrder order_;
  uint64_t label_key_;
  uint64_t session_key_;
  size_t block_bytes_;
  std::vector<FeatureClass> specs_;
  std::vector<FeatureStream> streams_;
  JsonText text_;
  uint64_t rows_done_ = 0;
};

}  // namespace

std::unique_ptr<RowGenerator> MakeSessionTable(const GenerateOptions& options,
                                               const SessionProfile& profile) {
  return std::make_unique<SessionTable>(options, profile);
}

}  // namespace dsi::tools
