import CouchbaseLiteSwift
import Foundation

/// A database whose documents `0`, `1`, … have the vectors of a set, and the property `part` from 0 to 99 with a value index.
struct VectorDatabase {
    let database: Database
    let collection: Collection

    static let indexName = "nearest"

    /// Stores the vectors as arrays of numbers.
    init(_ database: Database, _ set: VectorSet) throws {
        self.database = database
        collection = try database.defaultCollection()
        try database.inBatch {
            for index in 0..<set.count {
                let document = MutableDocument(id: String(index))
                document.setInt(index % 100, forKey: "part")
                document.setArray(MutableArrayObject(data: Array(set.vector(index))), forKey: "vector")
                try collection.save(document: document)
            }
        }
        try collection.createIndex(withName: "part", config: ValueIndexConfiguration(["part"]))
    }

    /// Opens what was made before.
    init(existing database: Database) throws {
        self.database = database
        collection = try database.defaultCollection()
    }

    func createIndex(dimensions: Int, centroids: Int, encoding: VectorEncoding, training: UInt32 = 0) throws {
        var configuration = VectorIndexConfiguration(expression: "vector", dimensions: UInt32(dimensions), centroids: UInt32(centroids))
        configuration.encoding = encoding
        configuration.minTrainingSize = training
        try collection.createIndex(withName: Self.indexName, config: configuration)
    }

    /// Returns the query for the nearest documents, whose target is the parameter `target`.
    ///
    /// - Parameters:
    ///   - probes: The number of buckets to search; `nil` for the default.
    ///   - condition: What else the documents must satisfy; empty if nothing.
    func query(probes: Int? = nil, where condition: String = "") throws -> Query {
        let more = probes.map { ", 'EUCLIDEAN_SQUARED', \($0)" } ?? ""
        return try database.createQuery(
            "SELECT META().id FROM _ \(condition.isEmpty ? "" : "WHERE \(condition) ")"
                + "ORDER BY APPROX_VECTOR_DISTANCE(vector, $target\(more)) LIMIT \(VectorSet.wanted)"
        )
    }

    /// Runs a query for a target, and returns the numbers of the documents.
    func nearest(_ query: Query, _ target: Target) throws -> [Int] {
        switch target {
        case .array(let numbers): query.parameters = Parameters().setArray(numbers, forName: "target")
        case .base64(let text): query.parameters = Parameters().setString(text, forName: "target")
        }
        return try query.execute().map { $0.string(at: 0).flatMap { Int($0) } ?? -1 }
    }

    /// A target in one of the forms that a query accepts.
    enum Target {
        case array(MutableArrayObject)
        case base64(String)

        init(_ components: ArraySlice<Float>, isBase64: Bool) {
            if isBase64 {
                self = .base64(components.withUnsafeBytes { Data($0).base64EncodedString() })
            } else {
                self = .array(MutableArrayObject(data: Array(components)))
            }
        }
    }
}

extension VectorEncoding {
    /// Creates the encoding of a name: none, sq8, sq6, sq4, or pq and two numbers with an x between them.
    init?(name: String) {
        switch name {
        case "none": self = .none
        case "sq8": self = .scalarQuantizer(type: .SQ8)
        case "sq6": self = .scalarQuantizer(type: .SQ6)
        case "sq4": self = .scalarQuantizer(type: .SQ4)
        default:
            let numbers = name.dropFirst(2).split(separator: "x").compactMap { UInt32($0) }
            guard name.hasPrefix("pq"), numbers.count == 2 else { return nil }
            self = .productQuantizer(subquantizers: numbers[0], bits: numbers[1])
        }
    }

    /// The number of bytes of a stored vector.
    func size(dimensions: Int) -> Int {
        switch self {
        case .none: dimensions * 4
        case .scalarQuantizer(let type): (dimensions * Int(type.rawValue) + 7) / 8
        case .productQuantizer(let subquantizers, let bits): (Int(subquantizers) * Int(bits) + 7) / 8
        }
    }
}
