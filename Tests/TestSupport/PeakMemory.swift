import Foundation

/// How much memory a process has used.
package enum PeakMemory {
    /// The most that this process has had in memory so far, in bytes; nil where the system does not say it.
    package static var ofThisProcess: UInt64? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { UInt64($0) }.map { $0 << 10 }
    }
}
