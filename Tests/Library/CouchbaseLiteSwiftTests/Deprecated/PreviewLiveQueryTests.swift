import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Samples of live queries")
struct PreviewLiveQueryTests {
    let folder: DeprecatedFolder
    let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.database()
    }

    private func save(_ name: String) throws {
        try database.saveDocument(MutableDocument(id: name).setString("airline", forKey: "type").setString(name, forKey: "name"))
    }

    /// Waits without blocking the main queue.
    private func wait(_ recorder: Recorder<[String]>, forCount count: Int) async -> [[String]] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: recorder.wait(forCount: count)) }
        }
    }

    @Test("a change listener of a query is notified until it is removed")
    func changeListener() async throws {
        let received = Recorder<[String]>()
        func print(_ text: String) { received.append([text]) }
        let query =
            QueryBuilder
            .select(SelectResult.property("name"))
            .from(DataSource.database(database))
            .where(Expression.property("type").equalTo(Expression.string("airline")))

        let token = query.addChangeListener { (change) in
            for result in change.results! {
                print(result.string(forKey: "name")!)
            }
        }
        try save("Air Baltic")
        #expect(await wait(received, forCount: 1) == [["Air Baltic"]])

        query.removeChangeListener(withToken: token)
        try save("Ryanair")
        #expect(try query.execute().allResults().count == 2)
    }

    @Test("a live query runs from its first listener until it is stopped, and can be started again")
    func liveQuery() async throws {
        let received = Recorder<[String]>()
        let query = QueryBuilder.select(SelectResult.property("name")).from(DataSource.database(database))
            .where(Expression.property("type").equalTo(Expression.parameter("type")))
        let liveQuery = query.toLive()
        liveQuery.parameters = Parameters().setString("airline", forName: "type")
        #expect(liveQuery.rows == nil)
        let token = liveQuery.addChangeListener { change in
            let rows = change.query.rows?.map { $0.string(at: 0) ?? "" }
            if rows == change.rows?.map({ $0.string(at: 0) ?? "" }) { received.append(rows ?? ["error"]) }
        }
        liveQuery.run()
        #expect(await wait(received, forCount: 1) == [[]])
        try save("Air Baltic")
        #expect(await wait(received, forCount: 2).last == ["Air Baltic"])
        liveQuery.stop()
        try save("Ryanair")
        #expect(liveQuery.rows?.allResults().count == 1)
        #expect(liveQuery.rows?.allResults().count == 1, "they can be asked for more than once")
        liveQuery.start()
        #expect(await wait(received, forCount: 3).last == ["Air Baltic", "Ryanair"])
        liveQuery.parameters = Parameters().setString("airport", forName: "type")
        #expect(await wait(received, forCount: 4).last == [])
        liveQuery.removeChangeListener(withToken: token)
        liveQuery.parameters = Parameters().setString("airline", forName: "type")
        let later = Recorder<[String]>()
        liveQuery.addChangeListener { later.append($0.rows?.map { $0.string(at: 0) ?? "" } ?? []) }
        let last = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: later.wait { $0.last?.count == 2 }) }
        }
        #expect(last.last == ["Air Baltic", "Ryanair"])
        #expect(received.all.count == 4)
    }
}
