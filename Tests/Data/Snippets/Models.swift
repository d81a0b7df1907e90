import CouchbaseLiteSwift

// declarations
// block: 1
// block: 4
// block: 6
// block: 7

// program
let collection = try DatabaseFolder().open("recipes").defaultCollection()
// block: 2
check(changed == 1)

// program
let recipes = try DatabaseFolder().open("recipes").defaultCollection().models(Recipe.self)
// block: 3
check(try recipes.get("soup")?.notes == "More salt")

// program
let database = try DatabaseFolder().open("sensors")
// block: 5
check(same?.place == "roof")

// program
let database = try DatabaseFolder().open("offers")
// block: 8
check(abs((total ?? 0) - 19.99) < 1e-9)

// program
let database = try DatabaseFolder().open("airlines")
let airlines = try database.createCollection(name: "airlines")
// block: 9
// block: 10
// block: 11
check(rows.map(\.gates) == [4])
