import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

/// Finds indexes that would help a query, by trying candidates derived from its conditions and orderings.
struct IndexAdvisor {
    let select: SelectStatement
    let file: DatabaseFile
    let databaseName: String

    /// Returns the advice for a query with the given plan. Each candidate is created in a copy of the schema; only indexes that SQLite
    /// would use are returned, and vector indexes, which the query as it is does not use. Costs about a millisecond for each index of the
    /// file, and nothing if the query neither scans nor sorts all rows.
    func advice(on plan: [PlanNode]) throws -> [PlanDescription.Advice] {
        let accesses = plan.compactMap { TableAccess($0.detail) }
        let isSorted = plan.contains(where: \.sortsWholeResult)
        guard isSorted || accesses.contains(where: \.readsAll) else { return [] }
        let copy = try SchemaCopy(of: file)
        defer { copy.close() }
        var advice: [PlanDescription.Advice] = []
        for query in try QueryCompiler.resolvedQueries(in: select, resolver: StoreResolver(file: file, databaseName: databaseName)) {
            let scope = query.scope
            let candidates = IndexCandidates(query.select, scope: scope)
            let order = isSorted ? DistanceOrder(query.select) : nil
            let vectors = try order.flatMap { try vectorAdvice($0, in: query) }
            if let vectors, !advice.contains(vectors) { advice.append(vectors) }
            for position in scope.sources.indices {
                let alias = scope.sources[position].alias
                let isReadWhole = accesses.contains { $0.source.isExactly(alias) && $0.readsAll }
                guard isSorted || isReadWhole else { continue }
                for candidate in candidates.candidates(forSource: position) {
                    // An index of distances from one vector would help this query alone.
                    if vectors != nil, candidate.expressions.contains(where: DistanceOrder.isDistance) { continue }
                    guard let found = try benefit(of: candidate, isReadWhole: isReadWhole, on: copy) else { continue }
                    if !advice.contains(found) { advice.append(found) }
                    break
                }
            }
        }
        return advice
    }

    /// Returns the advice to create the index; `nil` if the query would not benefit from it.
    ///
    /// - Parameter isReadWhole: Whether the query reads all rows of the source; otherwise an index that exists finds them.
    private func benefit(of candidate: IndexCandidate, isReadWhole: Bool, on copy: SchemaCopy) throws -> PlanDescription.Advice? {
        let texts = candidate.expressions.compactMap { SQLPlusPlus.text(of: $0) }
        guard texts.count == candidate.expressions.count, let id = CollectionID(storeName: candidate.table.storeName),
            let collection = try file.collection(id)
        else { return nil }
        let name = try freeName(for: (candidate.arrayPath.map { [$0] } ?? []) + texts, on: collection)
        let kind = candidate.arrayPath.map { IndexDefinition.Kind.array(path: $0) } ?? .value
        let definition = IndexDefinition(name: name, kind: kind, text: texts.joined(separator: ", "))
        let resolver = ScratchResolver(base: StoreResolver(file: file, databaseName: databaseName), connection: copy.connection)
        let connection = copy.connection
        // The index is created in a savepoint, which is always rolled back.
        try connection.execute("SAVEPOINT advice")
        defer { try? connection.execute("ROLLBACK TO advice; RELEASE advice") }
        guard let before = try? plan(resolver, on: connection) else { return nil }
        guard let layout = try? IndexSpecification(definition).layout(on: collection),
            (try? layout.create(named: name, on: connection)) != nil,
            let after = try? plan(resolver, on: connection),
            let reason = self.reason(candidate, isReadWhole: isReadWhole, name, before, after)
        else { return nil }
        return PlanDescription.Advice(
            reason: reason,
            collection: collection.id.fullName,
            name: name,
            arrayPath: candidate.arrayPath,
            expressions: texts,
            vectorOptions: nil
        )
    }

    private func plan(_ resolver: any CollectionResolver, on connection: Connection) throws -> [PlanNode] {
        let compiled = try QueryCompiler.compile(select, resolver: resolver, includesMatchInformation: false)
        return try PlanNode.plan(of: compiled.sql, on: connection)
    }

    /// Returns the benefit of the index, in words; `nil` if there is none.
    private func reason(
        _ candidate: IndexCandidate,
        isReadWhole: Bool,
        _ name: String,
        _ before: [PlanNode],
        _ after: [PlanNode]
    ) -> String? {
        let isSearched = after.contains { $0.searches(index: name) }
        let savesSorting =
            before.contains(where: \.sortsWholeResult) && !after.contains(where: \.sortsWholeResult)
            && after.contains { $0.uses(index: name) }
        let what = candidate.arrayPath == nil ? "documents" : "elements"
        return switch (isReadWhole && isSearched && candidate.searchedCount > 0, savesSorting) {
        case (true, true): "the \(what) are found without a full scan and returned in order"
        case (true, false): "the \(what) are found without a full scan"
        case (false, true): "the rows are returned in order and need not be sorted"
        case (false, false): nil
        }
    }

    /// Returns a name derived from the texts of an index that is not in use in the collection.
    func freeName(for parts: [String], on collection: CollectionStore) throws -> String {
        let words = parts.joined(separator: "_").split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let base = words.isEmpty ? "advised" : words.joined(separator: "_")
        let taken = Set(try IndexRegistry(file).indexes(of: collection).map { $0.name.lowercased() })
        var name = base
        var number = 2
        while taken.contains(name.lowercased()) {
            name = "\(base)_\(number)"
            number += 1
        }
        return name
    }
}

/// Resolves collections in the file, and array tables and indexes in the copy of its schema.
private struct ScratchResolver: CollectionResolver {
    let base: StoreResolver
    let connection: Connection

    var databaseName: String { base.databaseName }

    func table(forCollection path: CollectionPath) throws -> SourceTable? { try base.table(forCollection: path) }

    func fullTextTable(ofIndex index: String, in table: SourceTable) throws -> String? { try base.fullTextTable(ofIndex: index, in: table) }

    func arrayTable(forPath path: String, in table: SourceTable) throws -> String? {
        try StoreResolver.arrayTable(forPath: path, in: table, on: connection)
    }

    func hasPatternIndex(in table: SourceTable) throws -> Bool { try StoreResolver.hasPatternIndex(in: table, on: connection) }

    func hasIndex(of expression: String, onTable table: String) throws -> Bool {
        try StoreResolver.hasIndex(of: expression, onTable: table, on: connection)
    }

    func readsExactly(_ number: Double) throws -> Bool { try base.readsExactly(number) }
}

extension PlanNode {
    /// Whether all rows are sorted, not only groups of rows that an index has ordered in part.
    fileprivate var sortsWholeResult: Bool { detail == "USE TEMP B-TREE FOR ORDER BY" || detail == "USE TEMP B-TREE FOR GROUP BY" }

    fileprivate func searches(index: String) -> Bool {
        guard case .search(index, _)? = TableAccess(detail)?.method else { return false }
        return true
    }

    fileprivate func uses(index: String) -> Bool {
        switch TableAccess(detail)?.method {
        case .search(index, _), .scan(index, _): true
        default: false
        }
    }
}

extension TableAccess {
    /// Whether a better index could avoid reads, because all rows are read or elements are extracted from documents.
    fileprivate var readsAll: Bool {
        switch method {
        case .scan, .automaticIndex, .virtual: true
        case .search, .rowID: false
        }
    }
}
