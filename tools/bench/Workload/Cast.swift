// Who and what appears in a workload: names only, none of them secret or real.

import EvalogFacts

/// The values that a workload draws from.
enum Cast {
    static let embedded = "embedded_selection"
    static let suppression = "in_app_message_suppression"
    static let textInput = "scene_text_input"
    static let custom = "support_triage"
    static let usages = [embedded, suppression, textInput, custom]

    static let subjects = [
        "home_banner", "cart_banner", "profile_card", "inbox_header", "offers", "café_menu",
        "checkout/upsell", "a,b", "=1+1",
    ]
    static let messages = ["welcome-back", "price-drop", "rate-us", "new_terms", "survey/7"]
    static let models = [
        "smollm2-135m", "smollm2-360m", "apple-on-device", "apple-pcc", "gpt-4o-mini", "gemma-3-1b",
        "qwen2.5:0.5b", "llama3.2:1b", "phi-4-mini", "mistral/ministral-3b", "granite-3.3@q4",
        "claude-haiku", "recorded",
    ]
    static let systems = [
        "iOS 18.6", "iOS 26.0", "iOS 26.1", "iPadOS 26.1", "macOS 26.1", "visionOS 26.0",
        "watchOS 26.1", "Android 16", "Linux 6.12.48",
    ]
    static let devices = [
        "iPhone15,2", "iPhone16,1", "iPhone17,1", "iPad16,3", "Mac16,10", "Watch7,5", "SM-S931B",
    ]
    static let apps = ["4.1.9", "4.2.0", "4.2.1-beta.3", "4.3.0", "5.0.0"]

    struct Form {
        var subject: String
        var report: [CatalogFact.Member]
    }

    static let forms = [
        Form(
            subject: "contact/topic",
            report: [
                .init(
                    name: "intent",
                    values: ["billing", "delivery", "returns, refunds", "other"].map { .text($0) }),
                .init(name: "urgent", values: [.flag(true), .flag(false)]),
            ]),
        Form(
            subject: "survey/mood",
            report: [
                .init(
                    name: "mood",
                    values: ["pleased", "neutral", "angry", "fröhlich \"so so\""].map { .text($0) })
            ]),
        Form(
            subject: "booking/wish",
            report: [
                .init(name: "size", values: ["10ft", "15ft", "20ft"].map { .text($0) }),
                .init(name: "needs_driver", values: [.flag(true), .flag(false)]),
                .init(name: "insured", values: [.flag(true), .flag(false)]),
            ]),
    ]

    /// Whole microseconds that half of a model's answers take at most.
    static func median(model: String?) -> Int64 {
        guard let model, let place = models.firstIndex(of: model) else { return 250_000 }
        return 120_000 + Int64(place) * 65_000
    }
}
