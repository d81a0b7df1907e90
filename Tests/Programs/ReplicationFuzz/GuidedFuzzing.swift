import Foundation
import ReplicationSimulation

#if Replication
import HandlerFuzzing
import TransportFuzzing
#endif

/// The entry point of libFuzzer (https://llvm.org/docs/LibFuzzer.html), which searches inputs that cover new code. It is used if
/// `script/fuzz --guided` builds this program. The environment variable `CORPUS` is the kind of corpus input.
@_cdecl("LLVMFuzzerTestOneInput")
func readGuided(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let findings = GuidedFuzzing.findings(Array(UnsafeBufferPointer(start: bytes, count: count)))
    // libFuzzer saves the input that terminates the program.
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
