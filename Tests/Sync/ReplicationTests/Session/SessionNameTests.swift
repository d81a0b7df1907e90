import BLIP
import SyncCore
import Testing

@testable import Replication

@Suite("Names of sessions in the log")
struct SessionNameTests {
    @Test("the name of a session is followed by the correlation ID of its connection")
    func correlationID() throws {
        let replica = try TestReplica()
        func name(_ headers: [(name: String, value: String)]) -> String {
            let context = SessionContext(database: replica.database, options: BLIPOptions(), logName: "Replicator", currentTime: { 0 })
            context.open(ChannelHandshake(responseHeaders: headers))
            return context.logName
        }
        #expect(name([("X-Correlation-Id", "c0ffee")]) == "Replicator [c0ffee]")
        #expect(name([("Server", "x")]) == "Replicator")
    }
}
