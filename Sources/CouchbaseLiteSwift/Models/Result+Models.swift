extension Result {
    /// Reads the row as a value of a type: every property from the column of its name.
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
    ///   - type: What to read the row as.
    ///   - dataKey: The title of a column with a dictionary, as `SELECT *` gives; what is no column is read from it.
    /// - Throws: ``CBLError/invalidQuery`` when the row has no value for a property that is not optional, or no column
    ///   `dataKey`; ``CBLError/decodingError`` when a value has another type, which the message names by its path.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> T {
        try throwingPublicErrors { try ResultRow(row, of: table, dataKey: dataKey).decode(type) }
    }
}

extension ResultSet {
    /// Reads the rows that have not been gone through as values of a type; see ``Result/data(as:dataKey:)``.
    ///
    /// - Throws: As ``Result/data(as:dataKey:)``. The rows count as gone through then.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> [T] {
        try allResults().map { try $0.data(as: type, dataKey: dataKey) }
    }
}
