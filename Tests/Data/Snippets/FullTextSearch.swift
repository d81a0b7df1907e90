import CouchbaseLiteSwift

// declarations
// block: 4

// program
let database = try DatabaseFolder().open("texts")
let articles = try database.createCollection(name: "articles")
try articles.save(
    document: MutableDocument(id: "a", json: #"{"title":"Linux problems","content":"On Linux","published":true,"author":"Éva"}"#)
)
try articles.save(document: MutableDocument(id: "b", json: #"{"title":"東京","content":"東京都に住んでいます"}"#))
// block: 1
// block: 2
try await expectPrinted("Linux problems")
// block: 3
check(try built.execute().allResults().count == 1)
// block: 5
try await expectPrinted("Linux problems On **Linux**")
check(number == 1)
// block: 6
// block: 7
// block: 8
check(try inTokyo.execute().allResults().count == 1)
// block: 9
check(try similar.execute().allResults().count == 1)
// block: 10
// block: 11
try await expectPrinted("On <b>Linux</b>")
// block: 12
check(try weighted.execute().allResults().count == 1)
check(try ranked.all().count == 1)
