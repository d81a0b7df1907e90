#if Replication
import ArgumentParser
import Hub

/// `cblite hub role`
struct HubRoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Adds, changes, removes and lists the roles of a hub.",
        discussion: """
            A role is a set of channels with a name. The users of a role have its channels in addition to their own. Changes \
            take effect at once, also while the hub is running.

            EXAMPLES:
              $ cblite hub role add databases/ staff --channel news --channel plans
              $ cblite hub user set databases/ anna --role staff
              $ cblite hub role set databases/ staff --channel news
              $ cblite hub role rm databases/ staff

            All commands accept --json; see their help: cblite help hub role ls.
            """,
        subcommands: [HubRoleAdd.self, HubRoleSet.self, HubRoleRemove.self, HubRoleList.self]
    )
}

/// The directory of a hub and the name of a role.
struct HubRoleArguments: ParsableArguments {
    @OptionGroup var hub: HubDirectory
    @Argument(help: "The name of the role.") var name: String

    /// Stores the channels of the role if `check` accepts what is stored, and prints what was done.
    func store(
        _ channels: HubChannelOptions,
        _ output: OutputOptions,
        done: String,
        check: (HubUsers.Role?) throws -> Void
    ) throws {
        try hub.withUsers { users in
            try check(users.role(name))
            try users.setRole(name, channels: channels.channel)
        }
        try output.print("\(done) role \(name)", ["name": name, "channels": channels.channel])
    }

    var noRole: Failure { HubDirectory.missing("role", name) }
}

/// `cblite hub role add`
struct HubRoleAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a role.",
        discussion: """
            EXAMPLES:
              $ cblite hub role add databases/ staff --channel news --channel plans

            With --json, prints one object: name, channels.
            """
    )

    @OptionGroup var role: HubRoleArguments
    @OptionGroup var channels: HubChannelOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try role.store(channels, output, done: "added") { stored in
            if stored != nil { throw HubDirectory.existing("role", role.name) }
        }
    }
}

/// `cblite hub role set`
struct HubRoleSet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes the channels of a role.",
        discussion: """
            The channels that are given replace the present ones.

            EXAMPLES:
              $ cblite hub role set databases/ staff --channel news
              $ cblite hub role set databases/ staff --no-channels

            With --json, prints one object: name, channels.
            """
    )

    @OptionGroup var role: HubRoleArguments
    @OptionGroup var channels: HubChannelOptions
    @Flag(help: "Take away all channels.") var noChannels = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard channels.channel.isEmpty == noChannels else { throw ValidationError("Give one of --channel and --no-channels.") }
    }

    func run() throws {
        try role.store(channels, output, done: "changed") { if $0 == nil { throw role.noRole } }
    }
}

/// `cblite hub role rm`
struct HubRoleRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Removes a role.",
        discussion: """
            Users of the role lose its channels.

            EXAMPLES:
              $ cblite hub role rm databases/ staff

            With --json, prints one object: name.
            """
    )

    @OptionGroup var role: HubRoleArguments
    @OptionGroup var output: OutputOptions

    func run() throws { try role.hub.remove("role", role.name, output) { try $0.removeRole(role.name) } }
}

/// `cblite hub role ls`
struct HubRoleList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the roles, with their channels.",
        discussion: """
            EXAMPLES:
              $ cblite hub role ls databases/

            With --json, prints one object per line for each role: name, channels.
            """
    )

    @OptionGroup var hub: HubDirectory
    @OptionGroup var output: OutputOptions

    func run() throws {
        try hub.list(output, { try $0.roleNames() }) { users, name in
            guard let role = try users.role(name) else { return nil }
            return ("\(name): \(role.channels.joined(separator: ", "))", ["name": name, "channels": role.channels])
        }
    }
}
#endif
