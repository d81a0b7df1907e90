// Darwin has most of what Glibc has; Additions.swift declares what differs.
@_exported public import Glibc
