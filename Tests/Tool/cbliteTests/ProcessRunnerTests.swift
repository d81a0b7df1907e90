import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Process runner")
struct ProcessRunnerTests {
    private let shell = ProcessRunner(executable: URL(fileURLWithPath: "/bin/sh"))

    @Test("the cblite executable is found in the build folder, and an unknown product throws an error")
    func product() throws {
        let cblite = try ProcessRunner(product: "cblite")
        #expect(cblite.executable.lastPathComponent == "cblite")
        #expect(throws: ProcessRunnerError.self) { try ProcessRunner(product: "no-such-product") }
    }

    @Test("a process result has the exit code and both outputs, and the environment is passed on")
    func capture() throws {
        let result = try shell.run(["-c", "echo out $GREETING; echo err >&2; exit 3"], environment: ["GREETING": "hello"])
        #expect(result.ending == .exited(3))
        #expect(result.outputLines == ["out hello"])
        #expect(result.errorOutput == "err\n")
    }

    @Test("megabytes on all three standard streams do not block a process")
    func largeStreams() async throws {
        let input = Data(repeating: UInt8(ascii: "x"), count: 3_000_000)
        let result = try await shell.run(["-c", "tee /dev/stderr"], input: input)
        #expect(result.exitCode == 0)
        #expect(result.standardOutput == input)
        #expect(result.standardError == input)
    }

    @Test("input that a process does not read is no error")
    func unreadInput() throws {
        let result = try shell.run(["-c", "exit 0"], input: Data(count: 1_000_000))
        #expect(result.exitCode == 0)
    }

    @Test("a killed process reports its signal and its earlier output")
    func kill() throws {
        let process = try shell.start(["-c", "echo one; echo two; exec cat"])
        #expect(process.waitForOutput(lines: 2) == ["one", "two"])
        process.waitUntilExit()

        let endless = try shell.start(["-c", "echo ready; exec sleep 60"])
        #expect(endless.waitForOutput(lines: 1) == ["ready"])
        #expect(!endless.hasEnded)
        endless.kill()
        let result = endless.waitUntilExit()
        #expect(result.ending == .signalled(9))
        #expect(result.exitCode == nil)
        #expect(result.outputLines == ["ready"])
        endless.kill()
    }

    @Test("concurrent processes return their own results")
    func parallel() async throws {
        try await withThrowingTaskGroup(of: (Int, ProcessResult).self) { group in
            for number in 0..<24 {
                group.addTask { (number, try await shell.run(["-c", "echo \(number); exit \(number)"])) }
            }
            for try await (number, result) in group {
                #expect(result.exitCode == Int32(number))
                #expect(result.output == "\(number)\n")
            }
        }
    }

    #if os(Linux)
    @Test("a child process inherits no file descriptors except its standard streams")
    func inheritance() throws {
        let open = try (0..<8).map { _ in try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null")) }
        // Descriptor 3 is the directory that `ls` reads.
        #expect(try shell.run(["-c", "exec ls /proc/self/fd"]).outputLines == ["0", "1", "2", "3"])
        withExtendedLifetime(open) {}
    }

    @Test("the pipes of an ended process are closed")
    func descriptors() throws {
        let process = try shell.start(["-c", "readlink /proc/self/fd/1 /proc/self/fd/2"])
        let pipes = Set(process.waitUntilExit().outputLines)
        #expect(pipes.count == 2 && pipes.allSatisfy { $0.hasPrefix("pipe:") })
        let folder = "/proc/self/fd"
        let open = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        #expect(pipes.isDisjoint(with: open))
    }
    #endif

    @Test("running a missing executable throws an error")
    func missing() {
        let runner = ProcessRunner(executable: URL(fileURLWithPath: "/no/such/executable"))
        #expect(throws: (any Error).self) { try runner.run() }
    }
}

@Suite("Independent database checker")
struct DatabaseCheckerTests {
    @Test("the checker finds no problems in an intact bundle and dumps its documents")
    func good() throws {
        let directory = try TemporaryDirectory()
        let bundle = try directory.copy(RealDatabase.url("v2.7"))
        let report = try DatabaseChecker.check(bundle)
        #expect(report.problems.isEmpty)
        #expect(report.userVersion == 302)
        #expect(report.statistics["documents"] == 50)
        #expect(try DatabaseChecker.dump(bundle).allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    }

    @Test("the checker reports a bundle that cannot be read")
    func unreadable() throws {
        let directory = try TemporaryDirectory()
        #expect(try DatabaseChecker.check(directory.url).problems.count == 1)
        #expect(throws: DatabaseChecker.Failure.self) { try DatabaseChecker.dump(directory.url) }
    }
}
