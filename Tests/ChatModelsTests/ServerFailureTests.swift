import AirshipCore
import ChatModels
import Testing

struct ServerFailureTests {
    @Test(
        "statuses and codes of all kinds of servers end in the closed classes",
        arguments: [
            (301, "", .redirected), (400, "", .rejected(status: 400)),
            (401, "", .unauthorized(status: 401)), (402, "", .quotaExhausted),
            (403, "", .unauthorized(status: 403)),
            (404, #"{"detail":"Not Found"}"#, .rejected(status: 404)), (408, "", .timedOut),
            (413, "", .contextOverflow), (418, "teapot", .rejected(status: 418)),
            (429, "", .rateLimited), (500, "Internal Server Error", .serverFailed(status: 500)),
            (501, "", .serverFailed(status: 501)), (503, "", .unavailable(status: 503)),
            (504, "", .timedOut), (529, "", .unavailable(status: 529)),
            (204, "", .malformedResponse), (0, "", .malformedResponse),
            (429, #"{"error":{"code":"insufficient_quota"}}"#, .quotaExhausted),
            (400, #"{"error":{"code":"content_filter","innererror":{}}}"#, .filtered),
            (
                400, #"[{"error":{"code":400,"status":"UNAUTHENTICATED"}}]"#,
                .unauthorized(status: 400)
            ),
            (400, #"{"error":{"code":"context_length_exceeded"}}"#, .contextOverflow),
            (
                400, #"{"error":{"message":"This model's maximum context length is 8192"}}"#,
                .contextOverflow
            ),
            (400, #"{"message":"Input is too long for requested model."}"#, .contextOverflow),
            (
                400, #"{"type":"error","error":{"message":"prompt is too long: 9 > 8"}}"#,
                .contextOverflow
            ),
            (400, #"{"error":"the context window is full"}"#, .contextOverflow),
            (404, #"{"error":{"message":"context length"}}"#, .rejected(status: 404)),
            (
                429, #"{"error":{"message":"Request too large for gpt-4 on TPM"}}"#,
                .contextOverflow
            ),
            (
                500, #"{"error":{"code":500,"message":"Context size has been exceeded."}}"#,
                .contextOverflow
            ),
        ] as [(Int, String, ChatModelError)])
    func classes(status: Int, body: String, error: ChatModelError) {
        #expect(read(status, body) == .failure(error))
    }

    @Test("every error of this module has its class")
    func errorClasses() {
        let classes: [AirshipAI.ErrorClass: [ChatModelError]] = [
            .contextOverflow: [.contextOverflow], .truncated: [.truncated],
            .refused: [.refused, .filtered],
            .badResponse: [
                .emptyAnswer, .toolCall, .notJSON, .malformedResponse, .responseTooLarge,
                .redirected,
            ],
            .timeout: [.timedOut],
            .transport: [.cannotConnect, .connectionLost, .insecureConnection],
            .auth: [.noKey, .unauthorized(status: 401)], .rateLimited: [.rateLimited],
            .quota: [.quotaExhausted], .unavailable: [.unavailable(status: 503)],
            .serverError: [.serverFailed(status: 500)],
            .clientError: [.invalidConfiguration, .rejected(status: 400)],
        ]
        for (errorClass, errors) in classes {
            for error in errors {
                #expect(AirshipAI.ErrorClass(classifying: error) == errorClass)
            }
        }
    }
}
