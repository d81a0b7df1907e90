#if Replication
extension HubDescription {
    /// The end of the paths, and what they refer to.
    static let components: StaticString = #"""
          },
          "components": {
            "schemas": {
              "Error": {
                "type": "object",
                "required": ["error", "reason"],
                "properties": {"error": {"type": "string"}, "reason": {"type": "string"}}
              },
              "Stored": {
                "type": "object",
                "required": ["id", "ok", "rev"],
                "properties": {"id": {"type": "string"}, "ok": {"type": "boolean"}, "rev": {"type": "string"}}
              },
              "User": {
                "type": "object",
                "properties": {
                  "name": {"type": "string"},
                  "password": {"type": "string"},
                  "admin_channels": {"type": "array", "items": {"type": "string"}},
                  "admin_roles": {"type": "array", "items": {"type": "string"}},
                  "disabled": {"type": "boolean"}
                }
              },
              "Role": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "admin_channels": {"type": "array", "items": {"type": "string"}}}
              },
              "Rows": {
                "type": "object",
                "required": ["rows", "total_rows"],
                "properties": {"rows": {"type": "array", "items": {"type": "object"}}, "total_rows": {"type": "integer"}}
              },
              "Changes": {
                "type": "object",
                "required": ["results", "last_seq"],
                "properties": {"results": {"type": "array", "items": {"type": "object"}}, "last_seq": {"type": "string"}}
              }
            },
            "responses": {
              "Error": {
                "description": "An error: its short name and the reason.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              }
            },
            "securitySchemes": {
              "password": {"type": "http", "scheme": "basic"},
              "session": {"type": "apiKey", "in": "cookie", "name": "SyncGatewaySession"}
            },
            "parameters": {
              "allDocs_include_docs": {
                "name": "include_docs",
                "in": "query",
                "description": "Whether each row contains the document.",
                "schema": {"type": "boolean"}
              },
              "allDocs_channels": {
                "name": "channels",
                "in": "query",
                "description": "Whether each row lists the channels.",
                "schema": {"type": "boolean"}
              },
              "allDocs_update_seq": {
                "name": "update_seq",
                "in": "query",
                "description": "Whether each row contains the sequence.",
                "schema": {"type": "boolean"}
              },
              "allDocs_revs": {
                "name": "revs",
                "in": "query",
                "description": "Whether the documents contain their history.",
                "schema": {"type": "boolean"}
              },
              "allDocs_keys": {"name": "keys", "in": "query", "description": "A JSON array of IDs.", "schema": {"type": "string"}},
              "allDocs_startkey": {
                "name": "startkey",
                "in": "query",
                "description": "The first ID, as JSON.",
                "schema": {"type": "string"}
              },
              "allDocs_endkey": {
                "name": "endkey",
                "in": "query",
                "description": "The last ID, as JSON.",
                "schema": {"type": "string"}
              },
              "allDocs_limit": {
                "name": "limit",
                "in": "query",
                "description": "The maximum number of rows.",
                "schema": {"type": "integer", "minimum": 0, "maximum": 1000000}
              },
              "keyspace": {
                "name": "keyspace",
                "in": "path",
                "required": true,
                "description": "A database, or a collection of it: `db`, `db.collection`, `db.scope.collection`.",
                "schema": {"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9._-]+$"}
              },
              "database": {
                "name": "database",
                "in": "path",
                "required": true,
                "description": "The name of a database.",
                "schema": {"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9-]+$"}
              },
              "user": {
                "name": "user",
                "in": "path",
                "required": true,
                "description": "The name of a user.",
                "schema": {"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9._-]+$", "maxLength": 100}
              },
              "role": {
                "name": "role",
                "in": "path",
                "required": true,
                "description": "The name of a role.",
                "schema": {"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9._-]+$", "maxLength": 100}
              },
              "document": {
                "name": "document",
                "in": "path",
                "required": true,
                "description": "The ID of a document. It does not begin with an underscore.",
                "schema": {"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9-][A-Za-z0-9_.:-]*$", "maxLength": 100}
              },
              "attachment": {
                "name": "attachment",
                "in": "path",
                "required": true,
                "description": "The name of an attachment.",
                "schema": {"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9-]+$"}
              },
              "local": {
                "name": "local",
                "in": "path",
                "required": true,
                "description": "The name of a local document.",
                "schema": {"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9-]+$", "maxLength": 100}
              },
              "rev": {"name": "rev", "in": "query", "description": "The ID of a revision.", "schema": {"type": "string"}},
              "ifMatch": {
                "name": "If-Match",
                "in": "header",
                "description": "The entity tag of the revision that is changed.",
                "schema": {"type": "string"}
              }
            }
          },
        """#
}
#endif
