import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the date functions (Query 3.13).
    func addDateFunctions() throws {
        try add("str_to_millis", counts: 1...1) { call in
            guard let date = DateText.date(call[0].string), date.hasDate else { return call.context.resultJSONNull() }
            call.context.resultInt64(DateText.milliseconds(of: date, in: call.environment.localZone))
        }
        try add("str_to_utc", counts: 1...2) { call in
            guard let date = DateText.date(call[0].string) else { return call.context.resultJSONNull() }
            call.resultDate(DateText.milliseconds(of: date, in: call.environment.localZone), offset: 0, exampleAt: 1)
        }
        try add("str_to_tz", counts: 2...3) { call in
            guard let date = DateText.date(call[0].string), let offset = call.offset(at: 1) else { return call.context.resultJSONNull() }
            call.resultDate(DateText.milliseconds(of: date, in: call.environment.localZone), offset: offset, exampleAt: 2)
        }
        try add("millis_to_utc", counts: 1...2) { call in
            guard let moment = call.moment(at: 0) else { return call.context.resultJSONNull() }
            call.resultDate(moment, offset: 0, exampleAt: 1)
        }
        try add("millis_to_str", counts: 1...2) { call in
            guard let moment = call.moment(at: 0) else { return call.context.resultJSONNull() }
            call.resultDate(moment, offset: Int(DateText.offset(of: call.environment.localZone, at: moment) / 60), exampleAt: 1)
        }
        try add("millis_to_tz", counts: 2...3) { call in
            guard let moment = call.moment(at: 0), let offset = call.offset(at: 1) else { return call.context.resultJSONNull() }
            call.resultDate(moment, offset: offset, exampleAt: 2)
        }
        try addDateArithmetic()
    }

    private func addDateArithmetic() throws {
        try add("date_diff_str", counts: 3...3) { call in
            guard let left = DateText.date(call[0].string), let right = DateText.date(call[1].string),
                let part = DatePart(call[2].string)
            else { return call.context.resultNull() }
            call.context.resultInt64(part.difference(left.fields, right.fields))
        }
        try add("date_diff_millis", counts: 3...3) { call in
            guard let left = call.moment(at: 0), let right = call.moment(at: 1), let part = DatePart(call[2].string)
            else { return call.context.resultNull() }
            call.context.resultInt64(part.difference(CivilDate(milliseconds: left), CivilDate(milliseconds: right)))
        }
        try addDateAddition(toText: "date_add_str", toMilliseconds: "date_add_millis", isOfIndex: true)
        try addDateAddition(toText: "fl_date_add_str", toMilliseconds: "fl_date_add_millis", isOfIndex: false)
    }

    private func addDateAddition(toText textName: String, toMilliseconds millisecondsName: String, isOfIndex: Bool) throws {
        try add(textName, counts: 3...4) { call in
            guard let date = DateText.date(call[0].string), let count = call[1].truncated, let name = call[2].string else {
                return call.context.resultNull()
            }
            let offset = date.offsetMinutes ?? 0
            let sum =
                if let part = DatePart(name) {
                    part.adding(count, to: date.fields).map { $0 - Int64(offset) * 60_000 }
                } else {
                    call.sumOfUnknownPart(isOfIndex: isOfIndex)
                }
            guard let sum else { return call.context.resultNull() }
            call.resultDate(sum, offset: offset, exampleAt: 3)
        }
        try add(millisecondsName, counts: 3...3) { call in
            guard let moment = call.moment(at: 0), let count = call[1].truncated, let name = call[2].string else {
                return call.context.resultNull()
            }
            let sum =
                if let part = DatePart(name) {
                    part.adding(count, to: CivilDate(milliseconds: moment))
                } else {
                    call.sumOfUnknownPart(isOfIndex: isOfIndex)
                }
            guard let sum else { return call.context.resultNull() }
            call.context.resultInt64(sum)
        }
    }
}

extension FunctionCall {
    /// Returns the result of an addition of an unknown part, which is MISSING. The original returns the moment −1, and the keys of indexes
    /// reproduce that (Query 3.13, 5.13).
    fileprivate func sumOfUnknownPart(isOfIndex: Bool) -> Int64? {
        guard self.isOfIndex(isOfIndex) else { return nil }
        environment.noteDifferingKey()
        return -1
    }

    /// An argument as milliseconds since 1970; `nil` if it is not a number or out of range.
    fileprivate func moment(at index: Int) -> Int64? { self[index].truncated.flatMap { DateText.range.contains($0) ? $0 : nil } }

    /// An argument as a UTC offset in minutes; `nil` if it is not a number or exceeds two days.
    fileprivate func offset(at index: Int) -> Int? { self[index].truncated.flatMap { (-2880...2880).contains($0) ? Int($0) : nil } }

    /// Sets the result to a date as text, formatted like the example argument if there is one.
    fileprivate func resultDate(_ moment: Int64, offset: Int, exampleAt index: Int) {
        let example = index < count ? DateText.date(self[index].string) : nil
        context.resultText(DateText.text(of: moment, offset: offset, example: example))
    }
}
