// Looks at the rows of a text and remembers what each name held; one kind for each format.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/text/infer/infer_feature_internal.h"
#include "dsi/text/infer/key_sample_internal.h"
#include "dsi/text/infer/line_place_internal.h"
#include "dsi/text/lines/line_source_internal.h"
#include "dsi/text/lines/time_forms_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// Looks at the rows of one file after another and gives what was seen of each name, in order of
// first appearance.
class RowLooker {
 public:
  explicit RowLooker(TimeForms times) : times_(std::move(times)) {}
  virtual ~RowLooker() = default;
  RowLooker(const RowLooker&) = delete;
  RowLooker& operator=(const RowLooker&) = delete;
  // Goes on with the lines of a file, whose number among all is `file`. `may_be_empty`: a file
  // without a line is none at all, and needs no header.
  Status StartFile(LineSource* lines, uint32_t file, bool may_be_empty) {
    lines_ = lines;
    file_ = file;
    return ReadStart(may_be_empty);
  }
  // False at the end.
  virtual Result<bool> LookAtRow() = 0;

  std::deque<SeenFeature>& seen() { return seen_; }
  const std::deque<SeenFeature>& seen() const { return seen_; }
  KeySample& sample() { return sample_; }
  // Once all rows were looked at.
  virtual Status Finish() { return {}; }
  // Adds what others have seen of rows behind all of its own, each of other rows. False: the order
  // of rows matters. Only of formats that can be looked at in parts.
  bool MergeAll(std::span<const std::unique_ptr<RowLooker>> others);
  // Notes which examples were offered, for MergeAll.
  void NoteOffers() { notes_offers_ = true; }
  // Names of a first line that read as numbers.
  virtual std::vector<std::string> NumbersInHeader() const { return {}; }
  // Names that stood in rows and never had a value.
  virtual std::vector<std::string> Valueless() const = 0;
  // Names of any sort.
  virtual size_t num_names() const { return seen_.size(); }

 protected:
  LineSource& lines() { return *lines_; }
  // The place of the line read last.
  uint64_t line() const { return PlaceOf(file_, lines_->lines_done()); }
  const TimeForms& times() const { return times_; }
  // Reads what stands in front of a file's rows.
  virtual Status ReadStart(bool may_be_empty) = 0;
  // The ordinal of a new name.
  Result<uint32_t> Add(std::string_view name);
  // Of a feature that wants an example.
  void Offer(uint32_t feature, std::string_view text);

 private:
  // An example, of a row of that place.
  struct Offered {
    uint64_t place = 0;
    uint32_t feature = 0;
    std::string text;
  };

  const TimeForms times_;
  LineSource* lines_ = nullptr;
  uint32_t file_ = 0;
  std::deque<SeenFeature> seen_;
  KeySample sample_;
  std::vector<uint64_t> first_places_;  // By feature: of the row that had its name first.
  uint64_t name_bytes_ = 0;
  bool notes_offers_ = false;
  std::vector<Offered> offers_;
};

std::unique_ptr<RowLooker> MakeJsonLooker(const TextInputOptions& options, TimeForms times);
std::unique_ptr<RowLooker> MakeExampleLooker(TimeForms times);
std::unique_ptr<RowLooker> MakeDelimitedLooker(TextFormat format, const InferOptions& options,
                                               TimeForms times);

}  // namespace dsi::internal
