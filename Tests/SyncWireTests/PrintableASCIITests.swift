import SyncBytes
import Testing

/// Text is checked eight bytes at a time from any position, so the test tries each byte at each
/// position of each length.
@Suite("Printable ASCII")
struct PrintableASCIITests {
    @Test("depends on every byte, wherever it is", arguments: 0...26)
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
