import CouchbaseLiteSwift

// declarations
// block: 1

// program
let config = try DatabaseFolder().config
// block: 2
check(try dogs.query().count() == 0)
token.cancel()
// block: 3
check(try dogs.get("65a1f0c2")?.age == 9)
