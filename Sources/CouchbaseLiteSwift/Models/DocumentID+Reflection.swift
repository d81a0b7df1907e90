import Synchronization

extension DocumentID {
    /// Where the wrapper is among the properties of the classes seen so far; nil in those that have none.
    private static let places = Mutex<[ObjectIdentifier: Int?]>([:])

    /// The wrapper that the class of `object` declares itself.
    ///
    /// - Throws: `invalidParameter` when there is none.
    static func of(_ object: AnyObject) throws -> DocumentID {
        let type: AnyClass = Swift.type(of: object)
        let properties = Mirror(reflecting: object).children
        let known = places.withLock { $0[ObjectIdentifier(type)] }
        let place = known ?? properties.enumerated().first { $0.element.value is DocumentID }?.offset
        if known == nil { places.withLock { $0[ObjectIdentifier(type)] = .some(place) } }
        if let place {
            let index = properties.index(properties.startIndex, offsetBy: place)
            if let wrapper = properties[index].value as? DocumentID { return wrapper }
        }
        throw NSError.couchbaseLite(
            code: CBLError.invalidParameter,
            message: "The class \(type) has no property that is marked with @DocumentID"
        )
    }
}
