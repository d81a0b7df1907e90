import CouchbaseLiteSwift
import Testing

@Suite("Declarations of fragments")
struct FragmentContract {

    private func fragmentProtocol<T: FragmentProtocol>(_: T.Type) {
        let _: KeyPath<T, Any?> = \.value
        let _: KeyPath<T, String?> = \.string
        let _: KeyPath<T, Int> = \.int
        let _: KeyPath<T, Int64> = \.int64
        let _: KeyPath<T, Float> = \.float
        let _: KeyPath<T, Double> = \.double
        let _: KeyPath<T, NSNumber?> = \.number
        let _: KeyPath<T, Bool> = \.boolean
        let _: KeyPath<T, Date?> = \.date
        let _: KeyPath<T, Blob?> = \.blob
        let _: KeyPath<T, ArrayObject?> = \.array
        let _: KeyPath<T, DictionaryObject?> = \.dictionary
        let _: KeyPath<T, Bool> = \.exists
    }

    private func arrayFragment<T: ArrayFragment>(_: T.Type) {
        let _: KeyPath<T, Fragment> = \.[1]
    }

    private func dictionaryFragment<T: DictionaryFragment>(_: T.Type) {
        let _: KeyPath<T, Fragment> = \.["x"]
    }

    @Test("Fragment has the declared members and protocols")
    func fragment() {
        let _: any FragmentProtocol.Type = Fragment.self
        let _: any ArrayFragment.Type = Fragment.self
        let _: any DictionaryFragment.Type = Fragment.self
        let _: KeyPath<Fragment, Any?> = \.value
        let _: KeyPath<Fragment, String?> = \.string
        let _: KeyPath<Fragment, Int> = \.int
        let _: KeyPath<Fragment, Int64> = \.int64
        let _: KeyPath<Fragment, Float> = \.float
        let _: KeyPath<Fragment, Double> = \.double
        let _: KeyPath<Fragment, NSNumber?> = \.number
        let _: KeyPath<Fragment, Bool> = \.boolean
        let _: KeyPath<Fragment, Date?> = \.date
        let _: KeyPath<Fragment, Blob?> = \.blob
        let _: KeyPath<Fragment, ArrayObject?> = \.array
        let _: KeyPath<Fragment, DictionaryObject?> = \.dictionary
        let _: KeyPath<Fragment, Bool> = \.exists
        let _: KeyPath<Fragment, Fragment> = \.[1]
        let _: KeyPath<Fragment, Fragment> = \.["x"]
    }

    private func mutableFragmentProtocol<T: MutableFragmentProtocol>(_: T.Type) {
        let _: (T) -> any FragmentProtocol = { $0 }
        let _: WritableKeyPath<T, Any?> = \.value
        let _: WritableKeyPath<T, String?> = \.string
        let _: WritableKeyPath<T, NSNumber?> = \.number
        let _: WritableKeyPath<T, Int> = \.int
        let _: WritableKeyPath<T, Int64> = \.int64
        let _: WritableKeyPath<T, Float> = \.float
        let _: WritableKeyPath<T, Double> = \.double
        let _: WritableKeyPath<T, Bool> = \.boolean
        let _: WritableKeyPath<T, Date?> = \.date
        let _: WritableKeyPath<T, Blob?> = \.blob
        let _: WritableKeyPath<T, MutableArrayObject?> = \.array
        let _: WritableKeyPath<T, MutableDictionaryObject?> = \.dictionary
    }

    private func mutableArrayFragment<T: MutableArrayFragment>(_: T.Type) {
        let _: KeyPath<T, MutableFragment> = \.[1]
    }

    private func mutableDictionaryFragment<T: MutableDictionaryFragment>(_: T.Type) {
        let _: KeyPath<T, MutableFragment> = \.["x"]
    }

    @Test("MutableFragment has the declared members and protocols")
    func mutableFragment() {
        let _: (MutableFragment) -> Fragment = { $0 }
        let _: any MutableDictionaryFragment.Type = MutableFragment.self
        let _: any MutableArrayFragment.Type = MutableFragment.self
        let _: ReferenceWritableKeyPath<MutableFragment, Any?> = \.value
        let _: ReferenceWritableKeyPath<MutableFragment, String?> = \.string
        let _: ReferenceWritableKeyPath<MutableFragment, NSNumber?> = \.number
        let _: ReferenceWritableKeyPath<MutableFragment, Int> = \.int
        let _: ReferenceWritableKeyPath<MutableFragment, Int64> = \.int64
        let _: ReferenceWritableKeyPath<MutableFragment, Float> = \.float
        let _: ReferenceWritableKeyPath<MutableFragment, Double> = \.double
        let _: ReferenceWritableKeyPath<MutableFragment, Bool> = \.boolean
        let _: ReferenceWritableKeyPath<MutableFragment, Date?> = \.date
        let _: ReferenceWritableKeyPath<MutableFragment, Blob?> = \.blob
        let _: ReferenceWritableKeyPath<MutableFragment, MutableArrayObject?> = \.array
        let _: ReferenceWritableKeyPath<MutableFragment, MutableDictionaryObject?> = \.dictionary
        let _: KeyPath<MutableFragment, MutableFragment> = \.[1]
        let _: KeyPath<MutableFragment, MutableFragment> = \.["x"]
    }
}
