package import DocumentStore
import SQLiteEngine

/// The functions that queries, index expressions and triggers call in SQL (Query 5.2, Storage format 5.3).
package enum QueryFunctions {
    /// Makes all functions and collations known on a connection. See ``DatabaseFile/Options/supportQueries()``.
    package static func register(on context: ConnectionContext) throws {
        let environment = FunctionEnvironment(context)
        let registrar = FunctionRegistrar(connection: context.connection, environment: environment)
        try registrar.addDocumentFunctions()
        try registrar.addContainerFunctions()
        try registrar.addResultFunctions()
        try registrar.addStringFunctions()
        try registrar.addPatternFunctions()
        try registrar.addArrayFunctions()
        try registrar.addConditionalFunctions()
        try registrar.addTypeFunctions()
        try registrar.addMathFunctions()
        try registrar.addDateFunctions()
        try registrar.addAggregates()
        try registrar.addLike()
        try registrar.addEach()
        try registrar.addRank()
        try registrar.addPatternLimit()
        try context.connection.registerFullTextTokenizer()
        try context.connection.onCollationNeeded { connection, name in
            guard let compare = UnicodeCollation(name: name)?.makeComparison() else { return }
            // When it fails SQLite reports the collation as unknown, which says as much.
            try? connection.registerCollation(name: name, compare: compare)
        }
    }
}
