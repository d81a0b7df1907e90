#if Replication
import ArgumentParser
import CouchbaseLiteSwift
import Dispatch
import Fleece
import Foundation
import Inspector

/// `cblite inspect`
struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a database in a browser.",
        discussion: """
            Serves a page on this machine only: collections with the properties of their documents, documents as an editable tree with \
            their revisions and blobs, queries with completion, plan and charts, indexes, conflicts, counters and the log. Other \
            processes can use the database at the same time. Ctrl-C stops the server.

            Prints one line: the address of the page. It contains a token that gives one browser access, once. For another browser, \
            press Return.

            A file of an older release is opened for reading only, because writing would upgrade it; --upgrade allows that.

            EXAMPLES:
              $ cblite inspect travel.cblite2
              $ cblite inspect --read-only --port 8091 travel.cblite2

            With --json, the line is one object: url, port, readOnly.
            """
    )

    @OptionGroup var database: DatabaseArgument

    @Option(help: ArgumentHelp("The port to listen on; 0 for any free port.", valueName: "n"))
    var port: UInt16 = 0

    @Flag(help: "Allow no changes.")
    var readOnly = false

    @Flag(help: "Open a file of an older release for writing, which upgrades it.")
    var upgrade = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !readOnly || !upgrade else { throw ValidationError("Give --read-only or --upgrade, not both.") }
    }

    func run() throws {
        let opening = try database.opening()
        let oldRelease = try readOnly || upgrade ? nil : opening.olderRelease()
        let notice = oldRelease.map {
            "This is a file of release \($0), opened for reading only. To upgrade and change it, use: cblite inspect --upgrade"
        }
        let log = LogBuffer()
        LogSinks.custom = CustomLogSink(level: .verbose, logSink: log)
        defer { LogSinks.custom = nil }
        let isReadOnly = readOnly || oldRelease != nil
        try opening.using(isReadOnly ? .reading : .writing) { try serve($0, isReadOnly: isReadOnly, notice: notice, log) }
    }

    private func serve(_ database: Database, isReadOnly: Bool, notice: String?, _ log: LogBuffer) throws {
        let end = DispatchSemaphore(value: 0)
        // Before the address is printed: whoever waits for it may interrupt the server as soon as it is there.
        let interrupt = Interrupt { _ in end.signal() }
        defer { interrupt.cancel() }
        let server = try start(database, notice: notice, log)
        defer { server.stop() }
        try announce(server, isReadOnly: isReadOnly)
        let links = InspectorLinks { server.makeLink() }
        defer { links.cancel() }
        end.wait()
    }

    private func start(_ database: Database, notice: String?, _ log: LogBuffer) throws -> InspectorServer {
        do {
            return try InspectorServer(database, port: Int(port), notice: notice, log: log)
        } catch .portInUse {
            throw Failure(.unreachable, "port \(port) is in use", hint: "Choose another with --port, or 0 for any free port.")
        } catch .failed(let message) {
            throw Failure(.unreachable, message)
        }
    }

    private func announce(_ server: InspectorServer, isReadOnly: Bool) throws {
        let link = server.makeLink()
        try output.print(link) { writer in
            writer.member("url", link)
            writer.member("port", server.port)
            writer.member("readOnly", isReadOnly)
        }
    }
}
#endif
