import SyncJSON
import SyncModel
import Testing

/// The text of numbers, as `Protocol/json.md` specifies it.
@Suite struct NumberTests {
    private static func written(_ number: Double) -> String {
        var writer = JSONWriter()
        writer.write(Value.number(number))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Numbers of all magnitudes, and those around the places where the form changes.
    private static let numbers: [Double] = {
        var random = SystemRandomNumberGenerator()
        let bits: [UInt64] = (0..<4_000).map { _ in random.next() }
        let any: [Double] = bits.map { Double(bitPattern: $0) }.filter { $0.isFinite }
        var near: [Double] = []
        let places: [Double] = [
            0.0001, 9_007_199_254_740_992, 1, 1e22, 1e-5, .leastNonzeroMagnitude,
        ]
        for place in places {
            near += [place, place.nextUp, place.nextDown, -place]
            near += [place * 10, place / 10, place * 3]
        }
        let usual: [Double] = (0..<2_000).map { (number: Int) -> Double in
            Double(number - 1_000) / 1_000
        }
        return any + near + usual
    }()

    @Test func everyNumberHasTheFormThatIsDocumented() throws {
        for number in Self.numbers {
            let text = Self.written(number)
            let magnitude = abs(number)
            #expect(Double(text) == number, "\(text)")
            if magnitude <= 9_007_199_254_740_992, number == number.rounded() {
                #expect(text.wholeMatch(of: /0|-?[1-9][0-9]*/) != nil, "\(text)")
            } else if magnitude >= 0.0001, magnitude < 9_007_199_254_740_992 {
                #expect(text.wholeMatch(of: /-?(0|[1-9][0-9]*)\.[0-9]+/) != nil, "\(text)")
            } else {
                let form = /-?[1-9](\.[0-9]+)?e[-+][0-9][0-9]+/
                #expect(text.wholeMatch(of: form) != nil, "\(text)")
            }
        }
    }

    /// With one digit less it is another number.
    @Test func noDigitCouldBeLeftOut() throws {
        for number in Self.numbers where number != number.rounded() || abs(number) > 1e16 {
            let text = Self.written(number)
            let mantissa = text.prefix { $0 != "e" }
            guard let last = mantissa.lastIndex(where: \.isNumber), mantissa.count > 3 else {
                continue
            }
            let exponent = text[mantissa.endIndex...]
            for digits in [mantissa[..<last], mantissa[..<last].incremented] {
                #expect(Double(digits + exponent) != number || digits.last == ".", "\(text)")
            }
        }
    }
}

extension Substring {
    /// The digits with the last one greater by one, if it is not 9.
    fileprivate var incremented: Substring {
        guard let last, let digit = last.wholeNumberValue, digit < 9 else { return self }
        return dropLast() + "\(digit + 1)"
    }
}
