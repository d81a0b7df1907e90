import CouchbaseLiteSwift

// declarations
// block: 2

// program
let config = try DatabaseFolder().config
// block: 1
check(title == "Plan")
try collection.save(document: document.setBoolean(true, forKey: "isDone"))
// block: 3
check(number == 1 && done == 1 && removed == 2 && plan?.title == "Plan" && titles == ["Call Anna"] && next?.id == note.id)
try notes.save(Note(id: "plan", title: "Plan"))
// block: 4
check(result.changedCount == 1)
// block: 5
check(first?.title == "Water the plants" && count == 1)
// block: 6
try await expectPrinted("Water the plants")
// block: 7
try await expectPrinted("nothing to purge")
