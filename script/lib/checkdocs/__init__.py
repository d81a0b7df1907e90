"""The modules of script/check-docs, which describes the checks."""
