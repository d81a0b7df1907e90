import CouchbaseLiteSwift

// declarations
// block: 1
// block: 4
// block: 5
@Sendable func store(in database: Database) throws {
    let json = #"{"heading":" Buy milk","priority":"later","minutes":"15"}"#
    try database.createCollection(name: "notes").save(document: MutableDocument(id: "milk", json: json))
    try database.createCollection(name: "notes").save(document: MutableDocument(id: "call", json: #"{"heading":"Call Ann"}"#))
}

// program
let database = try DatabaseFolder().open("notes")
try store(in: database)
// block: 2
try await expectPrinted("Call Ann normal")
// block: 3
try await expectPrinted("cannot read milk: ")
check(readable.count == 1)
try receiveNotes(in: database)
check(try open.all(onDecodingError: .skip).count == 1)
