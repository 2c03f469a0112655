// One line of somebody's file → one or two lines of the log, or the reason why not.

import EvalogFacts
import EvalogImporters
import EvalogRecording
import EvalogText

/// What became of a line.
enum ImportedLine {
    case fact(Fact, content: ImportedContent, isRecord: Bool)
    /// White space only.
    case blank
    /// It stands in for a line that was erased.
    case erased
    case refused(LineFault)
}

/// The line of content that comes with a fact.
enum ImportedContent {
    /// Nobody chose to keep it, or there is none.
    case none
    case line([UInt8])
    /// Longer than a line of the log may be.
    case tooLong
}

/// Why a line was refused; never holds a byte of it.
enum LineFault: Error, Equatable {
    case tooLong(byteCount: Int64)
    case fact(FactError)
    case record(RecordError)
    /// A fact of a type that this version does not know and so cannot write.
    case unknownType
    /// No trace of the format that was asked for.
    case trace(TraceFormat, TextError)
}

/// Reads lines of one source: fact lines as such, everything else as evaluation records.
struct LineImporter {
    /// Names the input in the ids of records that have none.
    let source: String
    let choice: ContentRetention
    /// Marks records without a time. Microseconds since 1970.
    let importTime: Int64
    private(set) var reducer: FactReducer
    private(set) var unknownKeyCount = 0
    private var decoder = FactDecoder()
    private var reader = RecordReader()
    private var occurrences = OccurrenceTable()

    init(source: String, choice: ContentRetention, importTime: Int64, key: [UInt8]) {
        self.source = source
        self.choice = choice
        self.importTime = importTime
        reducer = FactReducer(key: key)
    }

    var replacedCount: Int { reducer.replacedCount }

    mutating func read(_ line: UnsafeRawBufferPointer) -> ImportedLine {
        if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return .blank }
        guard line.count <= FactLimits.lineByteCountMax else { return record(line) }
        do throws(FactError) {
            return fact(try decoder.decode(line))
        } catch {
            // A line without a type is no fact line but may be an evaluation record, and records
            // may hold half surrogate pairs, which a model can write.
            let mayBeRecord = [.missing(.type), .notJSON(.loneSurrogate)].contains(error.kind)
            return mayBeRecord ? record(line) : .refused(.fact(error))
        }
    }

    private mutating func fact(_ view: FactView) -> ImportedLine {
        if view.isErased { return .erased }
        guard let fact = reducer.fact(of: view) else { return .refused(.unknownType) }
        unknownKeyCount += view.unknownKeyCount
        return .fact(fact, content: .none, isRecord: false)
    }

    private mutating func record(_ line: UnsafeRawBufferPointer) -> ImportedLine {
        do throws(RecordError) {
            let fact = try evaluation(line)
            return .fact(
                .evaluation(fact), content: content(of: fact, in: line), isRecord: true)
        } catch {
            return .refused(.record(error))
        }
    }

    /// Lets go of the texts of the observation, which can be as long as the line, before content is
    /// made of the line.
    private mutating func evaluation(
        _ line: UnsafeRawBufferPointer
    ) throws(RecordError) -> EvaluationFact {
        let observation = try reader.read(line)
        unknownKeyCount += reader.unknownKeyCount
        let occurrence = observation.id == nil ? occurrences.next(line) : 0
        let derived = reducer
        return reducer.fact(
            of: observation,
            id: derived.derivedID(source: source, line: line, occurrence: occurrence),
            assumedTime: importTime)
    }

    private mutating func content(
        of fact: EvaluationFact, in line: UnsafeRawBufferPointer
    ) -> ImportedContent {
        guard choice.keepsContent(of: fact) else { return .none }
        var content: [UInt8] = []
        // It is hardly ever longer than the line it comes from, and growing takes twice the room.
        content.reserveCapacity(line.count + 512)
        return reader.appendContent(of: fact, to: &content) ? .line(content) : .tooLong
    }
}

/// How often each line came before in one input. Takes 11 to 22 bytes for each different line, half
/// as much again while it grows.
struct OccurrenceTable {
    /// Hashes of all lines.
    private var seen: Set<UInt64> = []
    /// Only lines that came more than once.
    private var repeats: [UInt64: Int] = [:]

    /// How often `line` came before; counts it.
    ///
    /// Lines are told apart by a 64-bit hash. Should two share it, their ids still differ, since the
    /// line itself goes into the id.
    mutating func next(_ line: UnsafeRawBufferPointer) -> Int {
        let hash = Self.hash(line)
        if seen.insert(hash).inserted { return 0 }
        let count = (repeats[hash] ?? 0) + 1
        repeats[hash] = count
        return count
    }

    /// FNV-1a: the same in every run, so that an input is read the same way each time.
    private static func hash(_ line: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in line { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
