import CouchbaseLiteSwift

// declarations
// block: 1

// program
let database = try DatabaseFolder().open("weather")
let stations = try database.createCollection(name: "stations")
try stations.save(document: MutableDocument(id: "a", json: #"{"name":"Summit","samples":[1,5],"position":[0,0]}"#))
try stations.save(document: MutableDocument(id: "b", json: #"{"name":"Harbour","samples":[20,35],"position":[0,4]}"#))
// block: 2
check(try high.execute().allResults().count == 1)
// block: 3
// block: 4
// block: 5
check(try built.execute().allResults().count == 1)
// block: 6
check(try nearest.execute().next()?.string(at: 0) == "Harbour")
