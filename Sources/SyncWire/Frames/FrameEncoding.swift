package import SyncBytes

/// A form that frames are sent in: how their content is written for a kind of client.
///
/// A frame is packed once, into its plain form. Every other form is made of that, once for all its
/// receivers.
package struct FrameEncoding: Hashable, Sendable {
    /// The encoding's number.
    package let number: UInt8
    /// The most bytes that a frame takes for each byte of its plain form.
    package let growth: Int
    private let make: (@Sendable () -> any FrameEncoder)?

    /// The frame as it is packed, which takes no further memory.
    package static let plain = FrameEncoding(number: 0, growth: 0, make: nil)
    /// Deflated, where that is smaller.
    package static let deflated = FrameEncoding(number: 1, growth: 1) { Deflater() }
    /// Deflated without the dictionary, where that is smaller.
    package static let plainDeflated = FrameEncoding(number: 2, growth: 1) {
        Deflater(hasDictionary: false)
    }

    /// - Parameters:
    ///   - number: unique for each encoding.
    ///   - make: makes its encoder; `nil` for the plain form.
    package init(number: UInt8, growth: Int, make: (@Sendable () -> any FrameEncoder)?) {
        self.number = number
        self.growth = growth
        self.make = make
    }

    /// Its encoder, for one loop or job; `nil` for the plain form.
    package func makeEncoder() -> (any FrameEncoder)? { make?() }

    package static func == (left: FrameEncoding, right: FrameEncoding) -> Bool {
        left.number == right.number
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }
}

/// Writes frames in an encoding, one after the other.
package protocol FrameEncoder: AnyObject {
    var encoding: FrameEncoding { get }
    /// Frames of fewer bytes are sent as they are.
    var thresholdBytes: Int { get }
    /// What encoding a frame costs, and each byte of it, in bytes that are deflated: a server knows
    /// the price of these.
    var frameCost: Int { get }
    var byteCost: Int { get }
    /// Writes a frame.
    ///
    /// - Parameter body: the message `Frame`, without its length.
    /// - Returns: `nil` if the frame is to be sent as it is.
    func encode(_ body: UnsafeRawBufferPointer) -> SharedBytes?
}

extension FrameEncoder {
    package var frameCost: Int { 0 }
    package var byteCost: Int { 1 }
}
