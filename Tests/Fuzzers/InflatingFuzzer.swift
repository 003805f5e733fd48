import SyncWire

/// Deflated bodies: invalid ones, truncated ones, and bodies that inflate to more than the limit.
///
/// - The result is within the limit and the same each time, whatever was inflated before.
/// - What the server deflates inflates to the same bytes, exactly within the limit.
enum InflatingFuzzer {
    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        let limit = 1 + Int(choices.byte()) << 8 + Int(choices.byte())
        let bytes = choices.rest
        let inflater = Inflater()
        let first = inflated(bytes, to: limit, by: inflater)
        if case .bytes(let result) = first {
            expect(
                result.count <= limit,
                "inflating gave \(result.count) bytes, and the limit is \(limit)")
        }
        checkDeflated(bytes, limit: limit, by: inflater)
        expect(
            inflated(bytes, to: limit, by: inflater) == first,
            "the same bytes inflate differently the second time")
    }

    private enum Outcome: Equatable {
        case bytes([UInt8])
        case error(ErrorCode)
    }

    private static func inflated(
        _ bytes: UnsafeRawBufferPointer, to limit: Int, by inflater: Inflater
    ) -> Outcome {
        do throws(WireError) {
            return .bytes([UInt8](try inflater.inflate(bytes, atMost: limit)))
        } catch {
            guard case .broken(let code, _) = error else {
                finding("inflating failed with an unexpected error: \(error)")
            }
            return .error(code)
        }
    }

    private static func checkDeflated(
        _ bytes: UnsafeRawBufferPointer, limit: Int, by inflater: Inflater
    ) {
        var memory = [UInt8](repeating: 0, count: bytes.count + 64)
        let count = memory.withUnsafeMutableBytes { Deflater().deflate(bytes, into: $0) }
        guard let count else { finding("\(bytes.count) bytes can't be deflated") }
        let outcome = memory.withUnsafeBytes {
            inflated(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: limit, by: inflater)
        }
        let expected: Outcome =
            bytes.count <= limit ? .bytes([UInt8](bytes)) : .error(.frameTooLarge)
        expect(outcome == expected, "deflated bytes inflate to other bytes")
    }
}
