import ModelSupport
import SyncBytes
import SyncLayout
import SyncModel
import SyncWire
import Testing

/// Layouts that this server does not know, and impossible ones.
@Suite("Layouts as messages")
struct LayoutMessageTests {
    /// The fault of a request with these bytes as its layout; `nil` if there is none.
    private func fault(_ layout: [UInt8]) throws -> String? {
        let frame = field(9, field(3, layout))
        let message = try frame.withUnsafeBytes { try MessageDecoder().clientMessage($0) }
        guard case .view(let request) = message else { return "it is no request of a view" }
        #expect((request.fault == nil) == (request.layout != nil))
        return request.fault?.explanation
    }

    private let flow: [UInt8] = [8, 1]

    @Test("a kind is needed, and must be known")
    func kinds() throws {
        #expect(try fault(flow) == nil)
        #expect(try fault([])?.contains("kind") == true)
        #expect(try fault([8, 0])?.contains("kind") == true)
        #expect(try fault([8, 7])?.contains("kind can't be 7") == true)
        #expect(try fault(flow + [0xA8, 1, 5])?.contains("alignment can't be 5") == true)
        let decoration = field(1, [0x64]) + [0x20]
        #expect(try fault(flow + field(14, decoration + [3])) == nil)
        #expect(try fault(flow + field(14, decoration + [4]))?.contains("cover can't be 4") == true)
    }

    @Test("an unknown option is a fault, wherever it is")
    func options() throws {
        #expect(try fault(flow + field(35, []))?.contains("option 35") == true)
        #expect(try fault(flow + field(11, field(3, [])))?.contains("field 3") == true)
        #expect(try fault(flow + field(14, field(1, [0x64]) + field(5, [])))?.contains("5") == true)
        #expect(try fault(flow + field(13, field(1, [0x73]) + field(6, [])))?.contains("6") == true)
    }

    @Test("numbers are finite, and kinds are names")
    func values() throws {
        let infinity: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF0, 0x7F]
        #expect(try fault(flow + [0x41] + infinity)?.contains("finite") == true)
        #expect(try fault(flow + field(12, [0x11] + infinity))?.contains("finite") == true)
        #expect(try fault(flow + field(14, [])) != nil)
        #expect(try fault(flow + field(14, field(1, [7]))) != nil, "a control character")
        let decoration = field(14, field(1, [0x64]))
        let most = Array(repeating: decoration, count: 64).flatMap(\.self)
        #expect(try fault(flow + most) == nil)
        #expect(try fault(flow + most + decoration)?.contains("64") == true)
    }

    @Test("two spellings of a kind are two")
    func spellings() throws {
        let layouts = Spellings.layouts
        for (kind, layout) in zip(Spellings.all, layouts) {
            let request = ViewRequest(room: 1, view: 1, layout: layout)
            let frame = MessageEncoder().encode(.view(request)).plainArray.dropFirst()
            let message = try frame.withUnsafeBytes { try MessageDecoder().clientMessage($0) }
            #expect(message == .view(request))
            guard case .view(let read) = message else { continue }
            #expect(layouts.filter { $0 == read.layout }.count == 1)
            let kinds = [
                read.layout?.spec.options.decorations?.first?.kind,
                read.layout?.spec.options.supplementaries?.first?.kind,
            ]
            #expect(kinds.allSatisfy { $0?.text.utf8.elementsEqual(kind.utf8) == true })
        }
    }

    @Test("a value that is not a number is written as the value it stands for")
    func unwritable() throws {
        var layout = ViewLayout(.flow) { options in
            options.cellHeight = .nan
            options.sectionInset = Insets(top: -.infinity, left: -0.0)
        }
        layout.environment.pixelScale = .infinity
        let frame = MessageEncoder().encode(.view(ViewRequest(room: 1, view: 1, layout: layout)))
        guard
            case .view(let request) = try frame.plainArray.dropFirst().withUnsafeBytes({
                try MessageDecoder().clientMessage($0)
            })
        else { return #expect(Bool(false), "it is no request of a view") }
        #expect(request.layout?.spec.options.cellHeight == 0)
        #expect(request.layout?.spec.options.sectionInset == Insets())
        #expect(request.layout?.environment.pixelScale == nil)
    }
}
