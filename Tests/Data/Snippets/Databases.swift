import CouchbaseLiteSwift

// declarations
enum AirportError: Error { case noGate }

// program
let folder = try DatabaseFolder().url
// block: 1
// block: 2
try await expectPrinted("inventory.airports 1")
// block: 3
check(airports.count == 1001)
// block: 4
check(count == 1000)
// block: 6
var stored = ""
// block: 7
try await expectPrinted("airports gate-1 true")
let shipped = folder.appendingPathComponent("travel.cblite2")
try database.close()
// block: 5
// block: 8
check(!Database.exists(withName: "catalogue", inDirectory: folder.path))
