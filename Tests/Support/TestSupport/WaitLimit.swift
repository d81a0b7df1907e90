/// The time after which a test stops waiting for something that does not happen, in seconds, so that the test ends if it fails. It is long,
/// because what is awaited may run after all other tests on a slow machine, and shorter than the limit of `script/test` for a whole run.
package let waitLimit: Double = 2400
