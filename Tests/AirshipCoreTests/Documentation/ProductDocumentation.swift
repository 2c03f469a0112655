// The product documentation, where it lies beside the checkout: its examples are filled into small
// apps of ours, to the letter, and none of them is kept here.

import Foundation
import TestSupport

enum ProductDocumentation {
    /// Each page's lines that hold something, without indentation; nil, after a printed line, where
    /// the documentation is not at hand.
    static let pages: [[String]]? = {
        let folder = SharedFolder.url.appending(path: "reference/product-docs")
        let files = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        if files == nil { print("skipped: the documentation is not at hand") }
        return files?.map { file in
            ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
    }()

    static var isPresent: Bool { pages != nil }

    /// Puts the documentation's lines in the place of each `// DOCUMENTATION COUNT HASH`.
    ///
    /// - Returns: nil if the documentation has no such lines any more.
    static func filled(_ template: String) -> String? {
        var lines: [String] = []
        for line in template.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ")
            if words.count == 4, words[1] == "DOCUMENTATION" {
                guard let count = Int(words[2]), let hash = UInt64(words[3], radix: 16),
                    let example = example(lineCount: count, hash: hash)
                else { return nil }
                lines += example
            } else {
                lines.append(String(line))
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func example(lineCount: Int, hash: UInt64) -> [String]? {
        for page in pages ?? [] where page.count >= lineCount {
            for start in 0...page.count - lineCount {
                let lines = Array(page[start..<start + lineCount])
                if self.hash(of: lines) == hash { return lines }
            }
        }
        return nil
    }

    /// FNV-1a of the lines joined by line feeds.
    private static func hash(of lines: [String]) -> UInt64 {
        lines.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
    }
}
