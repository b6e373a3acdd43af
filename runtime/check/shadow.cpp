// SPDX-License-Identifier: Apache-2.0
#include "shadow.hpp"

#include <algorithm>

namespace millrace::checker {

Marks::Marks(const Marks& other) : first_(other.first_) {
  if (other.others_ != nullptr) others_ = std::make_unique<std::vector<Epoch>>(*other.others_);
}

Marks& Marks::operator=(const Marks& other) {
  if (this != &other) *this = Marks(other);
  return *this;
}

bool Marks::others_before(const ClockStore& clocks, const Moment& now) const {
  return std::all_of(others_->begin(), others_->end(),
                     [&](Epoch mark) { return clocks.knows(now.start, mark); });
}

void Marks::forget_others(const ClockStore& clocks, const Moment& now) {
  std::erase_if(*others_, [&](Epoch mark) { return clocks.knows(now.start, mark); });
  if (clocks.knows(now.start, first_)) {
    first_ = {};
    if (!others_->empty()) {
      first_ = others_->back();
      others_->pop_back();
    }
  }
  if (others_->empty()) others_.reset();
}

void Marks::add_other(const ClockStore& clocks, const Moment& now) {
  forget(clocks, now);
  if (first_.chain == no_chain) {
    first_ = now.over;
    return;
  }
  if (others_ == nullptr) others_ = std::make_unique<std::vector<Epoch>>();
  others_->push_back(now.over);
}

bool Shadow::touch_part(const ClockStore& clocks, const Region& region, bool write,
                        const Moment& now) {
  if (ranges_ == nullptr && pieces_ == nullptr) {
    if (whole_.empty()) {
      whole_ = region;
      return touch(clocks, cell_, write, now);
    }
    if (whole_.contiguous() && region.contiguous()) use_ranges();
  }
  if (pieces_ == nullptr && !(ranges_ != nullptr && region.contiguous())) use_pieces();
  if (pieces_ != nullptr) return touch_pieces(clocks, region, write, now);
  bool fine = true;
  ranges_->update(region.begin, region.end, [&](Cell& cell) {
    if (!touch(clocks, cell, write, now)) fine = false;
  });
  return fine;
}

bool Shadow::touch_pieces(const ClockStore& clocks, const Region& region, bool write,
                          const Moment& now) {
  bool fine = true;
  Piece* own = nullptr;
  for (Piece& piece : *pieces_) {
    if (piece.region == region) {
      own = &piece;
    } else if (common_bytes(piece.region, region)) {
      fine = fine && piece.cell.all_before(clocks, write, now);
      if (!contains(region, piece.region)) continue;
      // What this access covers wholly need not be asked again.
      piece.cell.reads.forget(clocks, now);
      if (write) piece.cell.write = {};
    }
  }
  if (own == nullptr) own = &pieces_->emplace_back(Piece{region, {}});
  fine = touch(clocks, own->cell, write, now) && fine;
  std::erase_if(*pieces_, [](const Piece& piece) { return piece.cell == Cell{}; });
  return fine;
}

void Shadow::use_ranges() {
  ranges_ = std::make_unique<IntervalMap<Cell>>();
  ranges_->update(whole_.begin, whole_.end, [&](Cell& cell) { cell = cell_; });
}

void Shadow::use_pieces() {
  pieces_ = std::make_unique<std::vector<Piece>>();
  if (ranges_ == nullptr) {
    pieces_->push_back({whole_, cell_});
    return;
  }
  ranges_->for_each([&](std::uint64_t begin, std::uint64_t end, const Cell& cell) {
    if (!(cell == Cell{})) pieces_->push_back({{begin, end, 0, 0}, cell});
  });
  ranges_.reset();
}

template <typename Visit>
void Shadow::for_each_cell(Visit visit) const {
  if (pieces_ != nullptr) {
    for (const Piece& piece : *pieces_) visit(piece.cell);
  } else if (ranges_ != nullptr) {
    ranges_->for_each([&](std::uint64_t, std::uint64_t, const Cell& cell) { visit(cell); });
  } else {
    visit(cell_);
  }
}

bool Shadow::allocate(const Moment& now) {
  const bool fine = !is_touched_ && !is_freed_ && allocated_.chain == no_chain;
  allocated_ = now.over;
  return fine;
}

bool Shadow::free(const ClockStore& clocks, const Moment& now) {
  bool fine = clocks.knows(now.start, allocated_) && freed_.all_before(clocks, now);
  for_each_cell([&](const Cell& cell) { fine = fine && cell.all_before(clocks, true, now); });
  is_freed_ = true;
  freed_.add(clocks, now);
  // From here on every access is wrong; what was before can rest.
  whole_ = {};
  cell_ = {};
  ranges_.reset();
  pieces_.reset();
  return fine;
}

bool Shadow::bound_life(const ClockStore& clocks, AccessMode mode, const Moment& now) {
  return mode == AccessMode::allocate ? allocate(now) : free(clocks, now);
}

}  // namespace millrace::checker
