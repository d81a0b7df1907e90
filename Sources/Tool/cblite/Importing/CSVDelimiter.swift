/// The character between the fields of a CSV file.
enum CSVDelimiter {
    private static let candidates = Array(",;\t|".utf8)
    private static let sampleSize = 1 << 16

    /// Returns the candidate that splits the first rows most evenly; a comma if none is in the header. Nothing of the input is consumed.
    static func find(in input: InputFile) throws -> UInt8 {
        while input.available < sampleSize, try input.fill() {}
        return input.withAvailable { bytes in
            let sample = bytes.prefix(sampleSize)
            var best = (delimiter: candidates[0], rows: 0, fields: 0)
            for delimiter in candidates {
                let counts = Self.counts(of: delimiter, in: sample)
                guard let fields = counts.first, fields > 0 else { continue }
                let rows = counts.count { $0 == fields }
                if (rows, fields) > (best.rows, best.fields) { best = (delimiter, rows, fields) }
            }
            return best.delimiter
        }
    }

    /// What a message calls a candidate.
    static func name(_ delimiter: UInt8) -> String {
        switch delimiter {
        case UInt8(ascii: "\t"): "tabs"
        case UInt8(ascii: ";"): "semicolons"
        case UInt8(ascii: "|"): "vertical bars"
        default: "commas"
        }
    }

    /// Returns how often a delimiter occurs outside of quotes, in each row that is not blank.
    private static func counts(of delimiter: UInt8, in sample: Slice<UnsafeRawBufferPointer>) -> [Int] {
        var counts: [Int] = []
        var (count, isQuoted, isBlank, isFieldStart) = (0, false, true, true)
        for byte in sample {
            switch byte {
            case UInt8(ascii: "\"") where isQuoted || isFieldStart: isQuoted.toggle()
            case delimiter where !isQuoted:
                count += 1
                isFieldStart = true
                isBlank = false
                continue
            case UInt8(ascii: "\n") where !isQuoted, UInt8(ascii: "\r") where !isQuoted:
                if !isBlank { counts.append(count) }
                (count, isBlank, isFieldStart) = (0, true, true)
                continue
            default: break
            }
            isBlank = false
            // A doubled quote continues the field.
            isFieldStart = byte == UInt8(ascii: "\"") && !isQuoted
        }
        // The last row of a sample may be incomplete.
        if counts.isEmpty, !isBlank { counts.append(count) }
        return counts
    }
}
