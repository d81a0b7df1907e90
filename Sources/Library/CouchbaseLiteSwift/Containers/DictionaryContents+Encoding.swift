import DocumentStore
import Fleece

extension DictionaryContents {
    /// Writes the dictionary. Unchanged values are copied in their encoded form.
    func encode(into encoder: inout Encoder, _ context: inout EncodingContext, saving save: BlobSaver) throws {
        if let source, let base, !hasChanges {
            context.copy(base, of: source.data, source.sharedKeys, into: &encoder)
            return
        }
        try context.enter()
        encoder.beginDictionary()
        if let source, let dictionary = base?.dictionary {
            if changes.place(of: BlobDictionary.typeKey) == nil { context.noticeType(of: dictionary, source.sharedKeys) }
            try encodeBase(dictionary, of: source, into: &encoder, &context, saving: save)
        }
        // A loop over copies would retain and release every key and value.
        try changes.entries.withUnsafeBufferPointer { entries in
            try newValues.withUnsafeBufferPointer { values in
                for place in entries.indices where entries[place].baseKey == .none && !entries[place].isRemoved {
                    encoder.writeKey(entries[place].key)
                    try values[place].encode(of: source, into: &encoder, &context, saving: save)
                    context.notice(values[place], forKey: entries[place].key)
                }
            }
        }
        encoder.endDictionary()
        context.leave()
    }

    private func encodeBase(
        _ dictionary: DictionaryValue,
        of source: FleeceSource,
        into encoder: inout Encoder,
        _ context: inout EncodingContext,
        saving save: BlobSaver
    ) throws {
        let keys = context.keys(of: source.sharedKeys, in: encoder)
        try dictionary.forEach { key, value throws in
            guard let place = changes.place(ofStored: key, in: source.sharedKeys) else {
                encoder.copyKey(key, from: keys)
                context.copy(value, of: source.data, source.sharedKeys, into: &encoder)
                return
            }
            if changes.entries[place].isRemoved { return }
            encoder.copyKey(key, from: keys)
            try newValues[place].encode(of: source, into: &encoder, &context, saving: save)
            context.notice(newValues[place], forKey: changes.entries[place].key)
        }
    }
}

extension PropertyValue {
    /// Writes the value; `source` is the source of stored values.
    func encode(of source: FleeceSource?, into encoder: inout Encoder, _ context: inout EncodingContext, saving save: BlobSaver) throws {
        switch self {
        case .scalar(let scalar): context.write(scalar, into: &encoder)
        case .object(.blob(let blob)):
            context.containsBlobs = true
            try blob.encode(into: &encoder, &context, saving: save)
        case .object(.array(let array)): try array.contents.encode(into: &encoder, &context, saving: save)
        case .object(.dictionary(let dictionary)): try dictionary.contents.encode(into: &encoder, &context, saving: save)
        case .stored(let value):
            guard let source else { return encoder.writeNull() }
            context.copy(value, of: source.data, source.sharedKeys, into: &encoder)
        }
    }
}
