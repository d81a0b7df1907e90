import CouchbaseLiteSwift

// declarations
func vector(of text: String) async throws -> [Float] { [Float(text.count), 0] }

// program
let database = try DatabaseFolder().open("vectors")
let colors = try database.createCollection(name: "colors")
let notes = try database.createCollection(name: "notes")
try colors.save(document: MutableDocument(id: "red", json: #"{"name":"red","rgb":[255,0,0],"dark":false}"#))
try colors.save(document: MutableDocument(id: "maroon", json: #"{"name":"maroon","rgb":[128,0,0],"dark":true}"#))
try notes.save(document: MutableDocument(id: "n", json: #"{"text":"a note"}"#))
// block: 1
// block: 2
// block: 3
check(try query.execute().map { $0.string(at: 0) ?? "" } == ["navy", "maroon", "red"])
// block: 4
try await expectPrinted("1")
// block: 5
try await expectPrinted("1")
