import ArgumentParser
import Fleece
import Foundation

/// `cblite backup`
struct BackUp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a database with its blobs to one file, and checks such files.",
        usage: """
            cblite backup <database> <file> [--incremental] [--replace]
            cblite backup --verify <file>
            cblite backup --list <file>
            """,
        discussion: """
            The database may be in use: the backup has the documents and blobs of the moment when it began. The file is compressed, \
            and has checksums of all its parts. It appears when it is complete. The backup of an encrypted database is encrypted \
            with the same key.

            --incremental adds what has changed since the last time to an existing file, as a new section; without the file it is \
            created. If it is interrupted, the file is as it was before. Every section can be restored with cblite restore --at.

            EXAMPLES:
              $ cblite backup travel.cblite2 travel.backup
              $ cblite backup --incremental travel.cblite2 travel.backup
              $ cblite backup --verify travel.backup
              $ cblite restore travel.backup restored.cblite2

            With --json, one object: file, section, databaseSize, blobs, blobBytes, written; with --verify and --list: ok, \
            unfinished, sections [{number, time, incremental, encrypted, name, databaseSize, blobs, blobBytes, storedSize}], \
            problems. The exit code of --verify is 1 if the file is damaged.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The backup.", completion: .file()) var file: String?
    @Flag(help: "Add what has changed to an existing file.") var incremental = false
    @Flag(help: "Replace an existing file.") var replace = false
    @Flag(help: "Check a backup, and list its sections.") var verify = false
    @Flag(help: "List the sections of a backup; the same as --verify.") var list = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [incremental, replace, verify || list].count(where: \.self) <= 1 else {
            throw ValidationError("--incremental, --replace, --verify and --list exclude each other.")
        }
        guard verify || list || file != nil else { throw ValidationError("Missing expected argument '<file>'") }
    }

    func run() throws {
        if verify || list { return try check(file ?? database.database) }
        guard let file else { return }
        let opening = try database.opening()
        let bar = ProgressBar("Backing up", total: nil, unit: .bytes)
        let kept = incremental ? "The file is as it was before." : "No file was written."
        let summary = try bar.whileInterruptible(kept: kept) { stop in
            try opening.backUp(to: file, isIncremental: incremental, isReplacing: replace) { done, total in
                try stop.check()
                bar.updateNow(done, of: total)
            }
        }
        let blobs = summary.blobs == 0 ? "" : " and \(summary.blobs.counted("blob")), \(summary.blobBytes.asByteCount),"
        let section = summary.section > 1 ? ", as section \(summary.section)" : ""
        let text = "Backed up \(summary.databaseSize.asByteCount)\(blobs) to \(file)\(section): \(summary.written.asByteCount) written."
        try output.print(
            text,
            [
                "file": file, "section": summary.section, "databaseSize": summary.databaseSize, "blobs": summary.blobs,
                "blobBytes": summary.blobBytes, "written": summary.written,
            ]
        )
    }

    private func check(_ path: String) throws {
        let bar = ProgressBar("Checking", total: nil, unit: .bytes)
        let report = try BackupReport(path) { bar.updateNow($0, of: $1) }
        bar.finish()
        let output = Output()
        let isGood = report.problemCount == 0 && !report.sections.isEmpty
        if self.output.json {
            try output.line(json: json(report, isGood: isGood))
        } else {
            try print(report, to: output, isGood: isGood)
        }
        try output.flush()
        if !isGood { throw ExitCode(ExitReason.problemsFound.rawValue) }
    }

    private func print(_ report: BackupReport, to output: Output, isGood: Bool) throws {
        let table = Table(
            [("Section", .right), ("Time", .left), ("Kind", .left), ("Database", .right), ("Blobs", .right), ("Stored", .right)],
            to: output
        )
        for section in report.sections {
            try table.add([
                String(section.number), section.time.formatted(.iso8601), kind(section), section.databaseSize.asByteCount,
                "\(section.blobs.grouped), \(section.blobBytes.asByteCount)", section.storedSize.asByteCount,
            ])
        }
        try table.finish()
        let style = output.style
        for problem in report.problems { try output.line("\(style.red("error: "))\(problem)") }
        if report.problemCount > report.problems.count {
            try output.line("… and \((report.problemCount - report.problems.count).grouped) more")
        }
        if report.hasUnfinishedSection { try output.line("An unfinished section at the end is ignored: adding it was interrupted.") }
        if isGood {
            try output.line(style.green("No problems found."))
        } else if report.problemCount == 0 {
            try output.line(style.red("There is no complete section."))
        }
    }

    private func kind(_ section: BackupReport.Section) -> String {
        (section.isIncremental ? "incremental" : "full") + (section.isEncrypted ? ", encrypted" : "")
    }

    private func json(_ report: BackupReport, isGood: Bool) -> String {
        JSONWriter.object { writer in
            writer.members(["ok": isGood, "unfinished": report.hasUnfinishedSection])
            writer.objects("sections", report.sections) { writer, section in
                writer.members([
                    "number": section.number, "time": section.time.formatted(.iso8601), "incremental": section.isIncremental,
                    "encrypted": section.isEncrypted, "name": section.name, "databaseSize": section.databaseSize, "blobs": section.blobs,
                    "blobBytes": section.blobBytes, "storedSize": section.storedSize,
                ])
            }
            writer.member("problems", report.problems)
        }.string
    }
}

/// `cblite restore`
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a database from a backup.",
        discussion: """
            The file is checked first. The database appears when it is complete; it must not exist. It has the UUIDs of the original, \
            so that it can take its place in replication; with --new-identity it gets new ones, and can be used beside the original.

            EXAMPLES:
              $ cblite restore travel.backup restored.cblite2
              $ cblite restore --at 2 travel.backup older.cblite2

            With --json, one object: database, section, time.
            """
    )

    @Argument(help: "The backup.", completion: .file()) var file: String
    @Argument(help: "The database to create.", completion: .directory) var database: String
    @Option(help: ArgumentHelp("The section to restore; by default the last one.", valueName: "number")) var at: Int?
    @Flag(help: "Give the database new UUIDs; if it is encrypted, this needs the key.") var newIdentity = false
    @OptionGroup var key: KeyOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard at ?? 1 >= 1 else { throw ValidationError("--at needs the number of a section, from 1.") }
    }

    func run() throws {
        let path = DatabasePath.new(database)
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure(.cannotCreate, "\(path) already exists", hint: "Choose another name, or move the existing database.")
        }
        let opening = Opening(path: path, busyTimeout: 10, key: newIdentity ? try key.secret() : nil)
        let bar = ProgressBar("Restoring", total: nil, unit: .bytes)
        let section = try bar.whileInterruptible(kept: "No database was created.") { stop in
            try opening.restore(file, section: at, isRenewed: newIdentity) { done, total in
                try stop.check()
                bar.updateNow(done, of: total)
            }
        }
        let time = section.time.formatted(.iso8601)
        try output.print("Restored \(section.name) as of \(time) to \(path).", ["database": path, "section": section.number, "time": time])
    }
}
