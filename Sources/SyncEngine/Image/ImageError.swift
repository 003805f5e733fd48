/// Why an image can't be read.
package enum ImageError: Error, Equatable, Sendable {
    /// It was made by a newer version.
    case unknownFormat(UInt64)
    /// The engine takes more memory than it may.
    case tooLarge
    /// The bytes are not an image.
    case malformed(String)
}
