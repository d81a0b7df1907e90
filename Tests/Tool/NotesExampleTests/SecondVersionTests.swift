import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("The second version of the example", .ownThreads)
struct SecondVersionTests {
    private let old: NotesProgram
    private let new: NotesProgram

    init() throws {
        old = try NotesProgram()
        new = try NotesProgram(product: "NotesExample2", in: old.directory)
    }

    @Test("it opens a database of version 1, in which urgent notes have a high priority and no note is done")
    func opening() throws {
        let milk = try old.add("Buy milk")
        let rent = try old.add("Pay the rent", "--tag", "urgent")
        #expect(try new.lines("list") == ["\(rent)  ☐ Pay the rent (high)", "\(milk)  ☐ Buy milk"])
        try new.lines("done", milk)
        #expect(try new.lines("list") == ["\(rent)  ☐ Pay the rent (high)"])
        #expect(try new.lines("list", "--all").count == 2)
    }

    @Test("both versions change the same note, and each keeps what only the other one knows")
    func together() throws {
        let plan = try old.add("Plan", "--tag", "work")
        try Data("A house".utf8).write(to: old.directory.url.appendingPathComponent("plan.txt"))
        try old.lines("attach", plan, "plan.txt")
        try new.lines("done", plan)
        try old.lines("edit", plan, "--title", "New plan")
        #expect(try new.lines("list", "--all") == ["\(plan)  ☑︎ New plan"])
        #expect(try old.lines("list") == ["\(plan)  New plan #work [1 files]"])
        let idea = try new.add("Idea", "--priority", "low")
        #expect(try old.lines("show", idea) == ["\(idea)  Idea"])
    }

    #if Replication
    @Test("devices with both versions sync with each other")
    func syncing() throws {
        // The tablet has version 2, and the phone has version 1.
        try new.lines("list", "-d", "tablet")
        let serving = try ProcessRunner(product: "cblite").start(
            ["serve", "--port", "0", "tablet/notes.cblite2"],
            directory: new.directory.url
        )
        defer { serving.kill() }
        let url = try #require(serving.waitForOutput(lines: 1).first)
        let rent = try old.add("-d", "phone", "Pay the rent", "--tag", "urgent")
        try old.lines("sync", "-d", "phone", url)
        // The server does not know the rule of version 2; a device with it does when the note arrives.
        try new.lines("sync", "-d", "desk", url)
        #expect(try new.lines("list", "-d", "desk") == ["\(rent)  ☐ Pay the rent (high)"])
        try new.lines("done", "-d", "desk", rent)
        try new.lines("sync", "-d", "desk", url)

        try old.lines("sync", "-d", "phone", url)
        try old.lines("edit", "-d", "phone", rent, "--title", "Pay the rent and the phone")
        try old.lines("sync", "-d", "phone", url)
        try new.lines("sync", "-d", "desk", url)
        let line = "\(rent)  ☑︎ Pay the rent and the phone (high)"
        #expect(try new.lines("list", "-d", "desk", "--all") == [line])
        #expect(try new.lines("list", "-d", "tablet", "--all") == [line])
        #expect(try old.lines("list", "-d", "phone") == ["\(rent)  Pay the rent and the phone #urgent"])
    }
    #endif
}
