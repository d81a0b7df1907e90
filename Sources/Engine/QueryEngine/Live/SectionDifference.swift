/// Rows in sections: those with the same key, in the order of the rows. The sections are in the order of their first rows.
package struct RowSections<Key: Hashable> {
    /// The keys of the sections.
    package private(set) var keys: [Key] = []
    /// For each section the indexes of its rows, ascending.
    package private(set) var rows: [[Int]] = []
    /// For each row its place.
    package private(set) var places: [SectionDifference.Place] = []

    /// Groups rows that have these keys.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    package init(_ keysOfRows: some Sequence<Key>) {
        var sections: [Key: Int] = [:]
        for (row, key) in keysOfRows.enumerated() {
            let section = sections[key] ?? rows.count
            if section == rows.count {
                sections[key] = section
                keys.append(key)
                rows.append([])
            }
            places.append(SectionDifference.Place(section: section, item: rows[section].count))
            rows[section].append(row)
        }
    }
}

extension RowSections: Sendable where Key: Sendable {}

/// The changes that turn rows in sections into other rows in sections, by indexes as list views expect them.
///
/// A section whose order relative to others has changed is removed and inserted again, because list views do not accept that a section and a row
/// in it change together. Rows of removed and inserted sections are not listed.
package struct SectionDifference: Equatable, Sendable {
    /// The place of a row.
    package struct Place: Hashable, Sendable, Comparable {
        /// The index of the section.
        package let section: Int
        /// The index of the row in the section.
        package let item: Int

        package init(section: Int, item: Int) { (self.section, self.item) = (section, item) }

        package static func < (left: Place, right: Place) -> Bool { (left.section, left.item) < (right.section, right.item) }
    }

    /// The places of a row in both.
    package struct Pair: Hashable, Sendable {
        /// The place before.
        package let old: Place
        /// The place after.
        package let new: Place

        package init(old: Place, new: Place) { (self.old, self.new) = (old, new) }
    }

    /// The old indexes of removed sections, ascending.
    package private(set) var removedSections: [Int] = []
    /// The new indexes of inserted sections, ascending.
    package private(set) var insertedSections: [Int] = []
    /// The old places of removed rows, ascending.
    package private(set) var removed: [Place] = []
    /// The new places of inserted rows, ascending.
    package private(set) var inserted: [Place] = []
    /// The rows that are in another section, or whose order relative to the other rows of their section has changed, by new place.
    package private(set) var moved: [Pair] = []
    /// The rows whose values have changed, by new place.
    package private(set) var updated: [Pair] = []

    /// Compares rows in sections.
    ///
    /// - Parameter rows: The difference of the rows without sections.
    /// - Complexity: O(*n* log *n*) in the number of rows.
    package init<Key>(from old: RowSections<Key>, to new: RowSections<Key>, _ rows: RowDifference) {
        let kept = keepSections(old.keys, new.keys)
        let origins = rows.origins(of: old.places.count, count: new.places.count)
        for index in rows.removed where kept[old.places[index].section] != nil { removed.append(old.places[index]) }
        // For each section that is kept, the rows that were in it and still are, in their new order.
        var staying = [[Pair]](repeating: [], count: new.keys.count)
        let isInserted = Set(insertedSections)
        for (place, origin) in zip(new.places, origins) {
            let isInNewSection = isInserted.contains(place.section)
            guard let from = origin.map({ old.places[$0] }), let section = kept[from.section] else {
                if !isInNewSection { inserted.append(place) }
                continue
            }
            if isInNewSection {
                removed.append(from)
            } else if section == place.section {
                staying[section].append(Pair(old: from, new: place))
            } else {
                moved.append(Pair(old: from, new: place))
            }
        }
        for pairs in staying {
            moved += zip(pairs, RowDifference.longestIncreasingRun(pairs.map(\.old.item))).filter { !$0.1 }.map(\.0)
        }
        for pair in rows.updated {
            let (from, place) = (old.places[pair.old], new.places[pair.new])
            if kept[from.section] != nil, !isInserted.contains(place.section) { updated.append(Pair(old: from, new: place)) }
        }
        removed.sort()
        inserted.sort()
        moved.sort { $0.new < $1.new }
        updated.sort { $0.new < $1.new }
    }

    /// Whether nothing has changed.
    package var isEmpty: Bool {
        removedSections.isEmpty && insertedSections.isEmpty && removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// Finds the removed and inserted sections, and returns for each old section its new index; `nil` if it is removed.
    private mutating func keepSections<Key: Hashable>(_ old: [Key], _ new: [Key]) -> [Int?] {
        let indexes = Dictionary(uniqueKeysWithValues: zip(new, new.indices))
        var kept = old.map { indexes[$0] }
        let common = kept.indices.filter { kept[$0] != nil }
        let stays = RowDifference.longestIncreasingRun(common.compactMap { kept[$0] })
        for (index, stays) in zip(common, stays) where !stays { kept[index] = nil }
        removedSections = kept.indices.filter { kept[$0] == nil }
        let known = Set(kept.compactMap(\.self))
        insertedSections = new.indices.filter { !known.contains($0) }
        return kept
    }
}
