/// A compiled LIKE pattern (Query 3.8): the pieces between its `%`, which are searched for one after the other.
struct LikePattern {
    /// The part between two `%`.
    private struct Piece {
        /// The units to match; ``anyUnit`` for `_`.
        let units: [UInt32]
        /// The search for the piece; `nil` if it contains `_`.
        let search: SequenceSearch<UInt32>?

        init(_ units: [UInt32]) {
            self.units = units
            search = units.contains(LikePattern.anyUnit) ? nil : SequenceSearch(units)
        }

        /// Returns whether the piece matches at `start`. The text must have enough units left for it.
        func matches(at start: Int, in text: ArraySlice<UInt32>, _ effort: inout MatchEffort) -> Bool {
            for offset in units.indices {
                guard effort.spend() else { return false }
                guard units[offset] == text[start + offset] || units[offset] == LikePattern.anyUnit else { return false }
            }
            return true
        }

        /// Returns the first position at which the piece matches; `nil` if there is none or the work was interrupted.
        func firstIndex(in text: ArraySlice<UInt32>, _ effort: inout MatchEffort) -> Int? {
            if let search { return search.firstIndex(in: text, effort: &effort) }
            guard units.count <= text.count else { return nil }
            for start in text.startIndex...(text.endIndex - units.count) {
                if matches(at: start, in: text, &effort) { return start }
                guard effort.spend() else { return nil }
            }
            return nil
        }
    }

    /// Not a unit of any text, because code points end at 0x10FFFF.
    private static let anyUnit = UInt32.max

    private var pieces: [Piece] = []
    /// Whether the pattern ends with a backslash that escapes nothing. Such a pattern never matches.
    private let isBroken: Bool

    init(_ pattern: [UInt32]) {
        var isEscaped = false
        var units: [UInt32] = []
        for unit in pattern {
            if isEscaped {
                units.append(unit)
                isEscaped = false
            } else if unit == 0x5C {
                isEscaped = true
            } else if unit == 0x25 {
                pieces.append(Piece(units))
                units = []
            } else {
                units.append(unit == 0x5F ? Self.anyUnit : unit)
            }
        }
        pieces.append(Piece(units))
        isBroken = isEscaped
    }

    /// Returns whether the whole text matches. The first piece must match at its start and the last at its end; each of the others is
    /// matched at its first occurrence, which leaves the most text for the pieces after it. The time is linear in the length of the text,
    /// except for pieces with `_`: there it is at worst the length of the text times that of the piece.
    ///
    /// - Returns: `false` also if the work was interrupted, which the caller must check.
    func matches(_ text: [UInt32], effort: inout MatchEffort) -> Bool {
        guard !isBroken, let first = pieces.first, let last = pieces.last else { return false }
        guard pieces.count > 1 else { return first.units.count == text.count && first.matches(at: 0, in: text[...], &effort) }
        guard first.units.count + last.units.count <= text.count,
            first.matches(at: 0, in: text[...], &effort),
            last.matches(at: text.count - last.units.count, in: text[...], &effort)
        else { return false }
        var rest = text[first.units.count..<(text.count - last.units.count)]
        for piece in pieces.dropFirst().dropLast() where !piece.units.isEmpty {
            guard let start = piece.firstIndex(in: rest, &effort) else { return false }
            rest = rest[(start + piece.units.count)...]
        }
        return true
    }
}
