@_exported public import Foundation

@MainActor open class UIResponder: NSObject {
    public override nonisolated init() { super.init() }
}

@MainActor open class UINavigationItem: NSObject {
    open var prompt: String?
}

@MainActor open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) { super.init() }
    public required init?(coder: NSCoder) { super.init() }

    open var navigationItem: UINavigationItem { fatalError() }

    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
}

@MainActor open class UITableView: UIResponder {
    public enum Style: Int, Sendable { case plain, grouped, insetGrouped }
    public enum RowAnimation: Int, Sendable { case fade, right, left, top, bottom, none, middle, automatic = 100 }

    open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {}
    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
    open func reconfigureRows(at indexPaths: [IndexPath]) {}
    open func reloadData() {}
}

@MainActor open class UITableViewController: UIViewController {
    public init(style: UITableView.Style) { super.init(nibName: nil, bundle: nil) }
    public override init(nibName: String?, bundle: Bundle?) { super.init(nibName: nibName, bundle: bundle) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var tableView: UITableView! { fatalError() }
}

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)

    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
}

@MainActor open class UIApplication: UIResponder {
    open class var shared: UIApplication { fatalError() }

    nonisolated open func beginBackgroundTask(
        withName name: String?,
        expirationHandler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { fatalError() }
    nonisolated open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { fatalError() }
}
