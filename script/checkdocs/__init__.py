"""The parts of script/check-docs, which says what they check."""
