#if Replication
    import ArgumentParser
    import CouchbaseLiteSwift
    import Dispatch
    import DocumentStore
    import Foundation

    /// `cblite serve`
    struct Serve: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets others replicate with databases.",
            discussion: """
                Serves one database, or all in a folder, to every client that speaks the protocol: apps, other devices, and \
                cblite push, pull and sync. One line with the URL of each database is printed when clients can come. Ctrl-C ends \
                it, when what clients are just sending has been stored.

                EXAMPLES:
                  $ cblite serve --port 4984 travel.cblite2
                  $ cblite serve --user anna --tls databases/
                  $ cblite serve --cert server.pem --user anna travel.cblite2

                With --json, one object per database and line: name, url.
                """
        )

        @Argument(help: "The directory of a database, or a folder with databases.", completion: .directory)
        var path: String

        @Option(help: ArgumentHelp("The port to listen on; 0 for any that is free.", valueName: "n"))
        var port: UInt16 = 4984

        @Option(
            help: ArgumentHelp(
                "The network interface to listen on, by name or address; all by default.",
                valueName: "name"
            )
        )
        var interface: String?

        @Option(
            help: ArgumentHelp(
                "Whom to let in. The password is asked for, unless it is in CBLITE_SYNC_PASSWORD or in a file.",
                valueName: "name"
            )
        )
        var user: String?

        @Option(
            help: ArgumentHelp("The user's password: the first line of a file.", valueName: "file"),
            completion: .file()
        )
        var userPasswordFile: String?

        @Flag(help: "Use TLS, with a certificate that is made on first use.")
        var tls = false

        @Option(
            help: ArgumentHelp("Use TLS, with this certificate and private key: a file, PEM.", valueName: "file"),
            completion: .file()
        )
        var cert: String?

        @Flag(help: "Let nobody change anything.")
        var readOnly = false

        @Option(help: ArgumentHelp("How many clients may be connected at a time.", valueName: "n"))
        var maxConnections = URLEndpointListenerConfiguration.defaultMaxConnections

        @Option(
            name: [.customShort("c"), .long],
            help: ArgumentHelp(
                "A collection to serve; may be repeated. All when none is given.",
                valueName: "scope.name"
            )
        )
        var collection: [String] = []

        @OptionGroup var key: KeyOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard userPasswordFile == nil || user != nil else {
                throw ValidationError("--user-password-file needs --user.")
            }
        }

        func run() throws {
            let databases = try open()
            defer { for database in databases { try? database.close() } }
            let (identity, authenticator) = (try cert.map(CertificateFile.identity), try authenticator())
            let server = try DatabaseServer(
                databases.map { database in
                    let configuration = try configuration(of: database)
                    configuration.tlsIdentity = identity
                    configuration.authenticator = authenticator
                    return configuration
                }
            )
            try announce(databases, server)
            let end = DispatchSemaphore(value: 0)
            let interrupt = Interrupt { end.signal() }
            end.wait()
            interrupt.cancel()
            server.stop()
        }

        /// The database at the path, or those in the folder.
        private func open() throws -> [Database] {
            let path = DatabasePath.existing(path)
            if BundlePath(path).holdsDatabase { return [try Database.open(path, key: try key.secret())] }
            let suffix = "." + BundlePath.fileExtension
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }
                    .sorted()
            } catch {
                throw StoreError.missing(path: path)
            }
            guard !names.isEmpty else {
                throw Failure(
                    .notFound,
                    "there is no database in \(path)",
                    hint: "Databases are directories named NAME\(suffix)."
                )
            }
            let secret = try key.secret()
            return try names.map { try Database.open("\(path)/\($0)", key: secret) }
        }

        private func configuration(of database: Database) throws -> URLEndpointListenerConfiguration {
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
            configuration.networkInterface = interface
            configuration.disableTLS = !tls && cert == nil
            configuration.readOnly = readOnly
            configuration.maxConnections = maxConnections
            configuration.enableDeltaSync = true
            return configuration
        }

        private func authenticator() throws -> ListenerPasswordAuthenticator? {
            guard let user else { return nil }
            let password = try UserPassword.read(file: userPasswordFile, asking: "Password of \(user): ")
            return ListenerPasswordAuthenticator { name, given in name == user && given == password }
        }

        private func announce(_ databases: [Database], _ server: DatabaseServer) throws {
            let output = Output()
            for database in databases {
                guard let url = server.url(of: database) else { continue }
                if self.output.json {
                    let line = JSONPrinter.object { printer in
                        printer.member("name", database.name)
                        printer.member("url", url.absoluteString)
                    }
                    try output.line(line)
                } else {
                    try output.line(url.absoluteString)
                }
            }
            try output.flush()
        }
    }
#endif
