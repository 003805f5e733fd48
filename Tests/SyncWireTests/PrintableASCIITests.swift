import SyncBytes
import Testing

/// Text is looked at eight bytes at a time, from any place on, so each byte at each place of each
/// length is tried.
@Suite("Printable ASCII")
struct PrintableASCIITests {
    @Test("is told by every byte, wherever it stands", arguments: 0...26)
    func everyPlace(count: Int) {
        var bytes = [UInt8](repeating: 0x61, count: count)
        #expect(isPrintable(bytes))
        for place in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                bytes[place] = byte
                #expect(isPrintable(bytes) == (0x20...0x7E).contains(byte))
            }
            bytes[place] = 0x61
        }
    }

    private func isPrintable(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { $0.isPrintableASCII }
    }
}
