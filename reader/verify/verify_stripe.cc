// One stripe, page after page in file order: every node is decoded once and checked by the stream
// it belongs to; then streams are compared with each other.
#include <algorithm>
#include <cstring>
#include <utility>

#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/format/slots_internal.h"
#include "dsi/format/stream_rules_internal.h"
#include "dsi/reader/verify/stripe_records_internal.h"
#include "dsi/reader/verify/verify_internal.h"
#include "dsi/reader/verify/verify_statistics_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kReadBytes = 8 << 20;
constexpr size_t kMaxNames = 8;

class StripeVerifier {
 public:
  StripeVerifier(const OpenFile& file, const VerifiedDirectory& directory, size_t stripe,
                 MemoryBudget* budget, VerifyMeter* meter, DamageLog* log)
      : file_(file),
        directory_(directory),
        stripe_(stripe),
        ref_(file.core().stripes[stripe]),
        meter_(*meter),
        log_(*log),
        budget_(budget),
        records_(file, directory, stripe, budget, log),
        by_page_(budget),
        running_(budget),
        uses_(budget),
        buffer_(budget),
        values_(budget),
        content_(budget),
        scratch_(budget) {}

  Result<bool> Verify(CountedVector<VerifiedTotals>* totals, StatisticsVerifier* statistics) {
    DSI_RETURN_IF_ERROR(records_.Load());
    StartStreams();
    DSI_ASSIGN_OR_RETURN(const bool go_on, WalkPages());
    if (!go_on) return false;
    FinishStreams();
    CompareStreams(totals);
    AddStoredBytes(totals);
    if (!records_.is_damaged())
      DSI_RETURN_IF_ERROR(VerifyPlaces(file_, directory_, stripe_, budget_, &log_));
    DSI_RETURN_IF_ERROR(CheckDeleted());
    DSI_RETURN_IF_ERROR(statistics->CheckStripe(stripe_, !records_.is_damaged()));
    file_.ForgetStripe(stripe_);
    return true;
  }

 private:
  void StartStreams() {
    for (VerifiedStream& s : records_.streams()) {
      if (!s.present) continue;
      const SlotUse& use = s.use;
      const ColumnRecord* column = records_.ColumnOf(use);
      const uint32_t group_ordinal = column != nullptr ? column->group : use.owner;
      if (use.role != StreamRole::kDictionary && records_.group(group_ordinal).num_unique == 0) {
        s.failed = true;  // Its group is damaged, and that was reported.
        continue;
      }
      if (Status status = records_.CheckRecord(s); !status.ok()) {
        s.failed = true;
        records_.Report(std::move(status), records_.Where(use));
      }
      if (Status status = s.record.Support(); !status.ok()) {
        s.failed = s.unknown = true;
        records_.Report(std::move(status), records_.Where(use));
      }
      const StripeGroupRecord* group =
          use.role == StreamRole::kIndex ? &records_.group(use.owner) : nullptr;
      const uint32_t parent_unique = group == nullptr ? 0 : records_.ParentUnique(use);
      s.checker.Start(use.role, s.record, column, group, parent_unique, ref_.num_rows, budget_);
      if (s.record.num_pages != 0)
        by_page_.push_back(static_cast<uint32_t>(&s - records_.streams().data()));
    }
    std::sort(by_page_.begin(), by_page_.end(), [this](uint32_t a, uint32_t b) {
      const StreamRecord& x = records_.streams()[a].record;
      const StreamRecord& y = records_.streams()[b].record;
      return std::pair(x.first_page, x.offset_in_page) < std::pair(y.first_page, y.offset_in_page);
    });
  }

  // F-084.
  Status CheckDeleted() {
    const auto deleted = file_.LoadDeleted(stripe_, budget_);
    if (deleted.ok()) return Status::Ok();
    if (!IsDamage(deleted.status())) return deleted.status();
    log_.Add(deleted.status(), fmt::format("deleted rows of stripe {}", stripe_));
    return Status::Ok();
  }

  // Bytes of a page, through a buffer that holds a run of them: pages follow one another (F-062).
  Result<std::span<const std::byte>> PageBytes(const PageRecord& page) {
    const std::byte* const held = file_.ahead()->At(page.offset, page.stored_size);
    if (held != nullptr) return std::span(held, page.stored_size);
    const bool inside = page.offset >= buffer_at_ &&
                        FitsIn(page.offset - buffer_at_, page.stored_size, buffer_.size());
    if (!inside) {
      const uint64_t rest = ref_.data_offset + ref_.data_size - page.offset;
      buffer_at_ = page.offset;
      buffer_.resize(std::min(rest, std::max<uint64_t>(kReadBytes, page.stored_size)));
      DSI_RETURN_IF_ERROR(file_.file().ReadAt(buffer_at_, buffer_));
    }
    return std::span<const std::byte>(buffer_).subspan(page.offset - buffer_at_, page.stored_size);
  }

  // Streams with a node in this page: those that start in it, and paged ones that run through.
  void CollectUses(uint32_t page) {
    std::erase_if(running_, [&](uint32_t i) {
      const StreamRecord& r = records_.streams()[i].record;
      return page - r.first_page >= r.num_pages;
    });
    uses_ = running_;
    for (; next_ < by_page_.size() && records_.streams()[by_page_[next_]].record.first_page == page;
         ++next_) {
      uses_.push_back(by_page_[next_]);
      if (records_.streams()[by_page_[next_]].record.form == StreamForm::kPaged)
        running_.push_back(by_page_[next_]);
    }
  }

  std::string WherePage(uint32_t page, const PageRecord& record) const {
    std::string text = fmt::format("page {} (stripe {}, offset {}..{})", page, stripe_,
                                   record.offset, record.offset + record.stored_size);
    for (size_t i = 0; i < uses_.size() && i < kMaxNames; ++i) {
      text += (i == 0 ? ": " : "; ") + records_.Where(records_.streams()[uses_[i]].use);
    }
    if (uses_.size() > kMaxNames) text += fmt::format("; {} more", uses_.size() - kMaxNames);
    return text;
  }

  void FailUses() {
    for (const uint32_t i : uses_) records_.streams()[i].failed = true;
  }

  Result<bool> WalkPages() {
    for (uint32_t p = 0; p < ref_.pages.count; ++p) {
      CollectUses(p);
      auto records = file_.LoadPages(stripe_, p, 1);
      if (!records.ok()) {
        if (!IsDamage(records.status())) return records.status();
        FailUses();
        records_.Report(records.status(), fmt::format("stripe {}, page {}", stripe_, p));
        continue;
      }
      const PageRecord& record = records->front();
      DSI_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, PageBytes(record));
      const uint64_t seal = Seal(bytes, SealKind::kPage, record.offset, file_.salt());
      if (seal != record.seal) {
        FailUses();
        records_.Report(Corrupt("seal {:016x}, expected {:016x} (F-010)", seal, record.seal),
                        WherePage(p, record));
      } else {
        DSI_RETURN_IF_ERROR(CheckPage(p, record, bytes));
      }
      if (!meter_.Advance(record.stored_size)) return false;
    }
    return true;
  }

  // What a compressed page holds (F-065) is checked as if it stood there.
  Status CheckPage(uint32_t page, const PageRecord& record, std::span<const std::byte> bytes) {
    if (!record.compressed()) return CheckNodes(page, record, bytes);
    content_.resize(record.content_size());
    Status status = DecompressBytes(bytes, &scratch_, content_);
    if (status.ok()) return CheckNodes(page, record, content_);
    if (!IsDamage(status)) return status;
    FailUses();
    records_.Report(std::move(status), WherePage(page, record));
    return Status::Ok();
  }

  // Every byte of a page is some stream's: each record says where, and F-033 does not hold.
  bool must_be_full() const { return records_.all_placed() && !file_.may_have_gaps(); }

  // F-063, F-064: nodes do not overlap, and what lies between them is zero (F-002).
  Status CheckNodes(uint32_t page, const PageRecord& record, std::span<const std::byte> bytes) {
    uint64_t end = 0;
    const auto owners = std::count_if(uses_.begin(), uses_.end(), [this](uint32_t i) {
      return !records_.streams()[i].record.is_alias;
    });
    for (const uint32_t i : uses_) {
      VerifiedStream& s = records_.streams()[i];
      if (!s.record.is_alias)
        s.bytes += s.record.form == StreamForm::kPacked ? s.record.size : bytes.size();
      if (s.failed) {
        if (s.record.form == StreamForm::kPacked && s.record.offset_in_page >= end) {
          end = std::min<uint64_t>(bytes.size(), uint64_t{s.record.offset_in_page} + s.record.size);
        }
        continue;
      }
      const bool packed = s.record.form == StreamForm::kPacked;
      const uint32_t k = page - s.record.first_page;
      Status status = CheckPageOfStream(s.record, k, file_.core().page_values, record);
      if (status.ok() && !packed && (owners > 1 || (owners == 0 && must_be_full()))) {
        status = Corrupt("a page of form 3 belongs to {} streams (F-063)", owners);
      }
      std::span<const std::byte> node = bytes;
      if (status.ok() && packed) {
        node = bytes.subspan(s.record.offset_in_page, s.record.size);
        if (!s.record.is_alias) status = CheckPlace(s.record, page, &end);
      }
      if (status.ok()) status = CheckNode(&s, k, node);
      if (status.ok()) continue;
      if (!IsDamage(status)) return status;
      s.failed = true;
      s.unknown = status.code() == StatusCode::kUnsupported;
      records_.Report(status.At(fmt::format("page {} at offset {}", page, record.offset)),
                      records_.Where(s.use));
    }
    if (must_be_full() && owners == 0) {
      records_.Report(Corrupt("the page belongs to no stream (F-063)"), WherePage(page, record));
    } else if (must_be_full() && record.packed() && end != bytes.size()) {
      records_.Report(Corrupt("bytes {}..{} belong to no stream (F-064)", end, bytes.size()),
                      WherePage(page, record));
    }
    return Status::Ok();
  }

  // F-064, F-002: a packed node behind those before it, which end at *end.
  Status CheckPlace(const StreamRecord& r, uint32_t page, uint64_t* end) const {
    const uint64_t before = *end;
    *end = std::max<uint64_t>(before, uint64_t{r.offset_in_page} + r.size);
    if (r.offset_in_page < before) {
      return Corrupt("its node at {} overlaps another that ends at {} (F-064)", r.offset_in_page,
                     before);
    }
    if (must_be_full() && r.offset_in_page != before) {
      return Corrupt("bytes {}..{} of page {} belong to no stream (F-064)", before,
                     r.offset_in_page, page);
    }
    return Status::Ok();
  }

  Status CheckNode(VerifiedStream* s, uint32_t k, std::span<const std::byte> node) {
    // Of values of an unknown kind or type nothing is known but that others may be places in them.
    const bool is_opaque = records_.IsOpaque(s->use);
    if (is_opaque && !s->lends) return Status::Ok();
    const uint32_t count = ValuesInNode(s->record, k, file_.core().page_values);
    const int width = s->record.width;
    values_.resize((size_t{count} * 8 + 7) / 8);
    const bool is_values = s->use.role == StreamRole::kValues;
    const uint16_t id_space =
        is_values ? directory_.columns[s->use.owner].record.id_space : kNone16;
    const bool shared = is_values && (s->record.has_source() || id_space != kNone16) &&
                        !node.empty() &&
                        node[0] == static_cast<std::byte>(Encoding::kSharedDictionary);
    if (!shared) {
      DSI_RETURN_IF_ERROR(DecodeNode(node, width, count, {}, &scratch_, values_.data()));
      return is_opaque ? Status::Ok() : s->checker.Add(values_.data(), count);
    }
    const VerifiedStream* dictionary =
        records_.Find(s->record.has_source() ? ValuesSlot(s->record.source_column())
                                             : file_.slots().dictionary(id_space));
    if (dictionary == nullptr) {
      s->failed = true;  // Its dictionary is damaged, and that was reported.
      return Status::Ok();
    }
    // The values themselves need no look: only a bool has rules (S-011), and no id space is narrow.
    return DecodeSharedCodes(node, width, count, dictionary->record.num_values, &scratch_,
                             reinterpret_cast<uint32_t*>(values_.data()));
  }

  void FinishStreams() {
    for (VerifiedStream& s : records_.streams()) {
      if (s.failed || records_.IsOpaque(s.use)) continue;
      Status status;
      if (s.record.form == StreamForm::kConstant) status = s.checker.AddConstant();
      if (status.ok()) status = s.checker.Finish();
      if (!status.ok()) records_.Report(std::move(status), records_.Where(s.use));
    }
  }

  // Of the feature of a column of a known kind and type. What others hold means nothing here.
  const OpenColumn& FirstKnownColumn(const OpenColumn& column) const {
    uint32_t at = column.first_column();
    while (!directory_.columns[at].record.Support().ok()) ++at;
    return directory_.columns[at];
  }

  // D-011: entries asked for by the shape are those stored.
  void CompareStreams(CountedVector<VerifiedTotals>* totals) {
    for (const OpenColumn& c : directory_.columns) {
      if (c.name.empty()) continue;
      VerifiedTotals& total = (*totals)[c.ordinal];
      const VerifiedStream* values = records_.Find(c.values_slot());
      const VerifiedStream* shape = records_.Find(c.shape_slot());
      if (values == nullptr) {
        total.complete = false;
        continue;
      }
      const uint64_t num_values = records_.PoolValues(c);
      total.num_values += num_values;
      if (!c.record.Support().ok()) continue;
      if (shape == nullptr || !shape->checker.sound()) continue;
      const uint64_t entries = shape->checker.entries();
      // Columns may differ in what a code asks for only by damage, which was reported. Windows are
      // looked at later.
      if (records_.HasWindows(c)) {
        const OpenColumn& first = FirstKnownColumn(c);
        if (records_.PoolValues(first) == num_values) continue;
        records_.Report(Corrupt("a pool of {} values, column {} of the feature has {} (D-013)",
                                num_values, first.name, records_.PoolValues(first)),
                        records_.Where(values->use));
        continue;
      }
      if (entries == num_values) continue;
      records_.Report(
          Corrupt("{} values, the shape stream asks for {} (D-011)", num_values, entries),
          records_.Where(values->use));
    }
  }

  // F-070: a dictionary counts with the first column that uses it.
  void AddStoredBytes(CountedVector<VerifiedTotals>* totals) const {
    for (const VerifiedStream& s : records_.streams()) {
      if (s.use.role == StreamRole::kIndex) continue;
      const uint32_t column = s.use.role == StreamRole::kDictionary
                                  ? directory_.first_columns[s.use.owner]
                                  : s.use.owner;
      if (column == kNone32) continue;
      (*totals)[column].stored_bytes += s.bytes;
      if (s.failed && !s.unknown) (*totals)[column].complete = false;
      if (!IsKnown(s.record.form) && !s.record.is_alias) (*totals)[column].all_placed = false;
    }
  }

  const OpenFile& file_;
  const VerifiedDirectory& directory_;
  size_t stripe_;
  const StripeRef& ref_;
  VerifyMeter& meter_;
  DamageLog& log_;
  MemoryBudget* budget_;
  StripeRecords records_;
  CountedVector<uint32_t> by_page_;  // Positions in streams, by place in the file.
  size_t next_ = 0;                  // In by_page_.
  CountedVector<uint32_t> running_;  // Paged streams that the next page may belong to.
  CountedVector<uint32_t> uses_;
  CountedVector<std::byte> buffer_;
  uint64_t buffer_at_ = 0;
  CountedVector<uint64_t> values_;
  CountedVector<std::byte> content_;  // Of a compressed page.
  DecodeScratch scratch_;
};

}  // namespace

Result<bool> VerifyStripe(const OpenFile& file, const VerifiedDirectory& directory, size_t stripe,
                          MemoryBudget* budget, CountedVector<VerifiedTotals>* totals,
                          StatisticsVerifier* statistics, VerifyMeter* meter, DamageLog* log) {
  return StripeVerifier(file, directory, stripe, budget, meter, log).Verify(totals, statistics);
}

}  // namespace dsi::internal
