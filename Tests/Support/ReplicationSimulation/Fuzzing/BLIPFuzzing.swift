import BLIP
import TestSupport

/// Passes frames to connections as a broken or hostile peer could send them: with any header, in any order, truncated, modified or random.
///
/// A trap ends the program; other failures are reported.
package struct BLIPFuzzing {
    /// The result of a run.
    package struct Outcome: Sendable {
        /// The numbers of frames that were accepted, and of those that ended a connection.
        package var accepted = 0
        package var refused = 0
        /// The number of complete requests and responses.
        package var messages = 0
        /// The failures, each with the seed that reproduces it.
        package var failures: [String] = []
    }

    /// Passes `count` frames to connections.
    package static func run(count: Int, seed: UInt64) -> Outcome {
        var generator = SeededGenerator(seed: seed)
        var outcome = Outcome()
        while outcome.accepted + outcome.refused < count, outcome.failures.count < 10 {
            var fuzzing = BLIPFuzzing(seed: generator.next())
            fuzzing.run(&outcome)
        }
        return outcome
    }

    /// Passes the frames of an input of the corpus to a connection.
    package static func examine(_ bytes: [UInt8]) -> Outcome {
        var outcome = Outcome()
        var fuzzing = BLIPFuzzing(seed: 0)
        fuzzing.receive(FrameComposer.frames(from: bytes), &outcome)
        return outcome
    }

    private let seed: UInt64
    private var generator: SeededGenerator
    private let options: BLIPOptions
    private var connection: BLIPConnectionBox

    private init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        var options = BLIPOptions()
        options.maximumPropertiesSize = 500
        options.maximumBodySize = 4000
        options.maximumUnfinishedRequests = 4
        options.maximumUnfinishedSize = 10_000
        options.maximumInflatedFrameSize = 50_000
        self.options = options
        connection = BLIPConnectionBox(options)
    }

    private static let corpus = Corpus.material(ReplicationCorpus.frames.rawValue)

    private mutating func run(_ outcome: inout Outcome) {
        if Int.random(in: 0..<8, using: &generator) == 0, var kept = Self.corpus.randomElement(using: &generator),
            let place = kept.indices.randomElement(using: &generator)
        {
            kept[place] = UInt8.random(in: .min ... .max, using: &generator)
            return receive(FrameComposer.frames(from: kept), &outcome)
        }
        var peer = HostilePeer(seed: generator.next())
        receive((0..<30).lazy.map { _ in peer.nextFrame() }, &outcome)
    }

    /// Passes frames to one connection until it fails or all frames are used.
    private mutating func receive(_ frames: some Sequence<[UInt8]>, _ outcome: inout Outcome) {
        var awaited: Set<RequestToken> = []
        for index in 0..<6 {
            let message = OutgoingMessage(
                ["Profile": "x"],
                body: [UInt8](repeating: UInt8(index), count: index == 5 ? 200_000 : 20),
                isNoReply: index == 1
            )
            let token = connection.value.send(message, streamsReply: index == 2)
            if index != 1 { awaited.insert(token) }
        }
        for _ in 0..<20 { _ = connection.value.nextFrame() }

        for frame in frames {
            do throws(BLIPError) {
                for event in try connection.value.receive(frame) { handle(event, &awaited, &outcome) }
                outcome.accepted += 1
            } catch {
                outcome.refused += 1
                break
            }
            if connection.value.unfinishedByteCount > options.maximumUnfinishedSize {
                report("\(connection.value.unfinishedByteCount) bytes are unfinished", &outcome)
            }
            for _ in 0..<3 { _ = connection.value.nextFrame() }
        }
        for event in connection.value.disconnect() { handle(event, &awaited, &outcome) }
        if !awaited.isEmpty { report("requests without an end: \(awaited.map(\.value).sorted())", &outcome) }
        if connection.value.hasFrames || connection.value.unansweredCount > 0
            || connection.value.unfinishedByteCount != 0
        {
            report("something is left at the end", &outcome)
        }
    }

    private mutating func handle(_ event: BLIPEvent, _ awaited: inout Set<RequestToken>, _ outcome: inout Outcome) {
        switch event {
        case .request(let request):
            outcome.messages += 1
            if request.body.count > options.maximumBodySize {
                report("a body of \(request.body.count) bytes", &outcome)
            }
            if Bool.random(using: &generator) {
                connection.value.respond(to: request, with: OutgoingMessage(body: request.body, isCompressed: true))
            }
        case .reply(let token, let reply):
            outcome.messages += 1
            if reply.body.count > options.maximumBodySize { report("a body of \(reply.body.count) bytes", &outcome) }
            if awaited.remove(token) == nil { report("a second end of request \(token.value)", &outcome) }
        case .replyPart(let token, let part):
            if part.isEmpty || !awaited.contains(token) {
                report("a part too many of request \(token.value)", &outcome)
            }
        case .disconnected(let token):
            if awaited.remove(token) == nil { report("a second end of request \(token.value)", &outcome) }
        }
    }

    private func report(_ text: String, _ outcome: inout Outcome) {
        outcome.failures.append("\(text) (connection with seed \(seed))")
    }
}

/// A reference to a connection, which is not copyable.
private final class BLIPConnectionBox {
    var value: BLIPConnection

    init(_ options: BLIPOptions) {
        value = BLIPConnection(options: options)
    }
}
