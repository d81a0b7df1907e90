import CouchbaseLiteSwift

// program
let logs = try DatabaseFolder().url
let queue = DispatchQueue(label: "warnings")
// block: 1
// block: 2
// block: 3
// block: 4
let database = try DatabaseFolder().open("logged")
check(!(try FileManager.default.contentsOfDirectory(atPath: logs.path)).isEmpty)
try database.close()
