import CouchbaseLiteSwift

// declarations
// block: 1

// apple: SwiftUI, UIKit
// block: 4
// block: 7

// program
let database = try DatabaseFolder().open("memos")
let saved = try database.createCollection(name: "memos").models(Memo.self)
try saved.save(Memo(id: "memo-1", title: "groceries", isPinned: true))
try saved.save(Memo(id: "memo-2", title: "books", isPinned: true))
// block: 2
try await expectPrinted(#"["books", "groceries"]"#)
try saved.save(Memo(id: "memo-3", title: "films"))
// block: 3
try await expectPrinted("* groceries")
// block: 8
try await expectPrinted(#"b ["books"]"#)

// program on the main actor
let memos = try DatabaseFolder().open("memos").createCollection(name: "memos").models(Memo.self)
try memos.save(Memo(id: "memo-1", title: "groceries"))
// block: 5
while list.rows.map(\.title) != ["groceries"] { try await Task.sleep(for: .milliseconds(5)) }
// block: 6
while memo.value?.title != "groceries" { try await Task.sleep(for: .milliseconds(5)) }

// program
let database = try DatabaseFolder().open("travel")
let queue = DispatchQueue(label: "guide")
let airports = try database.createCollection(name: "airports")
@Sendable func save(_ id: String, _ name: String) throws {
    let json = #"{"name":"\#(name)","altitude":13355,"country":"Bolivia"}"#
    try database.createCollection(name: "airports").save(document: MutableDocument(id: id, json: json))
}
try save("LPB", "El Alto")
// block: 9
try await expectPrinted(#"["El Alto"]"#)
try save("CBB", "Jorge Wilstermann")
try await expectPrinted(#"["El Alto", "Jorge Wilstermann"]"#)
// block: 10
token.remove()
// block: 11
try await expectPrinted("there are 2")
try save("POI", "Capitán Nicolas Rojas")
// block: 12
check(names.count == 3)
// block: 13
for try await difference in byCountry {
    check(difference.rows.map { $0.int(forKey: "airports") } == [3])
    break
}
// block: 14
check(counts.minimumRunInterval == 2)
