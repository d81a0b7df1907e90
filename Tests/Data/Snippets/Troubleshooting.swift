import CouchbaseLiteSwift

// program
let database = try DatabaseFolder().open("travel")
// block: 1
try await expectPrinted("Correct the argument.")
