import DatabaseRuntime
import DocumentStore
import Fleece
import ModelCoding
import QueryEngine

/// A model of the app, as the engine calls it.
final class ObjectModel: PredictionModel {
    // Safe: the app must register a model that can be called from any thread.
    nonisolated(unsafe) private let model: any PredictiveModel

    init(_ model: any PredictiveModel) { self.model = model }

    func output(for input: FleeceData, _ call: PredictionCall) -> [UInt8]? {
        guard let source = FleeceSource(input, of: call), let value = input.root else { return nil }
        guard let output = model.predict(input: DictionaryObject(source: source, value: value, isMutable: false)) else { return nil }
        return encoded(output, call)
    }

    private func encoded(_ output: DictionaryObject, _ call: PredictionCall) -> [UInt8]? {
        var output = output
        if output.containsNewBlob {
            call.warn("a blob in its output was never saved, and is left out")
            let saved = output.toMutable()
            saved.removeNewBlobs()
            output = saved
        }
        do {
            var encoder = Encoder()
            var context = EncodingContext()
            try output.contents.encode(into: &encoder, &context) { try $0.savedDigest }
            return try context.checked(encoder.finishedData(), as: "output").copiedBytes
        } catch {
            call.warn("its output cannot be encoded: \(LibraryError.shown(error).localizedDescription)")
            return nil
        }
    }
}

/// A model of the app that computes with types of its own.
final class TypedModel<Input: Decodable, Output: Encodable>: PredictionModel {
    private let body: @Sendable (Input) throws -> Output?

    init(_ body: @escaping @Sendable (Input) throws -> Output?) { self.body = body }

    func output(for input: FleeceData, _ call: PredictionCall) -> [UInt8]? {
        guard let source = FleeceSource(input, of: call), let value = input.root else { return nil }
        do {
            guard let output = try body(try ModelDecoding(source, types: .ofAPI).decode(Input.self, from: value)) else { return nil }
            // The encoded output is in the memory of this encoder.
            let encoder = BodyEncoder()
            return try withExtendedLifetime(encoder) {
                try ModelEncoding.encode(output, with: encoder, types: .ofAPI, blobs: SavedBlobReferences()).withRoot { root, keys in
                    guard root.type == .dictionary else { throw LibraryError(CBLError.encodingError, "it is not a dictionary") }
                    var copy = Encoder()
                    copy.writeCopy(of: root, keys: keys)
                    return try copy.finishedData().copiedBytes
                }
            }
        } catch {
            call.warn("it has no output: \(LibraryError.shown(error).localizedDescription)")
            return nil
        }
    }
}

/// Writes the blobs in an output, which must have been saved.
private struct SavedBlobReferences: BlobWriting {
    func write(_ blob: Any, into encoder: inout Encoder) throws {
        var context = EncodingContext()
        try (blob as? Blob)?.encode(into: &encoder, &context) { try $0.savedDigest }
    }
}

extension FleeceSource {
    /// Creates the source of an input; `nil` if it has no root, which is impossible.
    fileprivate init?(_ input: FleeceData, of call: PredictionCall) {
        guard input.root != nil else { return nil }
        self.init(data: input, sharedKeys: .empty, file: call.file.map { CallingFile($0) })
    }
}

extension Blob {
    fileprivate var savedDigest: BlobDigest {
        get throws {
            guard let digest = digest.flatMap({ BlobDigest($0) }) else {
                throw LibraryError(CBLError.encodingError, "a blob in it was never saved")
            }
            return digest
        }
    }
}

// MARK: - Blobs that were never saved

extension PropertyObject {
    fileprivate var containsNewBlob: Bool {
        switch self {
        case .blob(let blob): blob.isNew
        case .array(let array): (0..<array.count).contains { Self.of(array.value(at: $0))?.containsNewBlob ?? false }
        case .dictionary(let dictionary): dictionary.containsNewBlob
        }
    }

    fileprivate static func of(_ value: Any?) -> PropertyObject? {
        switch value {
        case let blob as Blob: .blob(blob)
        case let array as ArrayObject: .array(array)
        case let dictionary as DictionaryObject: .dictionary(dictionary)
        default: nil
        }
    }
}

extension DictionaryObject {
    /// Only what was set can be new; stored values are not read.
    fileprivate var containsNewBlob: Bool {
        guard contents.hasChanges else { return false }
        return keys.contains { PropertyObject.of(value(forKey: $0))?.containsNewBlob ?? false }
    }
}

extension MutableDictionaryObject {
    fileprivate func removeNewBlobs() {
        for key in keys {
            switch value(forKey: key) {
            case let blob as Blob where blob.isNew: removeValue(forKey: key)
            case let array as MutableArrayObject: array.removeNewBlobs()
            case let dictionary as MutableDictionaryObject: dictionary.removeNewBlobs()
            default: break
            }
        }
    }
}

extension MutableArrayObject {
    fileprivate func removeNewBlobs() {
        for index in (0..<count).reversed() {
            switch value(at: index) {
            case let blob as Blob where blob.isNew: removeValue(at: index)
            case let array as MutableArrayObject: array.removeNewBlobs()
            case let dictionary as MutableDictionaryObject: dictionary.removeNewBlobs()
            default: break
            }
        }
    }
}

extension FleeceData {
    /// A copy of the data, which is valid only as long as this object.
    fileprivate var copiedBytes: [UInt8] { withExtendedLifetime(self) { [UInt8](bytes) } }
}
