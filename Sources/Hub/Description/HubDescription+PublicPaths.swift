#if Replication
extension HubDescription {
    /// The beginning of the description, with the requests of the port for users.
    static let publicPaths: StaticString = #"""
        {
          "openapi": "3.0.3",
          "info": {
            "title": "CouchbaseLiteSwift Hub",
            "version": "0.9.0",
            "description": "The REST API of `cblite serve --hub`, as on Sync Gateway's public port."
          },
          "paths": {
            "/": {
              "get": {
                "operationId": "welcome",
                "summary": "Returns the version of the hub.",
                "responses": {
                  "200": {"description": "The version.", "content": {"application/json": {"schema": {"type": "object"}}}},
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/_health": {
              "get": {
                "operationId": "health",
                "summary": "Says that the hub responds.",
                "responses": {
                  "200": {
                    "description": "The hub responds.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/_metrics": {
              "get": {
                "operationId": "metrics",
                "summary": "Returns counters in the text format of Prometheus.",
                "responses": {
                  "200": {"description": "The counters.", "content": {"text/plain": {"schema": {"type": "string"}}}},
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/metrics": {
              "get": {
                "operationId": "plainMetrics",
                "summary": "The same as `/_metrics`, unless a database has the name `metrics`.",
                "responses": {
                  "200": {"description": "The counters.", "content": {"text/plain": {"schema": {"type": "string"}}}},
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/_openapi": {
              "get": {
                "operationId": "description",
                "summary": "Returns this description.",
                "responses": {
                  "200": {
                    "description": "The description.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/{database}/_session": {
              "get": {
                "operationId": "session",
                "summary": "Returns the user of the request.",
                "parameters": [{"$ref": "#/components/parameters/database"}],
                "responses": {
                  "200": {
                    "description": "The user and the channels.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "post": {
                "operationId": "login",
                "summary": "Begins a session: the cookie of the response stands for the user. The port for administration requires no password.",
                "parameters": [{"$ref": "#/components/parameters/database"}],
                "responses": {
                  "200": {
                    "description": "The user and the channels.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": false,
                  "description": "The name and the password.",
                  "content": {
                    "application/json": {
                      "schema": {"type": "object", "properties": {"name": {"type": "string"}, "password": {"type": "string"}}}
                    }
                  }
                }
              },
              "delete": {
                "operationId": "logout",
                "summary": "Ends the session of the cookie.",
                "parameters": [{"$ref": "#/components/parameters/database"}],
                "responses": {
                  "200": {
                    "description": "The session has ended.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/{database}/_blipsync": {
              "get": {
                "operationId": "sync",
                "summary": "The WebSocket of replicating clients.",
                "parameters": [{"$ref": "#/components/parameters/database"}],
                "responses": {
                  "101": {"description": "The protocol is switched."},
                  "500": {
                    "description": "The client offers no protocol that the hub speaks, as on Sync Gateway.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/{keyspace}/": {
              "get": {
                "operationId": "information",
                "summary": "Returns the last sequence of a collection.",
                "parameters": [{"$ref": "#/components/parameters/keyspace"}],
                "responses": {
                  "200": {
                    "description": "The information.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "post": {
                "operationId": "create",
                "summary": "Stores a document under a new ID, or under `_id`.",
                "parameters": [{"$ref": "#/components/parameters/keyspace"}],
                "responses": {
                  "200": {
                    "description": "The document is stored.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stored"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The properties of the document.",
                  "content": {"application/json": {"schema": {"type": "object"}}}
                }
              }
            },
            "/{keyspace}/{document}": {
              "get": {
                "operationId": "read",
                "summary": "Returns a document.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/document"},
                  {"$ref": "#/components/parameters/rev"},
                  {
                    "name": "revs",
                    "in": "query",
                    "description": "Whether the history is returned as `_revisions`.",
                    "schema": {"type": "boolean"}
                  },
                  {
                    "name": "attachments",
                    "in": "query",
                    "description": "Whether the contents of attachments are returned.",
                    "schema": {"type": "boolean"}
                  },
                  {
                    "name": "open_revs",
                    "in": "query",
                    "description": "`all`, or a JSON array of revisions.",
                    "schema": {"type": "string"}
                  },
                  {
                    "name": "If-None-Match",
                    "in": "header",
                    "description": "The entity tag of a known revision.",
                    "schema": {"type": "string"}
                  }
                ],
                "responses": {
                  "200": {
                    "description": "The document, or with `open_revs` an array of revisions.",
                    "content": {
                      "application/json": {"schema": {"oneOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}}
                    }
                  },
                  "304": {"description": "The client has this revision."},
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "put": {
                "operationId": "store",
                "summary": "Stores a revision of a document.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/document"},
                  {"$ref": "#/components/parameters/rev"},
                  {
                    "name": "new_edits",
                    "in": "query",
                    "description": "`false` stores a revision that was made elsewhere, with `_revisions`.",
                    "schema": {"type": "boolean"}
                  },
                  {"$ref": "#/components/parameters/ifMatch"}
                ],
                "responses": {
                  "201": {
                    "description": "The document is stored.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stored"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The properties of the document.",
                  "content": {"application/json": {"schema": {"type": "object"}}}
                }
              },
              "delete": {
                "operationId": "remove",
                "summary": "Stores a tombstone.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/document"},
                  {"$ref": "#/components/parameters/rev"},
                  {
                    "name": "If-Match",
                    "in": "header",
                    "description": "The entity tag of the revision that is deleted.",
                    "schema": {"type": "string"}
                  }
                ],
                "responses": {
                  "200": {
                    "description": "The document is deleted.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stored"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/{keyspace}/{document}/{attachment}": {
              "get": {
                "operationId": "readAttachment",
                "summary": "Returns the content of an attachment, or a range of it.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/document"},
                  {"$ref": "#/components/parameters/attachment"},
                  {"$ref": "#/components/parameters/rev"},
                  {
                    "name": "Range",
                    "in": "header",
                    "description": "A range of bytes.",
                    "schema": {"type": "string"}
                  },
                  {
                    "name": "If-None-Match",
                    "in": "header",
                    "description": "The entity tag of a known content.",
                    "schema": {"type": "string"}
                  }
                ],
                "responses": {
                  "200": {
                    "description": "The content.",
                    "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}
                  },
                  "206": {
                    "description": "A range of the content.",
                    "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}
                  },
                  "304": {"description": "The client has this content."},
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "put": {
                "operationId": "storeAttachment",
                "summary": "Stores an attachment in a new revision of the document.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/document"},
                  {"$ref": "#/components/parameters/attachment"},
                  {"$ref": "#/components/parameters/rev"},
                  {"$ref": "#/components/parameters/ifMatch"}
                ],
                "responses": {
                  "201": {
                    "description": "The attachment is stored.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stored"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The content.",
                  "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
                }
              },
              "delete": {
                "operationId": "removeAttachment",
                "summary": "Removes an attachment in a new revision of the document.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/document"},
                  {"$ref": "#/components/parameters/attachment"},
                  {"$ref": "#/components/parameters/rev"},
                  {"$ref": "#/components/parameters/ifMatch"}
                ],
                "responses": {
                  "200": {
                    "description": "The attachment is removed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stored"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/{keyspace}/_all_docs": {
              "get": {
                "operationId": "allDocuments",
                "summary": "Returns the documents in the order of their IDs.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/allDocs_include_docs"},
                  {"$ref": "#/components/parameters/allDocs_channels"},
                  {"$ref": "#/components/parameters/allDocs_update_seq"},
                  {"$ref": "#/components/parameters/allDocs_revs"},
                  {"$ref": "#/components/parameters/allDocs_keys"},
                  {"$ref": "#/components/parameters/allDocs_startkey"},
                  {"$ref": "#/components/parameters/allDocs_endkey"},
                  {"$ref": "#/components/parameters/allDocs_limit"}
                ],
                "responses": {
                  "200": {
                    "description": "The rows.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Rows"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "post": {
                "operationId": "documents",
                "summary": "Returns the documents with the given IDs.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/allDocs_include_docs"},
                  {"$ref": "#/components/parameters/allDocs_channels"},
                  {"$ref": "#/components/parameters/allDocs_update_seq"},
                  {"$ref": "#/components/parameters/allDocs_revs"},
                  {"$ref": "#/components/parameters/allDocs_keys"},
                  {"$ref": "#/components/parameters/allDocs_startkey"},
                  {"$ref": "#/components/parameters/allDocs_endkey"},
                  {"$ref": "#/components/parameters/allDocs_limit"}
                ],
                "responses": {
                  "200": {
                    "description": "The rows.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Rows"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": false,
                  "description": "The IDs.",
                  "content": {
                    "application/json": {
                      "schema": {"type": "object", "properties": {"keys": {"type": "array", "items": {"type": "string"}}}}
                    }
                  }
                }
              }
            },
            "/{keyspace}/_bulk_docs": {
              "post": {
                "operationId": "storeDocuments",
                "summary": "Stores many documents.",
                "parameters": [{"$ref": "#/components/parameters/keyspace"}],
                "responses": {
                  "201": {
                    "description": "A result for each document.",
                    "content": {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The documents.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object",
                        "required": ["docs"],
                        "properties": {"docs": {"type": "array", "items": {"type": "object"}}, "new_edits": {"type": "boolean"}}
                      }
                    }
                  }
                }
              }
            },
            "/{keyspace}/_bulk_get": {
              "post": {
                "operationId": "readDocuments",
                "summary": "Returns many documents.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {
                    "name": "revs",
                    "in": "query",
                    "description": "Whether histories are returned.",
                    "schema": {"type": "boolean"}
                  },
                  {
                    "name": "attachments",
                    "in": "query",
                    "description": "Whether the contents of attachments are returned.",
                    "schema": {"type": "boolean"}
                  }
                ],
                "responses": {
                  "200": {
                    "description": "A part for each document, or JSON if the client accepts only that.",
                    "content": {
                      "multipart/mixed": {"schema": {"type": "string"}},
                      "application/json": {"schema": {"type": "object"}}
                    }
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The IDs, each with or without a revision.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object",
                        "required": ["docs"],
                        "properties": {
                          "docs": {
                            "type": "array",
                            "items": {
                              "type": "object",
                              "required": ["id"],
                              "properties": {"id": {"type": "string"}, "rev": {"type": "string"}}
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            },
            "/{keyspace}/_changes": {
              "get": {
                "operationId": "changes",
                "summary": "Returns documents in the order of their last changes.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {
                    "name": "feed",
                    "in": "query",
                    "description": "When the response ends: at once (the default), after the next change, or not at all; or a WebSocket.",
                    "schema": {"type": "string", "enum": ["normal", "longpoll", "continuous", "websocket"]}
                  },
                  {
                    "name": "since",
                    "in": "query",
                    "description": "The sequence after which changes are returned, as `last_seq` of an earlier response.",
                    "schema": {"type": "string", "pattern": "^[0-9:]*$"}
                  },
                  {
                    "name": "limit",
                    "in": "query",
                    "description": "The maximum number of changes; 0 for no limit.",
                    "schema": {"type": "integer", "minimum": 0, "maximum": 1000000}
                  },
                  {
                    "name": "include_docs",
                    "in": "query",
                    "description": "Whether each change contains the document.",
                    "schema": {"type": "boolean"}
                  },
                  {
                    "name": "active_only",
                    "in": "query",
                    "description": "Whether tombstones are omitted.",
                    "schema": {"type": "boolean"}
                  },
                  {
                    "name": "style",
                    "in": "query",
                    "description": "Whether all leaf revisions are listed.",
                    "schema": {"type": "string", "enum": ["main_only", "all_docs"]}
                  },
                  {
                    "name": "revocations",
                    "in": "query",
                    "description": "Whether documents are listed to which the user has lost access.",
                    "schema": {"type": "boolean"}
                  },
                  {
                    "name": "filter",
                    "in": "query",
                    "description": "A filter by channel or by document.",
                    "schema": {"type": "string", "enum": ["sync_gateway/bychannel", "_doc_ids"]}
                  },
                  {
                    "name": "channels",
                    "in": "query",
                    "description": "The channels of the filter, separated by commas.",
                    "schema": {"type": "string"}
                  },
                  {
                    "name": "doc_ids",
                    "in": "query",
                    "description": "The IDs of the filter, as a JSON array.",
                    "schema": {"type": "string"}
                  },
                  {
                    "name": "heartbeat",
                    "in": "query",
                    "description": "The time between two line feeds while the client waits, in milliseconds.",
                    "schema": {"type": "integer", "minimum": 0, "maximum": 1000000}
                  },
                  {
                    "name": "timeout",
                    "in": "query",
                    "description": "The time after which a waiting request ends, in milliseconds.",
                    "schema": {"type": "integer", "minimum": 0, "maximum": 1000000}
                  }
                ],
                "responses": {
                  "101": {"description": "The protocol is switched to that of WebSockets."},
                  "200": {
                    "description": "The changes; with the continuous feed, one object in each line.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Changes"}},
                      "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
                    }
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "post": {
                "operationId": "changesOf",
                "summary": "The same as GET, with the options in the body.",
                "parameters": [{"$ref": "#/components/parameters/keyspace"}],
                "responses": {
                  "200": {
                    "description": "The changes; with the continuous feed, one object in each line.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Changes"}},
                      "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
                    }
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": false,
                  "description": "The options.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object",
                        "properties": {
                          "feed": {"type": "string", "enum": ["normal", "longpoll", "continuous"]},
                          "since": {"type": "string", "pattern": "^[0-9:]*$"},
                          "limit": {"type": "integer", "minimum": 0, "maximum": 1000000},
                          "include_docs": {"type": "boolean"},
                          "active_only": {"type": "boolean"},
                          "style": {"type": "string", "enum": ["main_only", "all_docs"]},
                          "revocations": {"type": "boolean"},
                          "filter": {"type": "string", "enum": ["sync_gateway/bychannel", "_doc_ids"]},
                          "channels": {"type": "string"},
                          "heartbeat": {"type": "integer", "minimum": 0, "maximum": 1000000},
                          "timeout": {"type": "integer", "minimum": 0, "maximum": 1000000},
                          "doc_ids": {"type": "array", "items": {"type": "string"}}
                        }
                      }
                    }
                  }
                }
              }
            },
            "/{keyspace}/_query": {
              "post": {
                "operationId": "query",
                "summary": "Runs a SQL++ query. Only for users of all documents.",
                "parameters": [{"$ref": "#/components/parameters/keyspace"}],
                "responses": {
                  "200": {
                    "description": "The rows.",
                    "content": {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The query and its parameters.",
                  "content": {
                    "application/json": {
                      "example": {"query": "SELECT $n AS n FROM _ LIMIT 1", "parameters": {"n": 1}},
                      "schema": {
                        "type": "object",
                        "required": ["query"],
                        "properties": {"query": {"type": "string"}, "parameters": {"type": "object"}}
                      }
                    }
                  }
                }
              }
            },
            "/{keyspace}/_local/{local}": {
              "get": {
                "operationId": "readLocal",
                "summary": "Returns a local document, which is not replicated.",
                "parameters": [{"$ref": "#/components/parameters/keyspace"}, {"$ref": "#/components/parameters/local"}],
                "responses": {
                  "200": {"description": "The document.", "content": {"application/json": {"schema": {"type": "object"}}}},
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "put": {
                "operationId": "storeLocal",
                "summary": "Stores a local document.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/local"},
                  {"$ref": "#/components/parameters/rev"}
                ],
                "responses": {
                  "201": {
                    "description": "The document is stored.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stored"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The properties, with `_rev` if the document exists.",
                  "content": {"application/json": {"schema": {"type": "object"}}}
                }
              },
              "delete": {
                "operationId": "removeLocal",
                "summary": "Deletes a local document.",
                "parameters": [
                  {"$ref": "#/components/parameters/keyspace"},
                  {"$ref": "#/components/parameters/local"},
                  {"$ref": "#/components/parameters/rev"}
                ],
                "responses": {
                  "200": {
                    "description": "The document is deleted.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stored"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            }
        """#
}
#endif
