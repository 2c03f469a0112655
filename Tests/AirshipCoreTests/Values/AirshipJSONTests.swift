import AirshipCore
import Foundation
import Testing

@Suite("AirshipJSON") struct AirshipJSONTests {
    static let sample: AirshipJSON = [
        "s": "a/b \"c\" \u{1} é", "n": 1.5, "i": 3, "t": true, "z": nil, "a": [1, "x", [:]],
    ]

    @Test("text is the same every time: sorted names, plain slashes, whole numbers without point")
    func text() throws {
        #expect(
            try Self.sample.toString()
                == #"{"a":[1,"x",{}],"i":3,"n":1.5,"s":"a/b \"c\" \u0001 é","t":true,"z":null}"#)
    }

    @Test("a value survives our own text and Foundation's coders")
    func roundTrip() throws {
        #expect(try AirshipJSON.from(json: Self.sample.toString()) == Self.sample)
        let data = try JSONEncoder().encode(Self.sample)
        #expect(try JSONDecoder().decode(AirshipJSON.self, from: data) == Self.sample)
        #expect(try AirshipJSON.from(data: data) == Self.sample)
    }

    @Test("accessors give nil for another kind, and whole numbers only as int")
    func accessors() {
        #expect(Self.sample["s"]?.string == "a/b \"c\" \u{1} é")
        #expect(Self.sample["i"]?.int == 3)
        #expect(Self.sample["n"]?.int == nil)
        #expect(Self.sample["n"]?.double == 1.5)
        #expect(Self.sample["t"]?.number == nil)
        #expect(Self.sample["i"]?.bool == nil)
        #expect(Self.sample["a"]?[1]?.string == "x")
        #expect(Self.sample["a"]?[9] == nil)
        #expect(AirshipJSON.number(1e300).int == nil)
        #expect(AirshipJSON.number(.nan).int == nil)
    }

    @Test("nil reads as null")
    func fromNil() throws {
        #expect(try AirshipJSON.from(json: nil) == .null)
        #expect(try AirshipJSON.from(data: nil) == .null)
        #expect(try AirshipJSON.wrap(nil) == .null)
    }

    @Test("of members with one name the first counts, as in Foundation")
    func duplicates() throws {
        let text = #"{"a":1,"a":2}"#
        let data = Data(text.utf8)
        #expect(try AirshipJSON.from(json: text) == ["a": 1])
        #expect(try JSONDecoder().decode(AirshipJSON.self, from: data) == ["a": 1])
    }

    @Test("escapes read as what they stand for")
    func escapes() throws {
        #expect(
            try AirshipJSON.from(json: #" "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00" "#)
                == "\"\\/\u{8}\u{c}\n\r\té😀")
    }

    @Test(
        "what is no JSON is refused",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\" 1}", "01", "1.", ".5", "-", "1e", "nul", "tru ",
            "\"\\x\"",
            "\"\\ud800x\"", "\"\\udc00\"", "\"\\ud800\\ud800\"", "\"a\nb\"", "\"open", "1 2", "+1",
            "{'a':1}", "\u{feff}1", "NaN", "\"\\u00g0\"",
        ])
    func malformed(_ text: String) {
        #expect(throws: AirshipCoreError.self) { try AirshipJSON.from(json: text) }
    }

    @Test("bytes that are no UTF-8 are refused")
    func invalidUTF8() {
        #expect(throws: AirshipCoreError.malformedJSON(byteOffset: 1)) {
            try AirshipJSON.from(data: Data([0x22, 0xFF, 0xFE, 0x22]))
        }
    }

    @Test("numbers beyond a double are refused, on the way in and out")
    func nonFinite() {
        #expect(throws: AirshipCoreError.nonFiniteNumber) { try AirshipJSON.from(json: "1e400") }
        #expect(throws: AirshipCoreError.nonFiniteNumber) {
            try AirshipJSON.number(.infinity).toString()
        }
        #expect(throws: AirshipCoreError.nonFiniteNumber) { try AirshipJSON.wrap(Double.nan) }
    }

    @Test("Foundation's values wrap, and a boolean is told from a number")
    func wrap() throws {
        let text = #"{"b":[true,false,1,0],"n":2.5,"s":"x","z":null}"#
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(try AirshipJSON.wrap(object).toString() == text)
        let native: [String: Any?] = [
            "b": true, "i": 1, "none": nil, "u": UInt8(1), "f": Float(0.5),
        ]
        #expect(
            try AirshipJSON.wrap(native) == ["b": true, "i": 1, "none": nil, "u": 1, "f": 0.5])
        struct Pet: Encodable { let name = "Rex", born = Date(timeIntervalSince1970: 0) }
        #expect(try AirshipJSON.wrap(Pet()) == ["name": "Rex", "born": "1970-01-01T00:00:00Z"])
        #expect(throws: AirshipCoreError.notRepresentable) { try AirshipJSON.wrap(Self.self) }
    }

    @Test("a value decodes into another type, dates as ISO 8601")
    func decode() throws {
        struct Pet: Decodable, Equatable { let name: String, born: Date }
        let json: AirshipJSON = ["name": "Rex", "born": "1970-01-01T00:00:01Z"]
        #expect(
            try json.decode(Pet.self) == Pet(name: "Rex", born: Date(timeIntervalSince1970: 1)))
    }

    @Test("nesting ends in an error at the limit, on a stack of half a megabyte")
    func depth() async {
        let results = await onSmallStack {
            [CoreLimits.jsonDepthMax, CoreLimits.jsonDepthMax + 1, 100_000].map { depth in
                let text =
                    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                let data = Data(text.utf8)
                let viaFoundation = try? JSONDecoder().decode(AirshipJSON.self, from: data)
                let own = try? AirshipJSON.from(json: text)
                let written = own.flatMap { try? $0.toString() }
                return [viaFoundation != nil, own != nil, written == text]
            }
        }
        #expect(results == [[true, true, true], [false, false, false], [false, false, false]])
    }

    @Test("a value built by hand is encoded down to the same limit and no deeper")
    func encodedDepth() throws {
        func nested(_ levels: Int) -> AirshipJSON {
            (1..<levels).reduce(into: .null) { json, _ in json = [json] }
        }
        _ = try JSONEncoder().encode(nested(CoreLimits.jsonDepthMax))
        #expect(throws: AirshipCoreError.nestedTooDeep) {
            try JSONEncoder().encode(nested(CoreLimits.jsonDepthMax + 1))
        }
    }

    private func onSmallStack<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }
}
