import CouchbaseLiteSwift

// program
let database = try DatabaseFolder().open("travel")
let hotels = try database.createCollection(name: "hotels")
try hotels.save(
    document: MutableDocument(
        id: "a",
        json: #"{"name":"Andino","stars":4,"address":{"city":"La Paz"},"rooms":[{"beds":4,"tags":["quiet"]}]}"#
    )
)
// block: 1
// block: 2
// block: 6
check(try inCity.execute().allResults().count == 1)
// block: 3
// block: 4
// block: 5
check(try family.execute().allResults().count == 1)

// program
let database = try DatabaseFolder().open("travel")
let hotels = try database.createCollection(name: "hotels")
// block: 7
