import DocumentStore
import Testing

@Suite("Activities of a database")
struct DatabaseActivitiesTests {
    @Test("no activity begins while any thread is closing the database")
    func twoClosings() throws {
        let activities = DatabaseActivities()
        let number = activities.begin(stop: {})
        activities.end(try #require(number))
        activities.stopAll()
        activities.stopAll()
        // The second thread has failed to close the database; the first one has not finished closing it.
        activities.allow()
        #expect(activities.begin(stop: {}) == nil)
        activities.allow()
        #expect(activities.begin(stop: {}) != nil)
    }
}
