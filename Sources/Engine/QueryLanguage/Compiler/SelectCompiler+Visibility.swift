extension SelectCompiler {
    /// Determines which sources include deleted documents: those whose deleted flag the query mentions (Query 5.1).
    mutating func resolveVisibility() throws {
        var mentioned: Set<Int> = []
        try select.forEachExpression { expression in
            try collectMentions(expression, into: &mentioned)
        }
        for index in mentioned { scope.sources[index].visibility = .all }
        for condition in select.condition?.conjuncts ?? [] {
            if let index = try deletedTest(condition) { scope.sources[index].visibility = .deleted }
        }
    }

    /// Adapts sources to joins by row ID. Index tables contain live documents only, and the row ID of a deleted document can be equal to
    /// that of a live one.
    mutating func restrictVisibility() {
        // Full-text indexes contain no deleted documents.
        for match in matches { scope.sources[match.source].visibility = .live }
        for (position, source) in scope.sources.enumerated() {
            guard case .arrayTable = source.kind, let parent = source.parent else { continue }
            let origin = scope.sources[parent.index]
            switch origin.kind {
            case .documents where origin.visibility == .live, .arrayTable: break
            case .documents, .elements, .rows: scope.sources[position].kind = .elements
            }
        }
    }

    private func collectMentions(_ expression: QueryExpression, into mentioned: inout Set<Int>) throws {
        if case .meta(let alias) = expression {
            if !isOfEnclosingQuery(alias) { mentioned.insert(try scope.documentSource(forMetaOf: alias)) }
        } else if let index = try deletedFlag(expression) {
            mentioned.insert(index)
        } else if case .nested(.meta, _) = expression {
            // Other metadata fields do not mention the deleted flag.
        } else {
            try expression.forEachChild { try collectMentions($0, into: &mentioned) }
        }
    }

    /// Returns the source whose deleted flag the condition requires, as `deleted` or `deleted = true`; `nil` for another condition.
    private func deletedTest(_ condition: QueryExpression) throws -> Int? {
        switch condition {
        case .operation(.equal, let operands) where operands.count == 2 && operands[1] == .boolean(true):
            try deletedFlag(operands[0])
        case .operation(.equal, let operands) where operands.count == 2 && operands[0] == .boolean(true):
            try deletedFlag(operands[1])
        default:
            try deletedFlag(condition)
        }
    }

    /// Returns the source whose deleted flag the expression is; `nil` for another expression.
    private func deletedFlag(_ expression: QueryExpression) throws -> Int? {
        switch expression {
        case .nested(.meta(let alias), let path) where path == [.key(MetaField.deleted.rawValue)]:
            isOfEnclosingQuery(alias) ? nil : try scope.documentSource(forMetaOf: alias, field: path)
        case .property(let path):
            if let (index, rest) = scope.source(of: path), MetaField(path: rest) == .deleted,
                scope.sources[index].table != nil
            {
                index
            } else {
                nil
            }
        default:
            nil
        }
    }
}

extension QueryExpression {
    /// The operands of a top-level AND and of ANDs nested in it; otherwise the expression itself.
    package var conjuncts: [QueryExpression] {
        if case .operation(.and, let operands) = self { operands.flatMap(\.conjuncts) } else { [self] }
    }
}
