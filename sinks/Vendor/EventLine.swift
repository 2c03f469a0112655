// An event of the log, taken from its line: of its texts only those that may leave are kept.

import EvalogFacts
import EvalogText

/// Where a line stands, and when what it tells happened.
struct Place: Hashable {
    let writer: UniqueID
    /// Its number among the writer's lines.
    let sequence: UInt64
    /// µs since 1970.
    let time: Int64
}

/// What one line says of an event. Nothing is decided about it yet.
struct EventLine {
    /// What is absent here has not the form in which it could leave.
    enum Body {
        case suppression(message: Identifier?, MissAction?)
        case inference(FormField?, InferenceStatus, Values)
    }

    /// The values of a report that have the form of a listed one, and how many others there are.
    struct Values {
        var formed: [FormedValue] = []
        var otherCount = 0
    }

    let place: Place
    /// When the log first had the event, µs since 1970.
    var appendTime: Int64
    let session: SessionID?
    /// The nil UUID where the event names none.
    let evaluation: UniqueID
    let body: Body
    /// Decides between lines of one time, whatever comes first: the beginning of their digest.
    private let tie: UniqueID

    /// - Parameter line: What the view was made of.
    init(
        _ view: borrowing FactView, line: UnsafeRawBufferPointer, at place: Place,
        appendTime: Int64, _ known: inout KnownTexts
    ) {
        self.place = place
        self.appendTime = appendTime
        session = view.session
        evaluation = view.evaluation ?? UniqueID(high: 0, low: 0)
        body =
            if view.kind == .aiSuppressed {
                .suppression(
                    message: Identifier(view.subject).map { known.messages.insert($0).1 },
                    MissAction(view.missBehavior))
            } else {
                .inference(
                    FormField(view.subject).map { known.fields.insert($0).1 }, view.status,
                    Values(view.report, &known))
            }
        var digest = SHA256()
        digest.update(line)
        tie = .leading(bytesOf: digest.finish())
    }

    /// What it is about, whatever it is called.
    func occasion(_ key: FactKey) -> Occasion {
        let namesNone = evaluation == UniqueID(high: 0, low: 0)
        return switch body {
        case .suppression: namesNone ? .own(key) : .decision(evaluation)
        case .inference(let field, _, _):
            .submission(field, session: session, evaluation: evaluation, time: place.time)
        }
    }

    /// Whether it is told rather than another line of the same event: the older one is.
    func precedes(_ other: Self) -> Bool {
        place.time != other.place.time ? place.time < other.place.time : tie < other.tie
    }
}

/// Texts that many lines share, each once.
struct KnownTexts {
    fileprivate var messages: Set<Identifier> = []
    fileprivate var fields: Set<FormField> = []
    fileprivate var values: Set<FormedValue> = []
    private var lists: Set<Set<ListedValue>> = []

    /// What a catalog lists.
    mutating func list(_ catalog: FactView.Text) -> Set<ListedValue> {
        lists.insert(ListedValue.all(in: catalog)).memberAfterInsert
    }
}

extension EventLine.Values {
    fileprivate init(_ report: FactView.Text, _ known: inout KnownTexts) {
        FactView.forEachValue(ofReport: report) { property, value in
            if let value = FormedValue(property, value) {
                formed.append(known.values.insert(value).memberAfterInsert)
            } else {
                otherCount += 1
            }
        }
    }
}
