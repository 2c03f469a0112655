// What of a value shows by itself, wherever a program turns values into text.

import Foundation

/// Everything that prints, dumps, mirrors and bridged errors show of a value, alone and in another.
package func shown(_ value: Any) -> String {
    var text = "\(value)" + String(reflecting: value) + "\([value])" + "\(Optional(value) as Any)"
    dump(value, to: &text)
    dump([value], to: &text)
    func walk(_ value: Any, depth: Int) {
        guard depth > 0 else { return }
        for child in Mirror(reflecting: value).children {
            text += "\(child.label ?? "") \(child.value)"
            walk(child.value, depth: depth - 1)
        }
    }
    walk(value, depth: 8)
    if let error = value as? any Error {
        let bridged = error as NSError
        text += bridged.localizedDescription + "\(bridged)" + "\(bridged.userInfo)"
    }
    return text
}
