import CouchbaseLiteSwift
import Fleece

/// Changes documents in two steps: the first call runs a statement, describes what it has changed, and rolls it back; the second call, with the
/// code of the first, runs it again and commits it if it changes the same documents.
final class ChangePreviews {
    private struct Preview {
        let code: String
        let database: String
        let statement: String
        let parameters: String?
        let outcome: Outcome

        var size: Int { statement.utf8.count + (parameters?.utf8.count ?? 0) }
    }
    /// What a run has changed. The revisions on which the changes are based are those of the preview if the database has not changed.
    private struct Outcome: Equatable {
        var changedCount: Int
        var skippedCount: Int
        /// The last sequence of each collection before the run.
        var sequences: [String: UInt64]
        var samples: [Sample] = []

        static func == (left: Outcome, right: Outcome) -> Bool {
            left.changedCount == right.changedCount && left.skippedCount == right.skippedCount && left.sequences == right.sequences
        }
    }
    private struct Sample {
        let collection: String
        let id: String
        /// The document after the change; `nil` if it is deleted.
        let after: String?
    }
    /// The error that rolls a preview back.
    private struct RolledBack: Error { let outcome: Outcome }

    private static let sampleCount = 5
    /// The most previews that can be confirmed, and the most bytes of their texts; the oldest are forgotten.
    private static let maximumCount = 16
    private static let maximumSize = 16 << 20

    private let databases: ServedDatabases
    private let limits: ToolLimits
    private var previews: [Preview] = []

    init(_ databases: ServedDatabases, _ limits: ToolLimits) { (self.databases, self.limits) = (databases, limits) }

    /// Runs a statement, or previews it.
    ///
    /// - Parameters:
    ///   - parameters: The values of its parameters, as a JSON object.
    ///   - code: That of the preview; `nil` for a preview.
    /// - Throws: ``Failure`` if the code is not that of a preview of this statement, if the documents have changed since, or if the statement
    ///   takes too long; `CancellationError`; the errors of the statement. Then nothing is changed.
    func run(
        _ statement: String,
        _ parameters: String?,
        in name: String?,
        confirming code: String?,
        endedBy cancellation: RunCancellation
    ) throws -> String {
        let opening = try databases.opening(name)
        guard let code else {
            let outcome = try self.outcome(of: statement, parameters, opening, expecting: nil, cancellation)
            let preview = Preview(
                code: String(UInt64.random(in: .min ... .max), radix: 36),
                database: opening.path,
                statement: statement,
                parameters: parameters,
                outcome: outcome
            )
            previews.append(preview)
            while previews.count > Self.maximumCount || previews.count > 1 && previews.reduce(0, { $0 + $1.size }) > Self.maximumSize {
                previews.removeFirst()
            }
            return try describe(preview, opening)
        }
        guard let index = previews.firstIndex(where: { $0.code.isSame(as: code) }) else {
            throw Failure(.usage, "there is no preview with this code", hint: "Call the tool without confirm first.")
        }
        let preview = previews[index]
        guard preview.database.isSame(as: opening.path), preview.statement.isSame(as: statement),
            (preview.parameters ?? "").isSame(as: parameters ?? "")
        else {
            throw Failure(.usage, "the preview with this code was of another change", hint: "Confirm with the same arguments.")
        }
        previews.remove(at: index)
        let outcome = try self.outcome(of: statement, parameters, opening, expecting: preview.outcome, cancellation)
        return JSONWriter.object(["changed": outcome.changedCount, "skipped": outcome.skippedCount]).string
    }

    // MARK: Running

    private func outcome(
        of statement: String,
        _ json: String?,
        _ opening: Opening,
        expecting expected: Outcome?,
        _ cancellation: RunCancellation
    ) throws -> Outcome {
        guard ShellText.changingKeyword(statement) != nil else {
            throw Failure(.usage, "the statement must be UPDATE, DELETE, INSERT or UPSERT", hint: "Run a SELECT with the tool query.")
        }
        let deadline = RunDeadline(limits.seconds, cancellation)
        defer { deadline.end() }
        do {
            return try opening.using(.writing) { database in
                try BlockingTask.run(endedBy: cancellation) {
                    try await database.write {
                        let outcome = try Self.outcome(of: statement, Parameters(json: json), in: database)
                        guard let expected else { throw RolledBack(outcome: outcome) }
                        guard outcome == expected else {
                            throw Failure(
                                .conflict,
                                "documents have changed since the preview",
                                hint: "Call the tool without confirm again."
                            )
                        }
                        return outcome
                    }
                }
            }
        } catch let error as RolledBack {
            return error.outcome
        } catch is CancellationError where deadline.hasPassed {
            throw Failure(.usage, "the statement was ended after \(limits.seconds.formatted()) seconds")
        }
    }

    private static func outcome(of statement: String, _ parameters: Parameters, in database: Database) throws -> Outcome {
        let collections = try database.scopes().flatMap { try $0.collections() }
        var outcome = Outcome(changedCount: 0, skippedCount: 0, sequences: [:])
        for collection in collections { outcome.sequences[collection.fullName] = try collection.lastSequence() }
        let result = try database.execute(QueryText(verbatim: statement), parameters: parameters)
        (outcome.changedCount, outcome.skippedCount) = (result.changedCount, result.skippedCount)
        for collection in collections {
            try collection.forEachChange(after: outcome.sequences[collection.fullName] ?? 0) { change in
                guard outcome.samples.count < sampleCount else { return false }
                let document = change.isDeleted ? nil : try collection.storedDocument(change.id)
                outcome.samples.append(Sample(collection: collection.fullName, id: change.id, after: document.map { shown($0) }))
                return true
            }
        }
        return outcome
    }

    /// Returns a document as JSON, or a remark if it is large.
    private static func shown(_ document: StoredDocument) -> String {
        (try? document.text(atMost: 8 << 10))
            ?? JSONWriter.object(["_id": document.id, "_remark": "too large to show: \(document.size) bytes"]).string
    }

    private func describe(_ preview: Preview, _ opening: Opening) throws -> String {
        try opening.using(.reading) { database in
            try JSONWriter.object { writer in
                writer.members([
                    "preview": true, "wouldChange": preview.outcome.changedCount, "skipped": preview.outcome.skippedCount,
                    "confirm": preview.code,
                    "hint": "Nothing is changed yet. To change the documents, call the tool with the same arguments and this confirm.",
                ])
                try writer.objects("examples", preview.outcome.samples) { writer, sample in
                    writer.members(["collection": sample.collection, "id": sample.id])
                    let before = try CollectionName(sample.collection).find(in: database, creating: false)?.storedDocument(sample.id)
                    writer.member("before", json: before.map { Self.shown($0) } ?? "null")
                    writer.member("after", json: sample.after ?? "null")
                }
            }.string
        }
    }
}
