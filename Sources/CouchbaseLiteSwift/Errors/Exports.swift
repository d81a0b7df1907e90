// Apps import only this module, and use `URL`, `Date`, `Data`, `NSError` and dispatch queues from it (API 1.1).
@_exported public import Dispatch
@_exported public import Foundation
