import Base
import QueryLanguage
import SQLiteEngine

/// Describes the steps of a plan in words.
struct PlanDescriber {
    let select: SelectStatement
    let sources: [PlannedSource]
    /// The collections that the query reads.
    let collections: [CollectionFacts]
    /// The tables of full-text indexes whose text Couchbase Lite would split into other words.
    let incompatibleTables: Set<ExactString>
    /// Returns in words what the pattern of a search in a table is expanded to.
    let expansion: (_ table: String, _ pattern: QueryExpression) -> String

    /// A collection, with its indexes and its size.
    struct CollectionFacts {
        let table: SourceTable
        let indexes: [IndexInfo]
        /// The number of live documents.
        let documentCount: UInt64
    }

    func steps(_ nodes: [PlanNode]) -> [PlanDescription.Step] {
        var depths: [Int64: Int] = [:]
        // The numbers of subqueries that the children of each node are in.
        var queryDepths: [Int64: Int] = [:]
        // Loops with the same parent node are nested, each in the one before it.
        var loops: Set<Int64> = []
        return nodes.flatMap { node -> [PlanDescription.Step] in
            let depth = depths[node.parent].map { $0 + 1 } ?? 0
            depths[node.id] = depth
            let queryDepth = queryDepths[node.parent] ?? 0
            queryDepths[node.id] = node.isSubquery || nestedQuery(node.detail) != nil ? queryDepth + 1 : queryDepth
            guard let access = TableAccess(node.detail) else {
                let (kind, text) = otherStep(node.detail)
                return [PlanDescription.Step(kind: kind, depth: depth, text: text)]
            }
            if access.isExists {
                // The loop is a subquery: it ends at the first row. As the first loop it runs once, and is no loop around the others.
                let isFirst = !loops.contains(node.parent)
                let text = isFirst ? "runs a subquery once:" : "runs a subquery for each row:"
                var step = reading(access, source(named: access.source, queryDepth: queryDepth + 1))
                step.depth = depth + 1
                return [PlanDescription.Step(kind: .subquery, depth: depth, text: text), step]
            }
            var step = reading(access, source(named: access.source, queryDepth: queryDepth))
            step.depth = depth
            if node.detail.hasSuffix(" LEFT-JOIN") { step.text += ", and keeps the row if nothing is found" }
            if !loops.insert(node.parent).inserted { step.text = "for each row: " + step.text }
            return [step]
        }
    }

    /// Returns the steps of a full-text search that sorts the matches before it looks up their documents; see ``RankedSearch``.
    ///
    /// - Parameter nodes: The plan of the statement that sorts afterwards.
    func rankedSteps(_ nodes: [PlanNode]) -> [PlanDescription.Step] {
        var steps = self.steps(nodes)
        guard steps.map(\.kind) == [.search, .search, .sort] else { return steps }
        steps.swapAt(1, 2)
        steps[1].text = "sorts the matches by \(ordering)"
        steps[2].text = steps[2].text.replacing("for each row: ", with: "for each of the first rows: ")
        return steps
    }

    // MARK: Reading

    /// Returns the source that an alias denotes in a node inside of so many subqueries; `nil` if there is none, or if it is unknown which
    /// of several queries the node belongs to.
    private func source(named alias: String, queryDepth: Int) -> PlannedSource.Kind? {
        let named = sources.filter { alias.isExactly($0.alias) }
        // ANY and EVERY are subqueries too, so a query may be nested less deep than its nodes. SQLite may turn EXISTS into a join.
        let innermost = named.map(\.depth).filter { $0 <= queryDepth }.max() ?? named.map(\.depth).min()
        let kinds = Set(named.filter { $0.depth == innermost }.map(\.kind))
        return kinds.count == 1 ? kinds.first : nil
    }

    private func reading(_ access: TableAccess, _ source: PlannedSource.Kind?) -> PlanDescription.Step {
        if let source {
            switch source {
            case .documents(let table):
                return documents(of: table, access.method, isDeleted: false)
            case .elements(let array):
                return PlanDescription.Step(kind: .elements, text: "reads the elements of \(array) from each document")
            case .indexedElements(let array, let path):
                return elements(array, path, access.method)
            case .rows:
                return PlanDescription.Step(kind: .other, text: "reads the rows of the nested query \(access.source)")
            case .hits: return PlanDescription.Step(kind: .other, text: "collects these documents")
            case .fused(let text): return PlanDescription.Step(kind: .search, text: text)
            case .predictions(let documents, let table): return predictions(of: documents, table, access.method)
            case .fullText(let index, let table, let pattern):
                let note =
                    incompatibleTables.contains(table)
                    ? ", whose text is split into words by dictionary (Couchbase Lite does not support this)" : ""
                return PlanDescription.Step(
                    kind: .search,
                    text: "searches full-text index \(index)\(note)\(expansion(table, pattern))",
                    index: index
                )
            case .vectors(let use):
                return PlanDescription.Step(kind: .search, text: text(ofVectorSearch: use), index: use.index.name)
            }
        }
        if let facts = collections.first(where: { $0.table.liveTable.isExactly(access.source) }) {
            return documents(of: facts.table, access.method, isDeleted: false)
        }
        if let facts = collections.first(where: { access.source.isExactly($0.table.deletedTable) }) {
            return documents(of: facts.table, access.method, isDeleted: true)
        }
        if case .virtual = access.method, access.source.hasPrefix("_") {
            return PlanDescription.Step(kind: .elements, text: "tests each array element \(access.source.dropFirst())")
        }
        return PlanDescription.Step(kind: .other, text: "reads the rows of \(access.source)")
    }

    private func documents(of table: SourceTable, _ method: TableAccess.Method, isDeleted: Bool) -> PlanDescription.Step {
        let name = table.collectionName
        let facts = collections.first { $0.table == table }
        let what = isDeleted ? "deleted documents" : "documents"
        var step = PlanDescription.Step(kind: .search, text: "", collection: name)
        switch method {
        case .scan(let index, _):
            step.kind = .scan
            step.documentCount = isDeleted ? nil : facts?.documentCount
            let number = step.documentCount.map { " \($0.groupedByThousands)" } ?? ""
            step.text = "reads all\(number) \(what) of \(name)"
            guard let index else { break }
            step.index = facts?.indexes.first { $0.storedName.isExactly(index) }?.name
            step.text += " in the order of \(step.index ?? (index.hasPrefix("sqlite_autoindex") ? "their IDs" : index))"
        case .search(let index, let terms):
            if let registered = facts?.indexes.first(where: { $0.storedName.isExactly(index) }) {
                step.index = registered.name
                step.text = "searches index \(registered.name) of \(name) for \(registered.description(ofTerms: terms))"
            } else if index.hasPrefix("sqlite_autoindex") {
                step.text = "finds \(what) of \(name) by ID"
            } else {
                step.text = "searches the \(what) of \(name) for \(terms)"
            }
        case .rowID:
            step.text = "fetches the document from \(name)"
        case .automaticIndex(let terms):
            step.kind = .scan
            step.documentCount = facts?.documentCount
            step.text = "creates a temporary index of all documents of \(name), and searches it for \(terms)"
        case .virtual:
            step.kind = .other
            step.text = "reads \(name)"
        }
        return step
    }

    private func predictions(of documents: SourceTable, _ table: String, _ method: TableAccess.Method) -> PlanDescription.Step {
        let indexes = collections.first { $0.table == documents }?.indexes.filter { table.isExactly($0.table) } ?? []
        let model = indexes.first?.modelName ?? "a model"
        switch method {
        case .search(let index, let terms):
            guard let registered = indexes.first(where: { $0.storedName.isExactly(index) }) else {
                return PlanDescription.Step(kind: .search, text: "reads the output of \(model) from the table of its predictive index")
            }
            let text = "searches predictive index \(registered.name) for \(registered.description(ofTerms: terms))"
            return PlanDescription.Step(kind: .search, text: text, index: registered.name)
        case .rowID:
            return PlanDescription.Step(kind: .search, text: "reads the output of \(model) from the table of its predictive index")
        case .scan(let index, _):
            let registered = indexes.first { index?.isExactly($0.storedName) ?? false }
            let order = registered.map { " in the order of predictive index \($0.name)" } ?? ""
            return PlanDescription.Step(kind: .scan, text: "reads all outputs of \(model)\(order)", index: registered?.name)
        case .automaticIndex, .virtual:
            return PlanDescription.Step(kind: .scan, text: "reads all outputs of \(model)")
        }
    }

    private func elements(_ array: String, _ path: String, _ method: TableAccess.Method) -> PlanDescription.Step {
        let indexes = collections.flatMap(\.indexes).filter { path.isExactly($0.arrayPath) }
        switch method {
        case .search(let index, let terms):
            guard let registered = indexes.first(where: { $0.storedName.isExactly(index) }) else {
                return PlanDescription.Step(kind: .search, text: "reads the elements of \(array) from the table of the array index")
            }
            let text = "searches array index \(registered.name) for \(registered.description(ofTerms: terms))"
            return PlanDescription.Step(kind: .search, text: text, index: registered.name)
        case .rowID:
            return PlanDescription.Step(kind: .search, text: "fetches the element of \(array)")
        case .scan, .automaticIndex, .virtual:
            return PlanDescription.Step(kind: .scan, text: "reads all elements of \(array) from the table of the array index")
        }
    }

    // MARK: Everything else

    /// Returns the alias of the rows that a node computes for another one; `nil` if it does something else.
    private func computedRows(_ detail: String) -> String? {
        detail.wholeMatch(of: /(?:CO-ROUTINE|MATERIALIZE) (.+)/).map { String($0.1) }
    }

    /// Returns the name of the query in FROM that a node computes; `nil` if it does something else.
    private func nestedQuery(_ detail: String) -> String? {
        guard let name = computedRows(detail) else { return nil }
        return sources.contains { $0.kind == .rows && name.isExactly($0.alias) } ? name : nil
    }

    /// Returns what a node does that computes one half of a search in FROM; `nil` if it does something else.
    private func hits(_ detail: String) -> String? {
        guard let name = computedRows(detail) else { return nil }
        for source in sources where source.alias.isExactly(name) { if case .hits(let text) = source.kind { return text } }
        return nil
    }

    private func otherStep(_ detail: String) -> (PlanDescription.Step.Kind, String) {
        if let match = detail.wholeMatch(of: /USE TEMP B-TREE FOR (.+)/) { return (.sort, sorting(String(match.1))) }
        if detail.hasPrefix("CORRELATED ") { return (.subquery, "runs a subquery for each row:") }
        if let match = detail.wholeMatch(of: /(UNION|INTERSECT|EXCEPT) USING TEMP B-TREE/) {
            return (.subquery, "combines the rows with those of another query by \(match.1):")
        }
        if detail == "LEFT-MOST SUBQUERY" || detail == "UNION ALL" {
            return (.subquery, select.combinesQueries ? "one of the queries:" : "one of the two:")
        }
        if detail.contains("SUBQUERY") { return (.subquery, "runs a subquery once:") }
        if detail == "MULTI-INDEX OR" { return (.search, "combines the results of each operand of OR:") }
        if detail.hasPrefix("INDEX ") { return (.other, "operand \(detail.dropFirst(6)):") }
        if detail == "SCAN CONSTANT ROW" { return (.other, "reads nothing") }
        if let text = hits(detail) { return (.subquery, "\(text):") }
        if let name = nestedQuery(detail) { return (.subquery, "runs the nested query \(name):") }
        if detail == "COMPOUND QUERY" || detail.hasPrefix("CO-ROUTINE") || detail.hasPrefix("MATERIALIZE") {
            return (.subquery, select.combinesQueries ? "combines the rows of several queries:" : "combines live and deleted documents:")
        }
        return (.other, detail.lowercased())
    }

    private func sorting(_ purpose: String) -> String {
        switch purpose {
        case "ORDER BY": "sorts the rows by \(ordering): no index provides this order\(sortsByDistance ? Self.vectorAdvice : "")"
        case "GROUP BY": "sorts the rows to group them by \(grouping): no index provides this order"
        case "DISTINCT": "stores the rows to remove duplicates"
        case let purpose where purpose.hasSuffix("ORDER BY"):
            "sorts rows that are equal in the first terms of ORDER BY \(ordering): the index covers only these terms"
        case let purpose where purpose.hasSuffix("(DISTINCT)"): "stores the values to count each of them once"
        default: "sorts for \(purpose)"
        }
    }

    private var ordering: String {
        select.ordering.map { term in
            let text =
                switch term.expression {
                case .rank(let index): "rank(\(index))"
                case .search(let function, let index, _): "\(function.name)(\(index))"
                default: SQLPlusPlus.text(of: term.expression)
                }
            return (text ?? "an expression") + (term.isDescending ? " DESC" : "")
        }.joined(separator: ", ")
    }

    private var grouping: String { select.grouping.map { SQLPlusPlus.text(of: $0) ?? "an expression" }.joined(separator: ", ") }
}

extension PlanNode {
    /// Whether the children of the node belong to a nested query, and not to a part of the same query.
    fileprivate var isSubquery: Bool { detail.contains("SUBQUERY") && detail != "LEFT-MOST SUBQUERY" }
}

extension IndexInfo {
    /// Returns SQLite's search terms with the expressions of the index in place of `<expr>`.
    fileprivate func description(ofTerms terms: String) -> String {
        guard let definition, let specification = try? IndexSpecification(definition) else { return terms }
        let columns =
            specification.expressions.isEmpty
            ? ["element"]
            : specification.expressions.map { expression in
                SQLPlusPlus.text(of: expression) ?? "an expression"
            }
        // A column with a lower and an upper bound occurs twice.
        var next = 0
        var hasLowerBound = false
        return terms.split(separator: " AND ").map(String.init).map { term in
            guard let mark = term.firstRange(of: "<expr>") else { return term }
            let rest = term[mark.upperBound...]
            let isOtherEnd = hasLowerBound && rest.hasPrefix("<")
            hasLowerBound = rest.hasPrefix(">")
            let column = columns[min(isOtherEnd ? next - 1 : next, columns.count - 1)]
            if !isOtherEnd { next += 1 }
            return
                "\(column) \(rest.replacing("=?", with: "= ?").replacing(">?", with: "> ?").replacing("<?", with: "< ?"))"
        }.joined(separator: " and ")
    }
}

extension UInt64 {
    /// The number with commas between thousands.
    fileprivate var groupedByThousands: String {
        var digits = Array(String(self))
        for position in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: position) }
        return String(digits)
    }
}
