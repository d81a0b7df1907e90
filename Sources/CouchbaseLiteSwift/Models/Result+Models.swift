import ModelCoding

extension Result {
    /// Decodes the row as a value of `type`: each property from the column with its name.
    ///
    /// ```swift
    /// struct Summary: Decodable {
    ///     let name: String
    ///     let stops: Int?
    /// }
    /// let query = try database.createQuery("SELECT name, stops FROM route")
    /// let summaries = try query.execute().map { try $0.data(as: Summary.self) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - dataKey: The name of a column that contains a dictionary, as `SELECT *` returns; properties without a column
    ///     of their own are decoded from it. Default: `nil`, only columns are decoded.
    /// - Throws: ``CBLError/invalidQuery`` if the row has no value for a property that is not optional, or no column
    ///   `dataKey`; ``CBLError/decodingError`` if a value has another type; the message contains its path.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> T {
        try throwingPublicErrors {
            let row = try ResultRow(row, of: table.rows, columns: table.indexes, dataKey: dataKey)
            return try ModelDecoding(table.source, types: .ofAPI).decode(type, from: row)
        }
    }
}

extension ResultSet {
    /// Decodes the remaining rows as values of `type`; see ``Result/data(as:dataKey:)``. Afterwards no rows remain, even if it throws.
    ///
    /// - Throws: The errors of ``Result/data(as:dataKey:)``.
    /// - Complexity: O(*n*), where *n* is the number of remaining rows.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> [T] {
        try allResults().map { try $0.data(as: type, dataKey: dataKey) }
    }
}
