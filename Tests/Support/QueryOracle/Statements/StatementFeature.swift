import QueryLanguage

/// A clause or form that random statements must contain.
package enum StatementFeature: String, CaseIterable, Sendable {
    case update, delete, insert, upsert, insertSelect, upsertSelect
    case set, unset, severalChanges, nestedPath, itemPath, swap, excludedPaths
    case condition, limit, limitParameter, returning, randomID
    case parameterAsValue, nestedQueryAsValue, nestedQueryInValues, nestedQueryInCondition, nestedQueryReturned, nestedWindow
    case changesNothing, refused
    case tree, text, comments, inBatch, indexed
}

extension GeneratedStatement {
    var features: Set<StatementFeature> {
        var features: Set<StatementFeature> = []
        switch statement.change {
        case .update(let assignments):
            features.insert(.update)
            assignments.collect(&features)
        case .delete: features.insert(.delete)
        case .insert(.values(let rows), let replaces):
            features.insert(replaces ? .upsert : .insert)
            if rows.contains(where: { $0.key == nil }) { features.insert(.randomID) }
            if rows.contains(where: \.value.containsNestedQuery) { features.insert(.nestedQueryInValues) }
        case .insert(.select(let select, let key, _), let replaces):
            features.insert(replaces ? .upsertSelect : .insertSelect)
            if key == nil { features.insert(.randomID) }
            if select.limit != nil || select.offset != nil { features.insert(.nestedWindow) }
        }
        if let condition = statement.condition {
            features.insert(.condition)
            if condition.containsNestedQuery { features.insert(.nestedQueryInCondition) }
        }
        if let limit = statement.limit {
            features.insert(.limit)
            if limit.contains(where: { if case .parameter = $0 { true } else { false } }) { features.insert(.limitParameter) }
        }
        if !statement.returning.isEmpty { features.insert(.returning) }
        if statement.returning.contains(where: \.expression.containsNestedQuery) { features.insert(.nestedQueryReturned) }
        return features
    }
}

extension [DataStatement.Assignment] {
    fileprivate func collect(_ features: inout Set<StatementFeature>) {
        if count > 1 { features.insert(.severalChanges) }
        for (index, assignment) in enumerated() {
            features.insert(assignment.value == nil ? .unset : .set)
            if assignment.path.components.count > 1 { features.insert(.nestedPath) }
            if assignment.path.components.contains(where: { if case .index = $0 { true } else { false } }) { features.insert(.itemPath) }
            if case .parameter? = assignment.value { features.insert(.parameterAsValue) }
            if assignment.value?.containsNestedQuery ?? false { features.insert(.nestedQueryAsValue) }
            if self[..<index].contains(where: { OracleStatement.exclude($0.path, assignment.path) }) { features.insert(.excludedPaths) }
            if case .property(let path)? = assignment.value, path == first?.path || path.dropFirst() == first?.path, index == 1 {
                features.insert(.swap)
            }
        }
    }
}
