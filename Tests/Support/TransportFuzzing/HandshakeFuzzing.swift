#if Replication
import SyncCore
import TestSupport
import Transport

/// Tests the code that reads data of a peer below BLIP: HTTP heads, both sides of the handshake, redirects and errors, cookies,
/// certificates and WebSocket frames. The inputs are valid or modified, and split at random.
///
/// A trap ends the program; other failures are reported.
package struct HandshakeFuzzing {
    /// The result of a run.
    package struct Outcome: Sendable {
        package var accepted = 0
        package var refused = 0
        /// The failures, each with the seed that reproduces it.
        package var failures: [String] = []

        package init() {}
    }

    /// The kinds of inputs, which are also those of the corpus.
    package enum Kind: String, CaseIterable, Sendable {
        case request = "handshakes-request"
        case response = "handshakes-response"
        /// One field on each line.
        case cookies = "handshakes-cookies"
        /// Frames read by a client, and by a server.
        case clientFrames = "handshakes-client-frames"
        case serverFrames = "handshakes-server-frames"
        case certificate = "handshakes-certificate"
    }

    private static let corpus: [Kind: [[UInt8]]] = Dictionary(
        uniqueKeysWithValues: Kind.allCases.map { ($0, Corpus.material($0.rawValue)) }
    )

    /// Tests an input of the corpus.
    package static func examine(_ kind: Kind, _ bytes: [UInt8]) -> Outcome {
        var fuzzing = HandshakeFuzzing(0)
        fuzzing.examine(kind, bytes)
        return fuzzing.outcome
    }

    /// Tests `count` inputs.
    package static func run(count: Int, seed: UInt64) -> Outcome {
        var seeds = SeededGenerator(seed: seed)
        var outcome = Outcome()
        while outcome.accepted + outcome.refused < count, outcome.failures.count < 10 {
            let seed = seeds.next()
            var fuzzing = HandshakeFuzzing(seed)
            fuzzing.run()
            outcome.accepted += fuzzing.outcome.accepted
            outcome.refused += fuzzing.outcome.refused
            outcome.failures += fuzzing.outcome.failures.map { "\($0) (handshake with seed \(seed))" }
        }
        return outcome
    }

    var input: RandomInput
    private var outcome = Outcome()

    package init(_ seed: UInt64) {
        input = RandomInput(generator: SeededGenerator(seed: seed))
    }

    private mutating func run() {
        for kind in Kind.allCases { examine(kind, input.altered(material(kind))) }
    }

    /// Returns a valid input, or an input of the corpus.
    private mutating func material(_ kind: Kind) -> [UInt8] {
        if input.number(0...3) == 0, let kept = Self.corpus[kind], !kept.isEmpty { return input.pick(kept) }
        switch kind {
        case .request: return input.pick(GoodInputs.requests)
        case .response: return input.pick(GoodInputs.responses)
        case .cookies:
            return Array((0..<input.number(1...4)).map { _ in input.pick(GoodInputs.cookies) }.joined(separator: [0x0A]))
        case .clientFrames: return frames(isMasked: false)
        case .serverFrames: return frames(isMasked: true)
        case .certificate: return GoodInputs.certificate
        }
    }

    private mutating func examine(_ kind: Kind, _ bytes: [UInt8]) {
        switch kind {
        case .request: examineRequest(bytes)
        case .response: examineResponse(bytes)
        case .cookies:
            examineCookies(bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) })
        case .clientFrames: examineFrames(bytes, isClient: true)
        case .serverFrames: examineFrames(bytes, isClient: false)
        case .certificate: examineCertificate(bytes)
        }
    }

    mutating func accept() { outcome.accepted += 1 }

    mutating func refuse() { outcome.refused += 1 }

    mutating func fail(_ text: String) { outcome.failures.append(text) }

    // MARK: Certificates

    private mutating func examineCertificate(_ der: [UInt8]) {
        guard let certificate = CertificateInfo(der: der) else { return refuse() }
        accept()
        // Properties that are read before the certificate of a peer is validated.
        _ = (certificate.commonName, certificate.notAfter, certificate.isSelfSigned)
        guard CertificateInfo(der: certificate.der) == certificate else { return fail("a certificate is not read again") }
    }
}
#endif
