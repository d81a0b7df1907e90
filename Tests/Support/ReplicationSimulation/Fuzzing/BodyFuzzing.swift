import DocumentStore
import Fleece
import Replication
import SyncCore
import TestSupport

/// Reads revision bodies that are valid, nearly valid and invalid, complete and as deltas (Replication 4.8, 4.9).
///
/// A trap ends the program; other failures are reported.
package struct BodyFuzzing {
    /// The result of a run.
    package struct Outcome: Sendable {
        package var accepted = 0
        package var refused = 0
        /// The failures, each with the seed that reproduces it.
        package var failures: [String] = []
    }

    /// Reads `count` bodies.
    package static func run(count: Int, seed: UInt64) -> Outcome {
        var generator = SeededGenerator(seed: seed)
        var outcome = Outcome()
        while outcome.accepted + outcome.refused < count, outcome.failures.count < 10 {
            var fuzzing = BodyFuzzing(seed: generator.next())
            fuzzing.run(&outcome)
        }
        return outcome
    }

    /// Reads a body of the corpus.
    package static func examine(body: [UInt8]) -> Outcome {
        var outcome = Outcome()
        let fuzzing = BodyFuzzing(seed: 0)
        fuzzing.examine(&outcome) { try fuzzing.reader.content(json: body) }
        return outcome
    }

    /// Applies a delta of the corpus: its base document in the first line, then the delta.
    package static func examine(delta bytes: [UInt8]) -> Outcome {
        var outcome = Outcome()
        BodyFuzzing(seed: 0).examine(delta: bytes, &outcome)
        return outcome
    }

    private func examine(delta bytes: [UInt8], _ outcome: inout Outcome) {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let base = try? JSON.fleece(String(decoding: parts[0], as: UTF8.self)),
            base.withRoot({ $0.dictionary }) != nil
        else { return }
        examine(&outcome) { try reader.content(delta: Array(parts[1]), base: base, sharedKeys: .empty) }
    }

    private let seed: UInt64
    private var random: RandomDocument
    private let reader = BodyReader(file: nil)

    private init(seed: UInt64) {
        self.seed = seed
        random = RandomDocument(seed: seed)
    }

    private mutating func run(_ outcome: inout Outcome) {
        let old = random.document()
        let new = random.changed(old)
        expect(old.withAttachments.json, gives: old, &outcome)
        expectDelta(from: old, to: new, gives: new, &outcome)
        expectDelta(from: old.withAttachments, to: new.withAttachments, base: old, gives: new, &outcome)
        for _ in 0..<4 { readMutation(of: old.withAttachments.json, &outcome) }
        if let delta = try? delta(from: old.json, to: new.json) {
            for _ in 0..<4 { readMutation(ofDelta: delta, to: old.json, &outcome) }
        }
        readMutationsOfCorpus(&outcome)
    }

    // MARK: Valid bodies

    private func expect(_ json: String, gives document: PlainValue, _ outcome: inout Outcome) {
        check(document, &outcome) { try reader.content(json: Array(json.utf8)) }
    }

    private func expectDelta(
        from old: PlainValue,
        to new: PlainValue,
        base: PlainValue? = nil,
        gives document: PlainValue,
        _ outcome: inout Outcome
    ) {
        check(document, &outcome) {
            try reader.content(delta: delta(from: old.json, to: new.json), base: JSON.fleece((base ?? old).json), sharedKeys: .empty)
        }
    }

    private func delta(from old: String, to new: String) throws -> [UInt8] {
        let (old, new) = (try JSON.fleece(old), try JSON.fleece(new))
        return try old.withRoot { old in try new.withRoot { try Delta.json(from: old, to: $0) } ?? [] } ?? []
    }

    private func check(_ document: PlainValue, _ outcome: inout Outcome, _ read: () throws -> ReceivedContent) {
        do {
            guard case .body(let body) = try read() else { return fail("access was removed", &outcome) }
            outcome.accepted += 1
            let json = try body.body.canonicalJSON()
            let expected = try OwnedBody(JSON.fleece(document.json)).canonicalJSON()
            if json != expected { fail("\(json) instead of \(expected)", &outcome) }
            if Set(body.blobs.map(\.digest.string)) != document.digests {
                fail("other blobs than \(document.digests.sorted())", &outcome)
            }
            if body.body.hasBlobs == document.blobs().isEmpty {
                fail("\(json) has blobs: \(body.body.hasBlobs)", &outcome)
            }
        } catch {
            fail("\(error)", &outcome)
        }
    }

    // MARK: Invalid bodies

    private mutating func mutated(_ text: [UInt8]) -> [UInt8] {
        var bytes = text
        for _ in 0..<random.number(1...3) where !bytes.isEmpty {
            let place = random.number(0...(bytes.count - 1))
            switch random.number(0...3) {
            case 0: bytes[place] = UInt8(random.number(0...255))
            case 1: bytes.remove(at: place)
            case 2:
                bytes.insert(
                    contentsOf: Array(["_", "{", "]", "\"", "blob_/", "0", "\\u0000"][random.number(0...6)].utf8),
                    at: place
                )
            default: bytes.removeSubrange(place..<min(bytes.count, place + random.number(0...9)))
            }
        }
        return bytes
    }

    private mutating func readMutation(of json: String, _ outcome: inout Outcome) {
        let body = mutated(Array(json.utf8))
        examine(&outcome) { try reader.content(json: body) }
    }

    private mutating func readMutation(ofDelta delta: [UInt8], to base: String, _ outcome: inout Outcome) {
        let delta = mutated(delta)
        examine(&outcome) { try reader.content(delta: delta, base: JSON.fleece(base), sharedKeys: .empty) }
    }

    private static let bodies = Corpus.material(ReplicationCorpus.bodies.rawValue)
    private static let deltas = Corpus.material(ReplicationCorpus.deltas.rawValue)

    private mutating func readMutationsOfCorpus(_ outcome: inout Outcome) {
        if let body = Self.bodies.randomElement(using: &random.generator) {
            readMutation(of: String(decoding: body, as: UTF8.self), &outcome)
        }
        if let delta = Self.deltas.randomElement(using: &random.generator) {
            examine(delta: mutated(delta), &outcome)
        }
    }

    /// Checks that a body that is accepted is a document that is unchanged when it is sent and received again.
    private func examine(_ outcome: inout Outcome, _ read: () throws -> ReceivedContent) {
        do {
            guard case .body(let body) = try read() else { return outcome.accepted += 1 }
            outcome.accepted += 1
            let json = try body.body.canonicalJSON()
            guard case .body(let again) = try reader.content(json: Array(json.utf8)) else {
                return fail("\(json) removes access", &outcome)
            }
            if try again.body.canonicalJSON() != json { fail("\(json) is not stable", &outcome) }
            try body.body.data.withRoot { root in
                for (key, _) in root.dictionary?.pairs ?? [] {
                    guard let name = key.text(body.body.keys), name.hasPrefix("_"), name != "_attachments" else { continue }
                    fail("\(name) is left", &outcome)
                }
                try Validator.validate(body.body.data.bytes)
            }
        } catch is SyncError {
            outcome.refused += 1
        } catch {
            fail("\(error)", &outcome)
        }
    }

    private func fail(_ what: String, _ outcome: inout Outcome) {
        outcome.failures.append("seed \(seed): \(what)")
    }
}

extension OwnedBody {
    fileprivate func canonicalJSON() throws -> String {
        try data.withRoot { try JSON.string($0, sharedKeys: keys, form: .canonical) } ?? ""
    }
}
