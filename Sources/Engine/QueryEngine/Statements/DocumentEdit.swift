import Base
import Fleece
import QueryLanguage

/// The changes that an UPDATE makes to a document, or to a value in it.
indirect enum DocumentEdit {
    /// Replaces the value; removes it if the new value is MISSING.
    case set(ValueTemplate)
    case remove
    /// Changes members of a dictionary. A value that is missing or null becomes a dictionary; another one stays as it is.
    case members([MemberEdit])
    /// Changes items of an array. A negative index counts from the end; items that do not exist, and other values, stay as they are.
    case items([ItemEdit])

    /// The change of one member of a dictionary.
    struct MemberEdit {
        let key: String
        var edit: DocumentEdit
    }

    /// The change of one item of an array.
    struct ItemEdit {
        let index: Int
        var edit: DocumentEdit
    }

    /// Combines assignments, given as paths with the edits at their ends.
    ///
    /// - Throws: ``QueryError`` if one path is or begins with another, because the order of the changes would matter, or if a path is too long.
    static func combining(_ assignments: [(path: PropertyPath, edit: DocumentEdit)]) throws(QueryError) -> DocumentEdit {
        var root = DocumentEdit.members([])
        for (path, edit) in assignments {
            // No document is nested more deeply, and the edit is nested like the path.
            guard path.components.count <= Limits.maximumDepth else {
                throw .invalidQuery("the path of a property has more than \(Limits.maximumDepth) steps")
            }
            guard root.insert(edit, at: path.components[...]) else { throw .changedTwice("\(path)") }
        }
        return root
    }

    /// Adds an edit at a path. Returns `false` if another edit is at the path, or at the beginning of it, or behind it.
    private mutating func insert(_ edit: DocumentEdit, at path: ArraySlice<PropertyPath.Component>) -> Bool {
        guard let first = path.first else { return false }
        let rest = path.dropFirst()
        switch (self, first) {
        case (.members(var members), .key(let key)):
            if let position = members.firstIndex(where: { $0.key.isExactly(key) }) {
                guard members[position].edit.insert(edit, at: rest) else { return false }
            } else {
                members.append(MemberEdit(key: key, edit: Self.chain(edit, rest)))
            }
            self = .members(members)
        case (.items(var items), .index(let index)):
            if let position = items.firstIndex(where: { $0.index == index }) {
                guard items[position].edit.insert(edit, at: rest) else { return false }
            } else {
                items.append(ItemEdit(index: index, edit: Self.chain(edit, rest)))
            }
            self = .items(items)
        default:
            return false
        }
        return true
    }

    /// Returns both edits of the same value together; `nil` if they change the same part of it.
    fileprivate func merged(with other: DocumentEdit) -> DocumentEdit? {
        switch (self, other) {
        case (.members(var members), .members(let others)):
            for other in others {
                if let position = members.firstIndex(where: { $0.key.isExactly(other.key) }) {
                    guard let both = members[position].edit.merged(with: other.edit) else { return nil }
                    members[position].edit = both
                } else {
                    members.append(other)
                }
            }
            return .members(members)
        case (.items(var items), .items(let others)):
            for other in others {
                if let position = items.firstIndex(where: { $0.index == other.index }) {
                    guard let both = items[position].edit.merged(with: other.edit) else { return nil }
                    items[position].edit = both
                } else {
                    items.append(other)
                }
            }
            return .items(items)
        default:
            return nil
        }
    }

    /// Returns the edit at the end of a path.
    private static func chain(_ edit: DocumentEdit, _ path: ArraySlice<PropertyPath.Component>) -> DocumentEdit {
        path.reversed().reduce(edit) { inner, component in
            switch component {
            case .key(let key): .members([MemberEdit(key: key, edit: inner)])
            case .index(let index): .items([ItemEdit(index: index, edit: inner)])
            }
        }
    }
}

/// Writes a changed copy of a document.
struct DocumentEditor {
    let columns: ComputedColumns
    /// The shared keys of the document, which the encoder uses too.
    let keys: SharedKeys
    var budget: ValueBudget
    /// Whether a part of the edit has set or removed a value. One of a property or item that cannot exist has no effect.
    private(set) var hasEffect = false

    init(columns: ComputedColumns, keys: SharedKeys, budget: ValueBudget) {
        (self.columns, self.keys, self.budget) = (columns, keys, budget)
    }

    /// Whether the edit results in no value.
    private func removes(_ edit: DocumentEdit, _ old: Value?) -> Bool {
        switch edit {
        case .remove: true
        case .set(let template): template.isMissing(in: columns)
        case .items: old == nil
        case .members(let members): old == nil && members.allSatisfy { removes($0.edit, nil) }
        }
    }

    /// Writes the result of an edit that does not remove the value.
    ///
    /// - Throws: ``QueryError`` if two edits change the same item, one by its index from the beginning, and one by that from the end.
    mutating func write(_ edit: DocumentEdit, of old: Value?, to encoder: inout Encoder) throws(QueryError) {
        switch edit {
        case .remove: encoder.writeNull()
        case .set(let template):
            hasEffect = true
            template.write(columns, to: &encoder)
        case .members(let members):
            if let dictionary = old?.dictionary {
                try write(members, in: dictionary, to: &encoder)
            } else if let old, old.type != .null || members.allSatisfy({ removes($0.edit, nil) }) {
                copy(old, to: &encoder)
            } else {
                encoder.beginDictionary()
                for member in members { try writeNew(member, to: &encoder) }
                encoder.endDictionary()
            }
        case .items(let items):
            if let array = old?.array {
                try write(items, in: array, to: &encoder)
            } else if let old {
                copy(old, to: &encoder)
            }
        }
    }

    private mutating func write(
        _ members: [DocumentEdit.MemberEdit],
        in dictionary: DictionaryValue,
        to encoder: inout Encoder
    ) throws(QueryError) {
        encoder.beginDictionary()
        for (key, value) in dictionary.pairs {
            let edit = keys.withText(of: key) { text in members.first { text.elementsEqual($0.key.utf8) }?.edit }
            if let edit, removes(edit, value) {
                hasEffect = true
                continue
            }
            encoder.copyKey(key, from: .same)
            if let edit { try write(edit, of: value, to: &encoder) } else { copy(value, to: &encoder) }
        }
        for member in members where dictionary.value(for: member.key, sharedKeys: keys) == nil {
            try writeNew(member, to: &encoder)
        }
        encoder.endDictionary()
    }

    private mutating func writeNew(_ member: DocumentEdit.MemberEdit, to encoder: inout Encoder) throws(QueryError) {
        guard !removes(member.edit, nil) else { return }
        encoder.writeKey(member.key)
        try write(member.edit, of: nil, to: &encoder)
    }

    private mutating func write(_ items: [DocumentEdit.ItemEdit], in array: ArrayValue, to encoder: inout Encoder) throws(QueryError) {
        encoder.beginArray()
        for index in 0..<array.count {
            guard let value = array[index] else { continue }
            var edit: DocumentEdit?
            for item in items where item.index == index || item.index == index - array.count {
                guard let both = edit.map({ $0.merged(with: item.edit) }) ?? item.edit else { throw .changedTwice("[\(index)]") }
                edit = both
            }
            if let edit, removes(edit, value) {
                hasEffect = true
                continue
            }
            if let edit { try write(edit, of: value, to: &encoder) } else { copy(value, to: &encoder) }
        }
        encoder.endArray()
    }

    private mutating func copy(_ value: Value, to encoder: inout Encoder) { encoder.write(value, keys: .same, budget: &budget) }
}

extension QueryError {
    fileprivate static func changedTwice(_ path: String) -> QueryError {
        .invalidQuery("the statement changes the property '\(path)' more than once")
    }
}
