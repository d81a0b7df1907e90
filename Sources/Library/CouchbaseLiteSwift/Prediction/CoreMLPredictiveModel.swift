#if canImport(CoreML)
public import CoreML
import Vision

/// A predictive model that is a Core ML model. Its features are the properties of the input and of the output, by their names.
///
/// ```swift
/// let model = CoreMLPredictiveModel(mlModel: try MobileNet(configuration: MLModelConfiguration()).model)
/// Database.prediction.registerModel(model, withName: "MobileNet")
/// ```
///
/// Not thread-safe until it is registered: set the transformers before.
public final class CoreMLPredictiveModel: PredictiveModel {
    private let model: MLModel
    /// Changes the input before it is converted to features; `nil`, the default, for no change.
    public var inputTransformer: ((DictionaryObject) -> DictionaryObject)?
    /// Changes the output, which is `nil` if there is none; `nil`, the default, for no change.
    public var outputTransformer: ((DictionaryObject?) -> DictionaryObject?)?

    /// Creates a predictive model.
    public init(mlModel: MLModel) { model = mlModel }

    /// Returns the output features; `nil` if a feature is missing in the input, or has a wrong type, or the model fails.
    public func predict(input: DictionaryObject) -> DictionaryObject? {
        let input = inputTransformer?(input) ?? input
        let output = features(for: input).map(Self.dictionary)
        guard let outputTransformer else { return output }
        return outputTransformer(output)
    }

    private func features(for input: DictionaryObject) -> [String: MLFeatureValue]? {
        let descriptions = model.modelDescription.inputDescriptionsByName
        if descriptions.count == 1, let (name, description) = descriptions.first, description.type == .image,
            let image = input.blob(forKey: name)?.content, let output = visionFeatures(of: image)
        {
            return output
        }
        var values: [String: MLFeatureValue] = [:]
        for (name, description) in descriptions {
            guard let value = Self.feature(input, name, description) else {
                if description.isOptional { continue }
                return nil
            }
            values[name] = value
        }
        guard let provider = try? MLDictionaryFeatureProvider(dictionary: values), let output = try? model.prediction(from: provider)
        else { return nil }
        return Dictionary(
            uniqueKeysWithValues: output.featureNames.compactMap { name in output.featureValue(for: name).map { (name, $0) } }
        )
    }

    /// Returns the output for an image, which Vision scales to the size that the model needs; `nil` if Vision cannot use the model.
    private func visionFeatures(of image: Data) -> [String: MLFeatureValue]? {
        guard let visionModel = try? VNCoreMLModel(for: model) else { return nil }
        let request = VNCoreMLRequest(model: visionModel)
        guard (try? VNImageRequestHandler(data: image, options: [:]).perform([request])) != nil, let results = request.results,
            !results.isEmpty
        else { return nil }
        let outputs = model.modelDescription
        if let labels = results as? [VNClassificationObservation], let best = labels.first {
            var features: [String: MLFeatureValue] = [:]
            if let name = outputs.predictedFeatureName { features[name] = MLFeatureValue(string: best.identifier) }
            if let name = outputs.predictedProbabilitiesName {
                let pairs = labels.map { (AnyHashable($0.identifier), NSNumber(value: $0.confidence)) }
                features[name] = try? MLFeatureValue(dictionary: Dictionary(pairs) { first, _ in first })
            }
            return features
        }
        if let values = results as? [VNCoreMLFeatureValueObservation] {
            return Dictionary(values.map { ($0.featureName, $0.featureValue) }) { first, _ in first }
        }
        return nil
    }

    // MARK: Conversion

    private static func feature(_ input: DictionaryObject, _ name: String, _ description: MLFeatureDescription) -> MLFeatureValue? {
        switch description.type {
        case .int64: return input.number(forKey: name).map { MLFeatureValue(int64: $0.int64Value) }
        case .double: return input.number(forKey: name).map { MLFeatureValue(double: $0.doubleValue) }
        case .string: return input.string(forKey: name).map { MLFeatureValue(string: $0) }
        case .dictionary:
            guard let values = input.dictionary(forKey: name)?.toDictionary() as? [String: NSNumber] else { return nil }
            return try? MLFeatureValue(dictionary: Dictionary(uniqueKeysWithValues: values.map { (AnyHashable($0), $1) }))
        case .multiArray:
            guard let constraint = description.multiArrayConstraint, let values = input.array(forKey: name),
                let array = try? MLMultiArray(shape: constraint.shape, dataType: constraint.dataType)
            else { return nil }
            let numbers = flattened(values)
            guard numbers.count == array.count else { return nil }
            for (index, number) in numbers.enumerated() { array[index] = number }
            return MLFeatureValue(multiArray: array)
        case .image:
            guard let constraint = description.imageConstraint, let blob = input.blob(forKey: name) else { return nil }
            return image(blob, constraint)
        case .sequence:
            guard let values = input.array(forKey: name)?.toArray() else { return nil }
            if let texts = values as? [String] { return MLFeatureValue(sequence: MLSequence(strings: texts)) }
            return (values as? [NSNumber]).map { MLFeatureValue(sequence: MLSequence(int64s: $0)) }
        default: return nil
        }
    }

    /// Core ML reads images from files only.
    private static func image(_ blob: Blob, _ constraint: MLImageConstraint) -> MLFeatureValue? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        guard let content = blob.content, (try? content.write(to: file)) != nil else { return nil }
        defer { try? FileManager.default.removeItem(at: file) }
        return try? MLFeatureValue(imageAt: file, constraint: constraint, options: nil)
    }

    private static func flattened(_ array: ArrayObject) -> [NSNumber] {
        (0..<array.count).flatMap { index -> [NSNumber] in
            if let inner = array.array(at: index) { return flattened(inner) }
            return array.number(at: index).map { [$0] } ?? []
        }
    }

    private static func dictionary(_ features: [String: MLFeatureValue]) -> DictionaryObject {
        let output = MutableDictionaryObject()
        for (name, feature) in features {
            if let value = plain(feature) { output.setValue(value, forKey: name) }
        }
        return output
    }

    private static func plain(_ feature: MLFeatureValue) -> Any? {
        switch feature.type {
        case .int64: return feature.int64Value
        case .double: return feature.doubleValue
        case .string: return feature.stringValue
        case .dictionary:
            return Dictionary(feature.dictionaryValue.map { ("\($0)", $1 as Any) }) { first, _ in first }
        case .multiArray: return feature.multiArrayValue.map { array in (0..<array.count).map { array[$0] as Any } }
        case .sequence:
            return feature.sequenceValue.map { $0.type == .string ? $0.stringValues as [Any] : $0.int64Values as [Any] }
        default: return nil
        }
    }
}
#endif
