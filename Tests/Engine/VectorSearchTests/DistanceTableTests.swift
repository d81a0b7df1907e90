import Testing

@testable import VectorSearch

/// The distances of all vectors, which queries with conditions look up (Vector search EN-13).
@Suite("Distance table")
struct DistanceTableTests {
    private func entries(_ table: DistanceTable) -> [NearestHeap.Entry] {
        (0..<table.positionCount).compactMap { table.entry(at: $0) }
    }

    @Test("every row is found, and no other one, with gaps and without")
    func everyRowIsFound() {
        var random = SeededNumbers(seed: 51)
        let ranges: [Range<Int64>] = [1..<101, 0..<300, -50..<200, 1..<1_000_000, Int64.max - 200..<Int64.max, Int64.min..<Int64.min + 300]
        for range in ranges {
            var rows = Set<Int64>()
            while rows.count < 90 { rows.insert(Int64.random(in: range, using: &random)) }
            let all = rows.map { NearestHeap.Entry(distance: Float.random(in: -1..<1, using: &random), rowID: $0) }
            let table = DistanceTable(all)
            #expect(entries(table) == all.sorted { $0.rowID < $1.rowID })
            for entry in all { #expect(table.position(of: entry.rowID).flatMap { table.entry(at: $0) } == entry) }
            for row in [range.lowerBound, range.upperBound, .min, .max, 0, -1, 5_000_000] where !rows.contains(row) {
                #expect(table.position(of: row) == nil)
            }
        }
    }

    @Test("rows that are far apart take no memory for those between")
    func rowsThatAreFarApartTakeNoMemoryForThoseBetween() {
        let far = [Int64.min, -1, 0, 7, Int64.max].map { NearestHeap.Entry(distance: .infinity, rowID: $0) }
        let table = DistanceTable(far)
        #expect(table.positionCount == 5)
        #expect(entries(table) == far)
        #expect(table.position(of: 8) == nil && table.position(of: .max) == 4)
    }

    @Test("an empty table has no rows")
    func anEmptyTableHasNoRows() {
        let table = DistanceTable()
        #expect(table.positionCount == 0 && table.position(of: 0) == nil && table.entry(at: 0) == nil)
    }
}
