import CouchbaseLiteSwift
import Fleece

/// The plan of a query for programs, with the commands that create the advised indexes.
struct PlanReport {
    private let plan: QueryPlan
    private let path: String

    /// - Parameter path: That of the database, for the commands.
    init(_ plan: QueryPlan, path: String) { (self.plan, self.path) = (plan, path) }

    /// Writes the members `steps` and `advice`.
    func write(to writer: inout JSONWriter) {
        writer.objects("steps", plan.steps) { writer, step in
            writer.members([
                "kind": "\(step.kind)", "depth": step.depth, "text": step.description, "collection": step.collection,
                "index": step.index,
            ])
            writer.member("documents", json: step.documentCount.map(String.init) ?? "null")
        }
        writer.objects("advice", plan.advice) { writer, advice in
            let (expressions, path) = Self.definition(advice)
            writer.members([
                "reason": advice.reason, "collection": advice.collection, "name": advice.name, "path": path, "expressions": expressions,
                "command": command(advice),
            ])
            guard let vectors = advice.configuration as? VectorIndexConfiguration else { return }
            writer.members([
                "dimensions": Int(vectors.dimensions), "centroids": Int(vectors.centroids),
                "metric": vectors.metric.optionName,
            ])
        }
    }

    /// Returns the command that creates the advised index.
    func command(_ advice: QueryPlan.Advice) -> String {
        let (expressions, path) = Self.definition(advice)
        var words = ["cblite", "index", "create", self.path, advice.name]
        if let path { words += ["--array", path] }
        if let vectors = advice.configuration as? VectorIndexConfiguration {
            words += ["--vector", "--dimensions", "\(vectors.dimensions)", "--centroids", "\(vectors.centroids)"]
            words += ["--metric", vectors.metric.optionName]
        }
        if advice.collection != DocumentCollection.defaultFullName { words += ["--collection", advice.collection] }
        if expressions.contains(where: { $0.hasPrefix("-") }) { words.append("--") }
        words += expressions
        return words.map(\.quotedForShell).joined(separator: " ")
    }

    /// Returns the SQL++ expressions of the advised index, and the path of an array index.
    private static func definition(_ advice: QueryPlan.Advice) -> (expressions: [String], path: String?) {
        switch advice.configuration {
        case let value as ValueIndexConfiguration: (value.expressions, nil)
        case let array as ArrayIndexConfiguration: (array.expressions ?? [], array.path)
        case let vectors as VectorIndexConfiguration: ([vectors.expression], nil)
        default: ([], nil)
        }
    }
}

extension DistanceMetric {
    /// The name in the option `--metric`.
    fileprivate var optionName: String {
        switch self {
        case .euclideanSquared: "euclidean-squared"
        case .euclidean: "euclidean"
        case .cosine: "cosine"
        case .dot: "dot"
        }
    }
}

extension String {
    /// The text as one word of a shell command line, quoted if necessary.
    fileprivate var quotedForShell: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_-./:,%+@".utf8.contains(byte)
                }
            }
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
