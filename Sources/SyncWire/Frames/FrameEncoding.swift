package import SyncBytes

/// A form that frames are sent in: how their content is written for a kind of client.
///
/// A frame is packed once, and that is its plain form. Any other is made of it, once for all who
/// read it.
package struct FrameEncoding: Hashable, Sendable {
    /// Which it is.
    package let number: UInt8
    /// How many bytes a frame takes at most, for each byte that it has plain.
    package let growth: Int
    private let make: (@Sendable () -> any FrameEncoder)?

    /// The frame as it is packed. It takes nothing more.
    package static let plain = FrameEncoding(number: 0, growth: 0, make: nil)
    /// Deflated, where that is smaller.
    package static let deflated = FrameEncoding(number: 1, growth: 1) { Deflater() }
    /// Deflated without the dictionary, where that is smaller.
    package static let plainDeflated = FrameEncoding(number: 2, growth: 1) {
        Deflater(hasDictionary: false)
    }

    /// - Parameters:
    ///   - number: another one for each encoding.
    ///   - make: makes what writes it; `nil` for frames as they are.
    package init(number: UInt8, growth: Int, make: (@Sendable () -> any FrameEncoder)?) {
        self.number = number
        self.growth = growth
        self.make = make
    }

    /// What writes it, for one loop or job; `nil` for frames as they are.
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
    /// Writes a frame.
    ///
    /// - Parameter body: the message `Frame`, without its length.
    /// - Returns: `nil` if the frame is to be sent as it is.
    func encode(_ body: UnsafeRawBufferPointer) -> SharedBytes?
}
