/// A pattern of LIKE, taken apart for matching (Query 3.8): between its `%` stand pieces that are looked for one after the other.
struct LikePattern {
    /// What stands between two `%`.
    private struct Piece {
        /// The units; ``anyUnit`` for `_`.
        let units: [UInt32]
        /// Finds it, when it has no `_`.
        let search: SequenceSearch<UInt32>?

        init(_ units: [UInt32]) {
            self.units = units
            search = units.contains(LikePattern.anyUnit) ? nil : SequenceSearch(units)
        }

        /// Whether it stands at a place of a text that has room for it.
        func stands(at place: Int, in text: ArraySlice<UInt32>, _ effort: inout MatchEffort) -> Bool {
            for offset in units.indices {
                guard effort.spend() else { return false }
                guard units[offset] == text[place + offset] || units[offset] == LikePattern.anyUnit else { return false }
            }
            return true
        }

        /// Where it begins in a text first.
        func firstPlace(in text: ArraySlice<UInt32>, _ effort: inout MatchEffort) -> Int? {
            if let search { return search.firstPlace(in: text, effort: &effort) }
            guard units.count <= text.count else { return nil }
            for place in text.startIndex...(text.endIndex - units.count) {
                if stands(at: place, in: text, &effort) { return place }
                guard effort.spend() else { return nil }
            }
            return nil
        }
    }

    /// No unit of text: code points end at 0x10FFFF.
    private static let anyUnit = UInt32.max

    private var pieces: [Piece] = []
    /// A backslash at the end escapes nothing, and such a pattern matches nothing.
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

    /// Whether the whole text matches. The first piece must begin it and the last one end it; each of the others is taken where it is
    /// first found, which leaves the most for those behind. So the time grows with the length of the text, except for pieces with `_`:
    /// there with the length of the text times that of the piece at worst.
    ///
    /// - Returns: False too when the work was given up, which `effort` knows.
    func matches(_ text: [UInt32], effort: inout MatchEffort) -> Bool {
        guard !isBroken, let first = pieces.first, let last = pieces.last else { return false }
        guard pieces.count > 1 else { return first.units.count == text.count && first.stands(at: 0, in: text[...], &effort) }
        guard first.units.count + last.units.count <= text.count,
            first.stands(at: 0, in: text[...], &effort),
            last.stands(at: text.count - last.units.count, in: text[...], &effort)
        else { return false }
        var rest = text[first.units.count..<(text.count - last.units.count)]
        for piece in pieces.dropFirst().dropLast() where !piece.units.isEmpty {
            guard let place = piece.firstPlace(in: rest, &effort) else { return false }
            rest = rest[(place + piece.units.count)...]
        }
        return true
    }
}
