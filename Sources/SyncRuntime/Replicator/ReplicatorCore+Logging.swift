#if Replication
import SyncCore
import LogCore
import Replication

extension ReplicatorCore {
    func log(_ level: EventLevel, _ message: @autoclosure () -> String) {
        EngineLog.log(level, .replicator, "\(logName): \(message())")
    }

    /// Logs a step of the life cycle.
    func log(_ actions: [ReplicatorLifeCycle.Action], _ level: ReplicatorLifeCycle.Level, _ error: SyncError?) {
        for action in actions {
            switch (action, level) {
            case (.connect, _): log(.info, "connecting")
            case (.close, _), (.abort, _): log(.info, "closing the connection")
            case (.setTimer(let time), .offline):
                log(.info, "retrying in \(Double(time) / 1000) s: \(error?.description ?? "")")
            case (.report, .offline) where !actions.contains(where: \.isTimer):
                log(.info, error.map { "waiting for the network: \($0)" } ?? "suspended")
            case (.report, .stopped):
                if let error { log(.warning, "stopped with an error: \(error)") } else { log(.info, "stopped") }
            default: break
            }
        }
    }
}

extension ReplicatorLifeCycle.Action {
    fileprivate var isTimer: Bool {
        if case .setTimer = self { true } else { false }
    }
}
#endif
