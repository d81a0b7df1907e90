import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import cblite

@Suite("cblite import from CSV and SQLite")
struct TableImportTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private func importCSV(_ text: String, _ arguments: String..., fails: Bool = false) throws -> [String] {
        try tool.lines("rm", "--purge", "--yes", "db", "*")
        try tool.write("in.csv", text)
        let result = try tool.run(["import", "db", "in.csv"] + arguments)
        #expect(result.exitCode == (fails ? 65 : 0), "\(result.errorOutput)")
        return try tool.lines("export", "db")
    }

    @Test("fields are split by the rules of RFC 4180, with any line end and a byte order mark")
    func splitting() throws {
        try tool.makeDatabase()
        let expected = [#"{"_id":"1","text":"plain"}"#, #"{"_id":"2","text":"a \"quoted\", text"}"#, #"{"_id":"3","text":"two\nlines"}"#]
        let rows = ["_id,text", "1,plain", "2,\"a \"\"quoted\"\", text\"", "3,\"two\nlines\""]
        for end in ["\n", "\r\n", "\r"] {
            #expect(try importCSV(rows.joined(separator: end)) == expected)
            #expect(try importCSV("\u{FEFF}" + rows.joined(separator: end) + end) == expected)
        }
        #expect(try importCSV("_id;a\n\n1;x,y\n", "--delimiter", ";") == [#"{"_id":"1","a":"x,y"}"#])
        #expect(try importCSV("_id\ta\n1\t\"\"\n", "--delimiter", "tab") == [#"{"_id":"1","a":""}"#])
    }

    @Test("by default numbers and booleans are stored as such, quoted fields as text, and empty fields not at all")
    func automaticTypes() throws {
        try tool.makeDatabase()
        let header = "_id,a,b,c,d,e,f,g"
        #expect(
            try importCSV("\(header)\nx,12,-1.5e3,true,007,\"12\",,12345678901234567890\n") == [
                #"{"_id":"x","a":12,"b":-1500.0,"c":true,"d":"007","e":"12","g":"12345678901234567890"}"#
            ]
        )
        #expect(
            try importCSV("_id,a,b\nx,12,\n", "--types", "text") == [#"{"_id":"x","a":"12","b":""}"#]
        )
    }

    @Test("a column has numbers or booleans only if all its fields that are not empty are such")
    func typesOfColumns() throws {
        try tool.makeDatabase()
        let rows = "_id,zip,n,b,mixed,q\na,12345,1,true,1,1\nb,00123,-2.5,false,true,\"2\"\nc,,,,,\n"
        let expected = [
            #"{"_id":"a","b":true,"mixed":"1","n":1,"q":"1","zip":"12345"}"#,
            #"{"_id":"b","b":false,"mixed":"true","n":-2.5,"q":"2","zip":"00123"}"#, #"{"_id":"c"}"#,
        ]
        #expect(try importCSV(rows) == expected)
        #expect(try importCSV(rows, "--types", "zip=number,mixed:skip,q=int", "--on-error", "skip", fails: true).count == 2)
        // Standard input is read only once.
        try tool.lines("import", "--create", "piped", "-", "--format", "csv", input: rows)
        #expect(try tool.lines("export", "piped") == expected)
    }

    @Test(
        "the character between the fields is found, and named if it is no comma",
        arguments: [
            (";", "separated by semicolons"), ("\t", "separated by tabs"), ("|", "separated by vertical bars"), (",", ""),
        ]
    )
    func delimiters(delimiter: String, message: String) throws {
        let rows = [["_id", "a", "b"], ["1", "\"x;|\t,\"\"y\"", "2"], [], ["2", "p q", "3"]]
        let lines = rows.map { $0.joined(separator: delimiter) }
        try tool.write("in.csv", lines.joined(separator: "\n"))
        let result = try tool.run("import", "--create", "db", "in.csv")
        #expect(result.errorOutput == (message.isEmpty ? "" : "in.csv: the fields are \(message).\n"))
        #expect(try tool.lines("export", "db") == [#"{"_id":"1","a":"x;|\t,\"y","b":2}"#, #"{"_id":"2","a":"p q","b":3}"#])
    }

    @Test("the fields of a .tsv file are separated by tabs, also if it is compressed")
    func tabs() throws {
        try tool.write("in.tsv", "_id\ta,b\n1\tx\n")
        try tool.lines("import", "--create", "db", "in.tsv")
        #expect(try tool.shell("gzip in.tsv && cblite import --create zipped in.tsv.gz").exitCode == 0)
        for name in ["db", "zipped"] { #expect(try tool.lines("export", name) == [#"{"_id":"1","a,b":"x"}"#]) }
    }

    @Test("--encoding names the encoding of a text, and text that is not UTF-8 is refused with its line")
    func encodings() throws {
        let text = "_id,name\n1,Zürich 😀€\n"
        for (name, encoding) in [("utf-16", String.Encoding.utf16), ("UTF16LE", .utf16LittleEndian), ("utf16be", .utf16BigEndian)] {
            let data = try #require(text.data(using: encoding))
            try data.write(to: tool.directory.url.appendingPathComponent("in.csv"))
            try tool.lines("import", "--create", "db\(name)", "in.csv", "--encoding", name)
            #expect(try tool.lines("export", "db\(name)") == [#"{"_id":"1","name":"Zürich 😀€"}"#])
        }
        let bytes = Data("_id,name\n1,Z".utf8) + [0xFC, 0x80] + Data("\n".utf8)
        try bytes.write(to: tool.directory.url.appendingPathComponent("in.csv"))
        try tool.expectFailure(
            65,
            "in.csv:2:3: the text is not valid UTF-8; name its encoding with --encoding",
            "import",
            "--create",
            "x",
            "in.csv"
        )
        try tool.lines("import", "--create", "one", "in.csv", "--encoding", "latin1")
        #expect(try tool.lines("cat", "one", "1") == ["{\"_id\":\"1\",\"name\":\"Zü\u{80}\"}"])
        try tool.lines("import", "--create", "two", "in.csv", "--encoding", "windows-1252")
        #expect(try tool.lines("cat", "two", "1") == [#"{"_id":"1","name":"Zü€"}"#])
        try tool.expectFailure(65, "in.csv:1:1: the text is not valid", "import", "--create", "x", "in.csv", "--encoding", "utf16")
    }

    @Test("a compressed file is read as it is, also in several parts, and refused if it is cut")
    func gzip() throws {
        let lines = (1...20_000).map { #"{"_id":"\#($0)","n":\#($0)}"# }
        try tool.write("a", lines.prefix(10_000).joined(separator: "\n") + "\n")
        try tool.write("b", lines.dropFirst(10_000).joined(separator: "\n"))
        #expect(try tool.shell("(gzip -c a; gzip -c b) > in.jsonl.gz; head -c 50000 in.jsonl.gz > cut.gz").exitCode == 0)
        #expect(try tool.lines("import", "--create", "db", "in.jsonl.gz")[0].hasPrefix("Imported 20,000 documents"))
        #expect(try tool.shell("cblite import --create piped - < in.jsonl.gz").output.hasPrefix("Imported 20,000 documents"))
        let message = "cut.gz: the compressed content is damaged, or ends too early"
        try tool.expectFailure(65, message, "import", "--create", "x", "cut.gz", "--on-error", "rollback")
        #expect(!tool.exists("x.cblite2"))
    }

    @Test("--types sets the types of single columns")
    func givenTypes() throws {
        try tool.makeDatabase()
        let rows = "_id,n,t,b,j,s,o\nx,5,5,yes,\"[1,{\"\"a\"\":2}]\",secret,5\ny,,,,,,\n"
        #expect(
            try importCSV(rows, "--types", "n:number,t:text,b:bool,j:json,s:skip") == [
                #"{"_id":"x","b":true,"j":[1,{"a":2}],"n":5,"o":5,"t":"5"}"#, #"{"_id":"y","t":""}"#,
            ]
        )
        let large = "12345678901234567890"
        #expect(
            try importCSV("_id,a,b\nx,\(large),\(large)\n", "--types", "a:int,b:number") == [#"{"_id":"x","a":\#(large),"b":\#(large)}"#]
        )
        #expect(try importCSV("_id,a,b\nx,1,2\n", "--types", "text,b:int") == [#"{"_id":"x","a":"1","b":2}"#])
    }

    @Test(
        "invalid rows are reported with line and column",
        arguments: [
            ("a,b\n1,2,3\n", "in.csv:2:5: the row has 3 fields, but the header has 2"),
            ("a,b\n\"x\ny\",1\n5", "in.csv:4:1: the row has 1 field"),
            ("a,b\n1,\"x\"y\n", "in.csv:2:6: text follows the closing quote"), ("a,b\nxé,5\" disk\n", "in.csv:2:5: a quote inside a field"),
            ("a,b\n1,2\n3,\"open\n\n", "in.csv:3:1: a quoted field of this row has no end"),
            ("a,,c\n1,2,3\n", "in.csv:1:3: the header has a column"),
            ("a,b,a\n1,2,3\n", "in.csv:1:5: the header has the column \"a\" twice"), ("_id,n\n_x,1\n", "in.csv:2:1: "),
        ]
    )
    func invalid(text: String, message: String) throws {
        try tool.write("in.csv", text)
        try tool.expectFailure(65, message, "import", "--create", "db", "in.csv")
    }

    @Test("a field that is not of its type is reported, and skipped with --on-error skip")
    func wrongTypes() throws {
        try tool.write("in.csv", "_id,n\na,1\nb,\"x\"\nc,3\n")
        try tool.expectFailure(
            65,
            "in.csv:3:3: the field is not an integer of 64 bits, as --types requires",
            "import",
            "--create",
            "db",
            "in.csv",
            "--types",
            "n:int"
        )
        let result = try tool.run("import", "--create", "db", "in.csv", "--types", "n:int", "--on-error", "skip")
        #expect(result.exitCode == 65 && result.output.hasPrefix("Imported 2 documents"))
        #expect(try tool.lines("ls", "db") == ["a", "c"])
        try tool.expectFailure(65, "no column \"q\"", "import", "db", "in.csv", "--types", "q:int")
        try tool.expectFailure(64, "the types are", "import", "db", "in.csv", "--types", "n:integer")
        try tool.expectFailure(64, "--delimiter", "import", "db", "in.csv", "--delimiter", "ab")
    }

    @Test("rows that are larger than the buffer are read completely")
    func large() throws {
        let long = String(repeating: "é, \"\"\n", count: 100_000)
        try tool.lines("import", "--create", "--format", "csv", "db", "-", input: "_id,t\na,\"\(long)\"\nb,1\n")
        let text = long.replacingOccurrences(of: "\"\"", with: "\"")
        #expect(
            try tool.lines("query", "--json", "db", "SELECT length(t) AS n FROM _ WHERE meta().id = 'a'") == [
                "{\"n\":\(text.unicodeScalars.count)}"
            ]
        )
        #expect(try tool.lines("ls", "db") == ["a", "b"])
    }

    private func makeSQLite() throws {
        let connection = try Connection(path: tool.directory.path("in.sqlite3"), mode: .create)
        defer { try? connection.close() }
        try connection.execute(
            "CREATE TABLE \"my orders\" (number INTEGER PRIMARY KEY, name TEXT, price REAL, day, image BLOB, twice AS (number * 2))"
        )
        try connection.execute(
            "INSERT INTO \"my orders\" VALUES (1, 'é \"x\"', 2.5, '2026-01-01', x'00FF'), (9007199254740993, NULL, 1e300, 7, NULL)"
        )
        try connection.execute("CREATE TABLE names (n)")
    }

    @Test("rows of an SQLite table are imported with their types, and binary values as blobs")
    func table() throws {
        try makeSQLite()
        let arguments = ["import", "--create", "db", "--format", "sqlite", "--table", "my orders", "in.sqlite3", "--id-property", "number"]
        #expect(try tool.run(arguments).output.hasPrefix("Imported 2 documents"))
        let blob = #"{"@type":"blob","content_type":"application/octet-stream","digest":"sha1-"#
        let lines = try tool.run("export", "db").outputLines
        #expect(lines[0].hasPrefix(#"{"_id":"1","day":"2026-01-01","image":\#(blob)"#))
        #expect(lines[0].hasSuffix(#","length":2},"name":"é \"x\"","number":1,"price":2.5,"twice":2}"#))
        #expect(lines[1].hasPrefix(#"{"_id":"9007199254740993","day":7,"image":null,"name":null,"number":9007199254740993,"price":1"#))
        #expect(try tool.lines("blob", "ls", "db", "--json").map { try object($0)["missing"] as? Bool } == [false])
        #expect(try tool.lines("compact", "db").first?.contains("0 blobs removed") == true)
        #expect(try tool.lines("check", "db").last == "No problems found.")
        #expect(try tool.run(arguments + ["--binary", "base64"]).exitCode == 0)
        #expect(try tool.lines("cat", "db", "1").first?.contains(#""image":"AP8=""#) == true)
    }

    @Test("--all-tables imports every table into a collection of its name, with the primary key as ID")
    func allTables() throws {
        try makeSQLite()
        let connection = try Connection(path: tool.directory.path("in.sqlite3"), mode: .readWrite)
        try connection.execute("INSERT INTO names VALUES ('x')")
        try connection.execute("CREATE TABLE pairs (a, b, PRIMARY KEY (a, b))")
        try connection.close()
        try tool.lines("import", "--create", "db", "--all-tables", "in.sqlite3", "--on-error", "rollback")
        #expect(try tool.lines("ls", "db", "-c", "my_orders") == ["1", "9007199254740993"])
        #expect(try tool.lines("query", "--json", "db", "SELECT n FROM names") == [#"{"n":"x"}"#])
        #expect(try tool.lines("ls", "db", "-c", "pairs") == [])
        try tool.expectFailure(64, "not both", "import", "db", "--all-tables", "--table", "names", "in.sqlite3")
        try tool.expectFailure(64, "its own collection", "import", "db", "--all-tables", "-c", "names", "in.sqlite3")
        try tool.makeDatabase()
        let before = try tool.lines("collections", "--json", "db").count
        try tool.write("text", String(repeating: "no database ", count: 100))
        try tool.expectFailure(65, "not a database", "import", "--create", "db", "--all-tables", "text")
        #expect(try tool.lines("collections", "--json", "db").count == before)
    }

    @Test("views are imported as tables are, except with --no-views, and a view that cannot be read changes nothing")
    func views() throws {
        try makeSQLite()
        let connection = try Connection(path: tool.directory.path("in.sqlite3"), mode: .readWrite)
        try connection.execute(
            "CREATE VIEW prices AS SELECT 'no ' || number AS _id, price + 0.25 AS more FROM \"my orders\" WHERE price < 10"
        )
        try connection.close()
        try tool.lines("import", "--create", "db", "--all-tables", "in.sqlite3")
        #expect(try tool.lines("export", "db", "-c", "prices") == [#"{"_id":"no 1","more":2.75}"#])
        try tool.lines("import", "--create", "tables", "--all-tables", "--no-views", "in.sqlite3")
        try tool.expectFailure(66, "there is no collection _default.prices", "ls", "tables", "-c", "prices")
        #expect(try tool.lines("import", "--create", "one", "--table", "prices", "in.sqlite3")[0].hasPrefix("Imported 1 document"))
        let other = try Connection(path: tool.directory.path("in.sqlite3"), mode: .readWrite)
        try other.execute("CREATE VIEW broken AS SELECT evil(1) AS x")
        try other.close()
        try tool.expectFailure(65, "the view \"broken\" cannot be read", "import", "--create", "none", "--all-tables", "in.sqlite3")
        try tool.expectFailure(65, "--no-views", "import", "--create", "none", "--all-tables", "in.sqlite3")
        #expect(!tool.exists("none.cblite2"))
        try tool.expectFailure(64, "--no-views is for --all-tables only", "import", "db", "--table", "names", "--no-views", "in.sqlite3")
    }

    @Test("a table that does not exist is refused with a suggestion, and a file that is no database leaves nothing")
    func refused() throws {
        try makeSQLite()
        try tool.makeDatabase()
        try tool.expectFailure(66, "Did you mean 'names'?", "import", "db", "--format", "sqlite", "--table", "name", "in.sqlite3")
        try tool.expectFailure(64, "belong together", "import", "db", "--format", "sqlite", "in.sqlite3")
        try tool.expectFailure(64, "belong together", "import", "db", "--format", "csv", "--table", "names", "in.sqlite3")
        try tool.expectFailure(65, "Import one of its tables or views with --table NAME", "import", "--create", "x", "in.sqlite3")
        #expect(!tool.exists("x.cblite2"))
        #expect(try tool.lines("import", "db", "--table", "my orders", "in.sqlite3").first?.hasPrefix("Imported 2 documents") == true)
        try tool.write("text", String(repeating: "no database ", count: 100))
        try tool.expectFailure(65, "not a database", "import", "--create", "x", "--format", "sqlite", "--table", "t", "text")
        #expect(!tool.exists("x.cblite2"))
    }
}
