import Fleece
import QueryLanguage
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Section differences")
struct SectionDifferenceTests {
    private typealias Place = SectionDifference.Place
    private typealias Pair = SectionDifference.Pair

    /// A row with an identity, a section and a value, as small numbers.
    private struct Row: Hashable {
        var id: Int
        var section: Int
        var value = 0
    }

    private func record(_ rows: [Row]) -> RecordedRows {
        let numbers = rows.flatMap { [$0.id, $0.section * 16 + $0.value] }
        let bytes = numbers.flatMap { number in [UInt8(number >> 8 & 0x0F), UInt8(number & 0xFF)] }
        return RecordedRows(
            columnTitles: ["id", "value"],
            count: rows.count,
            data: FleeceData(bytes),
            cells: (0...numbers.count).map { RecordedRows.Cell(valueAt: $0 * 2) }
        )
    }

    private func difference(_ old: [Row], _ new: [Row]) -> SectionDifference {
        SectionDifference(
            from: RowSections(old.map(\.section)),
            to: RowSections(new.map(\.section)),
            RowDifference(from: record(old), to: record(new), by: .column(0))
        )
    }

    /// Rows given as sections.
    private func rows(_ sections: KeyValuePairs<Int, [Int]>) -> [Row] {
        sections.flatMap { section, ids in ids.map { Row(id: $0, section: section) } }
    }

    private func places(_ places: [Place]) -> [[Int]] { places.map { [$0.section, $0.item] } }
    private func pairs(_ pairs: [Pair]) -> [[Int]] { pairs.map { [$0.old.section, $0.old.item, $0.new.section, $0.new.item] } }

    @Test("rows with the same key are one section, at the place of its first row")
    func grouping() {
        let sections = RowSections(["b", "a", "b", "c", "a"])
        #expect(sections.keys == ["b", "a", "c"] && sections.rows == [[0, 2], [1, 4], [3]])
        #expect(places(sections.places) == [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1]])
        #expect(RowSections<Int>([]).keys.isEmpty)
    }

    @Test("a section difference lists rows that are inserted, removed and moved within their sections")
    func withinSections() {
        let old = rows([1: [10, 11, 12], 2: [20, 21]])
        #expect(difference(old, old).isEmpty)
        let inserted = difference(old, rows([1: [10, 13, 11, 12], 2: [20, 21, 22]]))
        #expect(places(inserted.inserted) == [[0, 1], [1, 2]] && inserted.removed.isEmpty && inserted.moved.isEmpty)
        let removed = difference(old, rows([1: [11, 12], 2: [20]]))
        #expect(places(removed.removed) == [[0, 0], [1, 1]] && removed.inserted.isEmpty && removed.moved.isEmpty)
        let moved = difference(old, rows([1: [12, 10, 11], 2: [20, 21]]))
        #expect(pairs(moved.moved) == [[0, 2, 0, 0]], "one row is moved, not two")
        #expect(moved.insertedSections.isEmpty && moved.removedSections.isEmpty && moved.updated.isEmpty)
    }

    @Test("a row that gets another section is moved if both sections stay, and otherwise inserted or removed")
    func betweenSections() {
        let old = rows([1: [10, 11], 2: [20]])
        #expect(pairs(difference(old, rows([1: [10], 2: [20, 11]])).moved) == [[0, 1, 1, 1]])
        let toNew = difference(old, rows([1: [10], 2: [20], 3: [11]]))
        #expect(toNew.insertedSections == [2] && places(toNew.removed) == [[0, 1]] && toNew.moved.isEmpty && toNew.inserted.isEmpty)
        let fromOld = difference(old, rows([1: [10, 20, 11]]))
        #expect(fromOld.removedSections == [1] && places(fromOld.inserted) == [[0, 1]] && fromOld.moved.isEmpty && fromOld.removed.isEmpty)
    }

    @Test("sections are inserted and removed with their rows, and one that changes its order is removed and inserted")
    func sections() {
        let old = rows([1: [10], 2: [20, 21], 3: [30]])
        let change = difference(old, rows([3: [30], 1: [10], 4: [40]]))
        #expect(change.removedSections == [0, 1] && change.insertedSections == [1, 2])
        #expect(change.removed.isEmpty && change.inserted.isEmpty && change.moved.isEmpty && change.updated.isEmpty)
        #expect(difference([], old).insertedSections == [0, 1, 2] && difference(old, []).removedSections == [0, 1, 2])
    }

    @Test("updated rows are listed unless their section is inserted")
    func updates() {
        let old = rows([1: [10, 11], 2: [20]])
        let new = [Row(id: 10, section: 1, value: 1), Row(id: 20, section: 3, value: 1), Row(id: 11, section: 1)]
        let change = difference(old, new)
        #expect(pairs(change.updated) == [[0, 0, 0, 0]])
        #expect(change.removedSections == [1] && change.insertedSections == [1])
    }

    @Test("random section differences applied as a list view does lead to the new sections")
    func random() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        func rows(_ random: inout SeededGenerator) -> [Row] {
            (0..<Int.random(in: 0..<12, using: &random)).map { _ in Int.random(in: 0..<14, using: &random) }
                .reduce(into: [Row]()) { rows, id in
                    guard !rows.contains(where: { $0.id == id }) else { return }
                    rows.append(Row(id: id, section: Int.random(in: 0..<4, using: &random), value: Int.random(in: 0..<2, using: &random)))
                }
        }
        func lists(_ rows: [Row]) -> [[Row]] { RowSections(rows.map(\.section)).rows.map { $0.map { rows[$0] } } }
        for _ in 0..<3000 {
            let (old, new) = (rows(&random), rows(&random))
            let (oldLists, newLists) = (lists(old), lists(new))
            let change = difference(old, new)
            var list = oldLists
            for place in (change.removed + change.moved.map(\.old)).sorted(by: >) { list[place.section].remove(at: place.item) }
            for section in change.removedSections.reversed() { list.remove(at: section) }
            for section in change.insertedSections { list.insert(newLists[section], at: section) }
            let moved = change.moved.map { ($0.new, oldLists[$0.old.section][$0.old.item]) }
            let placed = change.inserted.map { ($0, newLists[$0.section][$0.item]) } + moved
            for (place, row) in placed.sorted(by: { $0.0 < $1.0 }) { list[place.section].insert(row, at: place.item) }
            for pair in change.updated { list[pair.new.section][pair.new.item] = newLists[pair.new.section][pair.new.item] }
            #expect(list == newLists, "\(old) to \(new)")
        }
    }
}
