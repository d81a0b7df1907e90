import DatabaseRuntime
import DocumentStore
import Fleece
package import Foundation
package import QueryEngine
import QueryLanguage

/// Decodes the rows of a query for documents as values of a model type: the ID, the revision and the body of a document.
package struct ModelRows<Model: Decodable>: Sendable {
    /// How the documents are identified; `nil` if only a property wrapper contains the ID.
    private let shape: ModelShape?
    private let types: ModelTypes

    /// The column with the rank of a document in the rows of a search.
    package static var rankColumn: Int { 3 }

    /// Creates the decoder of the rows of one query.
    package init(shape: ModelShape?, types: ModelTypes) { (self.shape, self.types) = (shape, types) }

    /// Decodes a row.
    ///
    /// - Throws: `invalidQuery` if the row does not have these columns; ``ModelRowError`` if the body cannot be decoded; the errors of
    ///   ``ModelShape/decode(_:from:of:id:revision:)``.
    package func model(_ row: Int, of rows: RecordedRows, _ source: any ModelSource) throws -> Model {
        guard rows.columnTitles.count > 2, let id = rows.value(row: row, column: 0)?.string,
            let revision = rows.value(row: row, column: 1)?.string.flatMap({ RevisionID($0) }),
            let body = rows.value(row: row, column: 2)
        else { throw QueryError.invalidQuery("The rows are not those of a ModelQuery") }
        do {
            if let shape { return try shape.decode(Model.self, from: body, of: source, id: id, revision: revision) }
            let decoding = ModelDecoding(source, types: types, identity: ModelIdentity(id: id, revision: revision))
            let model = try decoding.decode(Model.self, from: body)
            if Model.self is AnyClass { try? types.wrapper(of: model as AnyObject).stands(for: id, revision) }
            return model
        } catch let error as DecodingError {
            throw ModelRowError(documentID: id, error: error)
        }
    }

    /// Decodes a row as ``model(_:of:_:)`` does. If its document cannot be decoded, it calls `handle` with the error, and returns `nil` unless
    /// that throws.
    package func model(
        _ row: Int,
        of rows: RecordedRows,
        _ source: any ModelSource,
        handling handle: (ModelRowError) throws -> Void
    ) throws -> Model? {
        do {
            return try model(row, of: rows, source)
        } catch let error as ModelRowError {
            try handle(error)
            return nil
        }
    }
}

/// The error that a document among the results of a query cannot be decoded.
package struct ModelRowError: PublicErrorConvertible, CustomStringConvertible {
    /// The ID of the document that cannot be decoded.
    package let documentID: String
    /// What the decoder has thrown.
    package let error: DecodingError

    package var description: String { "Document \"\(documentID)\": \(error.modelMessage)" }
    package var publicError: NSError { LibraryError(LibraryError.Code.decodingError, description, underlying: error) }
}
