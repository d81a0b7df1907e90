import CouchbaseLiteSwift
import Foundation

/// The commands that control the shell, which begin with a backslash.
struct ShellControl {
    /// The names and what they do.
    static let help: [(usage: String, meaning: String)] = [
        (#"\c [COLLECTION]"#, "commands use this collection; without a name, the default collection"),
        (#"\d [COLLECTION]"#, "shows the properties found in a sample of the documents"),
        (#"\explain [on|off]"#, "shows the plan of each query before its rows"),
        (#"\format FORMAT"#, "prints rows as table, box, json, jsonl, csv, markdown or expanded"),
        (#"\i FILE"#, "runs the statements and commands of a file"),
        (#"\o [FILE]"#, "writes output to a file; without a name, to the terminal again"),
        (#"\q"#, "leaves the shell, as Ctrl-D does"),
        (#"\set [NAME JSON]"#, "sets the value of the parameter $NAME; without a name, lists all"),
        (#"\timing [on|off]"#, "prints the time of each command"),
        (#"\watch [SECONDS]"#, "repeats the last query every 2 seconds until Ctrl-C"),
        (#"\x [on|off]"#, "prints each row as a list of its columns"),
        (#"\?"#, "lists these commands"),
    ]

    static var names: [String] { help.map { String($0.usage.prefix { $0 != " " }) } }

    private let session: ShellSession
    private var settings: ShellSettings { session.settings }

    init(_ session: ShellSession) { self.session = session }

    func run(_ line: String) throws {
        let words = try ShellText.words(line.replacing("\\", with: "\\\\", maxReplacements: 1))
        let argument = words.count > 1 ? words[1] : nil
        switch words[0] {
        case #"\q"#: session.end()
        case #"\?"#, #"\h"#, #"\help"#: try printHelp()
        case #"\x"#:
            if try isOn(argument, now: settings.format == .expanded) != (settings.format == .expanded) { settings.toggleExpanded() }
            say("Expanded rows are \(settings.format == .expanded ? "on" : "off").")
        case #"\timing"#:
            settings.isTiming = try isOn(argument, now: settings.isTiming)
            say("Timing is \(settings.isTiming ? "on" : "off").")
        case #"\explain"#:
            settings.isExplaining = try isOn(argument, now: settings.isExplaining)
            say("Plans are \(settings.isExplaining ? "shown" : "not shown").")
        case #"\format"#:
            guard let format = argument.flatMap(RowFormat.init) else {
                throw Failure(.usage, #"\format needs one of \#(RowFormat.allCases.map(\.rawValue).joined(separator: ", "))"#)
            }
            settings.format = format
        case #"\o"#: try settings.setOutput(argument)
        case #"\i"#:
            guard let argument else { throw Failure(.usage, #"\i needs the name of a file"#) }
            try session.runFile(argument)
        case #"\c"#: try choose(argument)
        case #"\d"#: try describe(argument)
        case #"\set"#: try set(line)
        case #"\watch"#: try watch(argument)
        default:
            let nearest = Suggestion.nearest(to: words[0], among: Self.names)
            throw Failure(
                .usage,
                "there is no command \(words[0])" + (nearest.map { "; did you mean \($0)?" } ?? ""),
                hint: #"\? lists them."#
            )
        }
    }

    private func say(_ text: String) { StandardStreams.printError("\(text)\n") }

    private func isOn(_ argument: String?, now: Bool) throws -> Bool {
        switch argument {
        case nil: !now
        case "on": true
        case "off": false
        case let other?: throw Failure(.usage, "\(other) is neither on nor off")
        }
    }

    private func printHelp() throws {
        let output = Output()
        let width = (Self.help.map(\.usage.count).max() ?? 0) + 3
        for (usage, meaning) in Self.help { try output.line(usage.padded(to: width) + meaning) }
        try output.line()
        try output.line("Statements of SQL++ end with a semicolon. Commands of the tool need no database:")
        try output.line("  " + session.tools.names.sorted().joined(separator: " "))
        try output.line("help COMMAND shows how a command is used.")
        try output.flush()
    }

    private func choose(_ name: String?) throws {
        if let name {
            let collection = try CollectionName(name)
            try session.withDatabase { _ = try collection.open(in: $0) }
        }
        session.context.collection = name
    }

    private func describe(_ name: String?) throws {
        let output = Output(paging: settings.usesPager && session.isInteractive)
        try session.withDatabase { database in
            let collections =
                try name.map { [try CollectionName($0).open(in: database)] } ?? database.scopes().flatMap { try $0.collections() }
            for (number, collection) in collections.enumerated() {
                if number > 0 { try output.line() }
                try print(collection, to: output)
            }
        }
        try output.flush()
    }

    private func print(_ collection: DocumentCollection, to output: Output) throws {
        let sample = try SampledProperties(collection)
        try output.line("\(output.style.bold(collection.fullName)), \(collection.count.counted("document"))")
        guard sample.documents > 0 else { return }
        let table = Table([("Property", .left), ("Type", .left), ("In", .right), ("Example", .left)], to: output)
        for property in sample.properties {
            let share = Double(property.documents) / Double(sample.documents) * 100
            let types = property.types.joined(separator: ", ")
            let example = property.example.map { DisplayWidth.cut($0, to: 60) } ?? ""
            try table.add([property.path, types, share > 0 && share < 1 ? "<1%" : "\(Int(share))%", example])
        }
        try table.finish()
        if sample.documents < collection.count { try output.line("From a sample of \(sample.documents.counted("document")).") }
    }

    private func set(_ line: String) throws {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
        if words.count == 3 { return try settings.setParameter(words[1], json: words[2]) }
        guard words.count == 1 else { throw Failure(.usage, #"\set needs a name and a value as JSON"#) }
        let output = Output()
        for (name, json) in settings.parameterTexts.sorted(by: { $0.key < $1.key }) { try output.line("$\(name) = \(json)") }
        try output.flush()
    }

    private func watch(_ argument: String?) throws {
        guard let query = session.lastQuery else { throw Failure(.usage, #"\watch repeats the last query, and there is none"#) }
        let seconds = argument.map { Double($0) } ?? 2
        guard let seconds, seconds >= 0.1, seconds <= 86_400 else {
            throw Failure(.usage, #"\watch needs a number of seconds from 0.1 to 86400"#)
        }
        let request = StopRequest()
        defer { request.end() }
        while !request.isMade {
            say(Date().formatted(.iso8601.time(includingFractionalSeconds: false)) + ", every \(seconds) s")
            try session.runQuery(query)
            request.wait(seconds: seconds)
        }
    }
}

/// The commands of the tool to which the shell belongs.
struct ToolCommands: Sendable {
    let names: Set<String>
    /// Runs a command line, the first word of which is one of the names, for the database at a path.
    let run: @Sendable (_ words: [String], _ path: String) throws -> Void

    func unknown(_ name: String) -> Failure {
        let nearest =
            Suggestion.nearest(to: name, among: names.sorted())
            ?? Suggestion.nearest(to: name, among: ShellText.statements.sorted())
        return Failure(
            .usage,
            "there is no command \(name)" + (nearest.map { "; did you mean \($0)?" } ?? ""),
            hint: #"\? lists the commands. Statements begin with SELECT, UPDATE, DELETE, INSERT or UPSERT."#
        )
    }
}
