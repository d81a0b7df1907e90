import Base

extension SelectStatement {
    /// See ``CompiledQuery/documentColumns``.
    var documentColumns: [Int] {
        items.indices.filter { column in
            guard items[column].title == nil, case .property(let path) = items[column].expression, path.isStar else { return false }
            return !path.isEmpty || sources.count <= 1
        }
    }
}

/// Determines the titles of the result columns (Query 4.1).
enum ColumnTitles {
    /// Returns the titles in order, made unique.
    static func titles(of select: SelectStatement, in scope: SourceScope) -> [String] {
        guard !select.items.isEmpty else { return ["_id", "_sequence"] }
        var titles: [String] = []
        var used: Set<ExactString> = []
        var numbers: [ExactString: Int] = [:]
        var anonymousCount = 0
        for item in select.items {
            var title = item.title ?? (item.isUntitled ? nil : title(of: item.expression, in: scope)) ?? ""
            if title.isEmpty {
                anonymousCount += 1
                title = "$\(anonymousCount)"
            }
            titles.append(unique(title, &used, &numbers))
        }
        return titles
    }

    /// Returns a title that is not used yet.
    ///
    /// - Parameter numbers: For each title, the number after the last one that was tried.
    private static func unique(_ title: String, _ used: inout Set<ExactString>, _ numbers: inout [ExactString: Int]) -> String {
        if used.insert(ExactString(title)).inserted { return title }
        var number = numbers[ExactString(title)] ?? 2
        var candidate = "\(title) #\(number)"
        while !used.insert(ExactString(candidate)).inserted {
            number += 1
            candidate = "\(title) #\(number)"
        }
        numbers[ExactString(title)] = number + 1
        return candidate
    }

    /// Returns the title that an expression has by itself; `nil` if it has none.
    private static func title(of expression: QueryExpression, in scope: SourceScope) -> String? {
        switch expression {
        case .property(let path) where path.isEmpty:
            return scope.main.map { mainTitle($0, in: scope) }
        case .property(let path):
            if let first = path.firstKey, first.first == "_" { return String(first.dropFirst()) }
            return path.lastKey
        case .nested(.meta, let path):
            return path.onlyKey
        default:
            return nil
        }
    }

    /// Returns the title of the whole document: the name of the main source, without its scope if that is unambiguous.
    private static func mainTitle(_ main: ResolvedSource, in scope: SourceScope) -> String {
        guard let name = main.scopedPath?.name else { return main.alias ?? "" }
        let isAmbiguous = scope.sources.dropFirst().contains { source in
            if case .collection(let path) = source.syntax.origin { name.isExactly(path.name) } else { false }
        }
        return isAmbiguous ? main.alias ?? name : name
    }
}
