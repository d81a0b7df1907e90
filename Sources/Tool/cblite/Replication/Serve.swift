#if Replication
import ArgumentParser
import CouchbaseLiteSwift
import Dispatch
import Fleece
import Foundation
import Synchronization

/// `cblite serve`
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves databases to replicating clients.",
        discussion: """
            Serves one database, or all databases in a folder, to apps, other devices, and cblite push, pull and sync. Ctrl-C \
            stops the server after the changes being received have been stored.

            By default only clients on this machine can connect. To accept clients from other machines with --interface or \
            --all-interfaces, --user and TLS are required, or --anonymous and --no-tls to do without. Clients may write \
            unless --read-only is given; anonymous clients on other machines may write only with --writable.

            EXAMPLES:
              $ cblite serve --port 4984 travel.cblite2
              $ cblite serve --all-interfaces --user anna --tls databases/
              $ cblite serve --interface eth0 --cert server.pem --user anna --read-only travel.cblite2
              $ cblite serve --hub databases/ --port 4984 --admin-port 4985

            With --hub, the tool stands in for Sync Gateway: it offers its REST API for documents too, with the users that cblite hub user \
            manages. Without any user it serves this machine only. --cert FILE, or --tls, makes it use TLS. Requests are logged on standard \
            error, one line of JSON each. With --host NAME it serves clients of a proxy on this machine, too, and needs a user. \
            With --admin-port, the last line that it prints is the link to the inspector of all its databases, which gives one browser \
            access, once. For another browser, press Return.

            Prints one line for each URL when clients can connect. Access rights, connections and disconnections are reported on \
            standard error. With --json, one object per line for each database: name, url, urls, thisMachineOnly, user, tls, writable.
            """
    )

    @Argument(help: "The directory of a database, or a folder that contains databases.", completion: .directory)
    var path: String?

    @Option(
        help: ArgumentHelp("Serve all databases in this directory as a hub: sync, REST and users.", valueName: "dir"),
        completion: .directory
    )
    var hub: String?

    @Option(help: ArgumentHelp("The port to listen on; 0 for any free port.", valueName: "n"))
    var port: UInt16 = 4984

    @Option(
        help: ArgumentHelp(
            "With --hub: a port for administration, without passwords, and for the inspector, on this machine only.",
            valueName: "n"
        )
    )
    var adminPort: UInt16?

    @Option(help: ArgumentHelp("With --hub: serve web pages of this origin; may be repeated. * allows all.", valueName: "url"))
    var corsOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "With --hub: where the channels of documents come from, for each collection: a JSON file. Otherwise the property channels.",
            valueName: "file"
        ),
        completion: .file()
    )
    var channels: String?

    @Option(
        help: ArgumentHelp(
            "With --hub: the maximum size of an attachment or a blob that clients store, in MiB; 20 if omitted.",
            valueName: "n"
        )
    )
    var maxAttachmentSize: Int?

    @OptionGroup var access: ServeAccess

    @Option(help: ArgumentHelp("The maximum number of connected clients.", valueName: "n"))
    var maxConnections = URLEndpointListenerConfiguration.defaultMaxConnections

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("A collection to serve; may be repeated. All collections if omitted.", valueName: "scope.name")
    )
    var collection: [String] = []

    /// The maximum of ``maxAttachmentSize``.
    private static let maximumAttachmentSize = 1 << 20

    @OptionGroup var key: KeyOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (path == nil) != (hub == nil) else { throw ValidationError("Give a path, or --hub DIR.") }
        guard hub != nil || access.host.isEmpty || access.host.count == 1 && access.interface == nil && !access.allInterfaces else {
            throw ValidationError("Without --hub, --host is another name of --interface: give one of them, and without --all-interfaces.")
        }
        guard hub != nil || adminPort == nil && corsOrigin.isEmpty && channels == nil && maxAttachmentSize == nil else {
            throw ValidationError("--admin-port, --cors-origin, --channels and --max-attachment-size need --hub.")
        }
        guard hub == nil || !key.isGiven && collection.isEmpty else {
            throw ValidationError(
                "--key-file, --password-file, --password and --collection are not for --hub, which serves all collections of databases "
                    + "that are not encrypted."
            )
        }
        guard maxAttachmentSize.map({ (1...Self.maximumAttachmentSize).contains($0) }) ?? true else {
            throw ValidationError("--max-attachment-size must be from 1 to \(Self.maximumAttachmentSize).")
        }
    }

    func run() throws {
        DescriptorLimit.raise()
        Allocator.returnsLargeBlocks()
        if let hub {
            let serving = HubServing(
                directory: hub,
                port: port,
                adminPort: adminPort,
                origins: corsOrigin,
                channels: channels,
                maximumAttachmentSize: maxAttachmentSize.map { $0 << 20 },
                access: access,
                isJSON: output.json
            )
            return try serving.run()
        }
        let terms = try access.terms()
        let databases = try open()
        defer { for database in databases { try? database.close() } }
        let configurations = try databases.map { try configuration(of: $0, terms) }
        // From now on, connections and disconnections are logged.
        LogSinks.custom = CustomLogSink(level: .info, domains: .listener, logSink: ConnectionLogSink())
        let end = DispatchSemaphore(value: 0)
        // Before the URLs are printed: whoever waits for them may interrupt the server as soon as they are there.
        let interrupt = Interrupt { _ in end.signal() }
        defer { interrupt.cancel() }
        let server = try start(configurations)
        defer { server.stop() }
        try announce(databases, server, terms)
        end.wait()
    }

    private func start(_ configurations: [URLEndpointListenerConfiguration]) throws -> DatabaseServer {
        do {
            return try DatabaseServer(configurations)
        } catch let error as NSError where error.domain == NSPOSIXErrorDomain && error.code == Int(EADDRINUSE) {
            throw Failure(.unreachable, "port \(port) is in use", hint: "Choose another with --port, or 0 for any free port.")
        }
    }

    /// Opens the database at the path, or all databases in the folder.
    ///
    /// - Throws: ``Failure`` if the folder contains no databases; or if the path does not exist.
    private func open() throws -> [Database] {
        let path = DatabasePath.existing(path ?? "")
        if DatabaseFiles.exist(at: path) { return [try Database.open(path, key: try key.secret())] }
        let suffix = "." + DatabaseFiles.fileExtension
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }
                .sorted()
        } catch {
            throw Failure.noDatabase(path)
        }
        guard !names.isEmpty else {
            throw Failure(.notFound, "there is no database in \(path)", hint: "Databases are directories named NAME\(suffix).")
        }
        let secret = try key.secret()
        return try names.map { try Database.open("\(path)/\($0)", key: secret) }
    }

    private func configuration(of database: Database, _ terms: ServeAccess.Terms) throws -> URLEndpointListenerConfiguration {
        let all = try database.scopes().flatMap { try $0.collections() }
        let wanted =
            collection.isEmpty
            ? all
            : try collection.map { name in
                guard let found = all.first(where: { $0.name == name || $0.fullName == name }) else {
                    throw Failure(.notFound, "database \(database.name) has no collection \(name)")
                }
                return found
            }
        let configuration = URLEndpointListenerConfiguration(collections: wanted)
        configuration.port = port
        terms.apply(to: configuration)
        configuration.maxConnections = maxConnections
        configuration.enableDeltaSync = true
        return configuration
    }

    private func announce(_ databases: [Database], _ server: DatabaseServer, _ terms: ServeAccess.Terms) throws {
        let output = Output()
        for database in databases {
            let urls = server.urls(of: database).map(\.absoluteString)
            if self.output.json {
                let line = JSONWriter.object([
                    "name": database.name, "url": urls.first ?? "", "urls": urls, "thisMachineOnly": terms.isOfThisMachineOnly,
                    "user": terms.user?.name, "tls": terms.usesTLS, "writable": !terms.isReadOnly,
                ]).string
                try output.line(json: line)
            } else {
                for url in urls { try output.line(exactly: url) }
            }
        }
        try output.flush()
        for line in terms.lines { StandardStreams.printError("\(line)\n") }
    }
}

/// Writes the log of a listener to standard error: connections, disconnections and refused clients, one line each, with the time.
final class ConnectionLogSink: LogSinkProtocol, Sendable {
    /// Serializes writing, so that lines of different connections are not interleaved.
    private let turn = Mutex(())

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        let text = message.hasPrefix(Self.prefix) ? String(message.dropFirst(Self.prefix.count)) : message
        let line: TerminalText = "\(Date().formatted(.iso8601)) \(text)\n"
        turn.withLock { _ in StandardStreams.printError(line) }
    }

    private static let prefix = "Listener: "
}
#endif
