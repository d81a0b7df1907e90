import Base
import Fleece
import SQLiteEngine

/// The groups of a query with GROUP BY, found with a hash table instead of by sorting all rows.
///
/// It computes what SQLite computes, in the same order of rows, for the values that occur most. For any other value it asks for SQLite
/// itself (``Refusal``). It does so too if there are too many groups, so its memory is limited.
struct GroupTable {
    /// Thrown if the rows have to be grouped by SQLite.
    struct Refusal: Error {}

    /// An aggregate function of one column.
    enum Function: Sendable, Hashable {
        /// `count(*)`
        case rows
        /// `count(x)`
        case count
        case sum
        case average
    }

    /// A value by which rows are grouped.
    enum Key {
        case missing
        case integer(Int64)
        case boolean(Bool)
        case double(Double)
        /// The range of the bytes in ``GroupTable/text``.
        case text(Range<Int>)
    }

    /// A result of a function for one group.
    enum Total {
        case missing
        case integer(Int64)
        case double(Double)
    }

    private struct State {
        var count: Int64 = 0
        var sum = Sum()
    }

    private static let maximumCount = 20_000
    /// Not known to who writes documents, so that nobody can choose keys with equal hashes.
    private static let seed = UInt64.random(in: .min ... .max)
    private static let maximumTextSize = 4 << 20

    private let keyCount: Int
    /// Each with the column of its argument.
    private let functions: [(function: Function, column: Int)]
    private(set) var count = 0
    /// The keys of all groups, group by group.
    private var keys: [Key] = []
    private var states: [State] = []
    private var hashes: [UInt64] = []
    /// The bytes of all texts in `keys`.
    private var text: [UInt8] = []
    /// The numbers of the groups at the places that their hashes determine; −1 at free places. The size is a power of two.
    private var places = [Int32](repeating: -1, count: 256)

    /// - Parameters:
    ///   - keyCount: The number of the first columns, by which the rows are grouped. At least 1.
    ///   - functions: The aggregate functions, each with the column of its argument.
    init(keyCount: Int, functions: [(function: Function, column: Int)]) {
        self.keyCount = keyCount
        self.functions = functions
    }

    /// Adds the current row of the statement to its group.
    ///
    /// - Throws: ``Refusal``.
    mutating func add(_ statement: Statement) throws {
        var hash = Self.seed
        for column in 0..<keyCount { try Self.mix(&hash, statement, column) }
        let group = try self.group(of: statement, hash)
        for (index, entry) in functions.enumerated() {
            try Self.add(statement, entry.column, to: &states[group &* functions.count &+ index], entry.function)
        }
    }

    // MARK: Keys

    private static func mix(_ hash: inout UInt64, _ statement: Statement, _ column: Int) throws(Refusal) {
        // Both halves of the product, so that each bit of a word has an effect on the low bits, which determine the place.
        func mix(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low
        }
        switch statement.columnType(column) {
        case .null: mix(1)
        // Equal numbers of both types are in one group.
        case .integer: mix(UInt64(bitPattern: statement.int64(at: column)))
        case .real:
            let number = statement.double(at: column)
            mix(Int64(exactly: number).map { UInt64(bitPattern: $0) } ?? number.bitPattern)
        case .text:
            let bytes = statement.textBytes(at: column)
            var place = 0
            while place &+ 8 <= bytes.count {
                mix(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                place &+= 8
            }
            var rest = UInt64(truncatingIfNeeded: bytes.count) << 56
            while place < bytes.count {
                rest = (rest << 8) ^ UInt64(bytes[place])
                place &+= 1
            }
            mix(rest)
        case .blob: mix(try flag(statement, column) ? 1 : 0)
        }
    }

    /// Returns the boolean in a column, which has the form of result rows.
    ///
    /// - Throws: ``Refusal`` if the value is no boolean: null, a number above the range of Int64, binary data, an array or a dictionary.
    private static func flag(_ statement: Statement, _ column: Int) throws(Refusal) -> Bool {
        let bytes = statement.blob(at: column)
        guard bytes.count == 2, bytes[1] == 0, bytes[0] == 0x34 || bytes[0] == 0x38 else { throw Refusal() }
        return bytes[0] == 0x38
    }

    private mutating func group(of statement: Statement, _ hash: UInt64) throws -> Int {
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place] >= 0 {
            let group = Int(places[place])
            if hashes[group] == hash, try isKey(of: group, statement) { return group }
            place = (place + 1) & (places.count - 1)
        }
        guard count < Self.maximumCount, text.count <= Self.maximumTextSize else { throw Refusal() }
        places[place] = Int32(count)
        for column in 0..<keyCount { keys.append(try key(statement, column)) }
        hashes.append(hash)
        states.append(contentsOf: repeatElement(State(), count: functions.count))
        count += 1
        if count * 2 > places.count { enlarge() }
        return count - 1
    }

    private mutating func enlarge() {
        places = [Int32](repeating: -1, count: places.count * 2)
        for group in 0..<count {
            var place = Int(truncatingIfNeeded: hashes[group]) & (places.count - 1)
            while places[place] >= 0 { place = (place + 1) & (places.count - 1) }
            places[place] = Int32(group)
        }
    }

    private mutating func key(_ statement: Statement, _ column: Int) throws(Refusal) -> Key {
        switch statement.columnType(column) {
        case .null: return .missing
        case .integer: return .integer(statement.int64(at: column))
        case .real: return .double(statement.double(at: column))
        case .text:
            let start = text.count
            text.append(contentsOf: statement.textBytes(at: column))
            return .text(start..<text.count)
        case .blob: return .boolean(try Self.flag(statement, column))
        }
    }

    /// Returns whether the current row belongs to a group.
    ///
    /// - Throws: ``Refusal`` if it does, but its numbers have another form, such as 1.0 and 1: SQLite decides which one the result has.
    private func isKey(of group: Int, _ statement: Statement) throws(Refusal) -> Bool {
        var differsInForm = false
        for column in 0..<keyCount {
            switch (keys[group * keyCount + column], statement.columnType(column)) {
            case (.missing, .null): break
            case (.text(let range), .text):
                let bytes = statement.textBytes(at: column)
                guard bytes.count == range.count else { return false }
                let isEqual = text.withUnsafeBytes { all in
                    guard let a = all.baseAddress, let b = bytes.baseAddress else { return true }
                    return memcmp(a + range.lowerBound, b, bytes.count) == 0
                }
                guard isEqual else { return false }
            case (.integer(let number), .integer):
                guard number == statement.int64(at: column) else { return false }
            case (.double(let number), .real):
                let other = statement.double(at: column)
                guard number == other else { return false }
                if number.bitPattern != other.bitPattern { differsInForm = true }
            case (.boolean(let flag), .blob):
                guard try flag == Self.flag(statement, column) else { return false }
            case (.missing, _), (.text, _), (_, .null), (_, .text): return false
            default:
                // Two numbers of different types, with the same hash, which are equal or nearly always so.
                differsInForm = true
            }
        }
        if differsInForm { throw Refusal() }
        return true
    }

    // MARK: Functions

    private static func add(_ statement: Statement, _ column: Int, to state: inout State, _ function: Function) throws(Refusal) {
        if function == .rows {
            state.count &+= 1
            return
        }
        let type = statement.columnType(column)
        if type == .null { return }
        state.count &+= 1
        if function == .count { return }
        let number: Int64
        switch type {
        case .real:
            state.sum.addCounted(statement.double(at: column))
            return
        case .integer: number = statement.int64(at: column)
        case .blob: number = try flag(statement, column) ? 1 : 0
        // SQLite converts a text to a number.
        case .text, .null: throw Refusal()
        }
        state.sum.addCounted(number)
    }

    // MARK: Results

    /// The numbers of the groups in the order in which SQLite returns them.
    var sortedGroups: [Int] {
        (0..<count).sorted { left, right in
            for column in 0..<keyCount {
                let order = compare(keys[left * keyCount + column], keys[right * keyCount + column])
                if order != 0 { return order < 0 }
            }
            return false
        }
    }

    /// Compares as SQLite does: MISSING before numbers before texts.
    private func compare(_ left: Key, _ right: Key) -> Int {
        let (leftRank, rightRank) = (Self.rank(left), Self.rank(right))
        if leftRank != rightRank { return leftRank - rightRank }
        if case .text(let a) = left, case .text(let b) = right {
            return text.withUnsafeBytes { compareBytes(.init(rebasing: $0[a]), .init(rebasing: $0[b])) }
        }
        switch (Self.number(left), Self.number(right)) {
        case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.double(let a), .double(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.integer(let a), .double(let b)): return Self.compare(a, b)
        case (.double(let a), .integer(let b)): return -Self.compare(b, a)
        default: return 0
        }
    }

    /// Compares an integer with a floating-point number exactly.
    private static func compare(_ a: Int64, _ b: Double) -> Int {
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = Int64(b)
        if a != whole { return a < whole ? -1 : 1 }
        let fraction = b - b.rounded(.towardZero)
        return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
    }

    private static func rank(_ key: Key) -> Int {
        switch key {
        case .missing: 0
        case .integer, .boolean, .double: 1
        case .text: 2
        }
    }

    private static func number(_ key: Key) -> Key {
        if case .boolean(let flag) = key { .integer(flag ? 1 : 0) } else { key }
    }

    func key(_ index: Int, of group: Int) -> Key { keys[group * keyCount + index] }

    func withText<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try text[range].withUnsafeBytes(body)
    }

    /// Returns the result of a function.
    ///
    func total(_ index: Int, of group: Int) -> Total {
        let state = states[group * functions.count + index]
        switch functions[index].function {
        case .rows, .count: return .integer(state.count)
        case .average:
            // SQLite stores NaN as NULL.
            guard let mean = state.sum.mean, !mean.isNaN else { return .missing }
            return .double(mean)
        case .sum:
            switch state.sum.total {
            case .missing: return .missing
            case .integer(let number): return .integer(number)
            case .double(let number): return number.isNaN ? .missing : .double(number)
            }
        }
    }
}
