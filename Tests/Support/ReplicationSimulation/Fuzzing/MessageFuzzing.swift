import BLIP
import DocumentStore
import Replication
import TestSupport

/// Sends messages to sessions as a broken or hostile peer could send them: valid, modified, out of order or random.
///
/// A trap ends the program; other failures are reported.
package final class MessageFuzzing {
    /// The result of a run.
    package struct Outcome: Sendable {
        package var requests = 0
        package var answers = 0
        package var errors = 0
        /// The failures, each with the seed that reproduces it.
        package var failures: [String] = []
    }

    /// Sends `count` requests.
    package static func run(count: Int, seed: UInt64) -> Outcome {
        var seeds = SeededGenerator(seed: seed)
        var outcome = Outcome()
        while outcome.requests < count, outcome.failures.count < 10 {
            let seed = seeds.next()
            do {
                let fuzzing = try MessageFuzzing(seed)
                for _ in 0..<10 { try fuzzing.connect(&outcome) }
                try fuzzing.check(&outcome)
            } catch {
                outcome.failures.append("\(error) (messages with seed \(seed))")
            }
        }
        return outcome
    }

    /// Sends the messages of an input of the corpus to a passive and to an active session: see ``WrittenMessage``.
    package static func examine(_ bytes: [UInt8]) -> Outcome {
        var outcome = Outcome()
        do {
            for naming in Naming.allCases {
                let fuzzing = try MessageFuzzing(0, naming)
                for isActive in [false, true] {
                    var messages = WrittenMessage.messages(from: bytes)[...]
                    fuzzing.connect(isActive: isActive, &outcome) { peer, outcome in
                        guard let message = messages.popFirst() else { return nil }
                        message.send(over: peer)
                        if message.isAnswer { outcome.answers += 1 } else { outcome.requests += 1 }
                        return .milliseconds(30)
                    }
                }
                try fuzzing.check(&outcome)
            }
        } catch {
            outcome.failures.append("\(error)")
        }
        return outcome
    }

    private var random: RandomJSON
    private let simulation: Simulation
    private let database: SimulatedDatabase
    private let naming: Naming
    private var revisions: [String] = ["1-aa", "2-bb", "9-cc", "0-aa", "x", "1-", ""]

    /// How the database and the peer name revisions.
    private enum Naming: CaseIterable {
        case trees
        case versions
        /// The database has version vectors, and the peer has revision trees.
        case treesOfVersions
    }

    /// - Parameter messageNaming: How the messages of the corpus name revisions; `nil` for random messages and a random naming.
    private init(_ seed: UInt64, _ messageNaming: Naming? = nil) throws {
        var random = RandomJSON(generator: SeededGenerator(seed: seed))
        let naming = messageNaming ?? random.generator.pick([.trees, .trees, .versions, .versions, .treesOfVersions])
        (self.random, self.naming) = (random, naming)
        simulation = Simulation(seed: seed)
        database = try SimulatedDatabase("fuzzed", in: simulation, naming == .trees ? .trees : .versionVectors)
        if naming == .versions, messageNaming == nil { revisions += try hostileVersions() }
        for number in 0..<3 {
            let outcome = try database.save("doc\(number)", self.random.object(depth: 2, isPlain: true))
            guard case .saved(let revision, _) = outcome else { continue }
            revisions.append(try database.file.versionSource().map { revision.absolute($0).description } ?? revision.description)
        }
    }

    /// Versions and vectors, most of which must be refused: of other databases and of this one, with times that are too early, too late or no
    /// numbers, sources that are too short or occur twice, and wrong separators.
    private func hostileVersions() throws -> [String] {
        let own = try database.file.versionSource()?.description ?? ""
        let sources = ["EREREREREREREREREREREQ", "IiIiIiIiIiIiIiIiIiIiIg", own]
        let (now, version) = (Self.now, Self.version)
        let nearFuture: [UInt64] = [now + 119_000_000_000, now + 200_000_000_000]
        let times: [UInt64] = [now, now + 1, now - 0x100_0000_0000, 1, 0x100_0000_0000, .max, 0x4000_0000_0000_0001] + nearFuture
        var versions: [String] = []
        for source in sources { versions += times.map { version($0, source) } }
        versions += ["*", "AAAA", "Unknown+Source", "Revision+Tree+Encoding"].map { version(now, $0) }
        versions += ["2aabbccddee@Revision+Tree+Encoding", "0@\(sources[0])", "@", "g@x", "1@@", sources[0] + "@1"]
        versions += ["fffffffffffffffff@\(sources[0])", " " + version(now, sources[1])]
        let both = [version(now, sources[0]), version(now - 65_536, sources[1])]
        for separator in [", ", "; ", ",", ";", ";;", " ", ",,", "; ; ", ",;"] {
            versions.append(both.joined(separator: separator))
            versions.append((both + both).joined(separator: separator) + ";")
        }
        return versions + Self.longVectors
    }

    /// About the present time of the simulation.
    private static let now = UInt64(1_700_000_000_000_000_000) & ~0xFFFF

    private static func version(_ time: UInt64, _ source: String) -> String { String(time, radix: 16) + "@" + source }

    /// Vectors of very many versions, the last two with wrong separators.
    private static let longVectors: [String] = {
        let many = (1...3000).map { (number: Int) -> String in
            let digits = String(number + 1_000_000, radix: 32).uppercased().replacing("0", with: "z")
            return version(now - UInt64(number) << 16, digits + String(repeating: "E", count: 21 - digits.utf8.count) + "Q")
        }
        return [many.joined(separator: ", "), many.prefix(200).joined(separator: "; "), many.prefix(200).joined(separator: ",")]
    }()

    /// Sends random messages over one connection until the session ends, at most 20.
    private func connect(_ outcome: inout Outcome) throws {
        connect(isActive: random.generator.chance(50), &outcome) { peer, outcome in
            for request in peer.drainRequests() {
                guard random.generator.chance(85) else { continue }
                peer.answer(request, with: answer(to: request))
                outcome.answers += 1
            }
            peer.send(request())
            outcome.requests += 1
            return random.generator.milliseconds(0...30)
        }
    }

    /// - Parameter speak: Sends messages of the peer, and returns the pause after them; `nil` to end the connection.
    private func connect(isActive: Bool, _ outcome: inout Outcome, speak: (FuzzingPeer, inout Outcome) -> Duration?) {
        let link = SimulatedLink(simulation, subprotocol: naming == .versions ? Subprotocol.versions : Subprotocol.collections)
        let runner = SessionRunner(session(isActive: isActive), on: isActive ? link.client : link.server, of: database, in: simulation)
        let peer = FuzzingPeer(on: isActive ? link.server : link.client)
        link.connect()
        simulation.run(for: .milliseconds(10))
        for _ in 0..<20 where !runner.hasEnded {
            guard let pause = speak(peer, &outcome) else { break }
            simulation.run(for: pause)
        }
        outcome.errors += peer.errorCount
        link.cut()
        simulation.run(for: .seconds(1))
        if !runner.hasEnded {
            outcome.failures.append("a session does not end (messages with seed \(simulation.seed))")
        }
    }

    private func check(_ outcome: inout Outcome) throws {
        for finding in try BundleChecker(database.file).findings() where finding.severity == .error {
            outcome.failures.append("\(finding) (messages with seed \(simulation.seed))")
        }
    }

    private func session(isActive: Bool) -> Session {
        guard isActive else {
            var options = PassiveOptions(collections: [.default])
            options.usesDeltas = random.generator.chance(50)
            options.allowsConflicts = random.generator.chance(20)
            return .passive(database.replica, options)
        }
        let options = ActiveOptions(
            remoteURL: "ws://hostile/db/_blipsync",
            push: .continuous,
            pull: .continuous,
            collections: [CollectionOptions(.default)]
        )
        return .active(database.replica, options) { 1_700_000_000 }
    }

    // MARK: Messages

    private func request() -> OutgoingMessage {
        // In protocol 4, nothing is served before.
        if naming == .versions, random.generator.chance(10) {
            return OutgoingMessage(["Profile": "getCollections"], body: body(of: "getCollections"))
        }
        let profile = random.generator.pick([
            "getCheckpoint", "setCheckpoint", "getCollections", "subChanges", "changes", "changes", "proposeChanges",
            "rev", "rev", "rev", "norev", "getAttachment", "proveAttachment", "unsubChanges", "",
        ])
        var properties: Properties = ["Profile": profile]
        for name in [
            "id", "rev", "sequence", "history", "deleted", "deltaSrc", "noconflicts", "client", "since", "batch",
            "digest", "collection", "continuous", "error", "docID", "filter", "activeOnly", "compress", "versioning",
        ] where random.generator.chance(probability(of: name)) {
            properties[name] = property(name)
        }
        return OutgoingMessage(
            properties,
            body: body(of: profile),
            isUrgent: random.generator.chance(20),
            isNoReply: random.generator.chance(10),
            isCompressed: random.generator.chance(50)
        )
    }

    /// The probability of a property, in percent. In protocol 4, requests without a collection are refused.
    private func probability(of name: String) -> Int {
        switch name {
        case "collection": naming == .versions ? 90 : 4
        case "error": 4
        default: 60
        }
    }

    private func property(_ name: String) -> String {
        switch name {
        case "collection" where naming == .versions: random.generator.chance(95) ? "0" : "1"
        case "versioning": random.generator.pick(["version-vectors", "version-vectors", "rev-trees", ""])
        case "id", "docID", "client":
            random.generator.pick(["doc0", "doc1", "new", "", String(repeating: "x", count: 300)])
        case "rev", "deltaSrc": random.generator.pick(revisions)
        case "history":
            (0..<Int.random(in: 0...4, using: &random.generator)).map { _ in random.generator.pick(revisions) }
                .joined(separator: random.generator.pick([",", ", ", "; "]))
        case "sequence", "since", "batch", "collection":
            random.generator.pick(["0", "1", "7", "-1", "18446744073709551616", #""1::2""#, "1:2", "x", "[]"])
        case "digest": random.generator.pick(["sha1-ArH2IhJgRp/90GRqSAdAfa750BE=", "sha1-", "../../x", ""])
        default: random.generator.pick(["true", "false", "1", "0", "", "x"])
        }
    }

    private func body(of profile: String) -> [UInt8] {
        let text: String
        switch profile {
        case "changes":
            text = rows { "[\($0),\"\($1)\",\"\($2)\",\(random.value(depth: 0)),\(random.value(depth: 0))]" }
        case "proposeChanges": text = rows { "[\"\($1)\",\"\($2)\",\"\(random.generator.pick(revisions))\",\($0)]" }
        case "getCollections": text = #"{"checkpoint_ids":["x"],"collections":["_default"]}"#
        default: text = random.generator.chance(80) ? random.object(depth: 3) : random.value(depth: 3)
        }
        return random.generator.chance(70) ? Array(text.utf8) : random.mutated(Array(text.utf8))
    }

    private func rows(_ row: (Int, String, String) -> String) -> String {
        let rows = (0..<Int.random(in: 0...5, using: &random.generator)).map { index in
            row(index, property("id"), random.generator.pick(revisions))
        }
        return "[" + rows.joined(separator: ",") + "]"
    }

    private func answer(to request: IncomingRequest) -> OutgoingMessage? {
        guard random.generator.chance(85) else { return nil }
        var properties: Properties = [:]
        for name in ["rev", "deltas", "blobs", "maxHistory"] where random.generator.chance(40) {
            properties[name] = random.generator.pick(["1-cc", "true", "1", "0", "-5", "x"])
        }
        let text: String
        switch request.profile {
        case "changes", "proposeChanges":
            let items = (0..<Int.random(in: 0...4, using: &random.generator)).map { _ in
                random.generator.pick([
                    "0", "304", "409", "[]", #"["1-aa"]"#, #"{"status":409,"rev":"1-aa"}"#, "null", "{}",
                    "[\"\(random.generator.pick(revisions))\"]", "{\"status\":409,\"rev\":\"\(random.generator.pick(revisions))\"}",
                ])
            }
            text = "[" + items.joined(separator: ",") + "]"
        case "getCollections": text = random.generator.pick(["[{}]", #"[{"rev":"1-cc","local":2,"remote":"1::2"}]"#, "[null]"])
        case "getCheckpoint": text = #"{"local":2,"remote":"1::2"}"#
        default: text = random.value(depth: 2)
        }
        let body = random.generator.chance(80) ? Array(text.utf8) : random.mutated(Array(text.utf8))
        return OutgoingMessage(properties, body: body)
    }
}
