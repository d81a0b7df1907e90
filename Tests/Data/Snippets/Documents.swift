import CouchbaseLiteSwift

// program
let hotels = try DatabaseFolder().open("travel").createCollection(name: "hotels")
let opened = Date(timeIntervalSince1970: 1_000_000_000)
// block: 1
// block: 2
check(json?.contains(#""beds":[2,2,1]"#) == true)
// block: 3
try await expectPrinted("Chez Paul 3 wifi")
// block: 4
check(!exists)
// block: 5
try hotels.save(document: MutableDocument(id: "hotel-14"))
// block: 6
check(hotels.count == 1)
