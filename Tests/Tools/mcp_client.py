#!/usr/bin/env python3
"""Uses `cblite mcp` with the official client of the Model Context Protocol from PyPI: mcp_client.py CBLITE DATABASE, with the path of the
program and that of a database with the documents {"_id": "a", "n": 1} to "c" and a full-text index "texts". Prints a line for each check, and
ends with the status 1 if one fails.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def check(name, condition, detail=""):
    if not condition:
        sys.exit(f"failed: {name} {detail}")
    print("ok", name)


async def use(session):
    initialized = await session.initialize()
    check("initialize", initialized.server_info.name == "cblite")
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    check("tools", set(tools) == {"collections", "schema", "query", "explain", "search", "document", "change", "save"}, tools)
    check("annotations", tools["query"].annotations.read_only_hint and not tools["save"].annotations.read_only_hint)

    async def call(tool, **arguments):
        result = await session.call_tool(tool, arguments)
        return result.is_error, result.content[0].text

    failed, text = await call("query", statement="SELECT META().id FROM _ WHERE n >= $n", parameters={"n": 2})
    check("query", not failed and json.loads(text)["rows"] == [{"id": "b"}, {"id": "c"}], text)
    failed, text = await call("query", statement="SELECT FROM")
    check("an invalid query is an error of the tool", failed and "syntax" in text, text)
    failed, text = await call("search", words="hello")
    check("search", not failed and [row["id"] for row in json.loads(text)["rows"]] == ["a"], text)
    failed, text = await call("change", statement="DELETE FROM _ WHERE n = 3")
    preview = json.loads(text)
    check("preview", not failed and preview["wouldChange"] == 1 and preview["examples"][0]["id"] == "c", text)
    failed, text = await call("change", statement="DELETE FROM _ WHERE n = 3", confirm=preview["confirm"])
    check("change", not failed and json.loads(text)["changed"] == 1, text)
    failed, text = await call("document", id="c")
    check("the document is deleted", failed, text)

    resources = (await session.list_resources()).resources
    check("resources", len(resources) == 1)
    document = await session.read_resource(f"{resources[0].uri}/a")
    check("a document as resource", json.loads(document.contents[0].text)["n"] == 1)
    check("templates", len((await session.list_resource_templates()).resource_templates) == 1)


async def main(program, database):
    parameters = StdioServerParameters(command=program, args=["mcp", "--writable", database])
    async with stdio_client(parameters) as (reader, writer), ClientSession(reader, writer) as session:
        await use(session)


asyncio.run(main(*sys.argv[1:]))
