import ChatModels
import Foundation
import Testing

struct RetryAfterTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func delay(_ headers: [String: String]) -> Duration? {
        RetryAfter.delay(in: HTTPResponse(status: 429, headers: headers, body: Data()), now: now)
    }

    @Test(
        "seconds, milliseconds and dates are understood",
        arguments: [
            (["Retry-After": "20"], .seconds(20)), (["retry-after": "0"], .zero),
            (["Retry-After": "1.5"], .milliseconds(1_500)),
            (["retry-after-ms": "250", "Retry-After": "9"], .milliseconds(250)),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"], .seconds(10)),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:00 GMT"], .zero),
            (
                [
                    "Retry-After": "Thu, 29 Feb 2024 00:00:05 GMT",
                    "Date": "Wed, 28 Feb 2024 23:59:55 GMT",
                ], .seconds(10)
            ),
            (
                [
                    "Retry-After": "Fri, 01 Mar 2024 00:00:05 GMT",
                    "Date": "Thu, 29 Feb 2024 23:59:55 GMT",
                ], .seconds(10)
            ),
            (["Retry-After": "99999999999999999999999"], ChatLimits.pauseMax),
        ] as [([String: String], Duration)])
    func understood(headers: [String: String], expected: Duration) {
        #expect(delay(headers) == expected)
    }

    @Test(
        "anything else asks for nothing",
        arguments: [
            "", "soon", "-1", "nan", "inf", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun, +6 Nov 1994 08:49:37 GMT",
        ])
    func notUnderstood(value: String) {
        #expect(delay(["Retry-After": value]) == nil)
    }
}
