public import Foundation

open class BGTaskRequest: NSObject {
    open var identifier: String { fatalError() }
    open var earliestBeginDate: Date?
}

public class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) { super.init() }
}

public class BGTaskScheduler: NSObject {
    public class var shared: BGTaskScheduler { fatalError() }

    public func submit(_ request: BGTaskRequest) throws { fatalError() }
}
