import Foundation
import TestSupport
import TestTraits
import Testing

/// The program of `Examples/Notes`, run in its own temporary directory.
struct NotesProgram {
    let directory: TemporaryDirectory
    private let runner: ProcessRunner

    init(product: String = "NotesExample", in directory: TemporaryDirectory? = nil) throws {
        self.directory = try directory ?? TemporaryDirectory()
        runner = try ProcessRunner(product: product)
    }

    /// Runs a command, expects it to succeed, and returns the lines it printed.
    @discardableResult
    func lines(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        let result = try runner.run(arguments, directory: directory.url)
        #expect(result.exitCode == 0, "\(arguments): \(result.errorOutput)", sourceLocation: sourceLocation)
        return result.outputLines
    }

    /// Runs a command, and expects it to fail with this exit code and message.
    func expectFailure(
        _ code: Int32,
        _ message: String,
        _ arguments: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try runner.run(arguments, directory: directory.url)
        #expect(result.exitCode == code, "\(arguments): \(result.errorOutput)", sourceLocation: sourceLocation)
        #expect(result.errorOutput.contains(message), "\(result.errorOutput)", sourceLocation: sourceLocation)
    }

    /// Starts a command without waiting for its end.
    func start(_ arguments: String...) throws -> RunningProcess {
        try runner.start(arguments, directory: directory.url)
    }

    /// Adds a note and returns the beginning of its ID.
    func add(_ arguments: String...) throws -> String {
        let result = try runner.run(["add"] + arguments, directory: directory.url)
        return try #require(result.outputLines.first, "\(result.errorOutput)")
    }
}

@Suite("The example of a notes app", .ownThreads)
struct NotesTests {
    private let notes: NotesProgram

    init() throws { notes = try NotesProgram() }

    @Test("notes are added, listed with the newest first, changed, shown and deleted")
    func commands() throws {
        let milk = try notes.add("Buy milk", "--text", "two bottles", "--tag", "shop")
        let anna = try notes.add("Call Anna")
        #expect(milk.count == 8 && milk != anna)
        #expect(try notes.lines("list") == ["\(anna)  Call Anna", "\(milk)  Buy milk #shop"])
        try notes.lines("edit", milk, "--title", "Buy oat milk", "--tag", "today", "--tag", "shop")
        #expect(try notes.lines("show", milk) == ["\(milk)  Buy oat milk #shop #today", "two bottles"])
        #expect(try notes.lines("list").first == "\(milk)  Buy oat milk #shop #today")
        try notes.lines("delete", anna)
        #expect(try notes.lines("list").count == 1)
    }

    @Test("notes are found by the words of their titles and texts")
    func search() throws {
        let anna = try notes.add("Call Anna", "--text", "Ask for the plans")
        try notes.lines("add", "Buy milk")
        #expect(try notes.lines("search", "plan*", "anna") == ["\(anna)  Call Anna"])
        #expect(try notes.lines("search", "nothing") == [])
        try notes.lines("edit", anna, "--text", "nothing")
        #expect(try notes.lines("search", "nothing") == ["\(anna)  Call Anna"])
    }

    @Test("a file is attached to a note, and written to another file again")
    func attachments() throws {
        let id = try notes.add("Plan")
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let folder = notes.directory.url
        try content.write(to: folder.appendingPathComponent("plan.bin"))
        try notes.lines("attach", id, "plan.bin")
        #expect(try notes.lines("show", id) == ["\(id)  Plan [1 files]", "plan.bin, 100000 bytes"])
        try notes.lines("extract", id, "plan.bin", "copy.bin")
        #expect(try Data(contentsOf: folder.appendingPathComponent("copy.bin")) == content)
    }

    @Test("wrong arguments fail with a message that says what is wrong")
    func errors() throws {
        let id = try notes.add("A")
        try notes.lines("add", "B")
        try notes.expectFailure(64, "There is no note \"none\"", "show", "none")
        try notes.expectFailure(64, "Several IDs begin with \"\"", "show", "")
        try notes.expectFailure(1, "There is no file", "attach", id, "none.txt")
        try notes.expectFailure(1, "Cannot read", "attach", id, ".")
        try notes.expectFailure(64, "The note has no attachment \"x\"", "extract", id, "x")
        try notes.expectFailure(1, "invalidQuery", "search", "\"")
        try notes.expectFailure(64, "Unexpected argument", "list", "x")
    }

    @Test("the list that is watched shows what another process adds, until it is interrupted")
    func watch() throws {
        try notes.lines("add", "First", "--tag", "work")
        let watching = try notes.start("watch", "--tag", "work")
        defer { watching.kill() }
        _ = watching.waitForOutput(lines: 2)
        let second = try notes.add("Second", "--tag", "work")
        try notes.lines("add", "Private")
        let printed = watching.waitForOutput(lines: 5)
        #expect(printed[2].hasSuffix("2 notes"))
        #expect(printed[3] == "\(second)  Second #work")
        watching.kill(SIGINT)
        #expect(watching.waitUntilExit().ending == .signalled(SIGINT))
        #expect(try notes.lines("list").count == 3)
    }

    @Test("control characters in a note are not printed")
    func controlCharacters() throws {
        let id = try notes.add("A\u{1B}[2Jb\u{7}", "--text", "x\u{1B}[0m")
        #expect(try notes.lines("show", id) == ["\(id)  A[2Jb", "x[0m"])
    }

    #if Replication
    @Test("a sync with a server that rejects notes ends with an error")
    func readOnlyServer() throws {
        try notes.lines("list", "-d", "cloud")
        let serving = try ProcessRunner(product: "cblite").start(
            ["serve", "--port", "0", "--read-only", "cloud/notes.cblite2"],
            directory: notes.directory.url
        )
        defer { serving.kill() }
        let url = try #require(serving.waitForOutput(lines: 1).first)
        try notes.lines("sync", url)
        try notes.lines("add", "Buy milk")
        try notes.expectFailure(1, "httpForbidden", "sync", url)
    }

    @Test("two terminals sync through a server, and a note that both have changed is merged")
    func sync() throws {
        let server = try ProcessRunner(product: "cblite")
        let id = try notes.add("Call Anna", "--text", "Ask for the plans")
        let plan = notes.directory.url.appendingPathComponent("plan.txt")
        try Data("A house".utf8).write(to: plan)
        try notes.lines("attach", id, "plan.txt")
        let serving = try server.start(["serve", "--port", "0", "notes.cblite2"], directory: notes.directory.url)
        defer { serving.kill() }
        let url = try #require(serving.waitForOutput(lines: 1).first)

        try notes.lines("sync", "-d", "phone", url)
        try notes.lines("extract", "-d", "phone", id, "plan.txt", "copy.txt")
        #expect(try Data(contentsOf: notes.directory.url.appendingPathComponent("copy.txt")) == Data("A house".utf8))

        try notes.lines("edit", id, "--tag", "home", "--title", "Call Anna today")
        try notes.lines("edit", "-d", "phone", id, "--tag", "phone", "--title", "Call Anna tomorrow")
        try notes.lines("sync", "-d", "phone", url)
        let merged = "\(id)  Call Anna tomorrow #phone #home [1 files]"
        #expect(try notes.lines("list", "-d", "phone") == [merged])
        #expect(try notes.lines("list") == [merged])

        let continuous = try notes.start("sync", "-d", "phone", url, "--continuous")
        defer { continuous.kill() }
        let watching = try notes.start("watch")
        defer { watching.kill() }
        _ = watching.waitForOutput(lines: 2)
        let later = try notes.add("-d", "phone", "Later")
        #expect(watching.waitForOutput(lines: 4).dropFirst(2).contains("\(later)  Later"))

        serving.kill(SIGTERM)
        #expect(serving.waitUntilExit().exitCode == 0)
        try notes.expectFailure(1, "refused", "sync", "-d", "phone", url)
        try notes.expectFailure(1, "must be ws or wss", "sync", "http://localhost/notes")
    }
    #endif
}
