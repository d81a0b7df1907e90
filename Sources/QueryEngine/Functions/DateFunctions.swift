import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the date functions (Query 3.13).
    func addDateFunctions() throws {
        try add("str_to_millis", counts: 1...1) { call in
            guard let date = DateText(call[0].string), date.hasDate else { return call.context.resultJSONNull() }
            call.context.resultInt64(date.milliseconds)
        }
        try add("str_to_utc", counts: 1...2) { call in
            guard let date = DateText(call[0].string) else { return call.context.resultJSONNull() }
            call.resultDate(date.milliseconds, offset: 0, exampleAt: 1)
        }
        try add("str_to_tz", counts: 2...3) { call in
            guard let date = DateText(call[0].string), let offset = call.offset(at: 1) else { return call.context.resultJSONNull() }
            call.resultDate(date.milliseconds, offset: offset, exampleAt: 2)
        }
        try add("millis_to_utc", counts: 1...2) { call in
            guard let moment = call.moment(at: 0) else { return call.context.resultJSONNull() }
            call.resultDate(moment, offset: 0, exampleAt: 1)
        }
        try add("millis_to_str", counts: 1...2) { call in
            guard let moment = call.moment(at: 0) else { return call.context.resultJSONNull() }
            call.resultDate(moment, offset: Int(DateText.localOffset(at: moment) / 60), exampleAt: 1)
        }
        try add("millis_to_tz", counts: 2...3) { call in
            guard let moment = call.moment(at: 0), let offset = call.offset(at: 1) else { return call.context.resultJSONNull() }
            call.resultDate(moment, offset: offset, exampleAt: 2)
        }
        try addDateArithmetic()
    }

    private func addDateArithmetic() throws {
        try add("date_diff_str", counts: 3...3) { call in
            guard let left = DateText(call[0].string), let right = DateText(call[1].string),
                let part = DatePart(call[2].string)
            else { return call.context.resultNull() }
            call.context.resultInt64(part.difference(left.date, right.date))
        }
        try add("date_diff_millis", counts: 3...3) { call in
            guard let left = call.moment(at: 0), let right = call.moment(at: 1), let part = DatePart(call[2].string)
            else { return call.context.resultNull() }
            call.context.resultInt64(part.difference(CivilDate(milliseconds: left), CivilDate(milliseconds: right)))
        }
        try add("date_add_str", counts: 3...4) { call in
            guard let date = DateText(call[0].string), let count = call[1].truncated,
                let part = DatePart(call[2].string), let local = part.adding(count, to: date.date)
            else { return call.context.resultNull() }
            let offset = date.offset ?? 0
            call.resultDate(local - Int64(offset) * 60_000, offset: offset, exampleAt: 3)
        }
        try add("date_add_millis", counts: 3...3) { call in
            guard let moment = call.moment(at: 0), let count = call[1].truncated, let part = DatePart(call[2].string),
                let result = part.adding(count, to: CivilDate(milliseconds: moment))
            else { return call.context.resultNull() }
            call.context.resultInt64(result)
        }
    }
}

extension FunctionCall {
    /// An argument as milliseconds since 1970; `nil` if it is not a number or out of range.
    fileprivate func moment(at index: Int) -> Int64? {
        self[index].truncated.flatMap { CivilDate.range.contains($0) ? $0 : nil }
    }

    /// An argument as a UTC offset in minutes; `nil` if it is not a number or exceeds two days.
    fileprivate func offset(at index: Int) -> Int? {
        self[index].truncated.flatMap { (-2880...2880).contains($0) ? Int($0) : nil }
    }

    /// Sets the result to a date as text, formatted like the example argument if there is one.
    fileprivate func resultDate(_ moment: Int64, offset: Int, exampleAt index: Int) {
        let example = index < count ? DateText(self[index].string) : nil
        context.resultText(DateText.text(of: moment, offset: offset, example: example))
    }
}
