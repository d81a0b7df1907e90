#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

/// What the tests of the page need from this machine.
enum Chromium {
    static let isInstalled = ["chromium", "chromium-browser", "google-chrome"].contains { name in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    /// Runs a program of the folder `Page`, and expects that all its checks pass. Pictures are kept only if the environment names a folder.
    static func run(_ program: String, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let path = Fixtures.packageRoot.appendingPathComponent("Tests/Server/InspectorTests/Page/" + program).path
        let pictures = ProcessInfo.processInfo.environment["INSPECTOR_PICTURES"].map { ["--pictures", $0] } ?? []
        let result = try ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env")).run(["python3", path] + arguments + pictures)
        let failed = result.output.split(separator: "\n").filter { !$0.hasPrefix("ok ") }.joined(separator: "\n")
        #expect(result.exitCode == 0, "\(failed)\n\(result.errorOutput)", sourceLocation: sourceLocation)
        print(result.output)
    }
}

@Suite(
    "The inspector's page in Chromium",
    .urgentOnOwnThreads,
    .serialized,
    .enabled(if: Chromium.isInstalled, "Chromium is not installed"),
    .runsProgram(of: .tool)
)
struct PageTests {
    /// Runs the checks of `drive.py` with an inspector of a database.
    private func drive(_ database: String, _ options: [String] = []) throws {
        let inspector = try ProcessRunner(product: "cblite").start(["inspect", database] + options)
        defer { inspector.kill() }
        let link = try #require(inspector.waitForOutput(lines: 1).first)
        try Chromium.run("drive.py", [link] + options)
        inspector.kill(SIGINT)
        #expect(inspector.waitUntilExit().exitCode == 0)
    }

    @Test("nothing can be changed in a database that is open for reading only")
    func readOnly() throws {
        let sample = try SampleDatabase()
        try withExtendedLifetime(sample) { try drive(sample.path, ["--read-only"]) }
    }

    @Test("every view works with the mouse and with the keyboard, in light and dark, on small and large screens")
    func views() throws {
        let sample = try SampleDatabase()
        try withExtendedLifetime(sample) { try drive(sample.path) }
    }
}
#endif
