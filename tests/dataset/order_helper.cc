// Answers questions about the order, one on a line of standard input: a word, then numbers, where a
// list is its length and its elements. For order_reference_test.py.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "dsi/dataset/order/batch_share_internal.h"
#include "dsi/dataset/order/keyed_bijection_internal.h"
#include "dsi/dataset/order/row_order_internal.h"
#include "dsi/dataset/order/weighted_turns_internal.h"

namespace dsi::internal {
namespace {

class Question {
 public:
  explicit Question(const std::string& line) : in_(line) { in_ >> word_; }
  const std::string& word() const { return word_; }
  uint64_t Number() {
    uint64_t number = 0;
    in_ >> number;
    return number;
  }
  uint32_t Short() { return static_cast<uint32_t>(Number()); }
  template <typename T>
  std::vector<T> List() {
    std::vector<T> list(Number());
    for (T& element : list) element = static_cast<T>(Number());
    return list;
  }
  template <typename Span>
  std::vector<Span> Spans() {
    std::vector<Span> spans(Number());
    for (Span& span : spans) {
      span.begin = Number();
      span.end = Number();
    }
    return spans;
  }

 private:
  std::istringstream in_;
  std::string word_;
};

void Print(uint64_t number) { std::printf("%llu ", static_cast<unsigned long long>(number)); }

OrderOptions ReadOrder(Question* question) {
  OrderOptions order;
  order.unit = static_cast<OrderUnit>(question->Number());
  order.seed = question->Number();
  order.epoch = question->Number();
  order.block_rows = question->Short();
  order.mix = static_cast<Mix>(question->Number());
  return order;
}

void AnswerRows(Question* question) {
  const OrderOptions order = ReadOrder(question);
  const uint64_t snapshot = question->Number();
  const auto unit_ends = question->List<uint64_t>();
  const auto spans = question->Spans<RowSpan>();
  const Result<DatasetOrder> rows = DatasetOrder::Make(order, 4, snapshot, unit_ends, spans);
  if (!rows.ok()) return;
  Print(rows->rows_fingerprint());
  std::vector<RowSpan> found;
  rows->Find(0, rows->num_rows(), &found);
  for (const RowSpan& span : found) {
    for (uint64_t row = span.begin; row < span.end; ++row) Print(row);
  }
}

void AnswerWindow(Question* question) {
  const OrderOptions order = ReadOrder(question);
  const uint64_t snapshot = question->Number();
  const uint64_t window = question->Number();
  const auto starts = question->List<uint32_t>();
  std::vector<uint32_t> rows;
  MixWindow(order, snapshot, window, starts, question->Short(), &rows);
  for (const uint32_t row : rows) Print(row);
}

void AnswerBijection(Question* question) {
  const uint64_t key = question->Number();
  const KeyedBijection bijection(key, question->Number());
  for (const uint64_t i : question->List<uint64_t>()) Print(bijection.At(i));
}

void AnswerShare(Question* question) {
  ShardOptions shard;
  shard.remainder = static_cast<Remainder>(question->Number());
  shard.world = question->Short();
  const auto left = question->Spans<BatchSpan>();
  for (; shard.rank < shard.world; ++shard.rank) {
    const Result<BatchShare> share = BatchShare::Make(left, shard);
    for (uint64_t i = 0; share.ok() && i < share->size(); ++i) {
      Print(share->at(i));
      Print(share->is_repeated(i) ? 1 : 0);
    }
  }
}

void AnswerLeft(Question* question) {
  const auto remainder = static_cast<Remainder>(question->Number());
  const uint32_t world = question->Short();
  const auto left = question->Spans<BatchSpan>();
  for (const BatchSpan& span : BatchesLeft(left, world, remainder, question->List<uint64_t>())) {
    Print(span.begin);
    Print(span.end);
  }
}

void AnswerTurns(Question* question) {
  WeightedTurns turns(question->List<uint32_t>());
  for (uint64_t count = question->Number(); count > 0; --count) {
    const size_t next = turns.Next();
    Print(next);
    turns.Take(next);
  }
}

}  // namespace
}  // namespace dsi::internal

int main() {
  using namespace dsi::internal;
  for (std::string line; std::getline(std::cin, line);) {
    Question question(line);
    if (question.word() == "rows") AnswerRows(&question);
    if (question.word() == "window") AnswerWindow(&question);
    if (question.word() == "bijection") AnswerBijection(&question);
    if (question.word() == "share") AnswerShare(&question);
    if (question.word() == "left") AnswerLeft(&question);
    if (question.word() == "turns") AnswerTurns(&question);
    std::printf("\n");
  }
  return 0;
}
