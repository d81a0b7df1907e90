import CouchbaseLiteSwift
import Foundation

/// Prints the milliseconds since the first line of the app, and what was done.
let start = ContinuousClock.now
func report(_ what: String) { print((ContinuousClock.now - start) / .milliseconds(1), what) }

var config = DatabaseConfiguration()
config.directory = CommandLine.arguments[1]
let database = try Database(name: "app", config: config)
let notes = try database.defaultCollection()
report("opened")
try notes.save(document: MutableDocument(id: "note").setString("Buy milk", forKey: "text").setInt(1, forKey: "priority"))
report("first save")
for _ in try database.createQuery("SELECT text FROM _ WHERE priority = 1").execute() { report("first query") }
try database.close()
