import Foundation

/// How much memory a process has used.
package enum PeakMemory {
    /// The most that this process has had in memory so far, in bytes; nil where the system does not say it.
    package static var ofThisProcess: UInt64? { peak("self") }

    /// The most that another process has had in memory so far, in bytes; nil when it has ended, or the system does not say it.
    package static func ofProcess(_ identifier: Int32) -> UInt64? { peak("\(identifier)") }

    private static func peak(_ process: String) -> UInt64? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { UInt64($0) }.map { $0 << 10 }
    }
}
