import CouchbaseLiteSwift
import Foundation
import FoundationNetworking

// declarations
// block: 1
// block: 2
// block: 4
// block: 5
// block: 6

// program
let database = try DatabaseFolder().open("retrieval")
let embedder = WordTable(table: ["tart": [1, 0, 0], "oven": [0.9, 0.1, 0]])
// block: 3
try divide(Article(id: "a", title: "Kitchen", body: "Heat the oven first."), into: passages)
// block: 7
check(count == 1)
// block: 8
check(hits.count == 1)
// block: 9
check(try query.execute().allResults().first?.string(forKey: "title") == "Kitchen")
// block: 10
check(prompt.contains("[1] Kitchen: Heat the oven first."))
