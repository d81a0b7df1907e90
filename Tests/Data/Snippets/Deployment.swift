import CouchbaseLiteSwift

// declarations
// block: 1

// program
let data = try DatabaseFolder().url.path + "/data"
check(try openDatabase(["DATA_DIRECTORY": data]).path == data + "/app.cblite2/")
