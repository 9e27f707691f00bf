#include "dsi/writer/spill/row_codec_internal.h"

#include <cstring>
#include <numeric>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {
namespace {

size_t VarintSize(uint32_t value) {
  size_t size = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++size;
  }
  return size;
}

std::byte* PutVarint(std::byte* at, uint32_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<std::byte>(value);
  return at;
}

// Null where the bytes end before the number does, or it has more than 32 bits.
const std::byte* TakeVarint(const std::byte* at, const std::byte* end, uint32_t* value) {
  uint64_t sum = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (at == end) return nullptr;
    const auto byte = static_cast<uint8_t>(*at++);
    sum |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte >= 0x80) continue;
    *value = static_cast<uint32_t>(sum);
    return sum <= UINT32_MAX ? at : nullptr;
  }
  return nullptr;
}

// Features that every row has had so far list their rows once one lacks them.
void ListRows(RowBatch::FeatureBuffer* buffer) {
  buffer->rows.resize(buffer->num_present);
  std::iota(buffer->rows.begin(), buffer->rows.end(), 0U);
  buffer->all_present = false;
}

template <typename Visit>
Status ForEachFeature(std::span<const FeatureCoding> codings, std::span<const std::byte> row,
                      const Visit& visit) {
  const std::byte* at = row.data();
  const std::byte* const end = at + row.size();
  const auto damaged = [] { return Corrupt("a spilled row is not what was written"); };
  uint64_t next = 0;
  while (at != end) {
    uint32_t distance = 0;
    at = TakeVarint(at, end, &distance);
    if (at == nullptr || distance >= codings.size() - next) return damaged();
    const uint64_t feature = next + distance;
    next = feature + 1;
    const FeatureCoding& coding = codings[feature];
    uint32_t entries = coding.entries_per_row;
    if (coding.has_lengths) at = TakeVarint(at, end, &entries);
    if (at == nullptr) return damaged();
    uint64_t size = 0;
    for (const uint32_t width : coding.widths) size += uint64_t{width} * entries;
    if (size > static_cast<uint64_t>(end - at)) return damaged();
    visit(static_cast<uint32_t>(feature), entries, at);
    at += size;
  }
  return Status::Ok();
}

}  // namespace

std::vector<FeatureCoding> CodingsOf(const Schema& schema) {
  std::vector<FeatureCoding> codings;
  for (const FeatureSpec& spec : schema.features) {
    FeatureCoding& coding = codings.emplace_back();
    coding.has_lengths = HasLengths(spec.kind, spec.columns[0].type);
    if (!coding.has_lengths)
      coding.entries_per_row = spec.kind == Kind::kEmbedding ? spec.fixed_length : 1;
    for (const ColumnSpec& column : spec.columns)
      coding.widths.push_back(static_cast<uint32_t>(TypeWidth(column.type)));
  }
  return codings;
}

RowsEncoder::RowsEncoder(std::span<const FeatureCoding> codings, const RowBatch& rows)
    : codings_(codings), rows_(rows), cursors_(codings.size()), starts_(codings.size()) {
  for (size_t f = 0; f < codings.size(); ++f) {
    const RowBatch::FeatureBuffer& buffer = rows.feature(f);
    if (!buffer.lists.empty()) starts_[f] = StartsOf(buffer.lengths);
  }
}

void RowsEncoder::Encode(uint32_t count, std::vector<std::byte>* out) {
  const uint32_t first = row_;
  const uint32_t end = first + count;
  // Calls visit(row, entries) for each of these rows that has the feature.
  const auto for_each = [&](size_t f, Cursor* cursor, const auto& visit) {
    const RowBatch::FeatureBuffer& buffer = rows_.feature(f);
    while (true) {
      const size_t row = buffer.all_present                    ? cursor->stored
                         : cursor->stored < buffer.rows.size() ? buffer.rows[cursor->stored]
                                                               : SIZE_MAX;
      if (row >= end) return;
      const size_t list = buffer.ListOf(cursor->stored);
      const uint32_t entries =
          codings_[f].has_lengths ? buffer.lengths[list] : codings_[f].entries_per_row;
      visit(row - first, entries, starts_[f].empty() ? cursor->entry : starts_[f][list]);
      cursor->entry += entries;
      ++cursor->stored;
    }
  };
  at_.assign(count, 0);
  last_.assign(count, 0);
  for (size_t f = 0; f < codings_.size(); ++f) {
    Cursor cursor = cursors_[f];
    for_each(f, &cursor, [&](size_t row, uint32_t entries, uint64_t) {
      at_[row] += VarintSize(static_cast<uint32_t>(f) - last_[row]);
      if (codings_[f].has_lengths) at_[row] += VarintSize(entries);
      for (const uint32_t width : codings_[f].widths) at_[row] += uint64_t{width} * entries;
      last_[row] = static_cast<uint32_t>(f) + 1;
    });
  }
  const size_t ends = out->size();
  uint64_t sum = 0;
  for (uint64_t& at : at_) {
    const uint64_t size = at;
    at = sum;
    sum += size;
    AppendLE(out, static_cast<uint32_t>(sum));
  }
  const size_t base = ends + count * sizeof(uint32_t);
  out->resize(base + sum);
  last_.assign(count, 0);
  for (size_t f = 0; f < codings_.size(); ++f) {
    const RowBatch::FeatureBuffer& buffer = rows_.feature(f);
    for_each(f, &cursors_[f], [&](size_t row, uint32_t entries, uint64_t entry) {
      std::byte* at = out->data() + base + at_[row];
      std::byte* const begin = at;
      at = PutVarint(at, static_cast<uint32_t>(f) - last_[row]);
      if (codings_[f].has_lengths) at = PutVarint(at, entries);
      for (size_t c = 0; c < codings_[f].widths.size(); ++c) {
        const uint64_t width = codings_[f].widths[c];
        if (entries != 0) std::memcpy(at, buffer.values[c].data() + entry * width, entries * width);
        at += entries * width;
      }
      at_[row] += static_cast<uint64_t>(at - begin);
      last_[row] = static_cast<uint32_t>(f) + 1;
    });
  }
  row_ = end;
}

Status VisitRow(std::span<const FeatureCoding> codings, std::span<const std::byte> row,
                const std::function<void(uint32_t, uint32_t, const std::byte*)>& visit) {
  return ForEachFeature(codings, row, visit);
}

RowCollector::RowCollector(std::span<const FeatureCoding> codings, ListSharing* sharing)
    : codings_(codings), sharing_(sharing), features_(codings.size()) {
  for (size_t f = 0; f < codings.size(); ++f) features_[f].values.resize(codings[f].widths.size());
}

Status RowCollector::Add(std::span<const std::byte> row) {
  DSI_RETURN_IF_ERROR(
      ForEachFeature(codings_, row, [&](uint32_t f, uint32_t entries, const std::byte* bytes) {
        const FeatureCoding& coding = codings_[f];
        RowBatch::FeatureBuffer& buffer = features_[f];
        if (buffer.all_present && buffer.num_present != num_rows_) ListRows(&buffer);
        if (!buffer.all_present) buffer.rows.push_back(num_rows_);
        ++buffer.num_present;
        if (sharing_ != nullptr && sharing_->Shares(f)) {
          columns_.clear();
          for (const uint32_t width : coding.widths) {
            columns_.push_back(bytes);
            bytes += uint64_t{width} * entries;
          }
          return sharing_->Append(f, {&entries, 1}, columns_, &buffer);
        }
        if (coding.has_lengths) buffer.lengths.push_back(entries);
        for (size_t c = 0; c < coding.widths.size(); ++c) {
          const uint64_t size = uint64_t{coding.widths[c]} * entries;
          buffer.values[c].append({bytes, bytes + size});
          bytes += size;
        }
      }));
  ++num_rows_;
  return Status::Ok();
}

void RowCollector::Finish() {
  for (RowBatch::FeatureBuffer& buffer : features_) {
    if (buffer.all_present && buffer.num_present != num_rows_) ListRows(&buffer);
  }
}

}  // namespace dsi::internal
