/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Machine code that tells whether a short text of one-byte characters matches a
// simple regular expression, and nothing else: no places, no captures.
//
// It needs no stack to go back on: what may be matched in several ways is tried
// by code that knows the rest of the expression, and most loops need not try
// (`CouldGiveBack`). What it does not know is left to irregexp's code.

#ifndef bao_QuickTest_h
#define bao_QuickTest_h

#include "bao/QuickTestCall.h"
#include "irregexp/imported/regexp-ast.h"
#include "irregexp/RegExpShim.h"
#include "jit/MacroAssembler.h"
#include "vm/RegExpShared.h"

#include "jit/MacroAssembler-inl.h"

namespace bao {

namespace rx = v8::internal::regexp;

// A set of one-byte characters.
class ByteSet {
  uint64_t words_[4] = {};

 public:
  void add(uint32_t from, uint32_t to) {
    for (uint32_t c = from; c <= to && c < 256; c++) {
      words_[c / 64] |= uint64_t(1) << (c % 64);
    }
  }
  bool has(uint32_t c) const {
    return c < 256 && (words_[c / 64] >> (c % 64) & 1);
  }
  void invert() {
    for (uint64_t& word : words_) {
      word = ~word;
    }
  }
  bool meets(const ByteSet& other) const {
    for (size_t i = 0; i < 4; i++) {
      if (words_[i] & other.words_[i]) {
        return true;
      }
    }
    return false;
  }
};

// What is still to be matched, first to last.
struct QuickRest {
  rx::Tree* tree;
  const QuickRest* next;
};

class QuickTest {
  using Label = js::jit::NonAssertingLabel;
  using Assembler = js::jit::Assembler;
  using Imm32 = js::jit::Imm32;
  using Address = js::jit::Address;

  // How much code an expression may become, in characters and loops.
  static constexpr uint32_t MaxSteps = 96;
  // The longest repetition that is written out.
  static constexpr int MaxCopies = 8;
  static constexpr uint32_t MaxRanges = 5;
  static constexpr uint32_t MaxDepth = 64;

  // Null while the expression is only looked at.
  js::jit::MacroAssembler* masm_ = nullptr;
  v8::internal::Zone* zone_;
  js::jit::Label* found_ = nullptr;
  uint32_t steps_ = 0;
  uint32_t depth_ = 0;
  uint32_t slots_ = 0;
  bool hasSearchingLoop_ = false;

 public:
  explicit QuickTest(v8::internal::Zone* zone) : zone_(zone) {}

  // Writes the code of an expression, or code that says that there is none.
  void write(js::jit::MacroAssembler& masm, js::RegExpShared* shared,
             rx::Tree* tree) {
    Label body;
    masm.jump(&body);
    masm.nopAlign(QuickTestOffset);
    MOZ_RELEASE_ASSERT(masm.currentOffset() == QuickTestOffset);

    QuickRest all{tree, nullptr};
    int least = tree->min_match();
    if (shared->ignoreCase() || shared->unicode() || shared->unicodeSets() ||
        shared->global() || shared->sticky() || least > QuickTestMaxLength ||
        !rest(&all, nullptr, 0, 0)) {
      masm.move32(Imm32(QuickTestUnknown), QuickTestResult);
      masm.ret();
      masm.bind(&body);
      return;
    }

    masm_ = &masm;
    steps_ = slots_ = 0;
    hasSearchingLoop_ = false;
    Label found, next, missing;
    found_ = &found;
    masm.movePtr(QuickTestPlace, QuickTestStart);
    bool isAnchored = tree->IsCertainlyAnchoredAtStart(MaxDepth);
    if (!isAnchored) {
      masm.movePtr(QuickTestPlace, QuickTestFrom);
    }
    Label again;
    masm.bind(&again);
    masm.propagateOOM(rest(&all, &next, 0, 0));
    masm.bind(&found);
    masm.move32(Imm32(QuickTestFound), QuickTestResult);
    masm.ret();
    masm.bind(&next);
    if (!isAnchored) {
      masm.addPtr(Imm32(1), QuickTestFrom);
      masm.movePtr(QuickTestFrom, QuickTestPlace);
      masm.computeEffectiveAddress(Address(QuickTestFrom, least),
                                   QuickTestTemp);
      masm.branchPtr(Assembler::BelowOrEqual, QuickTestTemp, QuickTestEnd,
                     &again);
    }
    masm.move32(Imm32(QuickTestMissing), QuickTestResult);
    masm.ret();
    masm.bind(&body);
  }

 private:
  bool isWriting() const { return masm_; }

  bool step() { return ++steps_ <= MaxSteps; }

  // The characters of a class, of one character of an atom.
  ByteSet setOf(rx::ClassRanges* ranges) {
    ByteSet set;
    rx::CharacterSet all = ranges->character_set();
    for (const rx::CharacterRange& range : *all.ranges(zone_)) {
      set.add(range.from(), range.to());
    }
    if (ranges->is_negated()) {
      set.invert();
    }
    return set;
  }

  // Whether a tree matches one character of a set, and nothing else.
  bool isOneOf(rx::Tree* tree, ByteSet* set) {
    while (true) {
      if (tree->IsCapture()) {
        tree = tree->AsCapture()->body();
      } else if (tree->IsGroup()) {
        if (tree->AsGroup()->flags().ignoreCase()) {
          return false;
        }
        tree = tree->AsGroup()->body();
      } else if (tree->IsAtom() && tree->AsAtom()->length() == 1) {
        uint32_t c = tree->AsAtom()->data()[0];
        set->add(c, c);
        return true;
      } else if (tree->IsClassRanges()) {
        *set = setOf(tree->AsClassRanges());
        return true;
      } else if (tree->IsText() && tree->AsText()->elements()->length() == 1) {
        tree = tree->AsText()->elements()->at(0).tree();
      } else {
        return false;
      }
    }
  }

  // Whether `rest` may match where the text has a character of `set`, and so
  // whether a loop over the set that gave back a character could help. A rest
  // that matches nothing at all always matches.
  bool couldGiveBack(const ByteSet& set, const QuickRest* rest, uint32_t depth) {
    if (!rest) {
      return false;
    }
    if (depth > MaxDepth) {
      return true;
    }
    rx::Tree* tree = rest->tree;
    if (tree->IsAtom()) {
      return tree->AsAtom()->length() == 0
                 ? couldGiveBack(set, rest->next, depth + 1)
                 : set.has(tree->AsAtom()->data()[0]);
    }
    if (tree->IsClassRanges()) {
      return set.meets(setOf(tree->AsClassRanges()));
    }
    if (tree->IsText()) {
      QuickRest first{tree->AsText()->elements()->at(0).tree(), nullptr};
      return couldGiveBack(set, &first, depth + 1);
    }
    if (tree->IsAlternative()) {
      return inAlternative(tree->AsAlternative(), rest->next, [&](auto* all) {
        return couldGiveBack(set, all, depth + 1);
      });
    }
    if (tree->IsCapture()) {
      QuickRest body{tree->AsCapture()->body(), rest->next};
      return couldGiveBack(set, &body, depth + 1);
    }
    if (tree->IsGroup()) {
      QuickRest body{tree->AsGroup()->body(), rest->next};
      return couldGiveBack(set, &body, depth + 1);
    }
    if (tree->IsEmpty()) {
      return couldGiveBack(set, rest->next, depth + 1);
    }
    if (tree->IsDisjunction()) {
      for (rx::Tree* alternative : *tree->AsDisjunction()->alternatives()) {
        QuickRest way{alternative, rest->next};
        if (couldGiveBack(set, &way, depth + 1)) {
          return true;
        }
      }
      return false;
    }
    if (tree->IsQuantifier()) {
      rx::Quantifier* quantifier = tree->AsQuantifier();
      QuickRest body{quantifier->body(), rest->next};
      return couldGiveBack(set, &body, depth + 1) ||
             (quantifier->min() == 0 &&
              couldGiveBack(set, rest->next, depth + 1));
    }
    // There is a character, so that this is not the end.
    return !tree->IsAssertion() || tree->AsAssertion()->assertion_type() !=
                                       rx::Assertion::Type::END_OF_INPUT;
  }

  // Calls `use` with `count` parts and then `next`.
  template <typename PartOf, typename Use>
  static bool inOrder(int count, PartOf partOf, const QuickRest* next, Use use) {
    js::Vector<QuickRest, 8, js::SystemAllocPolicy> parts;
    if (!parts.reserve(count)) {
      return false;
    }
    // The parts are linked from the last to the first.
    for (int i = count - 1; i >= 0; i--) {
      parts.infallibleAppend(QuickRest{partOf(i), next});
      next = &parts.back();
    }
    return use(next);
  }
  template <typename Use>
  static bool inAlternative(rx::Alternative* tree, const QuickRest* next,
                            Use use) {
    const auto& nodes = *tree->nodes();
    return inOrder(nodes.length(), [&](int i) { return nodes.at(i); }, next, use);
  }

  // The least number of characters that `rest` matches.
  int leastOf(const QuickRest* rest) {
    int least = 0;
    for (; rest; rest = rest->next) {
      if (rest->tree->min_match() > QuickTestMaxLength) {
        return QuickTestMaxLength + 1;
      }
      least += rest->tree->min_match();
      if (least > QuickTestMaxLength) {
        break;
      }
    }
    return least;
  }

  // Goes to `fail` if the character is not one of a set.
  bool test(const ByteSet& set, js::jit::Label* fail) {
    struct Range {
      uint32_t from, to;
    };
    Range ranges[2][MaxRanges + 1];
    uint32_t counts[2] = {};
    for (uint32_t c = 0; c < 256;) {
      bool isIn = set.has(c);
      uint32_t from = c;
      while (c < 256 && set.has(c) == isIn) {
        c++;
      }
      if (counts[isIn] <= MaxRanges) {
        ranges[isIn][counts[isIn]++] = {from, c - 1};
      }
    }
    bool isInverse = counts[0] < counts[1];
    uint32_t count = counts[!isInverse];
    if (count > MaxRanges) {
      return false;
    }
    if (!isWriting()) {
      return true;
    }
    if (count == 0) {
      if (!isInverse) {
        masm_->jump(fail);
      }
      return true;
    }
    Label isOne;
    for (uint32_t i = 0; i < count; i++) {
      auto [from, to] = ranges[!isInverse][i];
      bool isLast = !isInverse && i == count - 1;
      js::jit::Label* target = isInverse || isLast ? fail : &isOne;
      if (from == to) {
        masm_->branch32(isLast ? Assembler::NotEqual : Assembler::Equal,
                        QuickTestResult, Imm32(from), target);
      } else if (from == 0) {
        masm_->branch32(isLast ? Assembler::Above : Assembler::BelowOrEqual,
                        QuickTestResult, Imm32(to), target);
      } else if (to == 255) {
        masm_->branch32(isLast ? Assembler::Below : Assembler::AboveOrEqual,
                        QuickTestResult, Imm32(from), target);
      } else {
        masm_->computeEffectiveAddress(
            Address(QuickTestResult, -int32_t(from)), QuickTestTemp);
        masm_->branch32(isLast ? Assembler::Above : Assembler::BelowOrEqual,
                        QuickTestTemp, Imm32(to - from), target);
      }
    }
    masm_->bind(&isOne);
    return true;
  }

  // Makes sure that there are `count` characters from `offset`, which were
  // looked at up to `seen`; if so, and if there are more that `all` needs, looks
  // at these as well.
  int see(const QuickRest* all, int count, int offset, int seen,
          js::jit::Label* fail) {
    if (seen >= count) {
      return seen;
    }
    int needed = std::max(count, leastOf(all));
    if (isWriting()) {
      masm_->computeEffectiveAddress(Address(QuickTestPlace, offset + needed),
                                     QuickTestTemp);
      masm_->branchPtr(Assembler::Above, QuickTestTemp, QuickTestEnd, fail);
    }
    return needed;
  }

  void load(int offset) {
    if (isWriting()) {
      masm_->load8ZeroExtend(Address(QuickTestPlace, offset), QuickTestResult);
    }
  }

  void advance(int offset) {
    if (isWriting() && offset) {
      masm_->addPtr(Imm32(offset), QuickTestPlace);
    }
  }

  // Takes a register that keeps a place.
  bool takeSlot(js::jit::Register* slot) {
    if (slots_ == std::size(QuickTestSlots)) {
      return false;
    }
    *slot = QuickTestSlots[slots_++];
    return true;
  }

  // Matches what is left at QuickTestPlace + `offset`, where `seen` characters
  // are known to follow: goes to the end of the code if it matches, and to `fail`
  // if not.
  bool rest(const QuickRest* all, js::jit::Label* fail, int offset, int seen) {
    if (leastOf(all) > QuickTestMaxLength || ++depth_ > MaxDepth) {
      return false;
    }
    bool isKnown = part(all, fail, offset, seen);
    depth_--;
    return isKnown;
  }

  bool part(const QuickRest* all, js::jit::Label* fail, int offset, int seen) {
    if (!all) {
      if (isWriting()) {
        masm_->jump(found_);
      }
      return step();
    }
    rx::Tree* tree = all->tree;
    const QuickRest* next = all->next;
    if (tree->IsEmpty()) {
      return rest(next, fail, offset, seen);
    }
    if (tree->IsAtom()) {
      return atom(all, fail, offset, seen);
    }
    if (tree->IsClassRanges()) {
      seen = see(all, 1, offset, seen, fail);
      load(offset);
      return step() && test(setOf(tree->AsClassRanges()), fail) &&
             rest(next, fail, offset + 1, seen - 1);
    }
    if (tree->IsText()) {
      const auto& elements = *tree->AsText()->elements();
      return inOrder(
          elements.length(), [&](int i) { return elements.at(i).tree(); }, next,
          [&](auto* parts) { return rest(parts, fail, offset, seen); });
    }
    if (tree->IsAlternative()) {
      return inAlternative(
          tree->AsAlternative(), next,
          [&](auto* parts) { return rest(parts, fail, offset, seen); });
    }
    if (tree->IsCapture()) {
      QuickRest body{tree->AsCapture()->body(), next};
      return rest(&body, fail, offset, seen);
    }
    if (tree->IsGroup()) {
      QuickRest body{tree->AsGroup()->body(), next};
      return !tree->AsGroup()->flags().ignoreCase() &&
             rest(&body, fail, offset, seen);
    }
    if (tree->IsAssertion()) {
      return assertion(tree->AsAssertion()->assertion_type(), next, fail, offset,
                       seen);
    }
    if (tree->IsDisjunction()) {
      const auto& ways = *tree->AsDisjunction()->alternatives();
      return choice(ways.length(), [&](int i) { return ways.at(i); }, next, fail,
                    offset, seen);
    }
    if (tree->IsQuantifier()) {
      return quantifier(tree->AsQuantifier(), next, fail, offset, seen);
    }
    return false;
  }

  bool atom(const QuickRest* all, js::jit::Label* fail, int offset, int seen) {
    const auto data = all->tree->AsAtom()->data();
    int length = data.length();
    seen = see(all, length, offset, seen, fail);
    for (int i = 0; i < length;) {
      if (!step()) {
        return false;
      }
      uint32_t bytes = 0;
      int count = length - i >= 4 ? 4 : 1;
      for (int k = 0; k < count; k++) {
        if (data[i + k] > 255) {
          return false;
        }
        bytes |= uint32_t(data[i + k]) << (8 * k);
      }
      Address place(QuickTestPlace, offset + i);
      if (isWriting() && count == 4) {
        masm_->branch32(Assembler::NotEqual, place, Imm32(bytes), fail);
      } else if (isWriting()) {
        masm_->branch8(Assembler::NotEqual, place, Imm32(int8_t(bytes)), fail);
      }
      i += count;
    }
    return rest(all->next, fail, offset + length, seen - length);
  }

  bool assertion(rx::Assertion::Type type, const QuickRest* next,
                 js::jit::Label* fail, int offset, int seen) {
    if (!step()) {
      return false;
    }
    js::jit::Register edge = QuickTestStart;
    if (type == rx::Assertion::Type::END_OF_INPUT) {
      edge = QuickTestEnd;
    } else if (type != rx::Assertion::Type::START_OF_INPUT) {
      return false;
    }
    if (isWriting()) {
      js::jit::Register place = QuickTestPlace;
      if (offset) {
        masm_->computeEffectiveAddress(Address(QuickTestPlace, offset),
                                       QuickTestTemp);
        place = QuickTestTemp;
      }
      masm_->branchPtr(Assembler::NotEqual, place, edge, fail);
    }
    return rest(next, fail, offset, seen);
  }

  // Tries several ways, each with all that follows.
  template <typename WayOf>
  bool choice(int count, WayOf wayOf, const QuickRest* next,
              js::jit::Label* fail, int offset, int seen) {
    js::jit::Register kept = js::jit::Register::Invalid();
    if (!takeSlot(&kept)) {
      return false;
    }
    if (isWriting()) {
      masm_->movePtr(QuickTestPlace, kept);
    }
    uint32_t slots = slots_;
    bool isKnown = true;
    for (int i = 0; i < count && isKnown; i++) {
      Label other;
      bool isLast = i == count - 1;
      rx::Tree* tree = wayOf(i);
      QuickRest way{tree, next};
      slots_ = slots;
      isKnown = rest(tree ? &way : next, isLast ? fail : &other, offset, seen);
      if (isWriting() && !isLast) {
        masm_->bind(&other);
        masm_->movePtr(kept, QuickTestPlace);
      }
    }
    slots_ = slots - 1;
    return isKnown;
  }

  bool quantifier(rx::Quantifier* quantifier, const QuickRest* next,
                  js::jit::Label* fail, int offset, int seen) {
    if (quantifier->is_possessive()) {
      return false;
    }
    ByteSet set;
    int min = quantifier->min();
    int max = quantifier->max();
    if (!isOneOf(quantifier->body(), &set)) {
      // Something longer, once or not at all.
      return min == 0 && max == 1 &&
             choice(
                 2, [&](int i) { return i == 0 ? quantifier->body() : nullptr; },
                 next, fail, offset, seen);
    }
    if (min > MaxCopies ||
        (max != rx::Tree::kInfinity && max - min > MaxCopies)) {
      return false;
    }
    QuickRest again{quantifier->body(), next};
    for (int i = 0; i < min; i++) {
      seen = see(&again, 1, offset, seen, fail);
      load(offset);
      if (!step() || !test(set, fail)) {
        return false;
      }
      offset++;
      seen--;
    }
    if (max == min) {
      return rest(next, fail, offset, seen);
    }

    // As many as there are.
    advance(offset);
    bool isSearching = couldGiveBack(set, next, 0);
    js::jit::Register low = js::jit::Register::Invalid();
    js::jit::Register high = js::jit::Register::Invalid();
    uint32_t slots = slots_;
    if (isSearching) {
      // Two of them would take too long on some texts.
      if (hasSearchingLoop_ || !takeSlot(&low) || !takeSlot(&high)) {
        return false;
      }
      hasSearchingLoop_ = true;
      if (isWriting()) {
        masm_->movePtr(QuickTestPlace, low);
      }
    }
    Label more, done;
    if (isWriting()) {
      masm_->bind(&more);
    }
    for (int i = 0; i < (max == rx::Tree::kInfinity ? 1 : max - min); i++) {
      if (isWriting()) {
        masm_->branchPtr(Assembler::AboveOrEqual, QuickTestPlace, QuickTestEnd,
                         &done);
      }
      load(0);
      if (!step() || !test(set, &done)) {
        return false;
      }
      advance(1);
    }
    if (isWriting()) {
      if (max == rx::Tree::kInfinity) {
        masm_->jump(&more);
      }
      masm_->bind(&done);
    }
    if (!isSearching) {
      return rest(next, fail, 0, 0);
    }
    Label less, retry;
    if (isWriting()) {
      masm_->movePtr(QuickTestPlace, high);
      masm_->bind(&retry);
    }
    bool isKnown = rest(next, &less, 0, 0);
    if (isWriting()) {
      masm_->bind(&less);
      masm_->branchPtr(Assembler::Equal, high, low, fail);
      masm_->subPtr(Imm32(1), high);
      masm_->movePtr(high, QuickTestPlace);
      masm_->jump(&retry);
    }
    slots_ = slots;
    hasSearchingLoop_ = false;
    return isKnown;
  }
};

}  // namespace bao

#endif
