// Giving up context until a request fits.

package import AirshipCore

extension PromptBudget {
    /// Gives up context, least important first, until the request fits.
    ///
    /// - Throws: ``ChatModelError/contextOverflow`` when it does not fit without any context.
    /// - Complexity: O(log items) renderings of the prompt.
    package func trim(
        _ request: inout AirshipAI.Request, schema: StrictSchema
    ) async throws(ChatModelError) {
        guard let limit else { return }
        let fixed = length(of: request.instructions) + length(of: schema.text)
        let fits = await request.dropContext { fixed + length(of: $0.prompt()) <= limit }
        guard fits else { throw .contextOverflow }
    }
}
