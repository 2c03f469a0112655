// One long question: whole if it fits, else about its parts, and then about what was answered.

import AirshipCore

/// What is asked for one evaluation, and how much was asked already.
struct ChunkedQuestion {
    let model: any AirshipAI.ModelProtocol
    let window: PromptBudget
    let request: AirshipAI.Request
    private var callCount = 0
    private var partCount = 0

    init(
        model: any AirshipAI.ModelProtocol, window: PromptBudget, request: AirshipAI.Request
    ) {
        self.model = model
        self.window = window
        self.request = request
    }

    /// A request about any text, and how long that may be.
    private struct Frame {
        var request: AirshipAI.Request
        var capacity: Int
    }

    mutating func answer() async throws -> AirshipJSON {
        guard let passage = request.passage else { return try await ask(request) }
        var isEstimateTooLow = false
        if fixedLength + window.length(of: request.prompt()) <= window.limit ?? .max {
            do {
                return try await ask(request)
            } catch  where Self.isOverflow(error) {
                isEstimateTooLow = true
            }
        }
        var frame = try await frame()
        if isEstimateTooLow { frame.capacity = min(frame.capacity, half(passage.text)) }
        return try await answer(about: passage.text, in: frame)
    }

    /// With as much context as leaves half the window to the text.
    private func frame() async throws -> Frame {
        guard let limit = window.limit else { return Frame(request: request, capacity: .max) }
        var empty = request.about("")
        let fixedLength = fixedLength
        _ = await empty.dropContext {
            fixedLength + window.length(of: $0.prompt()) <= limit / 2
        }
        let room = limit - fixedLength - window.length(of: empty.prompt())
        guard room > 0 else { throw LongInputError.windowTooSmall }
        return Frame(request: empty, capacity: unit == .scalars ? room : bytes(room))
    }

    private mutating func answer(
        about text: String, in frame: Frame
    ) async throws -> AirshipJSON {
        let answers = try await answers(about: pieces(of: text, frame.capacity), in: frame)
        let merge = AnswerMerge(schema: request.schema, answers: answers)
        guard let digest = merge.digest else { return merge.merged() }
        guard length(digest) <= frame.capacity || digest.utf8.count < text.utf8.count else {
            throw LongInputError.answersTooLong
        }
        return merge.merged(textsFrom: try await answer(about: digest, in: frame))
    }

    private mutating func answers(
        about pieces: [String], in frame: Frame
    ) async throws -> [AirshipJSON] {
        partCount += pieces.count
        let most = LongInputLimits.partMax
        guard partCount <= most else { throw LongInputError.tooManyParts(most: most) }
        var answers: [AirshipJSON] = []
        for piece in pieces {
            do {
                answers.append(try await ask(frame.request.about(piece)))
            } catch  where Self.isOverflow(error) {
                // Longer than it was estimated, so in halves, which are halved again if need be.
                let halves = self.pieces(of: piece, half(piece))
                guard halves.count > 1 else { throw error }
                answers += try await self.answers(about: halves, in: frame)
            }
        }
        return answers
    }

    /// Without those that are nothing but white space, unless all are.
    private func pieces(of text: String, _ capacity: Int) -> [String] {
        let pieces = TextSplitter(text, capacity: capacity, unit: unit).pieces()
        let written = pieces.filter { !$0.allSatisfy(\.isWhitespace) }
        return written.isEmpty ? [pieces.first ?? ""] : written
    }

    /// Of so many tokens.
    private func bytes(_ tokens: Int) -> Int {
        let (count, isTooMany) = tokens.multipliedReportingOverflow(by: CoreLimits.bytesPerToken)
        return isTooMany ? .max : count
    }

    private var unit: TextSplitter.Unit {
        if case .characters = window { .scalars } else { .bytes }
    }

    private func length(_ text: String) -> Int {
        unit == .scalars ? text.unicodeScalars.count : text.utf8.count
    }

    private func half(_ text: String) -> Int { (length(text) + 1) / 2 }

    /// Of what is in every request.
    private var fixedLength: Int {
        window.length(of: request.instructions)
            + window.length(of: (try? request.schema.toString()) ?? "")
    }

    private static func isOverflow(_ error: any Error) -> Bool {
        AirshipAI.ErrorClass(classifying: error) == .contextOverflow
    }

    /// A valid answer, asked for as often as the model has attempts.
    private mutating func ask(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        let attemptMax = Attempts.count(askedFor: model.maxAttempts)
        var count = 0
        while true {
            try Task.checkCancellation()
            // Whoever called has counted the first.
            if callCount > 0 { try request.beginFurtherCall?() }
            callCount += 1
            count += 1
            do {
                return try await Attempts.answer(to: request, by: model)
            } catch {
                if count >= attemptMax || error is CancellationError || Self.isOverflow(error) {
                    throw error
                }
            }
        }
    }
}
