#!/usr/bin/env python3
"""Drives a hub with a client of CouchDB from PyPI, as programs use it: couch_clients.py CLIENT URL, with CLIENT one of couchdb, pycouchdb,
cloudant, aiocouch, and URL that of a hub with the empty database `db`, the user `root` with all channels and the user `anna` with the channel
`mine`, both with the password `secret`. Prints a line for each check, and ends with the status 1 if one fails.
"""

import asyncio
import io
import sys
import threading

USER, PASSWORD = "root", "secret"


def check(name, condition, detail=""):
    if not condition:
        sys.exit(f"failed: {name} {detail}")
    print("ok", name)


def fails(name, kinds, call):
    try:
        call()
    except kinds as error:
        print("ok", name, type(error).__name__)
    else:
        sys.exit(f"failed: {name}: there is no error")


def with_user(url, user):
    return url.replace("://", f"://{user}:{PASSWORD}@")


def use_couchdb(url):
    import couchdb

    server = couchdb.Server(with_user(url, USER))
    check("version", server.version())
    fails("create", couchdb.PreconditionFailed, lambda: server.create("db"))
    fails("create another", couchdb.http.Forbidden, lambda: server.create("new"))
    fails("no database", couchdb.ResourceNotFound, lambda: server["none"])
    db = server["db"]
    check("name", db.info()["db_name"] == "db")
    identifier, revision = db.save({"_id": "a", "n": 1})
    check("save", identifier == "a" and revision.startswith("1-"))
    generated, _ = db.save({"n": 2})
    check("read", generated in db and db["a"]["n"] == 1 and "none" not in db)
    document = db["a"]
    document["n"] = 3
    check("replace", db.save(document)[1].startswith("2-"))
    fails("conflict", couchdb.ResourceConflict, lambda: db.save({"_id": "a", "_rev": revision}))
    stored = db.update([{"_id": "b", "n": 1}, {"_id": "c", "n": 1}, {"_id": "a", "n": 9}])
    check("bulk", [item[0] for item in stored] == [True, True, False] and isinstance(stored[2][2], couchdb.ResourceConflict), stored)
    check("all", sorted([name for name in db]) == sorted(["a", "b", "c", generated]))
    rows = list(db.view("_all_docs", include_docs=True, keys=["a", "b"]))
    check("keys", [row.doc["n"] for row in rows] == [3, 1])
    check("range", {row.id for row in db.view("_all_docs", startkey="b", endkey="c")} - {generated} == {"b", "c"})
    db.put_attachment(db["a"], io.BytesIO(b"hello"), "x.txt", "text/plain")
    check("attachment", db.get_attachment("a", "x.txt").read() == b"hello")
    check("inline attachment", "data" in db.get("a", attachments="true")["_attachments"]["x.txt"])
    db.delete_attachment(db["a"], "x.txt")
    check("no attachment", db.get_attachment("a", "x.txt") is None)
    check("history", next(db.revisions("a"))["n"] == 3)
    db.delete(db["b"])
    check("deletion", db.get("b") is None)
    check("commit", db.commit()["ok"])
    changes = db.changes(since=0)
    check("changes", [row["id"] for row in changes["results"] if row.get("deleted")] == ["b"], changes)
    feed = db.changes(feed="continuous", since=changes["last_seq"], timeout=60000, heartbeat=1000)
    threading.Thread(target=lambda: couchdb.Server(with_user(url, USER))["db"].save({"_id": "late"})).start()
    check("feed", next(row for row in feed if "id" in row)["id"] == "late")
    check("deletion of nothing", db.resource.delete_json("never")[0] == 200)
    limited = couchdb.Server(with_user(url, "anna"))["db"]
    limited.save({"_id": "mine", "channels": ["mine"]})
    check("own documents", [name for name in limited] == ["mine"])
    refused = limited.update([{"_id": "x", "channels": ["other"]}])
    check("refused", refused[0][0] is False and isinstance(refused[0][2], couchdb.ServerError), refused)
    wrong = couchdb.Server(url.replace("://", "://root:wrong@"))
    fails("wrong password", couchdb.Unauthorized, lambda: wrong["db"].info())


def use_pycouchdb(url):
    import pycouchdb
    from pycouchdb import exceptions

    server = pycouchdb.Server(with_user(url, USER), verify=False)
    check("version", server.info()["version"])
    fails("create", exceptions.Conflict, lambda: server.create("db"))
    db = server.database("db")
    check("name", db.config()["db_name"] == "db")
    saved = db.save({"_id": "a", "n": 1})
    check("save", saved["_id"] == "a" and saved["_rev"].startswith("1-"))
    check("read", db.get("a")["n"] == 1 and "a" in db and "none" not in db)
    fails("no document", exceptions.NotFound, lambda: db.get("none"))
    saved["n"] = 2
    saved = db.save(saved)
    check("replace", saved["_rev"].startswith("2-"))
    fails("conflict", exceptions.Conflict, lambda: db.save({"_id": "a", "n": 3}))
    bulk = db.save_bulk([{"_id": "b", "n": 1}, {"_id": "c", "n": 1}])
    check("bulk", [item["_id"] for item in bulk] == ["b", "c"])
    check("many", [item["n"] for item in db.all(keys=["a", "b"], flat="doc")] == [2, 1])
    check("all", [item["id"] for item in db.all()] == ["a", "b", "c"])
    with_attachment = db.put_attachment(db.get("a"), io.BytesIO(b"hello"), "x.txt", content_type="text/plain")
    check("attachment", db.get_attachment(with_attachment, "x.txt") == b"hello")
    db.delete_attachment(with_attachment, "x.txt")
    fails("no attachment", (exceptions.NotFound, exceptions.GenericError), lambda: db.get_attachment(db.get("a"), "x.txt"))
    db.delete("b")
    fails("deletion", exceptions.NotFound, lambda: db.get("b"))
    db.delete_bulk([db.get("c")])
    check("bulk deletion", "c" not in db)
    last, changes = db.changes_list(since=0)
    check("changes", sorted(row["id"] for row in changes if row.get("deleted")) == ["b", "c"], changes)
    seen = []

    def read(message, db=None):
        seen.append(message["id"])
        raise exceptions.FeedReaderExited()

    threading.Thread(target=lambda: pycouchdb.Server(with_user(url, USER)).database("db").save({"_id": "late"})).start()
    db.changes_feed(read, since=last, heartbeat=1000)
    check("feed", seen == ["late"])
    limited = pycouchdb.Server(with_user(url, "anna")).database("db")
    limited.save({"_id": "mine", "channels": ["mine"]})
    check("own documents", [item["id"] for item in limited.all()] == ["mine"])
    fails("refused", exceptions.GenericError, lambda: limited.save({"_id": "x", "channels": ["other"]}))


def use_cloudant(url):
    from cloudant.client import CouchDB
    from cloudant.document import Document
    from cloudant.error import CloudantClientException
    from requests.exceptions import HTTPError

    client = CouchDB(USER, PASSWORD, url=url, connect=True, use_basic_auth=True)
    check("create", client.create_database("db", throw_on_exists=False).exists())
    fails("create again", CloudantClientException, lambda: client.create_database("db", throw_on_exists=True))
    db = client["db"]
    check("name", db.metadata()["db_name"] == "db")
    document = db.create_document({"_id": "a", "n": 1}, throw_on_exists=True)
    check("save", document.exists() and document["_rev"].startswith("1-"))
    with Document(db, "a") as changed:
        changed["n"] = 2
    check("replace", Document(db, "a").exists() and db["a"]["n"] in (1, 2))
    document.fetch()
    check("read", document["n"] == 2 and document["_rev"].startswith("2-"))
    stale = Document(db, "a")
    stale.update({"_id": "a", "_rev": "1-0123456789abcdef0123456789abcdef"})
    fails("conflict", HTTPError, stale.save)
    bulk = db.bulk_docs([{"_id": "b", "n": 1}, {"_id": "c", "n": 1}, {"_id": "a", "n": 9}])
    check("bulk", [item.get("error") for item in bulk] == [None, None, "conflict"], bulk)
    check("all", [row["id"] for row in db.all_docs(include_docs=True)["rows"]] == ["a", "b", "c"])
    check("keys", [row["id"] for row in db.all_docs(keys=["a", "c"])["rows"]] == ["a", "c"])
    document.put_attachment("x.txt", "text/plain", "hello")
    check("attachment", document.get_attachment("x.txt", attachment_type="text") == "hello")
    document.delete_attachment("x.txt")
    document.update_field(lambda changed, name, value: changed.update({name: value}), "n", 5)
    check("update", Document(db, "a").exists() and next(row["doc"]["n"] for row in db.all_docs(include_docs=True)["rows"]) == 5)
    other = Document(db, "b")
    other.fetch()
    other.delete()
    check("deletion", not Document(db, "b").exists())
    changes = list(db.changes(since=0))
    check("changes", [row["id"] for row in changes if row.get("deleted")] == ["b"], changes)
    threading.Thread(target=lambda: db.create_document({"_id": "late"})).start()
    feed = db.changes(feed="continuous", since=changes[-1]["seq"], heartbeat=1000)
    for row in feed:
        if row.get("id"):
            check("feed", row["id"] == "late")
            feed.stop()
    limited = CouchDB("anna", PASSWORD, url=url, connect=True, use_basic_auth=True)["db"]
    limited.create_document({"_id": "mine", "channels": ["mine"]})
    check("own documents", [row["id"] for row in limited.all_docs()["rows"]] == ["mine"])
    fails("refused", HTTPError, lambda: limited.create_document({"_id": "x", "channels": ["other"]}))
    client.disconnect()


async def use_aiocouch(url):
    import aiocouch

    async with aiocouch.CouchDB(url, user=USER, password=PASSWORD) as server:
        check("version", (await server.info())["version"])
        try:
            await server.create("db", exists_ok=False)
            sys.exit("failed: create")
        except aiocouch.PreconditionFailedError:
            print("ok create")
        db = await server["db"]
        check("name", (await db.info())["db_name"] == "db")
        document = await db.create("a", data={"n": 1})
        await document.save()
        check("save", document["_rev"].startswith("1-"))
        document["n"] = 2
        await document.save()
        check("replace", (await db["a"])["n"] == 2)
        stale = await db.get("a")
        stale["_rev"], stale["n"] = "1-0123456789abcdef0123456789abcdef", 7
        try:
            await stale.save()
            sys.exit("failed: conflict")
        except aiocouch.ConflictError:
            print("ok conflict")
        async with db.create_docs(["b", "c"]) as bulk:
            async for item in bulk:
                item["n"] = 1
        check("bulk", len(bulk.ok) == 2 and not bulk.error, bulk.error)
        async with db.update_docs(["a", "c", "d"], create=True) as bulk:
            async for item in bulk:
                item["n"] = 5
        check("bulk update", len(bulk.ok) == 3)
        check("all", [item.id async for item in db.docs()] == ["a", "b", "c", "d"])
        check("keys", [item["n"] async for item in db.docs(["a", "b"])] == [5, 1])
        document = await db["a"]
        attachment = document.attachment("x.txt")
        await attachment.save(b"hello", "text/plain")
        check("attachment", await attachment.fetch() == b"hello" and attachment.content_type == "text/plain")
        await (await db["b"]).delete()
        try:
            await db["b"]
            sys.exit("failed: deletion")
        except aiocouch.NotFoundError:
            print("ok deletion")
        changes = [event async for event in db.changes(since="0")]
        check("changes", [event.id for event in changes if type(event).__name__ == "DeletedEvent"] == ["b"])

        async def write_late():
            await (await db.create("late", data={})).save()

        writing = asyncio.create_task(write_late())
        async for event in db.changes(feed="continuous", since=changes[-1].sequence, heartbeat=1000):
            check("feed", event.id == "late")
            break
        await writing
    async with aiocouch.CouchDB(url, user="anna", password=PASSWORD) as server:
        db = await server["db"]
        await (await db.create("mine", data={"channels": ["mine"]})).save()
        check("own documents", [item.id async for item in db.docs()] == ["mine"])
        try:
            await (await db.create("x", data={"channels": ["other"]})).save()
            sys.exit("failed: refused")
        except aiocouch.ForbiddenError:
            print("ok refused")


def main():
    client, url = sys.argv[1:]
    use = {"couchdb": use_couchdb, "pycouchdb": use_pycouchdb, "cloudant": use_cloudant, "aiocouch": use_aiocouch}[client]
    result = use(url)
    if asyncio.iscoroutine(result):
        asyncio.run(result)


if __name__ == "__main__":
    main()
