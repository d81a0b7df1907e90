import Foundation
import TestSupport
import Testing

@testable import cblite

/// Runs every command on a terminal, with names, values and arguments that contain escapes.
@Suite(
    "Hostile texts in the output of every command",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script")
)
struct HostileTextTests {
    /// Sets the title, hides the text, erases the screen, reverses the line; as C0, C1, marks of direction and invisible characters.
    private static let text =
        "x\u{1B}]0;title\u{7}\u{1B}[8m\u{1B}[2J\u{8}\u{7F}\u{9B}2J\u{90}q\u{9C}\u{85}\u{202E}\u{2066}\u{200E}\u{61C}\u{2028}\u{FEFF}\u{E0041}\ny"
    /// As a document ID, which has no C0.
    private static let id = "i\u{9B}2J\u{202E}\u{200F}\u{FEFF}d"

    private let tool: Tool

    init() throws {
        tool = try Tool()
        let json = String(decoding: try JSONEncoder().encode([Self.text: Self.text]), as: UTF8.self)
        try tool.makeDatabase(
            #"{"_id":"\#(Self.id)","name":\#(json),"list":[\#(json.dropFirst().prefix { $0 != ":" })]}"#,
            #"{"_id":"gone"}"#,
            #"{"_id":"plain","n":1}"#
        )
        try tool.write("blob.bin", Self.text)
        _ = try tool.run("put", "db", Self.id, "--blob", "photo=blob.bin;text/\(Self.id)")
        _ = try tool.run("put", "db", "gone", "{}")
        _ = try tool.run("rm", "db", "gone")
        _ = try tool.run("index", "db", "create", Self.text, "`\(Self.text)`")
        _ = try tool.run("cp", "db", "other")
        _ = try tool.run("put", "other", Self.id, #"{"name":2}"#)
        _ = try tool.run("backup", "db", "db.backup")
        _ = try tool.run("cp", "db", "\(Self.text).cblite2")
        try tool.write("log.cbllog", "2026-01-31T12:00:00.000Z [Da\(Self.id)] info: \(Self.text)\n\tmore \(Self.text)\n")
        try tool.write("bad.jsonl", "{\"a\":\(Self.text)}\n")
        try tool.write("bad.csv", "\(Self.id),\(Self.id)\n1,2\n")
        try tool.write("rows.csv", "_id,n\n\(Self.id),1,\(Self.id)\n")
        try tool.write("hub/.keep", "")
        try tool.write("password", "\(Self.text)\n")
    }

    /// The command lines, in which `$T` is the text and `$I` the ID, for each command.
    private static let lines: [(command: String, lines: [String])] =
        [
            ("shell", [#"shell "$T.cblite2" <statements"#, #"shell "$T-missing""#, #""$T-missing""#, #"shell --format "$T" db"#]),
            ("info", ["info db", "info --json db", #"info "$T.cblite2""#, #"info "$T-missing""#, #"info db "$T""#]),
            (
                "ls",
                ["ls db", "ls -l db", "ls --json -l db", #"ls db "$I""#, #"ls "$T-missing""#, #"ls --limit "$T" db"#, #"ls db -c "$T""#]
            ),
            ("cat", [#"cat db "$I""#, #"cat --json db "$I""#, #"cat --no-pretty --rev db "$I""#, #"cat db "$T-missing""#]),
            (
                "put",
                [
                    #"put other "$I" '{"n":2}'"#, #"put db x "{$T""#, #"put db x --set "a=$T""#, #"put db "$T" '{}'"#,
                    #"put db x --blob "a=$T""#,
                ]
            ),
            ("rm", [#"rm db "$T-missing""#, #"rm other "$I""#, #"rm db "$T*""#]),
            (
                "import",
                [
                    "import db bad.jsonl", "import --on-error skip db bad.jsonl", "import db bad.csv", "import --on-error skip db rows.csv",
                    #"import db "$T.json""#, #"import db "$T.csv" --types "$T""#, #"import db --table "$T" bad.jsonl"#,
                ]
            ),
            ("export", ["export db", #"export db -o "$T.jsonl""#, #"export db -o "$T/none/x""#, #"export db "$T""#]),
            (
                "query",
                ["table", "box", "json", "jsonl", "csv", "markdown", "expanded"].map {
                    "query --no-pager --format \($0) db 'SELECT *, meta().id, name AS `'\"$T\"'` FROM _'"
                } + [#"query db "SELECT '$T FROM""#, "query db 'SELECT `'\"$T\"'`( FROM _'", #"query db 'SELECT $p FROM _' -p "p=$T""#]
            ),
            (
                "execute",
                [#"execute db "UPDATE _ SET a = 1 WHERE n = 1 RETURNING meta().id, '$T' AS t""#, #"execute db "UPDATE _ SET '$T""#]
            ),
            (
                "mcp",
                [
                    #"mcp "$T-missing""#, #"mcp db --timeout "$T""#,
                    #"printf '{"jsonrpc":"2.0","id":1,"method":"%s"}\n' "$T" | "$CBLITE" mcp db"#,
                ]
            ),
            (
                "explain",
                [
                    "explain --sql db 'SELECT name FROM _ WHERE `'\"$T\"'` = 1 AND b = \"'\"$T\"'\"'",
                    "explain --json db 'SELECT name FROM _ WHERE `'\"$T\"'` = 1'", "explain db 'SELECT name FROM _ WHERE `'\"$I\"'` = 1'",
                ]
            ),
            ("index", ["index db", "index --json db", #"index db delete "$T-missing""#, #"index db "$T""#, #"index "$T" db"#]),
            ("index ls", ["index ls db", "index ls --json db", #"index ls "$T-missing""#]),
            (
                "index create",
                [#"index create db "$T" "$T""#, #"index create db "$T" "-$T""#, #"index create db x n --language "$T" --full-text"#]
            ),
            ("index delete", [#"index delete db "$T-missing""#]),
            ("revs", [#"revs db "$I""#, #"revs --json db "$I""#, #"revs db "$T-missing""#]),
            ("conflicts", ["conflicts db", #"conflicts db "$T-missing""#, #"conflicts db "$I""#]),
            ("blob", [#"blob "$T""#]),
            (
                "blob get",
                [
                    #"blob get db "$I" photo"#, #"blob get db "$I" photo "$T.out""#, #"blob get db "$I" "$T""#, #"blob get db "$T" x"#,
                    #"blob get db "$I" photo "$T/none/x""#,
                ]
            ),
            ("blob ls", ["blob ls db", "blob ls --json db", #"blob ls db "$T-missing""#]),
            ("edit", [#"EDITOR="false '$T'" "$CBLITE" edit db "$I""#, #"EDITOR=true "$CBLITE" edit db "$I""#, #"edit db "$T-missing""#]),
            ("watch", ["watch db --since 0 --limit 2 --ids", "watch db --since 0 --limit 2 --bodies", #"watch db --since "$T""#]),
            ("collections", ["collections db", #"collections db create "$T""#, #"collections "$T""#, #"collections "$T" db"#]),
            ("collections ls", ["collections ls db", #"collections ls "$T-missing""#]),
            ("collections create", [#"collections create db "$T""#]),
            ("collections rename", [#"collections rename db "a.$I" "$T""#]),
            ("collections delete", [#"collections delete db "a.$I""#]),
            ("tombstones", [#"tombstones "$T""#]),
            ("tombstones ls", ["tombstones ls db", #"tombstones ls "$T-missing""#]),
            ("tombstones mark", ["tombstones mark db", #"tombstones mark "$T-missing""#]),
            ("tombstones purge", [#"tombstones purge db --older-than "$T""#, "tombstones purge db --before 1"]),
            (
                "expire",
                [#"expire db "$I" --in 5h"#, "expire db", "expire --json db", #"expire db "$T" --never"#, #"expire db x --at "$T""#]
            ),
            ("diff", ["diff db other", "diff --json db other", #"diff db "$T-missing""#]),
            ("merge", [#"merge other db --resolve "$T""#, #"merge other "$T-missing""#, #"merge other "$T.cblite2""#]),
            ("check", ["check db", "check --json db", #"check "$T-missing""#, #"check "$T.cblite2""#]),
            ("cp", [#"cp db "$T-copy""#, #"cp db "$T-copy""#, #"cp db "$T/none/x""#]),
            ("mv", [#"mv "$T-copy" "$T-moved""#, #"mv "$T-missing" x"#]),
            (
                "backup",
                [
                    #"backup "$T.cblite2" "$T.backup""#, #"backup db "$T.backup""#, #"backup --verify "$T.backup""#,
                    #"backup --verify "$T""#,
                    #"backup db "$T/none/x""#,
                ]
            ),
            ("restore", [#"restore "$T.backup" "$T-restored""#, #"restore "$T-missing" x"#, #"restore bad.csv "$T-x""#]),
            ("salvage", [#"salvage "$T.cblite2" "$T-salvaged""#, #"salvage "$T-missing" x"#]),
            ("compact", [#"compact "$T.cblite2""#, #"compact "$T-missing""#]),
            ("rekey", [#"rekey "$T.cblite2" --new-password-file "$T-missing""#, #"rekey "$T-missing" --decrypt"#]),
            ("convert", [#"convert "$T.cblite2" "$T-old" --release 2.8"#, #"convert db x --release "$T""#]),
            ("logs", ["logs log.cbllog", "logs --json log.cbllog", #"logs "$T-missing""#, #"logs log.cbllog --grep "[$T""#]),
            ("completions", [#"completions "$T""#]),
            ("manual", [#"manual "$T""#]),
        ] + replicating

    #if Replication
    private static let replicating: [(command: String, lines: [String])] = [
        ("push", [#"push db "$T-pushed""#, #"push db "ws://127.0.0.1:1/$T""#, #"push db "$T://x""#]),
        ("pull", [#"pull "$T-new" "$T-missing""#, #"pull "$T-new" db"#, "pull --self-signed db ws://127.0.0.1:1/x"]),
        ("sync", [#"sync --once db "$T-pushed""#, #"sync --once db "$T://x""#]),
        ("serve", [#"serve "$T-missing""#, #"serve db --interface "$T""#, #"serve --hub "$T-missing""#, #"serve --port "$T" db"#]),
        ("hub", [#"hub "$T""#]),
        ("hub user", [#"hub user "$T""#]),
        (
            "hub user add",
            [
                #"hub user add hub "$I" --channel "$I" --password-file password"#, #"hub user add "$T" name --password-file password"#,
                #"hub user add hub "$T" --channel "$T" --role "$T" --password-file password"#,
            ]
        ),
        ("hub user set", [#"hub user set hub "$T" --no-channels"#]),
        ("hub user rm", [#"hub user rm hub "$T""#]),
        ("hub user ls", ["hub user ls hub", "hub user ls --json hub", #"hub user ls "$T""#]),
        ("hub role", [#"hub role "$T""#]),
        ("hub role add", [#"hub role add hub "$I" --channel "$I""#, #"hub role add hub "$T" --channel "$T""#]),
        ("hub role set", [#"hub role set hub "$T" --no-channels"#]),
        ("hub role rm", [#"hub role rm hub "$T""#]),
        ("hub role ls", ["hub role ls hub", #"hub role ls "$T""#]),
        ("inspect", [#"inspect "$T-missing""#, #"inspect --port "$T" db"#]),
    ]
    #else
    private static let replicating: [(command: String, lines: [String])] = []
    #endif

    /// Runs a command line on a terminal, and returns what it sends: standard output and standard error.
    @discardableResult private func onTerminal(_ line: String) throws -> [UInt8] {
        let isWhole = line.contains("$CBLITE")
        return try [UInt8](
            ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/script")).run(
                ["-qec", isWhole ? line : "\"$CBLITE\" \(line)", "/dev/null"],
                environment: [
                    "CBLITE": tool.path, "T": Self.text, "I": Self.id, "TERM": "xterm", "NO_COLOR": "1", "CBLITE_PAGER": "cat",
                    "SHELL": "/bin/sh",
                ],
                directory: tool.directory.url
            ).standardOutput
        )
    }

    @Test("no command sends a terminal what files, names, values or arguments contain, in output or in errors")
    func commands() throws {
        try tool.write("statements", "SELECT * FROM _;\n\\d\ncat \(Self.id)\nls\n\\format \(Self.id)\nnone \(Self.id)\n")
        let names = Set(Self.lines.map(\.command))
        for (path, _) in CBLite.allCommands { #expect(names.contains(path.joined(separator: " ")), "\(path) is not tested") }
        for line in Self.lines.flatMap(\.lines) {
            let bytes = try onTerminal(line)
            #expect(String(validating: bytes, as: UTF8.self) != nil, "\(line)")
            var output = String(decoding: bytes, as: UTF8.self)
            // The terminal driver writes CR LF; a progress line begins with CR and ends by erasing the rest.
            output = output.replacing(/\r[^\r\n\u{1B}]*\u{1B}\[K/, with: "").replacing("\r\n", with: "\n")
            #expect(!output.isEmpty, "\(line)")
            let control = TerminalControls.first(in: output.utf8, allowing: ["\n", "\t"])
            #expect(control == nil, "\(control ?? "") of \(line): \(output.debugDescription)")
        }
    }

    @Test("errors show escapes also where standard error is no terminal")
    func errors() throws {
        for arguments in [
            ["info", Self.text + "-missing"], ["cat", "db", Self.text], ["ls", "db", "--limit", Self.text],
            ["query", "db", "SELECT \(Self.text)"],
            ["import", "db", "bad.jsonl"], ["put", "db", "x", Self.text],
        ] {
            let result = try tool.run(arguments)
            #expect(result.exitCode != 0, "\(arguments[0]): \(result.output)")
            #expect(TerminalControls.first(in: result.errorOutput.utf8, allowing: ["\n"]) == nil, "\(result.errorOutput.debugDescription)")
        }
    }

    @Test("a pipe and a file get the texts exactly, in JSON, CSV and lists of IDs")
    func pipes() throws {
        #expect(try tool.lines("ls", "db").contains { $0.utf8.elementsEqual(Self.id.utf8) })
        #expect(try tool.lines("watch", "db", "--since", "0", "--limit", "3", "--ids").contains { $0.utf8.elementsEqual(Self.id.utf8) })
        let document = try object(try tool.run("cat", "db", Self.id).output)
        #expect((document["name"] as? [String: String])?[Self.text] == Self.text)
        let pretty = try object(try tool.run("cat", "--pretty", "db", Self.id).output)
        #expect((pretty["name"] as? [String: String])?[Self.text] == Self.text)
        let csv = try tool.run("query", "--format", "csv", "db", "SELECT list[0] AS t FROM _ WHERE list IS VALUED").output
        #expect(csv.utf8.elementsEqual("t\n\(Self.text.contains("\n") ? "\"\(Self.text)\"" : Self.text)\n".utf8))
        #expect(try tool.shell("cblite blob get db '\(Self.id)' photo").output.utf8.elementsEqual(Self.text.utf8))
        try tool.lines("export", "db", "-o", "out.jsonl", "--blobs", "inline")
        #expect(try tool.data("out.jsonl").range(of: Data("\u{9B}2J".utf8)) != nil)
    }

    @Test("the content of a blob is shown on a terminal with its lines, whatever its bytes are")
    func bytes() throws {
        try Data([0x61, 0x9B, 0x32, 0x4A, 0x0A, 0x1B, 0xC3, 0xA9, 0x09, 0xFF, 0xE2, 0x80]).write(
            to: tool.directory.url.appendingPathComponent("raw.bin")
        )
        _ = try tool.run("put", "db", "raw", "--blob", "b=raw.bin")
        let output = String(decoding: try onTerminal("blob get db raw b"), as: UTF8.self).replacing("\r\n", with: "\n")
        #expect(output == "a\\x9b2J\n\\u{1b}é\t\\xff\\xe2\\x80")
        try onTerminal("blob get db raw b copy.bin")
        #expect(try tool.data("copy.bin") == tool.data("raw.bin"))
    }

    @Test("JSON on a terminal is still JSON with the same values")
    func json() throws {
        let output = try onTerminal(#"cat --json db "$I""#)
        let document = try object(String(decoding: output, as: UTF8.self))
        #expect(document["_id"] as? String == Self.id)
        #expect((document["name"] as? [String: String])?[Self.text] == Self.text)
    }
}
