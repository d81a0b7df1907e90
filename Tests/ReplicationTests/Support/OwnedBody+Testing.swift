import DocumentStore
import Fleece

extension OwnedBody {
    /// The body as JSON, its keys in order.
    var json: String {
        get throws { try data.withRoot { try JSON.string($0, sharedKeys: keys, form: .canonical) } ?? "" }
    }
}
