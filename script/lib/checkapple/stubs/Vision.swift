public import CoreML
public import Foundation

open class VNRequest: NSObject {}

open class VNObservation: NSObject {
    open var confidence: Float { fatalError() }
}

open class VNClassificationObservation: VNObservation {
    open var identifier: String { fatalError() }
}

open class VNCoreMLFeatureValueObservation: VNObservation {
    open var featureName: String { fatalError() }
    open var featureValue: MLFeatureValue { fatalError() }
}

open class VNCoreMLModel: NSObject {
    public convenience init(for model: MLModel) throws { fatalError() }
}

open class VNCoreMLRequest: VNRequest {
    public convenience init(model: VNCoreMLModel) { fatalError() }
    open var results: [VNObservation]? { fatalError() }
}

public struct VNImageOption: Hashable {}

open class VNImageRequestHandler: NSObject {
    public init(data: Data, options: [VNImageOption: Any] = [:]) { fatalError() }
    open func perform(_ requests: [VNRequest]) throws { fatalError() }
}
