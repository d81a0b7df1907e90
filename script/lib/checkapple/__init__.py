"""The modules of script/check-apple, which describes the check."""
