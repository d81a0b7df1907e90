package import DocumentStore
import SQLiteEngine

/// The SQL functions that queries, index expressions and triggers call (Query 5.2, Storage format 5.3).
package enum QueryFunctions {
    /// Registers all functions and collations on a connection. See ``DatabaseFile/Options/supportQueries()``.
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
        try registrar.addPredictionFunctions()
        try registrar.addAggregates()
        try registrar.addLike()
        try registrar.addEach()
        try registrar.addRank()
        try registrar.addVectorFunctions()
        try registrar.addFullTextPatternFunctions()
        try registrar.addSearchFunctions()
        try registrar.addSearchSourceFunctions()
        try context.connection.registerFullTextTokenizer()
        try context.connection.onCollationNeeded { connection, name in
            guard let compare = UnicodeCollation(name: name)?.makeComparison() else { return }
            // If this fails, SQLite reports the collation as unknown, which is sufficient.
            try? connection.registerCollation(name: name, compare: compare)
        }
    }
}
