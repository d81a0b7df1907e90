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

    @Test("an activity that has stopped does not run, although it has not been unregistered yet")
    func stoppedActivity() throws {
        let activities = DatabaseActivities()
        #expect(!activities.areRunning)
        _ = activities.begin(stop: {}, isRunning: { false })
        #expect(!activities.areRunning)
        let number = activities.begin(stop: {})
        #expect(activities.areRunning)
        activities.end(try #require(number))
        #expect(!activities.areRunning)
    }
}
