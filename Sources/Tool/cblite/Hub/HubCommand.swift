#if Replication
import ArgumentParser
import Fleece
import Foundation
import Hub

/// `cblite hub`
struct HubCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub",
        abstract: "Manages the users and roles of a hub.",
        discussion: """
            A hub serves the databases in a directory to replicating clients and over REST: see cblite help serve.

            EXAMPLES:
              $ cblite hub user add databases/ anna --channel news --channel anna
              $ cblite hub role add databases/ staff --channel news
              $ cblite hub user set databases/ anna --role staff
              $ cblite hub user ls databases/
              $ cblite serve --hub databases/ --port 4984

            All commands accept --json; see their help: cblite help hub user ls.
            """,
        subcommands: [HubUserCommand.self, HubRoleCommand.self]
    )
}

/// `cblite hub user`
struct HubUserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Adds, changes, removes and lists the users of a hub.",
        discussion: """
            A user may read and write the documents whose property "channels" names a channel of the user. The channel * \
            stands for all documents. A user also has the channels of the user's roles. Changes take effect at once, also while \
            the hub is running.

            EXAMPLES:
              $ cblite hub user add databases/ anna --channel news --channel anna
              $ cblite hub user set databases/ anna --channel '*'
              $ cblite hub user rm databases/ anna

            All commands accept --json; see their help: cblite help hub user ls.
            """,
        subcommands: [HubUserAdd.self, HubUserSet.self, HubUserRemove.self, HubUserList.self]
    )
}

/// The directory of a hub and the name of a user.
struct HubUserArguments: ParsableArguments {
    @OptionGroup var hub: HubDirectory
    @Argument(help: "The name of the user.") var name: String

    var noUser: Failure { HubDirectory.missing("user", name) }
}

/// The directory of a hub.
struct HubDirectory: ParsableArguments {
    @Argument(help: "The directory with the databases of the hub.", completion: .directory) var directory: String

    /// Opens the users and roles of the hub, and passes them to `body`. The hub may be running.
    func withUsers(_ body: (HubUsers) throws -> Void) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw Failure(.notFound, "there is no directory \(directory)", hint: "Create it, and databases in it.")
        }
        try HubFailure.converting { try body(HubUsers(directory: directory)) }
    }

    /// Prints a line for each entry of the hub: the text or, with `--json`, an object with the members. `entry` returns `nil` for one that
    /// was removed in the meantime.
    func list(
        _ output: OutputOptions,
        _ names: (HubUsers) throws -> [String],
        _ entry: (HubUsers, String) throws -> (text: String, members: JSONMembers)?
    ) throws {
        let lines = Output()
        try withUsers { users in
            for name in try names(users) {
                guard let (text, members) = try entry(users, name) else { continue }
                try lines.line(output.json ? JSONWriter.object(members).string : text)
            }
        }
        try lines.flush()
    }

    /// Removes an entry of the hub, and prints that.
    ///
    /// - Parameter remove: Removes it, and returns `false` if it does not exist.
    func remove(_ kind: String, _ name: String, _ output: OutputOptions, _ remove: (HubUsers) throws -> Bool) throws {
        try withUsers { users in
            guard try remove(users) else { throw Self.missing(kind, name) }
        }
        try output.print("removed \(kind) \(name)", ["name": name])
    }

    static func missing(_ kind: String, _ name: String) -> Failure {
        Failure(.notFound, "there is no \(kind) \(name)", hint: "List the \(kind)s with: cblite hub \(kind) ls DIR")
    }

    static func existing(_ kind: String, _ name: String) -> Failure {
        Failure(.conflict, "there is already a \(kind) \(name)", hint: "Change the \(kind) with: cblite hub \(kind) set DIR NAME")
    }

    /// - Throws: ``Failure`` if a role does not exist, because a misspelled role would give no access.
    static func requireRoles(_ names: [String], in users: HubUsers) throws {
        for name in names where try users.role(name) == nil {
            throw Failure(.notFound, "there is no role \(name)", hint: "Add it with: cblite hub role add DIR NAME")
        }
    }
}

/// The channels of a user or a role.
struct HubChannelOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("channels")],
        help: ArgumentHelp("A channel; may be repeated. * stands for all documents.", valueName: "name")
    )
    var channel: [String] = []
}

/// The password of a hub's user.
struct HubPasswordOptions: ParsableArguments {
    static let variable = "CBLITE_HUB_PASSWORD"

    @Option(help: ArgumentHelp("The password: the first line of a file.", valueName: "file"), completion: .file())
    var passwordFile: String?

    /// The password, unless it has to be asked for.
    func given() throws -> String? {
        if let passwordFile { return try SecretFile.password(passwordFile) }
        return ProcessInfo.processInfo.environment[Self.variable]
    }

    func password(of name: String) throws -> String {
        if let given = try self.given() { return given }
        return try Terminal.promptForSecret(
            "Password of \(name): ",
            hint: "Give it with --password-file FILE, or in the environment variable \(Self.variable)."
        )
    }
}

/// `cblite hub user add`
struct HubUserAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a user.",
        discussion: """
            The password is asked for unless it is in CBLITE_HUB_PASSWORD or in a file. It is stored with a salt and a slow \
            hash.

            EXAMPLES:
              $ cblite hub user add databases/ anna --channel news --channel anna

            With --json, prints one object: name, channels, roles.
            """
    )

    @OptionGroup var user: HubUserArguments
    @OptionGroup var channels: HubChannelOptions
    @Option(help: ArgumentHelp("A role of the user; may be repeated.", valueName: "name")) var role: [String] = []
    @OptionGroup var password: HubPasswordOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try user.hub.withUsers { users in
            let exists = HubDirectory.existing("user", user.name)
            guard try users.user(user.name) == nil else { throw exists }
            try HubDirectory.requireRoles(role, in: users)
            let password = try password.password(of: user.name)
            guard try users.add(user.name, password: password, channels: channels.channel, roles: role) else { throw exists }
        }
        try output.print("added user \(user.name)", ["name": user.name, "channels": channels.channel, "roles": role])
    }
}

/// `cblite hub user set`
struct HubUserSet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes the password, the channels, the roles or the state of a user.",
        discussion: """
            The channels and roles that are given replace the present ones.

            EXAMPLES:
              $ cblite hub user set databases/ anna --channel news
              $ cblite hub user set databases/ anna --no-channels --role staff
              $ cblite hub user set databases/ anna --new-password
              $ cblite hub user set databases/ anna --disable-login

            With --json, prints one object: name, channels, roles, isDisabled.
            """
    )

    @OptionGroup var user: HubUserArguments
    @OptionGroup var channels: HubChannelOptions
    @Flag(help: "Take away all channels.") var noChannels = false
    @Option(help: ArgumentHelp("A role of the user, instead of the present ones; may be repeated.", valueName: "name"))
    var role: [String] = []
    @Flag(help: "Take away all roles.") var noRoles = false
    @Flag(help: "Set another password; it is asked for unless it is in CBLITE_HUB_PASSWORD or in a file.") var newPassword = false
    @Flag(inversion: .prefixedEnableDisable, help: "Whether the user can log in.") var login: Bool?
    @OptionGroup var password: HubPasswordOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard channels.channel.isEmpty || !noChannels else { throw ValidationError("Give one of --channel and --no-channels.") }
        guard role.isEmpty || !noRoles else { throw ValidationError("Give one of --role and --no-roles.") }
    }

    func run() throws {
        try user.hub.withUsers { users in
            guard try users.user(user.name) != nil else { throw user.noUser }
            try HubDirectory.requireRoles(role, in: users)
            let wantsPassword = newPassword || password.passwordFile != nil
            let changed = try users.change(
                user.name,
                password: wantsPassword ? password.password(of: user.name) : nil,
                channels: channels.channel.isEmpty && !noChannels ? nil : channels.channel,
                roles: role.isEmpty && !noRoles ? nil : role,
                isDisabled: login.map { !$0 }
            )
            guard changed, let stored = try users.user(user.name) else { throw user.noUser }
            try output.print("changed user \(user.name)", stored.members(user.name))
        }
    }
}

/// `cblite hub user rm`
struct HubUserRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Removes a user.",
        discussion: """
            EXAMPLES:
              $ cblite hub user rm databases/ anna

            With --json, prints one object: name.
            """
    )

    @OptionGroup var user: HubUserArguments
    @OptionGroup var output: OutputOptions

    func run() throws { try user.hub.remove("user", user.name, output) { try $0.remove(user.name) } }
}

/// `cblite hub user ls`
struct HubUserList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the users, with their channels and roles.",
        discussion: """
            EXAMPLES:
              $ cblite hub user ls databases/

            With --json, prints one object per line for each user: name, channels, roles, isDisabled.
            """
    )

    @OptionGroup var hub: HubDirectory
    @OptionGroup var output: OutputOptions

    func run() throws {
        try hub.list(output, { try $0.names() }) { users, name in
            guard let user = try users.user(name) else { return nil }
            let state = user.isDisabled ? " (disabled)" : ""
            let roles = user.roles.isEmpty ? "" : "; roles: \(user.roles.joined(separator: ", "))"
            return ("\(name)\(state): \(user.channels.joined(separator: ", "))\(roles)", user.members(name))
        }
    }
}

extension HubUsers.User {
    /// The members of a report on the user.
    fileprivate func members(_ name: String) -> JSONMembers {
        ["name": name, "channels": channels, "roles": roles, "isDisabled": isDisabled]
    }
}
#endif
