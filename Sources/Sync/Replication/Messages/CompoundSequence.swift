/// A sequence of Sync Gateway in one of the forms `S`, `T:S`, `L:T:S` and `L::S` (Version vectors 9.4): the sequence of the change, the change of the
/// user's access that has triggered it, and the last one before which none is missing.
struct CompoundSequence {
    private let low: UInt64?
    private let triggered: UInt64?
    private let number: UInt64

    /// Parses the JSON of a sequence, with or without quotation marks. Returns `nil` if it has another form.
    init?(json: String) {
        let isQuoted = json.utf8.count > 1 && json.utf8.first == UInt8(ascii: "\"") && json.utf8.last == UInt8(ascii: "\"")
        let text = isQuoted ? json.utf8.dropFirst().dropLast() : json.utf8[...]
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let number = Self.number(parts[parts.count - 1]) else { return nil }
        self.number = number
        if parts.count == 3 {
            guard let low = Self.number(parts[0]) else { return nil }
            self.low = low
        } else {
            low = nil
        }
        guard parts.count > 1, !(low != nil && parts[1].isEmpty) else {
            triggered = nil
            return
        }
        guard let triggered = Self.number(parts[parts.count - 2]) else { return nil }
        self.triggered = triggered
    }

    private init(low: UInt64?, triggered: UInt64?, number: UInt64) { (self.low, self.triggered, self.number) = (low, triggered, number) }

    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt64(Substring(digits)) : nil
    }

    /// Returns whether a replication that has got this sequence has got less than with the other one.
    func isBefore(_ other: CompoundSequence) -> Bool {
        switch (low, other.low) {
        case (let low?, let otherLow?): return low == otherLow ? withoutLow.isBefore(other.withoutLow) : low < otherLow
        case (let low?, nil): return low < other.triggered ?? other.number
        case (nil, let otherLow?): return triggered ?? number <= otherLow
        case (nil, nil): break
        }
        switch (triggered, other.triggered) {
        case (let triggered?, let otherTriggered?):
            return triggered == otherTriggered ? number < other.number : triggered < otherTriggered
        case (let triggered?, nil): return triggered <= other.number
        case (nil, let otherTriggered?): return number < otherTriggered
        case (nil, nil): return number < other.number
        }
    }

    private var withoutLow: CompoundSequence { CompoundSequence(low: nil, triggered: triggered, number: number) }
}
