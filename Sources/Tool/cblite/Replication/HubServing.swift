#if Replication
import CouchbaseLiteSwift
import Dispatch
import Fleece
import Foundation
import Hub
import Inspector

/// Serves all databases in a directory with a hub: `cblite serve --hub`.
struct HubServing {
    let directory: String
    let port: UInt16
    let adminPort: UInt16?
    let origins: [String]
    /// The file with the mapping of channels.
    let channels: String?
    /// The maximum size of an attachment in bytes; `nil` for the default.
    let maximumAttachmentSize: Int?
    let access: ServeAccess
    let isJSON: Bool

    func run() throws {
        let interface = try self.interface()
        var options = HubOptions(directory: try existingDirectory())
        options.port = Int(port)
        options.adminPort = adminPort.map { Int($0) }
        options.allowedOrigins = origins
        if let channels { options.channelMapping = try HubFailure.converting { try ChannelMapping(file: channels) } }
        if let maximumAttachmentSize { options.maximumAttachmentSize = maximumAttachmentSize }
        options.networkInterface = interface
        options.hostNames = access.host
        options.certificate = access.cert.map { .files(certificate: $0, key: access.tlsKey) } ?? (access.tls ? .generated : nil)
        options.maximumDescriptors = DescriptorLimit.current
        options.requestLog = { StandardStreams.printError("\($0)\n") }
        let log = LogBuffer()
        if adminPort != nil { LogSinks.custom = CustomLogSink(level: .verbose, logSink: log) }
        defer { LogSinks.custom = nil }
        let (hub, inspector) = try start(options, log)
        let end = DispatchSemaphore(value: 0)
        // Before the URLs are printed: whoever waits for them may interrupt the hub as soon as they are there.
        let interrupt = Interrupt { _ in end.signal() }
        defer { interrupt.cancel() }
        let link = { @Sendable [adminPort = hub.adminPort] in adminPort.flatMap { inspector?.makeLink(port: $0) } }
        try announce(hub, inspectorURL: link())
        let links = inspector.map { _ in InspectorLinks { link() ?? "" } }
        defer { links?.cancel() }
        end.wait()
        inspector?.stop()
        let stopped = DispatchSemaphore(value: 0)
        Task {
            await hub.stop()
            stopped.signal()
        }
        stopped.wait()
    }

    private func existingDirectory() throws -> String {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw Failure(.notFound, "there is no directory \(directory)", hint: "Create it, and databases in it.")
        }
        return directory
    }

    /// Returns the network interface; `nil` for all.
    private func interface() throws -> String? {
        guard access.login.user == nil, !access.anonymous, !access.readOnly, !access.writable else {
            throw Failure(.usage, "a hub has users of its own", hint: "Add them with: cblite hub user add DIR NAME")
        }
        if let name = access.host.first(where: { !HubOptions.isHostName($0) }) {
            throw Failure(.usage, "\(name) is no name of a host", hint: "Give it without a scheme, a port and a path.")
        }
        guard access.allInterfaces || access.interface != nil else { return "localhost" }
        guard access.usesTLS || access.noTLS else {
            throw Failure(
                .usage,
                "accepting clients from other machines requires --tls or --cert FILE, or --no-tls to send the data unencrypted"
            )
        }
        return access.allInterfaces ? nil : access.interface
    }

    /// Starts the hub, with an inspector if there is a port for administration.
    private func start(_ options: HubOptions, _ log: LogBuffer) throws -> (Hub, Inspector?) {
        try HubFailure.converting(port: Int(port), hint: "Add users with: cblite hub user add DIR NAME") {
            var inspector: Inspector?
            let hub = try Hub(options) { databases, users in
                let sources = databases.map { InspectedSource($0) }
                let made = Inspector(sources, below: Hub.inspectorPath, users: InspectedUsers(users), log: log)
                inspector = made
                return made
            }
            try hub.start()
            return (hub, inspector)
        }
    }

    private func announce(_ hub: Hub, inspectorURL: String?) throws {
        let output = Output()
        for url in (hub.urls.isEmpty ? hub.baseURLs : hub.urls) + hub.adminURLs + [inspectorURL].compactMap({ $0 }) {
            if isJSON { try output.line(json: JSONWriter.object { $0.member("url", url) }.string) } else { try output.line(exactly: url) }
        }
        try output.flush()
        let isOpen = try hub.users.isEmpty()
        let guests = isOpen ? "It has no users: everyone on this machine may read and write." : "Its users need their passwords."
        StandardStreams.printError("The hub is running. \(guests)\n")
    }
}

extension InspectedUsers {
    /// Creates the users of a hub.
    fileprivate init(_ users: HubUsers) {
        self.init(openFile: { try users.openFile() }) { limit in
            let (names, roleNames) = (try users.names(), try users.roleNames())
            return Lists(
                users: try names.prefix(limit).compactMap { name in
                    try users.user(name).map { User(name: name, channels: $0.channels, roles: $0.roles, isDisabled: $0.isDisabled) }
                },
                userCount: names.count,
                roles: try roleNames.prefix(limit).compactMap { name in
                    try users.role(name).map { Role(name: name, channels: $0.channels) }
                },
                roleCount: roleNames.count
            )
        }
    }
}

extension InspectedSource {
    /// Creates the source of a database of a hub.
    fileprivate init(_ served: ServedDatabase) {
        self.init(name: served.name) { try served.openFile() }
        tombstone = { try served.tombstone(of: $0, in: $1) }
        observeReplication = { served.observeSyncCount($0) }
        replication = {
            let count = served.syncCount
            return ReplicationCounters(
                clients: count.clients,
                sent: count.sent,
                received: count.received,
                refused: count.refused,
                failures: count.failures
            )
        }
    }
}
#endif
