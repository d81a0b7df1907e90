import DocumentStore
import Fleece
import QueryEngine
import TestSupport
import Testing

@Suite("Observed queries")
struct QueryObserverTests {
    private struct Abort: Error {}

    private let clock = VirtualClock(1_000_000)
    private let database: QueryDatabase
    private let things: ObservedQuery

    init() throws {
        database = try QueryDatabase(clock: clock)
        things = ObservedQuery("SELECT meta().id, n FROM _ WHERE n > 0 ORDER BY n", database, clock)
    }

    private func purge(_ id: String) throws {
        let collection = try database.collection()
        #expect(try database.file.transaction { try collection.purge(id, in: $0) })
    }

    private func setExpiration(_ time: Int64?, of id: String) throws {
        let collection = try database.collection()
        #expect(try database.file.transaction { try collection.setExpiration(time, of: id, in: $0) })
    }

    /// Waits until a change does not belong to a burst any more.
    private func rest() {
        clock.advance(by: 250)
    }

    @Test("a new listener is notified asynchronously of the first result, even if it is empty")
    func first() throws {
        things.listen()
        #expect(clock.appointments == [clock.now])
        #expect(things.notified() == [""])
        try database.save("a", #"{"n":1}"#)
        let late = ObservedQuery("SELECT n FROM _", database, clock)
        late.listen()
        #expect(late.notified() == ["1"])
    }

    @Test("a change after a pause runs the query at once, and listeners are notified of changed rows only")
    func change() throws {
        things.listen()
        #expect(things.notified() == [""])
        rest()
        try database.save("a", #"{"n":1}"#)
        #expect(things.notified() == [#""a" 1"#])
        rest()
        try database.save("b", #"{"n":0}"#)
        #expect(things.notified() == [])
        rest()
        try database.save("a", #"{"n":1,"m":2}"#)
        #expect(things.notified() == [], "the rows are the same")
        rest()
        try database.delete("a")
        #expect(things.notified() == [""])
    }

    @Test("each of several changes is shown at once, if they are not part of a burst")
    func twoTaps() throws {
        things.listen()
        #expect(things.notified(within: 10) == [""])
        try database.save("a", #"{"n":1}"#)
        #expect(things.notified(within: 10) == [#""a" 1"#])
        try database.save("b", #"{"n":2}"#)
        #expect(things.notified() == [#""a" 1, "b" 2"#])
        #expect(things.notified(within: 100) == [])
        try database.save("c", #"{"n":3}"#)
        #expect(things.notified() == [#""a" 1, "b" 2, "c" 3"#])
    }

    @Test("changes within some milliseconds after a run are combined into one run when no more follow")
    func burst() throws {
        things.listen()
        #expect(things.notified(within: 5) == [""])
        try database.save("a", #"{"n":1}"#)
        #expect(things.notified(within: 5) == [])
        try database.save("b", #"{"n":2}"#)
        #expect(things.notified(within: 14) == [])
        #expect(things.notified(within: 1) == [#""a" 1, "b" 2"#])
        #expect(things.notified(within: 5000) == [])
        try database.save("c", #"{"n":3}"#)
        #expect(things.notified() == [#""a" 1, "b" 2, "c" 3"#])
    }

    @Test("a burst that goes on is shown after a tenth of a second")
    func longBurst() throws {
        things.listen()
        #expect(things.notified() == [""])
        for number in 1...20 {
            try database.save("a", "{\"n\":\(number)}")
            #expect(things.notified(within: number < 20 ? 5 : 4) == [])
        }
        #expect(things.notified(within: 1) == [#""a" 20"#])
    }

    @Test("a thousand commits in a row cause two runs, as many as with a fixed delay of half a second")
    func thousandCommits() throws {
        things.listen()
        #expect(things.notified(within: 1000) == [""])
        var notified: [String] = []
        for number in 1...1000 {
            try database.save("a", "{\"n\":\(number)}")
            notified += things.notified(within: number % 10 == 0 ? 1 : 0)
        }
        notified += things.notified(within: 1000)
        #expect(notified == [#""a" 1"#, #""a" 1000"#])
    }

    @Test("a minimum interval between runs delays changes, but not new parameters and listeners")
    func minimumInterval() throws {
        things.observer.setMinimumInterval(2000)
        things.listen("x: ")
        #expect(things.notified(within: 100) == ["x: "])
        try database.save("a", #"{"n":1}"#)
        #expect(things.notified(within: 1899) == [])
        #expect(things.notified(within: 1) == [#"x: "a" 1"#])
        try database.save("b", #"{"n":2}"#)
        things.listen("y: ")
        #expect(things.notified() == [#"y: "a" 1"#])
        things.observer.setParameters(.success(QueryParameters()))
        #expect(things.notified() == [#"x: "a" 1, "b" 2"#, #"y: "a" 1, "b" 2"#])
        clock.advance(by: 2000)
        try database.save("c", #"{"n":3}"#)
        #expect(things.notified().count == 2)
        try database.save("d", #"{"n":4}"#)
        #expect(things.notified(within: 500) == [])
        things.observer.setMinimumInterval(0)
        #expect(things.notified().count == 2)
    }

    @Test("listeners are notified after a purge even if the rows are the same")
    func purged() throws {
        try database.save("a", #"{"n":1}"#)
        try database.save("z", #"{"n":0}"#)
        things.listen()
        #expect(things.notified() == [#""a" 1"#])
        rest()
        try purge("z")
        #expect(things.notified() == [#""a" 1"#])
        rest()
        try purge("a")
        #expect(things.notified() == [""])
    }

    @Test(
        "a query that reads expiration times is run when one is set or removed",
        arguments: ["meta().expiration", "_expiration"]
    )
    func expirations(column: String) throws {
        let expirations = ObservedQuery("SELECT \(column) FROM _ WHERE meta().id = 'a'", database, clock)
        try database.save("a", #"{"n":1}"#)
        try database.save("b", #"{"n":0}"#)
        expirations.listen()
        things.listen()
        #expect(expirations.notified() == ["-"])
        #expect(things.notified() == [#""a" 1"#])
        rest()
        try setExpiration(4_000_000_000_000, of: "a")
        #expect(expirations.notified() == ["4000000000000"])
        rest()
        try setExpiration(4_000_000_000_000, of: "b")
        #expect(expirations.notified() == [], "the rows are the same")
        rest()
        try setExpiration(nil, of: "a")
        #expect(expirations.notified() == ["-"])
        // A query that does not read expiration times was not run, so it need not wait.
        try database.save("b", #"{"n":2}"#)
        #expect(things.notified() == [#""a" 1, "b" 2"#])
    }

    @Test("a query that reads all metadata is run when an expiration time is set or removed")
    func metadata() throws {
        let query = "SELECT meta() FROM _ WHERE meta().id = 'a'"
        let metadata = ObservedQuery(query, database, clock)
        try database.save("a", #"{"n":1}"#)
        metadata.listen()
        let before = try database.rows(query)
        #expect(metadata.notified() == before)
        rest()
        try setExpiration(4_000_000_000_000, of: "a")
        let after = try database.rows(query)
        #expect(after.first?.contains(#""expiration":4000000000000"#) == true)
        #expect(metadata.notified() == after)
        rest()
        try setExpiration(nil, of: "a")
        #expect(metadata.notified() == before)
    }

    @Test("new parameters run the query at once, and all listeners are notified even of the same rows")
    func parameters() throws {
        try database.save("a", #"{"n":1}"#)
        try database.save("b", #"{"n":2}"#)
        let query = ObservedQuery("SELECT n FROM _ WHERE n >= $low ORDER BY n", database, clock)
        query.observer.setParameters(.success(try QueryParameters(json: #"{"low":1}"#)))
        #expect(query.notified() == [], "nobody listens")
        query.listen("x: ")
        query.listen("y: ")
        #expect(query.notified() == ["x: 1, 2", "y: 1, 2"])
        query.observer.setParameters(.success(try QueryParameters(json: #"{"low":2}"#)))
        #expect(query.notified() == ["x: 2", "y: 2"])
        query.observer.setParameters(.success(try QueryParameters(json: #"{"low":1.5}"#)))
        #expect(query.notified() == ["x: 2", "y: 2"])
        query.observer.setParameters(.success(try QueryParameters(json: #"{"other":0}"#)))
        #expect(query.notified() == ["x: Unknown query property 'other'", "y: Unknown query property 'other'"])
        query.observer.setParameters(.failure(Abort()))
        #expect(query.notified() == ["x: Abort()", "y: Abort()"])
        query.observer.setParameters(.success(try QueryParameters(json: #"{"low":1}"#)))
        #expect(query.notified() == ["x: 1, 2", "y: 1, 2"])
    }

    @Test("a later listener is notified of the rows of the last run, and other listeners are not")
    func later() throws {
        things.listen("x: ")
        #expect(things.notified() == ["x: "])
        rest()
        try database.save("a", #"{"n":1}"#)
        #expect(things.notified() == [#"x: "a" 1"#])
        try database.save("b", #"{"n":2}"#)
        things.listen("y: ")
        #expect(things.notified() == [#"y: "a" 1"#])
        #expect(things.notified(within: 500) == [#"x: "a" 1, "b" 2"#, #"y: "a" 1, "b" 2"#])
    }

    @Test("a removed listener is not notified, and without listeners the query is not run")
    func removed() throws {
        let (first, second) = (things.listen("x: "), things.listen("y: "))
        #expect(things.notified() == ["x: ", "y: "])
        things.observer.removeListener(first)
        things.observer.removeListener(first)
        rest()
        try database.save("a", #"{"n":1}"#)
        #expect(things.notified() == [#"y: "a" 1"#])
        try database.save("b", #"{"n":2}"#)
        things.observer.removeListener(second)
        clock.advance(by: 2000)
        #expect(clock.appointments == [])
        try database.save("c", #"{"n":3}"#)
        #expect(clock.appointments == [])
        #expect(things.notified(within: 1000) == [])
        things.listen("z: ")
        #expect(things.notified() == [#"z: "a" 1, "b" 2, "c" 3"#])
    }

    @Test("changes in other collections and rolled-back transactions do not wake an observed query")
    func unrelated() throws {
        let other = try database.collection("other")
        things.listen()
        #expect(things.notified() == [""])
        // From now on, only changes of other processes are looked for.
        rest()
        let appointments = clock.appointments
        #expect(appointments.count == 1)
        try database.save("a", #"{"n":1}"#, in: "other")
        _ = try database.file.transaction { try other.purge("a", in: $0) }
        let collection = try database.collection()
        #expect(throws: Abort.self) {
            try database.file.transaction { writer in
                _ = try collection.delete("a", base: .latest, in: writer)
                _ = try collection.save(DocumentSave("a", base: .latest), in: writer) { encoder in
                    encoder.beginDictionary()
                    encoder.endDictionary()
                    return false
                }
                throw Abort()
            }
        }
        #expect(clock.appointments == appointments)
        #expect(things.notified(within: 10_000) == [])
    }

    @Test("listeners of a join are notified of changes in each of its collections")
    func join() throws {
        try database.save("p", #"{"of":"x"}"#, in: "people")
        let query = ObservedQuery("SELECT p.name, t.n FROM _ AS t JOIN people AS p ON p.of = meta(t).id", database, clock)
        query.listen()
        #expect(query.notified() == [""])
        rest()
        try database.save("x", #"{"n":1}"#)
        #expect(query.notified() == ["- 1"])
        rest()
        try database.save("p", #"{"of":"x","name":"P"}"#, in: "people")
        #expect(query.notified() == [#""P" 1"#])
    }

    @Test("listeners of a query for deleted documents are notified when a tombstone is purged")
    func tombstones() throws {
        try database.save("a", #"{}"#)
        try database.delete("a")
        let query = ObservedQuery("SELECT meta().id FROM _ WHERE meta().deleted", database, clock)
        query.listen()
        #expect(query.notified() == [#""a""#])
        rest()
        try purge("a")
        #expect(query.notified() == [""])
    }

    @Test("listeners are notified of an error once, and of the rows when the error is resolved")
    func errors() throws {
        try database.save("a", #"{"n":1}"#, in: "people")
        let query = ObservedQuery("SELECT n FROM people", database, clock)
        query.listen()
        #expect(query.notified() == ["1"])
        rest()
        let people = try CollectionID(name: "people")
        try database.file.deleteCollection(people)
        #expect(query.notified() == [#"no such collection "people""#])
        #expect(query.notified(within: 5000) == [])
        try database.save("b", #"{"n":2}"#, in: "people")
        #expect(query.notified(within: 5000) == ["2"])
        let invalid = ObservedQuery("SELECT n FROM nowhere", database, clock)
        invalid.listen()
        #expect(invalid.notified().count == 1)
    }

    @Test("a query that could not be compiled is run within a second after its collection has been created")
    func created() throws {
        let query = ObservedQuery("SELECT n FROM people ORDER BY n", database, clock)
        query.listen()
        #expect(query.notified() == [#"no such collection "people""#])
        #expect(query.notified(within: 5000) == [])
        try database.save("a", #"{"n":1}"#, in: "people")
        #expect(query.notified(within: 1500) == ["1"])
        rest()
        try database.save("b", #"{"n":2}"#, in: "people")
        #expect(query.notified() == ["1, 2"])
    }

    @Test("a new listener of a query that has failed is notified of a new run")
    func retried() throws {
        let query = ObservedQuery("SELECT n FROM people", database, clock)
        query.listen("x: ")
        #expect(query.notified() == [#"x: no such collection "people""#])
        query.listen("y: ")
        #expect(query.notified() == [#"y: no such collection "people""#])
        try database.save("a", #"{"n":1}"#, in: "people")
        query.listen("z: ")
        #expect(query.notified() == ["x: 1", "y: 1", "z: 1"])
    }

    @Test("a suspended query notifies no listeners, and missed changes are reported after it resumes")
    func suspended() throws {
        things.listen()
        #expect(things.notified() == [""])
        rest()
        things.observer.suspend()
        try database.save("a", #"{"n":1}"#)
        #expect(things.notified(within: 5000) == [])
        things.observer.resume()
        #expect(things.notified() == [#""a" 1"#])
        things.observer.suspend()
        things.observer.resume()
        #expect(things.notified() == [])
        rest()
        try database.save("b", #"{"n":2}"#)
        #expect(things.notified() == [#""a" 1, "b" 2"#])
    }

    @Test("changes through another connection are found within a second, including purges and deleted collections")
    func foreign() throws {
        let reading = try database.reopenedForReading(clock: clock)
        let query = ObservedQuery("SELECT n FROM _ ORDER BY n", reading, clock)
        query.listen()
        #expect(query.notified() == [""])
        try database.save("a", #"{"n":1}"#)
        #expect(query.notified(within: 999) == [])
        #expect(query.notified(within: 1) == ["1"])
        try purge("a")
        #expect(query.notified(within: 1000) == [""])
        #expect(query.notified(within: 5000) == [])
        try database.save("a", #"{"n":1}"#, in: "people")
        let people = ObservedQuery("SELECT n FROM people", reading, clock)
        people.listen()
        #expect(people.notified() == ["1"])
        try database.file.deleteCollection(CollectionID(name: "people"))
        #expect(people.notified(within: 1000) == [#"no such collection "people""#])
    }

    @Test("an observed query schedules nothing after the file is closed")
    func closed() throws {
        things.listen()
        #expect(things.notified() == [""])
        try DatabaseRegistry.close(database.file)
        #expect(clock.appointments == [])
    }
}
