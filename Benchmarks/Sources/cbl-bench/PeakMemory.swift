import Foundation

/// How much memory the process used at most.
enum PeakMemory {
    /// Makes what is in use now the maximum so far. Without effect where the system cannot do that.
    static func reset() {
        #if os(Linux)
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        #endif
    }

    /// The maximum of resident memory, in MB of 10^6 bytes.
    static var megabytes: Double {
        #if os(Linux)
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
        return (kibibytes ?? 0) * 1024 / 1e6
        #else
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return Double(usage.ru_maxrss) / 1e6
        #endif
    }
}
