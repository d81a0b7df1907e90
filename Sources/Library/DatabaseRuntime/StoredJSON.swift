import Base
package import Fleece
package import QueryEngine

extension Value {
    /// Returns the value as JSON; `nil`, and logs a warning, if it is damaged.
    ///
    /// - Complexity: O(*n*) in the size of the value.
    package func loggedJSON(sharedKeys: SharedKeys) -> String? {
        do {
            return try JSON.string(self, sharedKeys: sharedKeys)
        } catch {
            EngineLog.log(.warning, .database, "a damaged value cannot be converted to JSON: \(error)")
            return nil
        }
    }
}

extension FleeceData {
    /// Returns a JSON text as data without shared keys.
    ///
    /// - Parameter type: The type that the value of the text must have: an array or a dictionary.
    /// - Throws: An error with the code `invalidJSON`.
    package static func parsed(_ json: String, as type: ValueType) throws -> FleeceData {
        let data: FleeceData
        do { data = try JSON.fleece(json) } catch { throw error.publicError }
        guard data.root?.type == type else {
            throw LibraryError(LibraryError.Code.invalidJSON, "The JSON text is not \(type == .array ? "an array" : "an object")")
        }
        return data
    }
}

extension RecordedRows {
    /// Returns a row as a JSON object, with the columns in order. Missing columns are left out, and so are damaged values, after a warning in
    /// the log.
    ///
    /// - Complexity: O(*n*) in the size of the row.
    package func jsonObject(row: Int) -> String {
        JSONWriter.object { writer in
            for (column, title) in columnTitles.enumerated() {
                guard let value = self.value(row: row, column: column), let json = value.loggedJSON(sharedKeys: .empty) else { continue }
                writer.member(title, json: json)
            }
        }.string
    }
}
