import CouchbaseLiteSwift

// declarations
// block: 1

// program
let config = try DatabaseFolder().config
// block: 2
check(found.map(\.name) == ["Arthur"] && average == 1000)
try await expectPrinted("1")
