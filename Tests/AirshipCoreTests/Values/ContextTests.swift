import AirshipCore
import Foundation
import Testing

@Suite("context, requests and results") struct ContextTests {
    typealias Item = AirshipAI.Context.Item

    static func request(_ items: [Item]) -> AirshipAI.Request {
        AirshipAI.Request(
            instructions: "i", schema: .string(), context: AirshipAI.Context(items: items),
            render: { $0.renderBullets() ?? "" })
    }

    @Test("an empty context has no items and no bullet text")
    func empty() {
        #expect(AirshipAI.Context.empty.items.isEmpty)
        #expect(AirshipAI.Context.empty.renderBullets() == nil)
    }

    @Test("bullets keep the order, leave out empty items and never show a priority")
    func bullets() {
        let context = AirshipAI.Context(items: [
            Item(content: "b", priority: 9), Item(content: ""), Item(content: "a", priority: -1),
        ])
        #expect(context.renderBullets() == "- b\n- a")
        #expect(AirshipAI.Context(items: [Item(content: "")]).renderBullets() == nil)
    }

    @Test("an item with line breaks of any kind stays one bullet")
    func forgedBullet() {
        let breaks = ["\n", "\r\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"]
        for lineBreak in breaks {
            let context = AirshipAI.Context(items: [Item(content: "a\(lineBreak)- b")])
            #expect(context.renderBullets() == "- a - b")
        }
    }

    @Test("priorities 0, 2, 2, 1 drop the first 2, the second 2, then 1; the rest keeps its order")
    func dropping() {
        var request = Self.request(
            zip("abcd", [0.0, 2, 2, 1]).map { Item(content: String($0), priority: $1) })
        var dropped: [String] = []
        var prompts: [String] = []
        while let item = request.dropLowestPriorityContextItem() {
            dropped.append(item.content)
            prompts.append(request.prompt())
        }
        #expect(dropped == ["b", "c", "d", "a"])
        #expect(prompts == ["- a\n- c\n- d", "- a\n- d", "- a", ""])
        #expect(request.dropLowestPriorityContextItem() == nil)
    }

    @Test("NaN goes before every number, infinity included, the earliest NaN first")
    func notANumber() {
        var request = Self.request([
            Item(content: "inf", priority: .infinity), Item(content: "nan1", priority: .nan),
            Item(content: "low", priority: -.infinity), Item(content: "nan2", priority: .nan),
        ])
        var dropped: [String] = []
        while let item = request.dropLowestPriorityContextItem() { dropped.append(item.content) }
        #expect(dropped == ["nan1", "nan2", "inf", "low"])
    }

    @Test("a trimmed copy renders the smaller prompt, the original still the full one")
    func copies() {
        let original = Self.request([Item(content: "a"), Item(content: "b", priority: 1)])
        var copy = original
        copy.dropLowestPriorityContextItem()
        #expect(copy.prompt() == "- a")
        #expect(original.prompt() == "- a\n- b")
    }

    @Test("only a completed result has an output")
    func output() {
        #expect(AirshipAI.Result.completed(1).output == 1)
        #expect(AirshipAI.Result<Int>.skipped(reason: "r").output == nil)
        #expect(AirshipAI.Result<Int>.failed(ModelFailure()).output == nil)
    }

    @Test("results and outcomes compare by value")
    func equality() {
        typealias Outcome = AirshipAI.EvaluationRecord.Outcome
        #expect(AirshipAI.Result.completed(1) == .completed(1))
        #expect(AirshipAI.Result.completed(1) != .completed(2))
        #expect(AirshipAI.Result<Int>.skipped(reason: "a") != .skipped(reason: "b"))
        #expect(Outcome.completed(["a": 1]) == .completed(["a": 1]))
        #expect(Outcome.failed(CancellationError()) == .failed(CancellationError()))
        #expect(Outcome.failed(CancellationError()) != .failed(ModelFailure()))
        #expect(
            Outcome.failed(AirshipCoreError.nestedTooDeep)
                != .failed(AirshipCoreError.nonFiniteNumber))
    }

    @Test("an erased usage equals a typed one of the same raw value, both ways round")
    func usages() {
        let typed = AirshipAI.Usage<Int>(rawValue: "u")
        let erased = AirshipAI.AnyUsage(typed)
        #expect(erased == typed && typed == erased)
        #expect(erased == AirshipAI.AnyUsage(AirshipAI.Usage<String>(rawValue: "u")))
        #expect(
            Set([erased, AirshipAI.AnyUsage(AirshipAI.Usage<String>(rawValue: "u"))]).count == 1)
        #expect(erased != AirshipAI.Usage<Int>(rawValue: "v"))
        switch erased {
        case typed: break
        default: Issue.record("a usage is a pattern")
        }
    }

    @Test("the classes of errors are those that the log knows")
    func classNames() {
        #expect(
            AirshipAI.ErrorClass.allCases.map(\.rawValue).joined(separator: " ") == """
                timeout schema_mismatch context_overflow truncated refused bad_response transport \
                rate_limited quota auth client_error server_error unsupported_language \
                unavailable model_error other
                """)
    }

    @Test("errors are classified by what they say of themselves, else by type and domain")
    func classes() {
        struct Own: AirshipAI.ClassifiedError { let errorClass = AirshipAI.ErrorClass.quota }
        let domain = NSError(domain: "NSURLErrorDomain", code: -1_009)
        #expect(AirshipAI.ErrorClass(classifying: Own()) == .quota)
        #expect(
            AirshipAI.ErrorClass(classifying: AirshipCoreError.timedOut(seconds: 1)) == .timeout)
        #expect(AirshipAI.ErrorClass(classifying: domain) == .transport)
        #expect(AirshipAI.ErrorClass(classifying: ModelFailure()) == .modelError)
        #expect(AirshipAI.ErrorClass(classifying: CancellationError()) == .other)
    }

    @Test(
        "errors of the network are classified by domain and code",
        arguments: [
            ("NSURLErrorDomain", -1_001, AirshipAI.ErrorClass.timeout),
            ("NSURLErrorDomain", -1_004, .transport), ("NSURLErrorDomain", -1_200, .transport),
            ("NSURLErrorDomain", -999, .transport), ("NSURLErrorDomain", -1_000, .clientError),
            ("NSURLErrorDomain", -1_002, .clientError), ("NSURLErrorDomain", -1_013, .auth),
            ("NSURLErrorDomain", -1_011, .badResponse), ("NSURLErrorDomain", -1_016, .badResponse),
            ("NSURLErrorDomain", -1_103, .badResponse),
            (NSPOSIXErrorDomain, Int(ETIMEDOUT), .timeout),
            (NSPOSIXErrorDomain, Int(ECONNRESET), .transport),
            (NSPOSIXErrorDomain, Int(ENOENT), .modelError), ("Own", -1_001, .modelError),
        ])
    func networkClasses(domain: String, code: Int, expected: AirshipAI.ErrorClass) {
        #expect(AirshipAI.ErrorClass(classifying: NSError(domain: domain, code: code)) == expected)
    }
}
