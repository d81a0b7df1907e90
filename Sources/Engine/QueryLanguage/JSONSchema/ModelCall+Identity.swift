extension ModelCall {
    /// The text that identifies the model and the input: equal for calls that share a table (Vector search FP-2).
    package var identity: String {
        JSONText.string("PREDICTION()") + JSONText.string(model) + QueryJSON.text(of: input)
    }
}
