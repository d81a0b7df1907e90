public import Foundation

public enum MLFeatureType: Int {
    case invalid, int64, double, string, image, multiArray, dictionary, sequence
}

public enum MLMultiArrayDataType: Int {
    case double, float32, int32
}

open class MLModel: NSObject {
    open var modelDescription: MLModelDescription { fatalError() }
    open func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider { fatalError() }
}

open class MLModelDescription: NSObject {
    open var inputDescriptionsByName: [String: MLFeatureDescription] { fatalError() }
    open var predictedFeatureName: String? { fatalError() }
    open var predictedProbabilitiesName: String? { fatalError() }
}

open class MLFeatureDescription: NSObject {
    open var name: String { fatalError() }
    open var type: MLFeatureType { fatalError() }
    open var isOptional: Bool { fatalError() }
    open var multiArrayConstraint: MLMultiArrayConstraint? { fatalError() }
    open var imageConstraint: MLImageConstraint? { fatalError() }
}

open class MLMultiArrayConstraint: NSObject {
    open var shape: [NSNumber] { fatalError() }
    open var dataType: MLMultiArrayDataType { fatalError() }
}

open class MLImageConstraint: NSObject {}

open class MLMultiArray: NSObject {
    public convenience init(shape: [NSNumber], dataType: MLMultiArrayDataType) throws { fatalError() }
    open var count: Int { fatalError() }
    open subscript(index: Int) -> NSNumber {
        get { fatalError() }
        set { fatalError() }
    }
}

open class MLSequence: NSObject {
    public convenience init(strings: [String]) { fatalError() }
    public convenience init(int64s: [NSNumber]) { fatalError() }
    open var type: MLFeatureType { fatalError() }
    open var stringValues: [String] { fatalError() }
    open var int64Values: [NSNumber] { fatalError() }
}

public protocol MLFeatureProvider {
    var featureNames: Set<String> { get }
    func featureValue(for featureName: String) -> MLFeatureValue?
}

open class MLDictionaryFeatureProvider: NSObject, MLFeatureProvider {
    public init(dictionary: [String: Any]) throws { fatalError() }
    open var featureNames: Set<String> { fatalError() }
    open func featureValue(for featureName: String) -> MLFeatureValue? { fatalError() }
}

open class MLFeatureValue: NSObject {
    public struct ImageOption: Hashable {}

    public convenience init(int64 value: Int64) { fatalError() }
    public convenience init(double value: Double) { fatalError() }
    public convenience init(string value: String) { fatalError() }
    public convenience init(multiArray value: MLMultiArray) { fatalError() }
    public convenience init(sequence: MLSequence) { fatalError() }
    public convenience init(dictionary value: [AnyHashable: NSNumber]) throws { fatalError() }
    public convenience init(imageAt url: URL, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil) throws { fatalError() }
    open var type: MLFeatureType { fatalError() }
    open var int64Value: Int64 { fatalError() }
    open var doubleValue: Double { fatalError() }
    open var stringValue: String { fatalError() }
    open var multiArrayValue: MLMultiArray? { fatalError() }
    open var dictionaryValue: [AnyHashable: NSNumber] { fatalError() }
    open var sequenceValue: MLSequence? { fatalError() }
}
