// Joins what two threads collected: rows stay where they are, names and sessions are renumbered.

import EvalogText

/// What the numbers of one collector are in another.
struct Renumbering {
    let names: [UInt32]
    let sessions: [UInt32]
    let dimensions: [UInt32]

    /// Enters everything that `source` has named into `target`. O(names + sessions).
    init(from source: FactCollector, to target: FactCollector) {
        names = (0..<source.names.count).map {
            target.names.number(of: source.names.bytes(UInt32($0)))
        }
        sessions = (0..<source.sessions.count).map {
            $0 == 0 ? 0 : target.sessions.number(of: source.sessions.session(UInt32($0)))
        }
        dimensions = (0..<source.dimensions.count).map {
            target.dimensions.number(of: source.dimensions.text($0))
        }
    }
}

extension FactCollector {
    /// Takes over all that `other` has collected; `other` is of no use afterwards.
    ///
    /// Costs O(rows of `other`) time, and memory for names, sessions and index but none for rows.
    package func absorb(_ other: FactCollector, threads: Int = 1) {
        index.makeRoom(for: other.index)
        other.index.release()
        let numbers = Renumbering(from: other, to: self)
        let rowCount = other.records.count
        let (base, payloadBase) = records.take(other.records)
        _ = inParallel(threads) { number in
            for row in part(number, of: threads, rowCount)
            where records.bits[base + row].code != .hole {
                renumber(base + row, numbers, payloadBase: payloadBase)
            }
        }
        for (row, attempts) in other.largeAttempts { setLargeAttempts(attempts, of: base + row) }
        // A thread has the tables that it fills to itself.
        let known = inParallel(min(threads, IdentityIndex.shardCount)) { number in
            place(base..<base + rowCount, part: number, of: min(threads, IdentityIndex.shardCount))
        }
        var homes: [Int: Int] = [:]
        for (row, home) in known.joined() {
            if fold(row, into: home) { homes[row] = home }
        }
        for number in 0..<other.claims.count {
            let claim = other.claims[number]
            let row = Int(claim.row) + base
            claims.add(
                row: homes[row] ?? row, digest: claim.digest, time: claim.time,
                lineCount: claim.lineCount)
        }
        addCounts(of: other)
    }

    /// Indexes those of the rows that belong to one part of the tables, and returns the others of
    /// them, with the row of the same identity that is there.
    private func place(_ rows: Range<Int>, part: Int, of count: Int) -> [(row: Int, home: Int)] {
        var known: [(row: Int, home: Int)] = []
        let queue = LookupQueue<Int>()
        func settle() {
            queue.drain(index) { row, hash in
                let id = records.id(row)
                if let home = index.row(of: id, kind: records.bits[row].code.kind, hash: hash) {
                    known.append((row, home))
                } else {
                    index.insert(row, hash: hash)
                }
            }
        }
        let (bits, highs, lows) = (records.bits, records.idHighs, records.idLows)
        for row in rows {
            let code = bits[row].code
            guard code != .hole else { continue }
            let id = UniqueID(high: highs[row], low: lows[row])
            let hash = IdentityIndex.hash(id, kind: code.kind)
            guard IdentityIndex.shard(hash) % count == part else { continue }
            queue.append(row, hash: hash)
            if queue.isFull { settle() }
        }
        settle()
        return known
    }

    func renumber(_ row: Int, _ numbers: Renumbering, payloadBase: Int) {
        if records.bits[row].code.isEvaluation {
            records.sessions[row] = numbers.sessions[Int(records.sessions[row])]
            records.subjects[row] = numbers.names[Int(records.subjects[row])]
            records.dimensions[row] = numbers.dimensions[Int(records.dimensions[row])]
        } else {
            let payloadRow = Int(records.sessions[row]) + payloadBase
            records.sessions[row] = UInt32(payloadRow)
            var payload = records.payloads[payloadRow]
            payload.subject = numbers.names[Int(payload.subject)]
            payload.report = numbers.names[Int(payload.report)]
            records.payloads[payloadRow] = payload
        }
    }

    /// Folds a row into the row of the same identity; true when claims of the row have to follow it
    /// there.
    private func fold(_ row: Int, into home: Int) -> Bool {
        let hasClaims = records.bits[row].copies == RecordBits.copiesMax
        let copies = joinCopies(of: row, to: home)
        let isStaying =
            (records.times[row], records.digests[row])
            < (records.times[home], records.digests[home])
        if isStaying { replaceValues(of: home, by: row) }
        records.bits[home].copies = copies
        records.bits[row] = .hole
        return hasClaims
    }

    private func joinCopies(of row: Int, to home: Int) -> Int {
        let sum = records.bits[row].copies + records.bits[home].copies
        if records.digests[row] == records.digests[home] && sum < RecordBits.copiesMax {
            return sum
        }
        let copies = records.bits[row].copies
        if copies < RecordBits.copiesMax {
            claims.add(
                row: home, digest: records.digests[row], time: records.times[row],
                lineCount: UInt32(copies))
        }
        return spillCopies(of: home)
    }

    /// Gives a row the values, and the payload, of another one of the same identity.
    func replaceValues(of home: Int, by row: Int) {
        records.copy(row, to: home)
        setLargeAttempts(largeAttempts[row], of: home)
        setLargeAttempts(nil, of: row)
    }
}
