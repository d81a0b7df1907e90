import Foundation
import ReplicationSimulation

#if Replication
import TransportFuzzing
#endif

/// Inputs that lead through new code are looked for by libFuzzer (https://llvm.org/docs/LibFuzzer.html), whose program this becomes
/// when `script/fuzz --guided` builds it. The environment variable `CORPUS` names the kind of input of the corpus.
@_cdecl("LLVMFuzzerTestOneInput")
func readGuided(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let findings = GuidedFuzzing.findings(Array(UnsafeBufferPointer(start: bytes, count: count)))
    // libFuzzer keeps the input that ends the program.
    if !findings.isEmpty { fatalError(findings.joined(separator: "\n")) }
    return 0
}

enum GuidedFuzzing {
    static let findings: @Sendable ([UInt8]) -> [String] = {
        let kind = ProcessInfo.processInfo.environment["CORPUS"] ?? ""
        if let kind = ReplicationCorpus(rawValue: kind) {
            return { kind.findings(in: $0) }
        }
        #if Replication
        if let kind = HandshakeFuzzing.Kind(rawValue: kind) {
            return { HandshakeFuzzing.examine(kind, $0).failures }
        }
        #endif
        fatalError("CORPUS does not name a kind of input: '\(kind)'")
    }()
}
