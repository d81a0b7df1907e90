import CouchbaseLiteSwift

// declarations
// block: 1

// program on the main actor
let config = try DatabaseFolder().config
// block: 2
check(found.map(\.name) == ["Spring"])
// block: 3
while list.rows.map(\.name) != ["Easter"] { try await Task.sleep(for: .milliseconds(5)) }
// block: 4
check(try trips.get("x-1")?.destination == "Rome")
