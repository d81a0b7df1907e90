import Fleece
import QueryLanguage
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Row differences")
struct RowDifferenceTests {
    private typealias Pair = RowDifference.Pair

    /// A row with an identity and a value, as small numbers.
    private struct Row: Equatable {
        var id: Int
        var value: Int
    }

    private func record(_ rows: [Row]) -> RecordedRows {
        let numbers = rows.flatMap { [$0.id, $0.value] }
        let bytes = numbers.flatMap { number in [UInt8(number >> 8 & 0x0F), UInt8(number & 0xFF)] }
        return RecordedRows(
            columnTitles: ["id", "value"],
            count: rows.count,
            data: FleeceData(bytes),
            cells: (0...numbers.count).map { RecordedRows.Cell(valueAt: $0 * 2) }
        )
    }

    private func difference(_ old: [Row], _ new: [Row], _ identity: RowIdentity = .column(0)) -> RowDifference {
        RowDifference(from: record(old), to: record(new), by: identity)
    }

    /// The ids from 1 on.
    private func rows(_ ids: Int...) -> [Row] { ids.map { Row(id: $0, value: 0) } }

    @Test("a difference lists removed, inserted, moved and updated rows")
    func kinds() {
        let same = difference(rows(1, 2, 3), rows(1, 2, 3))
        #expect(same.isEmpty)
        #expect(difference([], rows(1, 2)).inserted == [0, 1])
        #expect(difference(rows(1, 2), []).removed == [0, 1])
        #expect(difference(rows(1, 2, 3), rows(1, 4, 3)).removed == [1])
        #expect(difference(rows(1, 2, 3), rows(1, 4, 3)).inserted == [1])
        let moved = difference(rows(1, 2, 3, 4), rows(4, 1, 2, 3))
        #expect(moved.moved == [Pair(old: 3, new: 0)], "one row is moved, not three")
        #expect(moved.removed.isEmpty && moved.inserted.isEmpty && moved.updated.isEmpty)
        let updated = difference([Row(id: 1, value: 1), Row(id: 2, value: 1)], [Row(id: 1, value: 1), Row(id: 2, value: 2)])
        #expect(updated.updated == [Pair(old: 1, new: 1)])
        let both = difference([Row(id: 1, value: 1), Row(id: 2, value: 1)], [Row(id: 2, value: 2), Row(id: 1, value: 1)])
        #expect(both.moved.count == 1)
        #expect(both.updated == [Pair(old: 1, new: 0)])
    }

    @Test("in a difference without some rows, a row that is kept only before or only after an update is removed or inserted")
    func keptRows() {
        let (old, new) = ([1, 2, 3, 4, 5], [2, 1, 3, 4, 6])
        let all = difference(old.map { Row(id: $0, value: 0) }, new.map { Row(id: $0, value: $0 > 2 ? 1 : 0) })
        let some = all.ofRows(isKept: [true, false, false, true, true], [false, true, true, false, true])
        #expect(some.removed == [1, 2] && some.inserted == [1, 2])
        #expect(some.updated.isEmpty)
        #expect(some.items(from: [1, 4, 5], of: 3, count: 3) { [1, 3, 6][$0] } == [1, 3, 6])
        let none = all.ofRows(isKept: old.map { _ in false }, new.map { _ in false })
        #expect(none.isEmpty)
        #expect(all.ofRows(isKept: old.map { _ in true }, new.map { _ in true }) == all)
    }

    @Test("a difference by whole rows has no updates")
    func wholeRows() {
        let changed = difference([Row(id: 1, value: 1)], [Row(id: 1, value: 2)], .wholeRow)
        #expect(changed.removed == [0] && changed.inserted == [0] && changed.updated.isEmpty)
        let moved = difference(rows(1, 2, 3), rows(2, 3, 1), .wholeRow)
        #expect(moved.moved == [Pair(old: 0, new: 2)])
    }

    @Test("rows with the same identity are paired in their order")
    func duplicates() {
        let fewer = difference(rows(1, 1, 1, 2), rows(1, 1, 2))
        #expect(fewer.removed.count == 1 && fewer.inserted.isEmpty && fewer.moved.isEmpty)
        let values = difference(
            [Row(id: 1, value: 1), Row(id: 1, value: 2), Row(id: 2, value: 0)],
            [Row(id: 2, value: 0), Row(id: 1, value: 1), Row(id: 1, value: 3), Row(id: 1, value: 4)]
        )
        #expect(values.inserted == [3])
        #expect(values.updated == [Pair(old: 1, new: 2)])
    }

    /// Applies a difference like a list on the screen.
    private func apply(_ difference: RowDifference, to old: [Row], new: [Row]) -> [Row] {
        let gone = Set(difference.removed).union(difference.moved.map(\.old))
        var list = old.indices.filter { !gone.contains($0) }.map { old[$0] }
        let arrivals =
            difference.inserted.map { ($0, new[$0]) } + difference.moved.map { ($0.new, old[$0.old]) }
        for (index, row) in arrivals.sorted(by: { $0.0 < $1.0 }) { list.insert(row, at: index) }
        for pair in difference.updated { list[pair.new] = new[pair.new] }
        return list
    }

    @Test("applying a difference to the old rows gives the new rows", arguments: 0..<8)
    func random(part: UInt64) {
        var random = SeededGenerator(seed: TestSeed.forThisTest() &+ part)
        for round in 0..<500 {
            let isUnique = round % 2 == 0
            var old = (0..<Int.random(in: 0...40, using: &random)).map { index in
                Row(id: isUnique ? index : Int.random(in: 0..<10, using: &random), value: index % 3)
            }
            if round % 3 == 0 { old.shuffle(using: &random) }
            var new = old
            for number in 0..<Int.random(in: 0...12, using: &random) {
                let place = Int.random(in: 0...new.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: new.insert(Row(id: isUnique ? 1000 + number : place % 10, value: 7), at: place)
                case 1 where place < new.count: new.remove(at: place)
                case 2 where place < new.count: new[place].value = Int.random(in: 0..<4, using: &random)
                case 3 where place < new.count:
                    let row = new.remove(at: place)
                    new.insert(row, at: Int.random(in: 0...new.count, using: &random))
                default: break
                }
            }
            for identity in [RowIdentity.column(0), .wholeRow] {
                let difference = difference(old, new, identity)
                #expect(apply(difference, to: old, new: new) == new)
                #expect(difference.isEmpty == (old == new))
                #expect(difference.updated.allSatisfy { old[$0.old].id == new[$0.new].id && old[$0.old] != new[$0.new] })
                #expect(difference.moved.allSatisfy { old[$0.old].id == new[$0.new].id })
                if identity == .wholeRow { #expect(difference.updated.isEmpty) }
            }
        }
    }

    @Test("rows are identified by selected document IDs or, without them, by all columns")
    func identity() throws {
        func columns(_ text: String) throws -> [Int]? {
            try RowIdentity(documentIDsOf: SQLPlusPlus.parse(text)).columns
        }
        #expect(try columns("SELECT name, meta().id FROM _") == [1])
        #expect(try columns("SELECT name, meta(p).id AS person, meta(t).id FROM _ AS p JOIN _ AS t ON true") == [1, 2])
        #expect(try columns("SELECT name, _id, p._id FROM _ AS p") == [1, 2])
        #expect(try columns("SELECT name, meta().sequence FROM _") == nil)
        #expect(RowIdentity(documentIDsOf: SelectStatement()).columns == [0])
    }
}
