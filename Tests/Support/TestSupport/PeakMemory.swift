import Foundation

/// The peak memory of a process.
package enum PeakMemory {
    /// The peak memory of this process so far, in bytes; `nil` if the system does not report it.
    package static var ofThisProcess: UInt64? { peak("self") }

    /// Returns the peak memory of another process so far, in bytes; `nil` if it has ended or the system does not report it.
    package static func ofProcess(_ identifier: Int32) -> UInt64? { peak("\(identifier)") }

    /// Makes the memory that this process uses now its peak so far. Without effect where the system cannot do that.
    package static func reset() { try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs")) }

    private static func peak(_ process: String) -> UInt64? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { UInt64($0) }.map { $0 << 10 }
    }
}
