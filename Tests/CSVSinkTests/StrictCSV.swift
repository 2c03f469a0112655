// A reader of RFC 4180 that forgives nothing: what the export is read back with.

/// Records of cells as bytes; nil for anything the standard does not allow.
func readStrictly(_ bytes: [UInt8]) -> [[[UInt8]]]? {
    var records: [[[UInt8]]] = []
    var record: [[UInt8]] = []
    var offset = 0
    while offset < bytes.count {
        guard let cell = cell(bytes, &offset) else { return nil }
        record.append(cell)
        guard offset < bytes.count else { return nil }
        if bytes[offset] == UInt8(ascii: ",") {
            offset += 1
        } else {
            guard bytes[offset] == 0x0D, offset + 1 < bytes.count, bytes[offset + 1] == 0x0A else {
                return nil
            }
            offset += 2
            records.append(record)
            record = []
        }
    }
    return record.isEmpty ? records : nil
}

private func cell(_ bytes: [UInt8], _ offset: inout Int) -> [UInt8]? {
    var cell: [UInt8] = []
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
        while offset < bytes.count, bytes[offset] != UInt8(ascii: ","), bytes[offset] != 0x0D {
            guard bytes[offset] != UInt8(ascii: "\""), bytes[offset] != 0x0A else { return nil }
            cell.append(bytes[offset])
            offset += 1
        }
        return cell
    }
    offset += 1
    while offset < bytes.count {
        if bytes[offset] == UInt8(ascii: "\"") {
            offset += 1
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { return cell }
        }
        cell.append(bytes[offset])
        offset += 1
    }
    return nil
}
