#if Replication
extension HubDescription {
    /// The requests that only the port for administration has.
    static let administrationPaths: StaticString = #"""
            "/{database}/_user/": {
              "get": {
                "operationId": "users",
                "summary": "Returns the names of all users.",
                "parameters": [{"$ref": "#/components/parameters/database"}],
                "responses": {
                  "200": {
                    "description": "The names.",
                    "content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "post": {
                "operationId": "addUser",
                "summary": "Adds a user.",
                "parameters": [{"$ref": "#/components/parameters/database"}],
                "responses": {
                  "201": {
                    "description": "The user is stored.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The user, with its name and password.",
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}
                }
              }
            },
            "/{database}/_user/{user}": {
              "get": {
                "operationId": "readUser",
                "summary": "Returns a user, without the password.",
                "parameters": [{"$ref": "#/components/parameters/database"}, {"$ref": "#/components/parameters/user"}],
                "responses": {
                  "200": {
                    "description": "The user.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "put": {
                "operationId": "storeUser",
                "summary": "Adds a user, or changes the parts that the body contains.",
                "parameters": [{"$ref": "#/components/parameters/database"}, {"$ref": "#/components/parameters/user"}],
                "responses": {
                  "200": {
                    "description": "The user is changed.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "201": {
                    "description": "The user is added.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The user.",
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}
                }
              },
              "delete": {
                "operationId": "removeUser",
                "summary": "Removes a user.",
                "parameters": [{"$ref": "#/components/parameters/database"}, {"$ref": "#/components/parameters/user"}],
                "responses": {
                  "200": {
                    "description": "The user is removed.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            },
            "/{database}/_role/": {
              "get": {
                "operationId": "roles",
                "summary": "Returns the names of all roles.",
                "parameters": [{"$ref": "#/components/parameters/database"}],
                "responses": {
                  "200": {
                    "description": "The names.",
                    "content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "post": {
                "operationId": "addRole",
                "summary": "Adds a role.",
                "parameters": [{"$ref": "#/components/parameters/database"}],
                "responses": {
                  "201": {
                    "description": "The role is stored.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The role, with its name.",
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Role"}}}
                }
              }
            },
            "/{database}/_role/{role}": {
              "get": {
                "operationId": "readRole",
                "summary": "Returns a role.",
                "parameters": [{"$ref": "#/components/parameters/database"}, {"$ref": "#/components/parameters/role"}],
                "responses": {
                  "200": {
                    "description": "The role.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Role"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              },
              "put": {
                "operationId": "storeRole",
                "summary": "Adds a role, or changes the parts that the body contains.",
                "parameters": [{"$ref": "#/components/parameters/database"}, {"$ref": "#/components/parameters/role"}],
                "responses": {
                  "200": {
                    "description": "The role is changed.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "201": {
                    "description": "The role is added.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                },
                "requestBody": {
                  "required": true,
                  "description": "The role.",
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Role"}}}
                }
              },
              "delete": {
                "operationId": "removeRole",
                "summary": "Removes a role.",
                "parameters": [{"$ref": "#/components/parameters/database"}, {"$ref": "#/components/parameters/role"}],
                "responses": {
                  "200": {
                    "description": "The role is removed.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "4XX": {"$ref": "#/components/responses/Error"},
                  "503": {"$ref": "#/components/responses/Error"}
                }
              }
            }
        """#
}
#endif
