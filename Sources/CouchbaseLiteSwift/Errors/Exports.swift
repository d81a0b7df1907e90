// Apps import this module alone and use `URL`, `Date`, `Data`, `NSError` and queues with it (API 1.1).
@_exported public import Dispatch
@_exported public import Foundation
