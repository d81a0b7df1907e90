import Foundation
import TestSupport
import Testing

@Suite("cblite with encrypted databases")
struct EncryptionTests {
    let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.write("key", String(repeating: "0a", count: 32) + "\n")
        try tool.write("other", String(repeating: "k", count: 32))
        try tool.write("password", "secret\nnot the password\n")
    }

    @Test("a correct key opens an encrypted database, and a wrong or missing key fails")
    func opening() throws {
        try tool.lines("import", "--create", "db", "-", "--key-file", "key", input: #"{"_id":"a","n":1}"#)
        #expect(try tool.lines("cat", "db", "a", "--key-file", "key").joined().contains("1"))
        try tool.lines("check", "db", "--key-file", "key")
        try tool.lines("cp", "db", "copy", "--key-file", "key")
        #expect(try tool.lines("ls", "copy", "--key-file", "key") == ["a"])
        try tool.expectFailure(65, "the key is wrong", "ls", "db", "--key-file", "other")
        try tool.expectFailure(65, "--key-file", "ls", "db")
        try tool.expectFailure(65, "32 bytes", "ls", "db", "--key-file", "password")
        try tool.expectFailure(66, "missing", "ls", "db", "--key-file", "missing")
        try tool.expectFailure(64, "Give one of", "ls", "db", "--key-file", "key", "--password")
    }

    @Test("a key or password can come from a pipe")
    func pipes() throws {
        try tool.makeDatabase()
        try tool.lines("rekey", "db", "--new-password-file", "password")
        #expect(try tool.shell("echo secret | cblite ls db --password-file /dev/stdin").outputLines == ["a", "b", "c"])
        #expect(try tool.shell("mkfifo pipe; echo secret >pipe & cblite ls db --password-file pipe").outputLines == ["a", "b", "c"])
        let rekeyed = try tool.shell("cat key | cblite rekey db --password-file password --new-key-file /dev/stdin")
        #expect(rekeyed.exitCode == 0, "\(rekeyed.errorOutput)")
        #expect(try tool.shell("cat key | cblite ls db --key-file /dev/stdin").outputLines == ["a", "b", "c"])
        let endless = try tool.shell("cblite ls db --password-file /dev/zero")
        #expect(endless.exitCode == 65 && endless.errorOutput.contains("too large"), "\(endless.errorOutput)")
    }

    @Test("rm --json prints the deleted documents of an encrypted database")
    func removing() throws {
        try tool.makeDatabase()
        try tool.lines("rekey", "db", "--new-key-file", "key")
        let lines = try tool.lines("rm", "--json", "--yes", "db", "[ab]", "c", "--key-file", "key")
        #expect(try lines.map { try object($0)["id"] as? String } == ["a", "b", "c"])
    }

    @Test("rekey encrypts a database, changes its key and decrypts it")
    func rekeying() throws {
        try tool.makeDatabase()
        try tool.lines("rekey", "db", "--new-password-file", "password")
        try tool.expectFailure(65, "is encrypted", "ls", "db")
        #expect(try tool.lines("ls", "db", "--password-file", "password") == ["a", "b", "c"])
        let shell = try tool.shell("CBLITE_PASSWORD=secret cblite ls db")
        #expect(shell.outputLines == ["a", "b", "c"])
        let json = try tool.lines("rekey", "db", "--password-file", "password", "--new-key-file", "other", "--json")
        #expect(try object(json.joined())["encrypted"] as? Bool == true)
        #expect(try tool.lines("ls", "db", "--key-file", "other") == ["a", "b", "c"])
        try tool.lines("rekey", "db", "--key-file", "other", "--decrypt")
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
        try tool.expectFailure(65, "not encrypted", "ls", "db", "--key-file", "key")
        try tool.expectFailure(64, "Give one of", "rekey", "db")
    }

    #if os(Linux)
    @Test("--password without a terminal fails")
    func noTerminal() throws {
        try tool.makeDatabase()
        let result = try tool.shell("setsid -w \"$CBLITE\" ls db --password")
        #expect(result.exitCode == 64)
        #expect(result.errorOutput.contains("no terminal"))
    }

    @Test(
        "Ctrl-C at the question for a password turns the echo of the terminal on again",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script")
    )
    func interruptedQuestion() throws {
        try tool.makeDatabase()
        let result = try tool.shell(
            """
            waitFor() { for i in $(seq 200); do grep -q "$1" out 2>/dev/null && return; sleep 0.05; done; }
            { waitFor Password; printf '\\003'; waitFor 'code 1'; } |
                script -qefc 'trap : INT; "$CBLITE" ls db --password; echo "code $?"; stty -a' out
            """
        )
        #expect(result.output.contains("code 130"), "\(result.output)")
        #expect(result.output.contains(" echo "))
        #expect(!result.output.contains(" -echo "))
    }
    #endif
}
