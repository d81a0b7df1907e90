#if Replication
    import BLIP
    import TestSupport
    import Transport

    /// Has everything read that a peer says before, around and below its frames of BLIP: heads of HTTP, both sides of the handshake,
    /// redirects and reasons, cookies, certificates, frames of WebSocket. Good ones, altered ones, cut up at random.
    ///
    /// A trap ends the program; everything else that is wrong is reported.
    package struct HandshakeFuzzing {
        /// What came of it.
        package struct Outcome: Sendable {
            package var accepted = 0
            package var refused = 0
            /// What should not have happened, each with the seed to repeat it.
            package var failures: [String] = []
        }

        /// Feeds `count` inputs.
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

        private init(_ seed: UInt64) {
            input = RandomInput(generator: SeededGenerator(seed: seed))
        }

        private mutating func run() {
            fuzzRequest()
            fuzzResponse()
            fuzzCookies()
            for isClient in [true, false] { fuzzFrames(isClient: isClient) }
            fuzzCertificate()
        }

        mutating func accept() { outcome.accepted += 1 }

        mutating func refuse() { outcome.refused += 1 }

        mutating func fail(_ text: String) { outcome.failures.append(text) }

        // MARK: Certificates

        private mutating func fuzzCertificate() {
            guard let certificate = CertificateInfo(der: input.altered(GoodInputs.certificate)) else { return refuse() }
            accept()
            // What is done with the certificate of a peer before anybody has judged it.
            _ = (certificate.commonName, certificate.notAfter, certificate.isSelfSigned)
            guard CertificateInfo(der: certificate.der) == certificate else {
                return fail("a certificate is not read again")
            }
        }
    }
#endif
