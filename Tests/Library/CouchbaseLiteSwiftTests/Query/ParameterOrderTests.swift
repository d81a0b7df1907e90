import Foundation
import QueryEngine
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Names of parameters and columns")
struct ParameterOrderTests {
    @Test("parameters that are set in any order and set again have the last value for each name, compared by bytes")
    func anyOrder() throws {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        let names = ["b", "a", "é", "e\u{301}", "c", "", "aa", "z"]
        for _ in 0..<100 {
            let parameters = Parameters()
            var expected: [[UInt8]: Int] = [:]
            for value in 0..<20 {
                let name = names[Int(random.next() % UInt64(names.count))]
                parameters.setInt(value, forName: name)
                expected[Array(name.utf8)] = value
            }
            let copies = [parameters, Parameters(parameters: parameters), Parameters(frozen: parameters)]
            for parameters in copies {
                for name in names { #expect(parameters.value(forName: name) as? Int == expected[Array(name.utf8)]) }
            }
            let encoded = try parameters.queryParameters()
            #expect(encoded.names.map { Array($0.utf8) } == expected.keys.sorted { $0.lexicographicallyPrecedes($1) })
        }
    }

    @Test("a column is found by its title in results with few and with many columns", arguments: [1, 8, 9, 40])
    func titles(count: Int) throws {
        let folder = try DatabaseFolder()
        let database = try folder.open()
        try database.defaultCollection().save(document: MutableDocument(id: "d"))
        let columns = (0..<count).map { "\($0) AS c\($0)" }.joined(separator: ", ")
        let row = try #require(try database.createQuery("SELECT \(columns) FROM _").execute().next())
        for column in 0..<count {
            #expect(row.int(forKey: "c\(column)") == column)
            #expect(row.contains(key: "c\(column)"))
        }
        #expect(!row.contains(key: "c"))
        #expect(!row.contains(key: "c\(count)"))
    }
}
