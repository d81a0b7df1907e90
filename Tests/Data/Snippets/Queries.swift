import CouchbaseLiteSwift

// program
let database = try DatabaseFolder().open("travel")
let hotels = try database.createCollection(name: "hotels")
try hotels.save(
    document: MutableDocument(
        id: "a",
        json: #"{"name":"Café Andino","stars":4,"address":{"city":"La Paz"},"rooms":[{"beds":2,"floor":5,"balcony":false}]}"#
    )
)
let reviews = try database.createCollection(name: "reviews")
try reviews.save(document: MutableDocument(id: "r", json: #"{"hotel":"a","score":5}"#))
// block: 1
// block: 2
built.parameters = Parameters().setInt(3, forName: "least")
check(try built.execute().map { $0.toJSON() } == query.execute().map { $0.toJSON() })
// block: 3
// block: 4
// block: 5
// block: 6
// block: 7
check(try joined.execute().allResults().count == 1)
check(try quiet.execute().allResults().count == 1)
check(try search.execute().allResults().count == 1)
