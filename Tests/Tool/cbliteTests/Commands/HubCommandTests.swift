#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("cblite serve --hub and cblite hub", .ownThreads)
struct HubCommandTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try FileManager.default.createDirectory(at: tool.directory.url.appendingPathComponent("hub"), withIntermediateDirectories: true)
        try tool.lines("import", "--create", "hub/db", "-", input: #"{"_id":"x","n":1,"channels":["a"]}"#)
    }

    private func port(of process: RunningProcess) throws -> Int {
        let line = try #require(process.waitForOutput(lines: 1).first)
        #expect(line.hasPrefix("http://localhost:") && line.hasSuffix("/db"))
        return try #require(URL(string: line)?.port)
    }

    @Test("a hub serves REST and replication of all databases in a directory, and stops when it is interrupted")
    func serving() throws {
        let hub = try tool.start("serve", "--port", "0", "--hub", "hub")
        defer { hub.kill() }
        let port = try port(of: hub)
        let document = try tool.shell("curl -s http://localhost:\(port)/db/x").output
        #expect(document.contains(#""n":1"#), "\(document)")
        try tool.lines("pull", "copy", "ws://localhost:\(port)/db")
        #expect(try tool.lines("cat", "copy", "x").joined().contains("channels"))
        #expect(hub.waitForError(containing: #""path":"/db/x""#).contains(#""status":200"#))
        hub.kill(SIGINT)
        #expect(hub.waitUntilExit().exitCode == 0)
    }

    @Test("with a port for administration, the last line is the link to the inspector of all databases, which works once")
    func inspector() throws {
        try tool.lines("import", "--create", "hub/second", "-", input: #"{"_id":"y"}"#)
        let hub = try tool.start("serve", "--port", "0", "--admin-port", "0", "--hub", "hub")
        defer { hub.kill() }
        let lines = hub.waitForOutput(lines: 4)
        #expect(lines.count == 4)
        let link = try #require(lines.last)
        let admin = try #require(lines.dropLast().last)
        #expect(link.hasPrefix(admin.replacing("localhost", with: "127.0.0.1") + "/_inspect/?token="))
        #expect(link.split(separator: "=").last?.count == 64)
        let open = "curl -s -c cookies -L '\(link)'"
        #expect(try tool.shell(open).output.contains("page/databases.js"))
        let base = link.prefix { $0 != "?" }
        #expect(try tool.shell("curl -s '\(base)second/api/database'").output.contains("open the link"))
        let answer = try tool.shell("curl -s -b cookies '\(base)second/api/database'").output
        #expect(answer.contains(#""name":"second""#), "\(answer)")
        #expect(answer.contains(#""readOnly":false"#), "\(answer)")
        #expect(try tool.shell("curl -s '\(link)'").output.contains("No access"))
        hub.kill(SIGINT)
        let end = hub.waitUntilExit()
        #expect(end.exitCode == 0)
        #expect(!end.errorOutput.contains("token"))
    }

    @Test("users are added, changed, listed and removed")
    func users() throws {
        try tool.write("password", "secret\n")
        #expect(try tool.lines("hub", "user", "ls", "hub") == [])
        let add = ["hub", "user", "add", "hub", "anna", "--password-file", "password", "--channel", "a", "--channel", "b"]
        #expect(try tool.run(add).outputLines == ["added user anna"])
        #expect(try tool.run(add).exitCode != 0)
        #expect(try tool.lines("hub", "user", "ls", "hub") == ["anna: a, b"])
        #expect(try tool.lines("hub", "user", "set", "hub", "anna", "--disable-login", "--channel", "*") == ["changed user anna"])
        let line = try #require(try tool.lines("hub", "user", "ls", "--json", "hub").first)
        #expect(try object(line) == ["name": "anna", "channels": ["*"], "roles": [], "isDisabled": true] as NSDictionary)
        #expect(try tool.lines("hub", "user", "rm", "hub", "anna") == ["removed user anna"])
        try tool.expectFailure(66, "there is no user anna", "hub", "user", "rm", "hub", "anna")
        try tool.expectFailure(64, "a name", "hub", "user", "add", "hub", "a:b", "--password-file", "password")
        let empty = try tool.shell(#"CBLITE_HUB_PASSWORD= "$CBLITE" hub user add hub anna"#)
        #expect(empty.exitCode == 64 && empty.errorOutput.contains("a password must not be empty"))
    }

    @Test("a hub refuses encrypted databases with advice, and options that it does not have")
    func encryptedDatabases() throws {
        try tool.write("password", "secret\n")
        try tool.lines("convert", "hub/db", "hub/secret", "--new-password-file", "password")
        try tool.expectFailure(65, "A hub serves databases that are not encrypted", "serve", "--port", "0", "--hub", "hub")
        for option in [["--password-file", "password"], ["--key-file", "password"], ["--password"], ["--collection", "x"]] {
            let refused = try tool.run(["serve", "--port", "0", "--hub", "hub"] + option)
            #expect(refused.exitCode == 64 && refused.errorOutput.contains("are not for --hub"), "\(option)")
        }
    }

    @Test("a file says which channels documents are in, and is refused with the place of an error")
    func channels() throws {
        try tool.write("password", "secret\n")
        try tool.write("map.json", #"{"db": {"_default._default": {"property": "owner", "prefix": "user-"}}}"#)
        try tool.write("bad.json", #"{"db": {"_default._default": {"proper": "owner"}}}"#)
        try tool.write("other.json", #"{"bd": {}}"#)
        try tool.lines("import", "hub/db", "-", input: #"{"_id":"own","owner":"anna"}"#)
        try tool.lines("hub", "user", "add", "hub", "anna", "--password-file", "password", "--channel", "user-anna", "--channel", "a")
        let hub = try tool.start("serve", "--port", "0", "--hub", "hub", "--channels", "map.json")
        defer { hub.kill() }
        let url = "http://localhost:\(try port(of: hub))/db"
        let codes = try tool.shell("curl -s -o /dev/null -w '%{http_code} ' -u anna:secret \(url)/own -o /dev/null \(url)/x").output
        #expect(codes == "200 403 ")
        try tool.expectFailure(65, #"bad.json, "db" → "_default._default" → "proper""#, "serve", "--hub", "hub", "--channels", "bad.json")
        try tool.expectFailure(65, "no database of this name", "serve", "--hub", "hub", "--channels", "other.json")
        try tool.expectFailure(65, "none.json: the file cannot be read", "serve", "--hub", "hub", "--channels", "none.json")
        try tool.expectFailure(64, "--channels and --max-attachment-size need --hub", "serve", "--channels", "map.json", "hub")
    }

    @Test("a hub behind a proxy serves the names that it is given, and needs a user")
    func hostNames() throws {
        try tool.write("password", "secret\n")
        let serve = ["serve", "--port", "0", "--hub", "hub", "--host", "Hub.example.com", "--host", "other.example.com"]
        let refused = try tool.run(serve)
        #expect(refused.exitCode != 0 && refused.errorOutput.contains("must have a user"), "\(refused.errorOutput)")
        try tool.lines("hub", "user", "add", "hub", "anna", "--password-file", "password", "--channel", "a")
        let hub = try tool.start(serve)
        defer { hub.kill() }
        let url = "http://localhost:\(try port(of: hub))/db/x"
        for (host, status) in [("hub.example.com", 200), ("other.example.com:80", 200), ("localhost", 200), ("example.com", 403)] {
            let code = try tool.shell("curl -s -o /dev/null -w '%{http_code}' -u anna:secret -H 'Host: \(host)' \(url)").output
            #expect(code == "\(status)", "\(host)")
        }
        for name in ["https://hub.example.com", "hub.example.com:80", "a/b"] {
            try tool.expectFailure(64, "no name of a host", "serve", "--port", "0", "--hub", "hub", "--host", name)
        }
        for options in [["--interface", "lo"], ["--all-interfaces"], ["--host", "lo"]] {
            let result = try tool.run(["serve", "--port", "0", "--host", "lo"] + options + ["hub"])
            #expect(result.exitCode == 64 && result.errorOutput.contains("another name of --interface"), "\(result.errorOutput)")
        }
    }

    @Test("a hub uses TLS with the certificate and the key of files, which must belong together")
    func encryption() throws {
        try tool.write("cert.pem", TestCertificate.certificate)
        try tool.write("key.pem", TestCertificate.key)
        try tool.write("other.pem", TestCertificate.stranger)
        let serve = ["serve", "--port", "0", "--hub", "hub", "--tls-cert", "cert.pem"]
        let hub = try tool.start(serve + ["--tls-key", "key.pem"])
        defer { hub.kill() }
        let line = try #require(hub.waitForOutput(lines: 1).first)
        #expect(line.hasPrefix("https://localhost:") && line.hasSuffix("/db"))
        // The certificate has another name.
        #expect(try tool.shell("curl -s -k \(line)/x").output.contains(#""n":1"#))
        try tool.lines("pull", "--pinned", "cert.pem", "copy", line.replacing("https:", with: "wss:"))
        try tool.expectFailure(65, "is not that of the certificate", "serve", "--hub", "hub", "--cert", "other.pem", "--tls-key", "key.pem")
        try tool.expectFailure(65, "does not contain a private key", "serve", "--hub", "hub", "--cert", "cert.pem")
        try tool.expectFailure(66, "cannot read none.pem", "serve", "--hub", "hub", "--cert", "none.pem")
        try tool.expectFailure(64, "--cert", "serve", "--hub", "hub", "--tls-key", "key.pem")
    }

    @Test("a hub uses TLS with a certificate that is generated once")
    func generatedCertificate() throws {
        var certificates: [String] = []
        for _ in 1...2 {
            let hub = try tool.start("serve", "--port", "0", "--tls", "--hub", "hub")
            defer { hub.kill() }
            let line = try #require(hub.waitForOutput(lines: 1).first)
            let port = try #require(URL(string: line)?.port)
            try tool.lines("pull", "--self-signed", "copy", "wss://localhost:\(port)/db")
            let shown = try tool.shell("curl -s -k -v https://localhost:\(port)/ 2>&1 | grep 'start date'").output
            certificates.append(shown)
        }
        #expect(certificates[0] == certificates[1] && certificates[0].contains("start date"))
    }

    @Test("roles are added, changed, listed and removed, and users get their channels")
    func roles() throws {
        try tool.write("password", "secret\n")
        #expect(try tool.lines("hub", "role", "ls", "hub") == [])
        let add = ["hub", "role", "add", "hub", "staff", "--channel", "b", "--channels", "c"]
        #expect(try tool.run(add).outputLines == ["added role staff"])
        #expect(try tool.run(add).exitCode != 0)
        #expect(try tool.lines("hub", "role", "ls", "hub") == ["staff: b, c"])
        let user = ["hub", "user", "add", "hub", "anna", "--password-file", "password", "--channel", "x", "--role"]
        #expect(try tool.run(user + ["none"]).errorOutput.contains("there is no role none"))
        #expect(try tool.run(user + ["staff"]).outputLines == ["added user anna"])
        #expect(try tool.lines("hub", "user", "ls", "hub") == ["anna: x; roles: staff"])
        let hub = try tool.start("serve", "--port", "0", "--hub", "hub")
        defer { hub.kill() }
        let url = "http://localhost:\(try port(of: hub))/db/x"
        func status() throws -> String { try tool.shell("curl -s -o /dev/null -w '%{http_code}' -u anna:secret \(url)").output }
        #expect(try status() == "403")
        #expect(try tool.lines("hub", "role", "set", "hub", "staff", "--channel", "a") == ["changed role staff"])
        #expect(try status() == "200")
        let line = try #require(try tool.lines("hub", "role", "ls", "--json", "hub").first)
        #expect(try object(line) == ["name": "staff", "channels": ["a"]] as NSDictionary)
        #expect(try tool.lines("hub", "role", "rm", "hub", "staff") == ["removed role staff"])
        #expect(try status() == "403")
        #expect(try tool.lines("hub", "user", "set", "hub", "anna", "--no-roles") == ["changed user anna"])
        #expect(try tool.lines("hub", "user", "ls", "hub") == ["anna: x"])
        try tool.expectFailure(66, "there is no role staff", "hub", "role", "rm", "hub", "staff")
        try tool.expectFailure(66, "there is no role staff", "hub", "role", "set", "hub", "staff", "--no-channels")
        try tool.expectFailure(64, "a name", "hub", "role", "add", "hub", "a:b")
        try tool.expectFailure(64, "--no-channels", "hub", "role", "set", "hub", "staff")
    }

    @Test("a hub with users requires their passwords, and only such a hub serves other machines")
    func access() throws {
        try tool.expectFailure(64, "must have a user", "serve", "--port", "0", "--all-interfaces", "--no-tls", "--hub", "hub")
        try tool.expectFailure(64, "--no-tls", "serve", "--port", "0", "--all-interfaces", "--hub", "hub")
        try tool.expectFailure(64, "users of its own", "serve", "--port", "0", "--user", "anna", "--hub", "hub")
        try tool.expectFailure(64, "--hub DIR", "serve", "--port", "0", "--hub", "hub", "db")
        try tool.write("password", "secret\n")
        try tool.lines("hub", "user", "add", "hub", "anna", "--password-file", "password", "--channel", "a")
        let hub = try tool.start("serve", "--port", "0", "--all-interfaces", "--no-tls", "--hub", "hub")
        defer { hub.kill() }
        let line = try #require(hub.waitForOutput(lines: 1).first)
        let port = try #require(URL(string: line)?.port)
        let url = "http://127.0.0.1:\(port)/db/x"
        #expect(try tool.shell("curl -s -o /dev/null -w '%{http_code}' \(url)").output == "401")
        #expect(try tool.shell("curl -s -o /dev/null -w '%{http_code}' -u anna:secret \(url)").output == "200")
        try tool.lines("pull", "copy", "ws://127.0.0.1:\(port)/db", "--user", "anna", "--user-password-file", "password")
    }
}
#endif
