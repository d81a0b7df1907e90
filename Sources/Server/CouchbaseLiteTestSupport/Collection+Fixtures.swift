public import CouchbaseLiteSwift
import Foundation

/// JSON that is not a set of documents.
public struct FixtureError: Error, CustomStringConvertible {
    /// What is wrong, and where.
    public let description: String
}

extension Collection {
    /// Saves documents that are given as JSON, in one transaction.
    ///
    /// ```swift
    /// try tasks.load(json: #"{"t1": {"title": "Write", "done": false}}"#)
    /// ```
    ///
    /// - Parameter json: An object with the properties of each document by its ID, or an array of objects. In an array `_id` is the ID of
    ///   the document and not one of its properties; without it the ID is random.
    /// - Returns: The number of documents.
    /// - Throws: ``FixtureError`` if the JSON has another form; the errors of `save(document:)`.
    @discardableResult
    public func load(json: String) throws -> Int {
        if let documents = try? MutableDictionaryObject(json: json) {
            return try database.batch {
                for id in documents.keys {
                    guard let properties = documents.dictionary(forKey: id) else {
                        throw FixtureError(description: "the value of \"\(id)\" is not an object with the properties of a document")
                    }
                    try save(document: MutableDocument(id: id, data: properties.toDictionary()))
                }
                return documents.count
            }
        }
        guard let documents = try? MutableArrayObject(json: json) else {
            throw FixtureError(description: "the text is neither a JSON object nor a JSON array")
        }
        return try database.batch {
            for index in 0..<documents.count {
                guard let properties = documents.dictionary(at: index) else {
                    throw FixtureError(description: "item \(index) of the array is not an object")
                }
                try save(properties)
            }
            return documents.count
        }
    }

    /// Saves the documents of a file, in one transaction.
    ///
    /// - Parameter file: A file as ``load(json:)`` reads it or, with the extension `jsonl`, with an object in each line.
    /// - Returns: The number of documents.
    /// - Throws: As ``load(json:)``; an error of Foundation if the file cannot be read.
    @discardableResult
    public func load(contentsOf file: URL) throws -> Int {
        let text = try String(contentsOf: file, encoding: .utf8)
        guard file.pathExtension.lowercased() == "jsonl" else { return try load(json: text) }
        return try database.batch {
            var count = 0
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                guard line.contains(where: { !$0.isWhitespace }) else { continue }
                guard let properties = try? MutableDictionaryObject(json: String(line)) else {
                    throw FixtureError(description: "line \(number + 1) of \(file.lastPathComponent) is not a JSON object")
                }
                try save(properties)
                count += 1
            }
            return count
        }
    }

    private func save(_ properties: DictionaryObject) throws {
        var data = properties.toDictionary()
        let id = data.removeValue(forKey: "_id") as? String
        try save(document: MutableDocument(id: id ?? UUID().uuidString.lowercased(), data: data))
    }
}
