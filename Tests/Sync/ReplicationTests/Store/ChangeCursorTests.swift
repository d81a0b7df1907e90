import DocumentStore
import Testing

@testable import Replication

@Suite("Change cursors")
struct ChangeCursorTests {
    private let replica: TestReplica
    private let collection: ReplicaCollection

    init() throws {
        replica = try TestReplica()
        collection = try replica.collection()
    }

    private func save(_ count: Int) throws {
        try replica.file.transaction { _ in
            for number in 0..<count { try replica.save("doc\(number)", "{}") }
        }
    }

    private func cursor(_ documentIDs: [String]?, after position: UInt64 = 0) -> ChangeCursor {
        ChangeCursor(collection, after: position, documentIDs: documentIDs, remote: nil)
    }

    /// Reads to the end, and returns the changes found and the number of changes or documents that were read.
    private func walk(_ cursor: inout ChangeCursor, limit: Int = 200) throws -> (ids: [String], examinedCount: Int) {
        var found: (ids: [String], examinedCount: Int) = ([], 0)
        while true {
            let slice = try cursor.next(limit)
            #expect(slice.changes.count <= limit && slice.examinedCount <= ChangeCursor.sliceSize)
            found.ids += slice.changes.map(\.documentID)
            found.examinedCount += slice.examinedCount
            if slice.isEnd { return found }
        }
    }

    @Test("a few chosen documents among many are looked up without reading other documents")
    func fewOfMany() throws {
        try save(20_000)
        var cursor = cursor(["doc19999", "doc3", "none", "doc12000", "doc3", "doc0"])
        let found = try walk(&cursor)
        #expect(found.ids == ["doc0", "doc3", "doc12000", "doc19999"])
        #expect(found.examinedCount == 5)
        #expect(cursor.position == 20_000)
    }

    @Test("later changes of chosen documents are found by reading only the new changes")
    func later() throws {
        try save(3000)
        var cursor = cursor(["doc1", "doc2"])
        _ = try walk(&cursor)
        for id in ["doc5", "doc2"] { try replica.save(id, #"{"n":2}"#) }
        let found = try walk(&cursor)
        #expect(found.ids == ["doc2"] && found.examinedCount == 2)
        #expect(cursor.position == 3002)
        let nothing = try walk(&cursor)
        #expect(nothing.ids.isEmpty && nothing.examinedCount == 0)
    }

    @Test("many chosen documents are looked up in groups of a thousand and returned in sequence order")
    func manyChosen() throws {
        try save(6000)
        var cursor = cursor((0..<2500).reversed().map { "doc\($0)" })
        var slices: [Int] = []
        var ids: [String] = []
        while true {
            let slice = try cursor.next(1000)
            slices.append(slice.examinedCount)
            ids += slice.changes.map(\.documentID)
            if slice.isEnd { break }
        }
        #expect(slices.prefix(3) == [1000, 1000, 500])
        #expect(ids == (0..<2500).map { "doc\($0)" })
    }

    @Test("the whole feed is read when nearly all documents are chosen", arguments: [nil, (0..<900).map { "doc\($0)" }])
    func all(_ documentIDs: [String]?) throws {
        try save(900)
        var cursor = cursor(documentIDs, after: 100)
        let found = try walk(&cursor)
        #expect(found.ids == (100..<900).map { "doc\($0)" })
        #expect(found.examinedCount == 800)
    }

    @Test("unwanted changes are skipped, and the position is that of the last returned change")
    func unwanted() throws {
        try save(500)
        for number in 0..<400 { try replica.delete("doc\(number)") }
        var cursor = cursor(nil)
        var ids: [String] = []
        while true {
            let slice = try cursor.next(30, lookingAt: 70) { !$0.isDeleted }
            ids += slice.changes.map(\.documentID)
            if let last = slice.changes.last, slice.changes.count == 30 { #expect(cursor.position == last.sequence) }
            if slice.isEnd { break }
        }
        #expect(ids == (400..<500).map { "doc\($0)" })
    }

    @Test("damaged documents are returned once, apart from the others, and the end is reached", arguments: [1, 2, 3, 20])
    func damaged(limit: Int) throws {
        try save(12)
        let numbers = [0, 1, 2, 5, 10, 11]
        for number in numbers { try replica.damage("doc\(number)", column: "version") }
        for rows in [3, 4, 100] {
            var cursor = cursor(nil)
            var (ids, damaged): ([String], [String]) = ([], [])
            while true {
                let slice = try cursor.next(limit, lookingAt: rows)
                ids += slice.changes.map(\.documentID)
                damaged += slice.damaged.map(\.documentID)
                if slice.isEnd { break }
            }
            #expect(ids == (0..<12).filter { !numbers.contains($0) }.map { "doc\($0)" })
            #expect(damaged == numbers.map { "doc\($0)" })
            #expect(cursor.position == 12)
        }
    }

    @Test("a cursor compares document IDs by their bytes")
    func bytes() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        for id in [composed, decomposed] { try replica.save(id, "{}") }
        try save(10)
        for (chosen, other) in [(composed, decomposed), (decomposed, composed)] {
            for ids in [[chosen], [chosen] + (0..<20).map { "doc\($0)" }] {
                var cursor = cursor(ids)
                let found = try walk(&cursor).ids.map { Array($0.utf8) }
                #expect(found.contains(Array(chosen.utf8)))
                #expect(!found.contains(Array(other.utf8)))
            }
        }
    }
}
