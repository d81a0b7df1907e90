import CouchbaseLiteSwift

// declarations
// block: 5

// program
let config = try DatabaseFolder().config
let queue = DispatchQueue(label: "guide")
// block: 1
check(laPaz?.int(forKey: "altitude") == 13355 && high == 1)
// block: 2
check(count == 1001)
// block: 3
// block: 4
try await database.write { try airports.purge(id: "gate-1") }
try await expectPrinted(#"changed: ["CDG"]"#)
try await expectPrinted(#"heard of: ["gate-1"]"#)
token.remove()
let view = await AirportsView()
let following = await view.follow(airports)
try await database.write { try airports.purge(id: "gate-2") }
while await view.changed.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
following.remove()
// block: 6
