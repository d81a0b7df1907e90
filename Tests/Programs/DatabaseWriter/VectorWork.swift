import CouchbaseLiteSwift
import Foundation
import QueryEngine
import TestSupport

/// Saves, changes and deletes documents with vectors, searches, and creates their index anew, at random. Indexes are trained in the background.
///
/// The document `dN` has the vector `[N mod 3 * 24, N / 3 mod 3 * 24]` and the number N as `n`. Any few documents have the smallest and the largest
/// components: codes cannot stand for components that are outside of those of the documents with which the index was trained.
func writeVectors(_ database: Database, seed: UInt64, from first: Int, count: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let collection = try database.defaultCollection()
    try VectorTraining.$minimumVectors.withValue(20) {
        for number in first..<first + count {
            switch Int.random(in: 0..<24, using: &generator) {
            case 0:
                try createVectorIndex(of: collection, centroids: Int.random(in: 1...3, using: &generator), isCoded: number % 2 == 0)
                report("index")
            case 1...3:
                try database.inBatch {
                    for member in 0..<20 { try save(number * 20 + member, in: collection) }
                }
                report("batch \(number)")
            case 4...6:
                if let document = try collection.document(id: "d\(Int.random(in: first...number, using: &generator) * 20)") {
                    try collection.delete(document: document)
                }
                report("deleted")
            case 7...9:
                let id = "d\(Int.random(in: first...number, using: &generator) * 20)"
                if let document = try collection.document(id: id)?.toMutable() {
                    try collection.save(document: document.setInt(number, forKey: "changed"))
                }
                report("changed")
            case 10...15:
                try search(database, for: [number % 50, number / 50 % 50])
                report("searched")
            default:
                try save(number * 20, in: collection)
                report("saved \(number * 20)")
            }
        }
    }
}

private func createVectorIndex(of collection: Collection, centroids: Int, isCoded: Bool) throws {
    var config = VectorIndexConfiguration(expression: "vector", dimensions: 2, centroids: UInt32(centroids))
    config.encoding = isCoded ? .scalarQuantizer(type: .SQ8) : .none
    try collection.createIndex(withName: "near", config: config)
}

private func save(_ number: Int, in collection: Collection) throws {
    let document = MutableDocument(id: "d\(number)").setInt(number, forKey: "n")
    try collection.save(document: document.setArray(MutableArrayObject(data: [number % 3 * 24, number / 3 % 3 * 24]), forKey: "vector"))
}

/// Checks that a search gives rows in order.
private func search(_ database: Database, for target: [Int]) throws {
    guard try database.defaultCollection().indexes().contains("near") else { return }
    let distance = "APPROX_VECTOR_DISTANCE(vector, \(target))"
    let rows = try database.createQuery("SELECT \(distance) AS d FROM _ ORDER BY d LIMIT 10").execute().map { $0.double(at: 0) }
    guard rows == rows.sorted(), rows.count <= 10 else { throw CocoaError(.coderInvalidValue) }
}
