import Synchronization

extension DocumentID {
    /// For each class seen so far, the index of the wrapper among its properties; `nil` for a class that has none.
    private static let places = Mutex<[ObjectIdentifier: Int?]>([:])

    /// Returns the wrapper that the class of `object` itself declares.
    ///
    /// - Throws: `invalidParameter` if there is none.
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
