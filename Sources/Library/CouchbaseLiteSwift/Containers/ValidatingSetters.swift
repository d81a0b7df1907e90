// Setters for values that may be of a type that cannot be stored. The other setters end the process because of them.

extension MutableDictionaryProtocol {
    /// Sets a value that may be of a type that cannot be stored; see ``setValue(_:forKey:)``.
    ///
    /// - Throws: ``CBLError/encodingError`` if the value, or one inside of it, is of a type that cannot be stored;
    ///   ``CBLError/invalidParameter`` if it contains this object. Nothing is changed then.
    @discardableResult
    public func setValue(validating value: Any?, forKey key: String) throws -> Self {
        setValue(try validated(value, for: self), forKey: key)
    }

    /// Replaces all values by some that may be of a type that cannot be stored; see ``setData(_:)``.
    ///
    /// - Throws: As ``setValue(validating:forKey:)``. Nothing is changed then.
    @discardableResult
    public func setData(validating data: [String: Any]?) throws -> Self { setData(try data?.mapValues { try validated($0, for: self) }) }
}

/// An index that is out of range is a programming error, which traps.
extension MutableArrayProtocol {
    /// Replaces the value at `index` by one that may be of a type that cannot be stored; see ``setValue(_:at:)``.
    ///
    /// - Throws: ``CBLError/encodingError`` if the value, or one inside of it, is of a type that cannot be stored;
    ///   ``CBLError/invalidParameter`` if it contains this array. Nothing is changed then.
    @discardableResult
    public func setValue(validating value: Any?, at index: Int) throws -> Self { setValue(try validated(value, for: self), at: index) }

    /// Appends a value that may be of a type that cannot be stored; see ``addValue(_:)``.
    ///
    /// - Throws: As ``setValue(validating:at:)``. Nothing is changed then.
    @discardableResult
    public func addValue(validating value: Any?) throws -> Self { addValue(try validated(value, for: self)) }

    /// Inserts a value that may be of a type that cannot be stored; see ``insertValue(_:at:)``.
    ///
    /// - Throws: As ``setValue(validating:at:)``. Nothing is changed then.
    @discardableResult
    public func insertValue(validating value: Any?, at index: Int) throws -> Self {
        insertValue(try validated(value, for: self), at: index)
    }

    /// Replaces all values by some that may be of a type that cannot be stored; see ``setData(_:)``.
    ///
    /// - Throws: As ``setValue(validating:at:)``. Nothing is changed then.
    @discardableResult
    public func setData(validating data: [Any]?) throws -> Self { setData(try data?.map { try validated($0, for: self) }) }
}

/// Returns the value in a form that can be set in `holder`.
private func validated(_ value: Any?, for holder: Any) throws -> Any {
    try throwingPublicErrors {
        let value = try PropertyValue(validating: value)
        if value.object?.holds(holder as AnyObject) == true { throw PropertyValue.insideItself }
        return value.any
    }
}
