import Base
import DocumentStore
import Foundation
import QueryLanguage
import Synchronization

extension IndexDependencies {
    /// The number of this library's own rules, by which it computes keys that depend on a language or the time zone. Each change of them
    /// increments it.
    private static let rules = 1

    private static let collationMark = "LCUnicode_"

    /// What this library knows of the indexes that it can create.
    static let ofQueries = IndexDependencies(
        marks: [collationMark] + QueryFunction.all.filter(\.readsLocalZone).map(\.sqlName),
        names: { names(in: $0) },
        state: { state(of: $0, $1) }
    )

    /// Returns the Unicode collations in the SQL of an index, and whether it depends on the local time zone.
    private static func names(in sql: String) -> [String] {
        var found: Set<ExactString> = []
        for range in sql.ranges(of: collationMark) {
            // A name is quoted if it is an argument of a function, or if the locale contains other characters than letters and digits.
            let quote = sql[..<range.lowerBound].last.flatMap { $0 == "\"" || $0 == "'" ? $0 : nil }
            let end = sql[range.upperBound...].firstIndex { character in
                quote.map { character == $0 } ?? !(character.isLetter || character.isNumber || character == "_")
            }
            found.insert(ExactString(String(sql[range.lowerBound..<(end ?? sql.endIndex)])))
        }
        let functions = QueryFunction.all.filter(\.readsLocalZone)
        if functions.contains(where: { sql.contains($0.sqlName + "(") }) { found.insert(ExactString(localTime)) }
        return found.sorted().map(\.string)
    }

    private static func state(of names: [String], _ zone: TimeZone) -> String {
        let states = names.map { name in
            // The rules of a zone change with the data.
            let state = name == localTime ? "\(zone.identifier) \(TimeZone.timeZoneDataVersion)" : collationVersion(name)
            return "\(name): \(state)"
        }
        return (["rules \(rules)"] + states).joined(separator: "; ")
    }

    private static let collationVersions = Mutex<[ExactString: String]>([:])
    /// An untrusted file may have indexes with any number of collations.
    private static let maximumVersionCount = 1000

    private static func collationVersion(_ name: String) -> String {
        if let known = collationVersions.withLock({ $0[ExactString(name)] }) { return known }
        let version = UnicodeCollation(name: name).flatMap { UnicodeCollator($0)?.version } ?? "unknown"
        collationVersions.withLock { versions in
            if versions.count >= maximumVersionCount { versions.removeAll() }
            versions[ExactString(name)] = version
        }
        return version
    }
}
