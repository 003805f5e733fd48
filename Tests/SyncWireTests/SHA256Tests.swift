import SyncBytes
import Testing

/// The examples of FIPS 180-4 and RFC 4231.
@Suite("SHA-256")
struct SHA256Tests {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test(
        "the standard's messages",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func messages(text: String, hash: String) {
        #expect(hexadecimal(SHA256.hash(Array(text.utf8))) == hash)
    }

    @Test("a million times the letter a")
    func long() {
        let hash = SHA256.hash(Array(repeating: 0x61, count: 1_000_000))
        #expect(
            hexadecimal(hash) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("messages of each length around a block have the same hash, whole and byte by byte")
    func lengths() {
        var seen: Set<[UInt8]> = []
        for length in 0..<200 {
            let message = (0..<length).map { UInt8($0) }
            var hash = SHA256()
            for byte in message { hash.update([byte]) }
            let bytes = hash.finish()
            #expect(bytes == SHA256.hash(message))
            #expect(bytes.count == SHA256.byteCount)
            seen.insert(bytes)
        }
        #expect(seen.count == 200)
    }

    @Test("authentication with keys shorter and longer than a block")
    func authentication() {
        let short = SHA256.authenticate(
            Array("Hi There".utf8), key: Array(repeating: 0x0b, count: 20))
        #expect(
            hexadecimal(short) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        )
        let text = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        let long = SHA256.authenticate(text, key: Array(repeating: 0xaa, count: 131))
        #expect(
            hexadecimal(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }
}
