import SyncServer
import Testing

@Suite struct SipHashTests {
    /// Outputs of the authors' reference program (`vectors_sip64`, key 00…0F), for texts 00, 00 01,
    /// ….
    @Test func referenceVectors() {
        let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
        let known: [(Int, UInt64)] = [
            (0, 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (15, 0xA129_CA61_49BE_45E5),
        ]
        for (count, expected) in known {
            let bytes = (0..<count).map { UInt8($0) }
            #expect(bytes.withUnsafeBytes { hash($0) } == expected)
        }
    }

    /// Another key spreads names that all fall on one loop with the first key.
    @Test func keysSpreadWhatWasChosenForAnother() {
        let first = SipHash(key: (1, 2))
        let second = SipHash(key: (3, 4))
        let chosen = (0..<4000).map { "room \($0)" }.filter { first($0) % 4 == 0 }
        for loop in 0..<4 {
            let share = chosen.filter { second($0) % 4 == UInt64(loop) }.count
            #expect((chosen.count / 8...chosen.count / 2).contains(share))
        }
    }
}
