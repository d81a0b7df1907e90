#if Replication
import DocumentStore
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Hub
@testable import WebServer

@Suite("REST of a hub: multipart bodies and encoded attachments", .ownThreads)
struct MultipartTests {
    private static func related(_ boundary: String = "x") -> [String: String] {
        ["Content-Type": "multipart/related; boundary=\"\(boundary)\""]
    }

    /// Returns a body of a document and contents, each with its header.
    private func multipart(_ json: String, _ parts: [(header: String, content: String)], boundary: String = "x") -> String {
        let all = [("Content-Type: application/json", json)] + parts
        return all.map { "--\(boundary)\r\n\($0.0)\($0.0.isEmpty ? "" : "\r\n")\r\n\($0.1)\r\n" }.joined() + "--\(boundary)--"
    }

    @Test("contents that follow a document become its attachments, by their names or in the order of the document")
    func follows() async throws {
        try await withHub { hub in
            let entries =
                #""b":{"follows":true,"content_type":"text/b","length":1},"a":{"follows":true,"content_type":"text/a"},"c":{"data":"aGVsbG8="}"#
            let document = #"{"n":1,"_attachments":{\#(entries)}}"#
            let cases: [(id: String, parts: [(header: String, content: String)])] = [
                ("order", [("Content-Type: text/b", "B"), ("Content-Type: text/a", "A\r\n--y\r\n")]),
                (
                    "names",
                    [
                        ("Content-Disposition: attachment; filename=\"a\"", "A\r\n--y\r\n"),
                        ("content-disposition: attachment;filename=b", "B"),
                    ]
                ),
                ("one", [("Content-Disposition: attachment; filename=\"a\"", "A\r\n--y\r\n"), ("X: y", "B")]),
            ]
            for (id, parts) in cases {
                let stored = try await hub.send("PUT", "/db/\(id)", multipart(document, parts), headers: Self.related())
                #expect(stored.status == 201, "\(stored.text)")
                #expect(try await hub.send("GET", "/db/\(id)/a?x").text == "A\n--y\n", "\(id)")
                #expect(try await hub.send("GET", "/db/\(id)/b").text == "B", "\(id)")
                #expect(try await hub.send("GET", "/db/\(id)/c").text == "hello")
                let found = try await hub.send("GET", "/db/\(id)").object["_attachments"] as? [String: [String: Any]]
                #expect(found?["a"]?["content_type"] as? String == "text/a" && found?["a"]?["stub"] as? Bool == true)
                #expect(found?["a"]?["follows"] == nil && found?["b"]?["length"] as? Int == 1)
            }
            let new = try await hub.send(
                "POST",
                "/db/",
                multipart(#"{"_id":"new","_attachments":{"e":{"follows":true}}}"#, [("", "")]),
                headers: Self.related()
            )
            #expect(new.status == 200)
            #expect(try await hub.send("GET", "/db/new/e").text.isEmpty)
            let plain = try await hub.send("PUT", "/db/plain", multipart(#"{"n":1}"#, []), headers: Self.related())
            #expect(plain.status == 201)
            let edit = multipart(#"{"_rev":"2-aa","_attachments":{"e":{"follows":true}}}"#, [("A: b", "E")])
            #expect(try await hub.send("PUT", "/db/edit?new_edits=false", edit, headers: Self.related()).revision == "2-aa")
            #expect(try await hub.send("GET", "/db/edit/e").text == "E")
        }
    }

    @Test("a document in a multipart body takes its memory from that for requests, and returns it")
    func memory() async throws {
        try await withHub {
            $0.web.bodyMemory.all = 20_000
        } _: { hub in
            for (size, status) in [(30_000, 503), (15_000, 200), (15_000, 200)] {
                let document = #"{"text":"\#(String(repeating: "x", count: size))"}"#
                let answer = try await hub.send("POST", "/db/", multipart(document, []), headers: Self.related())
                #expect(answer.status == status, "\(size)")
            }
        }
    }

    @Test("a multipart body that is not valid stores nothing")
    func invalid() async throws {
        try await withHub { hub in
            let one = #"{"_attachments":{"a":{"follows":true,"length":1}}}"#
            let part = ("A: b", "x")
            let many = (0...MultipartDocument.maximumContents).map { (#""\#($0)":{"follows":true}"#, ("A: b", "x")) }
            let all = #"{"_attachments":{\#(many.map(\.0).joined(separator: ","))}}"#
            let cases: [(body: String, headers: [String: String], status: Int)] = [
                (multipart(one, []), Self.related(), 400), (multipart(one, [part, part]), Self.related(), 400),
                (multipart("{}", [part]), Self.related(), 400),
                (multipart(one, [("A: b", "xy")]), Self.related(), 400), (multipart("nonsense", []), Self.related(), 400),
                (multipart(one, [part]), Self.related("y"), 400), ("--x--", Self.related(), 400), ("", Self.related(), 400),
                (String(multipart(one, [part]).dropLast(3)), Self.related(), 400),
                (multipart(one, [part]), ["Content-Type": "multipart/related"], 400),
                (multipart(one, [part]), Self.related(String(repeating: "x", count: 71)), 400),
                (multipart(one, [(String(repeating: "A: bbbbbbbb\r\n", count: 1000) + "A: b", "x")]), Self.related(), 400),
                (
                    multipart(#"{"_attachments":{"a":{"follows":true,"digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="}}}"#, [part]),
                    Self.related(), 400
                ),
                (multipart(#"{"_attachments":{"blob_x":{"follows":true}}}"#, [part]), Self.related(), 400),
                (multipart(all, many.map(\.1)), Self.related(), 400),
                (#"{"_attachments":{"a":{"follows":true}}}"#, [:], 412),
            ]
            for (body, headers, status) in cases {
                let answer = try await hub.send("PUT", "/db/x", body, headers: headers)
                #expect(answer.status == status, "\(body.prefix(300))")
            }
            #expect(try await hub.send("GET", "/db/x").status == 404)
        }
    }

    @Test("the document and each content of a multipart body have a maximum size, and a document without attachments has its own")
    func sizes() async throws {
        try await withHub {
            $0.maximumDocumentSize = 1000
            $0.maximumAttachmentSize = 3000
        } _: { hub in
            func text(_ count: Int) -> String { String(repeating: "x", count: count) }
            func entries(_ count: Int, _ size: Int) -> String {
                let list = (0..<count).map { "\"\($0)\":{\"follows\":true}" }.joined(separator: ",")
                return #"{"t":"\#(text(size))","_attachments":{\#(list)}}"#
            }
            let cases: [(json: String, contents: [Int], status: Int)] = [
                (entries(1, 500), [2500], 201), (entries(1, 1000), [10], 413), (entries(1, 10), [3001], 413),
                (entries(2, 10), [1500, 1500], 201),
                (entries(2, 10), [2500, 2500], 413),
            ]
            for (index, (json, contents, status)) in cases.enumerated() {
                let parts = contents.map { (header: "A: b", content: text($0)) }
                let answer = try await hub.send("PUT", "/db/\(index)", multipart(json, parts), headers: Self.related())
                #expect(answer.status == status, "\(index)")
            }
            #expect(try await hub.send("PUT", "/db/large", #"{"t":"\#(text(1200))"}"#).status == 413)
            #expect(try await hub.send("POST", "/db/", #"{"t":"\#(text(1200))"}"#).status == 413)
            #expect(try await hub.send("PUT", "/db/small", #"{"t":"\#(text(900))"}"#).status == 201)
        }
    }

    @Test("a multipart body is read the same however it is divided into pieces", arguments: 1...12)
    func pieces(size: Int) async throws {
        let hub = try StoppedHub()
        let text =
            "preamble\r\n"
            + multipart(#"{"_attachments":{"a":{"follows":true},"b":{"follows":true}}}"#, [("X: y", "A\r\n--\r\n--yx"), ("", "\r\n")])
            + "\r\nend"
        let body = WebBody(maximumBytes: 1000, budget: BodyBudget(bytes: 1000))
        let bytes = Array(text.utf8)
        let request = try WebRequest(method: "PUT", target: "/db/x", headers: Self.related().map { ($0.key, $0.value) }, body: body)
        var reader = try #require(try MultipartReader(request))
        var parts: [String] = []
        let feeder = Task {
            for start in stride(from: 0, to: bytes.count, by: size) {
                _ = body.append(Array(bytes[start..<min(start + size, bytes.count)]))
                await Task.yield()
            }
            body.finish()
        }
        while try await reader.nextPart() != nil {
            var part: [UInt8] = []
            while let piece = try await reader.nextPiece() { part += piece }
            parts.append(String(decoding: part, as: UTF8.self))
        }
        await feeder.value
        #expect(parts == [#"{"_attachments":{"a":{"follows":true},"b":{"follows":true}}}"#, "A\r\n--\r\n--yx", "\r\n"])
        hub.databases.close()
    }

    @Test("the boundary of a content type is found with and without quotation marks")
    func parameters() {
        for (field, value) in [
            ("multipart/related; boundary=abc", "abc"), ("multipart/related;boundary=\"a b;c\";x=y", "a b;c"),
            ("multipart/related; type=\"application/json; boundary=no\"; BOUNDARY=abc", "abc"),
            ("multipart/related; boundary=\"a\\\"b\"", "a\"b"),
            ("multipart/related; boundary", nil), ("multipart/related", nil), ("multipart/related; boundary=", ""),
            ("x; ; boundary=a ", "a"),
        ] as [(String, String?)] {
            #expect(HeaderParameter.value("boundary", in: field) == value, "\(field)")
        }
    }

    @Test("an attachment that is encoded is returned with its encoding, which its entry keeps")
    func encoding() async throws {
        try await withHub { hub in
            let zipped = "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=="
            let entry = #"{"content_type":"text/plain","encoding":"gzip","data":"\#(zipped)"}"#
            let first = try await hub.send("PUT", "/db/x", #"{"_attachments":{"f":\#(entry),"g":{"data":"aGVsbG8=","encoding":"x\r\ny"}}}"#)
            #expect(first.status == 201)
            let url = "http://127.0.0.1:\(hub.port)/db/x/f"
            let curl = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["curl", "-s"])
            for options in [[], ["-H", "Accept-Encoding: gzip"]] {
                #expect(try await curl.run(["-I", url] + options).output.lowercased().contains("content-encoding: gzip\r\n"))
            }
            #expect(try await curl.run(["--compressed", url]).output == "hello")
            #expect(try await hub.send("GET", "/db/x/g").headers["content-encoding"] == nil)
            let kept = #"{"_rev":"\#(first.revision)","_attachments":{"f":{"stub":true}}}"#
            #expect(try await hub.send("PUT", "/db/x", kept).status == 201)
            let entries = try await hub.send("GET", "/db/x").object["_attachments"] as? [String: [String: Any]]
            #expect(entries?["f"]?["encoding"] as? String == "gzip" && entries?["f"]?["content_type"] as? String == "text/plain")
            #expect(try await curl.run(["--compressed", url]).output == "hello")
            let parts = multipart(#"{"_attachments":{"f":{"follows":true,"encoding":"gzip","length":5}}}"#, [("A: b", "hello")])
            #expect(try await hub.send("PUT", "/db/y", parts, headers: Self.related()).status == 201)
            #expect(
                try await curl.run(["-I", "http://127.0.0.1:\(hub.port)/db/y/f"]).output.lowercased().contains("content-encoding: gzip\r\n")
            )
        }
    }
}
#endif
