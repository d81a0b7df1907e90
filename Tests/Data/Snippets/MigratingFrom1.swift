import CouchbaseLiteSwift

// program
let database = try DatabaseFolder().open("upgraded")
let document = MutableDocument(id: "doc1")
let attachment = Blob(contentType: "text/plain", data: Data("content".utf8))
document.setValue(["attach1": attachment], forKey: "_attachments")
try database.saveDocument(document)
// block: 1
