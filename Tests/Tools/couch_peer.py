#!/usr/bin/env python3
"""couch_peer: an independent client of CouchDB's replication protocol for tests (Python 3.9+, standard library only).

    couch_peer.py live URL [--seed N] [--rounds N]   clients replicate with a hub in both directions while others write

The clients replicate as PouchDB does: changes in batches with `style=all_docs`, `_revs_diff`, `_bulk_get` with exactly the revisions of the
feed, `_bulk_docs` with `new_edits=false`, checkpoints in `_local`, and a long poll for what comes later.  The hub has the users `root` (all
channels), `anna` (channel `mine`) and `bert` (channels `mine` and `other`), each with the password `secret`.  Others, as `root`, create, change,
move between channels, delete and create documents again, with attachments.  At the end each client must have what its user may read, and
nothing may have failed.

The last line of the output is a JSON object: `failures`, a list of texts, and counts.  The exit code is 0 if there are no failures.
"""
import argparse, base64, hashlib, http.client, json, random, sys, threading, uuid
from urllib.parse import quote, urlsplit


class Failed(Exception):
    """A request of the replication was answered in a way that the replicator does not expect."""


class Server:
    """The HTTP connection of one thread for one user."""

    def __init__(self, url, user):
        self.url, self.user = urlsplit(url), user
        self.connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=300)
        self.headers = {"Accept": "application/json",
                        "Authorization": "Basic " + base64.b64encode(f"{user}:secret".encode()).decode()}

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = dict(self.headers)
        if data is not None:
            headers["Content-Type"] = "application/json"
        self.connection.request(method, self.url.path + path, data, headers)
        response = self.connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text else None

    def get(self, method, path, body=None, status=(200, 201)):
        found, answer = self.ask(method, path, body)
        if found not in status:
            raise Failed(f"{self.user}: {method} {path}: {found} {json.dumps(answer)[:300]}")
        return answer


def generation(revision):
    return int(revision.split("-", 1)[0])


class Revision:
    def __init__(self, parent):
        self.parent, self.deleted, self.body, self.files = parent, False, None, {}


class Store:
    """A local database with revision trees."""

    def __init__(self):
        self.trees, self.sequences, self.last, self.local = {}, {}, 0, {}
        self.lock = threading.RLock()

    def leaves(self, id):
        tree = self.trees.get(id, {})
        parents = {revision.parent for revision in tree.values()}
        return [name for name, revision in tree.items() if name not in parents and revision.body is not None]

    def winner(self, id):
        tree = self.trees.get(id, {})
        return max(self.leaves(id), key=lambda name: (not tree[name].deleted, generation(name), name.split("-", 1)[1]), default=None)

    def touch(self, id):
        self.last += 1
        self.sequences[id] = self.last

    def put(self, id, body, files=None, deleted=False):
        """Stores a change of an app over the current revision."""
        with self.lock:
            parent = self.winner(id)
            digest = hashlib.md5(json.dumps([parent, body, deleted, sorted(files or {})]).encode()).hexdigest()
            name = f"{generation(parent) + 1 if parent else 1}-{digest}"
            revision = Revision(parent)
            revision.body, revision.files, revision.deleted = body, dict(files or {}), deleted
            self.trees.setdefault(id, {})[name] = revision
            self.touch(id)

    def insert(self, document):
        """Stores a revision that was made elsewhere."""
        with self.lock:
            tree = self.trees.setdefault(document["_id"], {})
            history = document.get("_revisions")
            first = int(document["_rev"].split("-", 1)[0])
            names = [f"{history['start'] - i}-{x}" for i, x in enumerate(history["ids"])] if history else [document["_rev"]]
            if names[0] != document["_rev"]:
                raise Failed(f"{document['_id']}: _revisions begins with {names[0]}, not {document['_rev']}")
            for name, parent in zip(names, names[1:] + [None]):
                revision = tree.setdefault(name, Revision(parent))
                revision.parent = revision.parent or parent
            leaf = tree[names[0]]
            leaf.deleted = document.get("_deleted", False)
            leaf.body = {key: value for key, value in document.items() if not key.startswith("_") or key == "_removed"}
            leaf.files = {}
            for name, entry in document.get("_attachments", {}).items():
                if "data" not in entry:
                    raise Failed(f"{document['_id']} {first}: the attachment {name} has no data")
                leaf.files[name] = base64.b64decode(entry["data"])
            self.touch(document["_id"])

    def document(self, id, name):
        """Returns a revision as it is pushed."""
        tree, ids, at = self.trees[id], [], name
        while at is not None and generation(at) == generation(name) - len(ids):
            ids.append(at.split("-", 1)[1])
            at = tree[at].parent if at in tree else None
        document = dict(tree[name].body, _id=id, _rev=name, _revisions={"start": generation(name), "ids": ids})
        if tree[name].deleted:
            document["_deleted"] = True
        if tree[name].files:
            document["_attachments"] = {file: {"content_type": "text/plain", "data": base64.b64encode(data).decode()}
                                        for file, data in tree[name].files.items()}
        return document

    def drop(self, id, name):
        """Removes a leaf, as an app does that resolves a conflict in favour of the server."""
        with self.lock:
            del self.trees[id][name]
            self.touch(id)


class Client:
    """Replicates a store with the server, in both directions."""

    def __init__(self, url, user, store, size, counts):
        self.server, self.store, self.size, self.counts = Server(url, user), store, size, counts
        self.user, self.id = user, quote(f"peer-{user}-{id(store)}")
        self.session = uuid.uuid4().hex
        self.since, self.pushed = self.checkpoint("pull"), self.checkpoint("push")

    def checkpoint(self, kind):
        """Returns the position on which both sides agree."""
        status, remote = self.server.ask("GET", f"/_local/{self.id}-{kind}")
        local = self.store.local.get(f"{self.id}-{kind}")
        if status == 404 or local is None or local["session"] != remote["session"]:
            return 0
        return remote["last"]

    def save(self, kind, last):
        name = f"{self.id}-{kind}"
        status, remote = self.server.ask("GET", f"/_local/{name}")
        body = {"session": self.session, "last": last}
        if status == 200:
            body["_rev"] = remote["_rev"]
        self.server.get("PUT", f"/_local/{name}", body)
        self.store.local[name] = body

    def pull(self, feed="normal"):
        """Pulls a batch, and returns the number of rows."""
        query = f"style=all_docs&since={quote(str(self.since))}&limit={self.size}&feed={feed}&timeout=200"
        changes = self.server.get("GET", f"/_changes?{query}")
        wanted = []
        with self.store.lock:
            for row in changes["results"]:
                tree = self.store.trees.get(row["id"], {})
                wanted += [{"id": row["id"], "rev": change["rev"]} for change in row["changes"] if change["rev"] not in tree]
                self.counts["removed"] += "removed" in row
        if wanted:
            answer = self.server.get("POST", "/_bulk_get?revs=true&attachments=true&latest=true", {"docs": wanted})
            if len(answer["results"]) != len(wanted):
                raise Failed(f"{self.user}: _bulk_get returned {len(answer['results'])} of {len(wanted)} documents")
            for row, result in zip(wanted, answer["results"]):
                found = result["docs"][0].get("ok")
                if found is None or found["_rev"] != row["rev"]:
                    raise Failed(f"{self.user}: _bulk_get of {row}: {json.dumps(result)[:300]}")
                self.store.insert(found)
                self.counts["pulled"] += 1
        if changes["results"] or str(changes["last_seq"]) != str(self.since):
            self.since = changes["last_seq"]
            self.save("pull", self.since)
        return len(changes["results"])

    def push(self):
        """Pushes a batch, and returns whether there was anything to compare."""
        with self.store.lock:
            changed = sorted((sequence, id) for id, sequence in self.store.sequences.items() if sequence > self.pushed)[:self.size]
            offered = {id: self.store.leaves(id) for _, id in changed}
        if not changed:
            return False
        missing = self.server.get("POST", "/_revs_diff", offered)
        with self.store.lock:
            documents = [self.store.document(id, name) for id, answer in sorted(missing.items()) for name in answer["missing"]
                         if name in self.store.trees[id]]
        for document in documents:
            if document.get("_removed"):
                raise Failed(f"{self.user}: {document['_id']} {document['_rev']} was removed, and _revs_diff says that it is missing")
        if documents:
            answer = self.server.get("POST", "/_bulk_docs", {"docs": documents, "new_edits": False})
            for document, result in zip(documents, answer):
                if result.get("status") in (403, 409):
                    # Another client was faster, or the document was moved away meanwhile: the app gives up its change.
                    self.store.drop(document["_id"], document["_rev"])
                    self.counts["refused"] += 1
                elif "error" in result:
                    raise Failed(f"{self.user}: _bulk_docs of {document['_id']} {document['_rev']}: {json.dumps(result)}")
                else:
                    self.counts["pushed"] += 1
        self.pushed = changed[-1][0]
        self.save("push", self.pushed)
        return True

    def drain(self):
        """Replicates until both sides have the same."""
        for _ in range(1000):
            rows = self.pull()
            if not self.push() and not rows:
                return
        raise Failed(f"{self.user}: the replication does not come to an end")


def write(url, rounds, seed, number, failures):
    """Changes documents of the server as others do."""
    chance, server = random.Random(f"{seed} {number}"), Server(url, "root")
    try:
        for step in range(rounds):
            id = f"w{chance.randrange(12)}"
            status, found = server.ask("GET", f"/{id}")
            body = {"text": f"{number} {step}", "channels": chance.choice([["mine"], ["mine"], ["other"], ["mine", "other"]])}
            if status == 200:
                body["_rev"] = found["_rev"]
                body["_attachments"] = found.get("_attachments", {})
            kind = chance.randrange(6)
            if kind == 0 and status == 200:
                server.ask("DELETE", f"/{id}?rev={found['_rev']}")
                continue
            if kind == 1:
                data = base64.b64encode(f"file {number} {step}".encode()).decode()
                body["_attachments"] = {"f": {"content_type": "text/plain", "data": data}}
            status, answer = server.ask("PUT", f"/{id}", body)
            # Another one may have changed the document, or removed its attachment.
            if status not in (200, 201, 409, 412):
                raise Failed(f"writer: PUT {id}: {status} {answer}")
    except Exception as error:
        failures.append(f"writer {number}: {error!r}")


def live(client, rounds, seed, number, stop, failures):
    """Replicates while others write, and changes documents of its own and shared ones."""
    chance = random.Random(f"{seed} client {number}")
    try:
        while not stop.is_set() or rounds > 0:
            if rounds > 0:
                rounds -= 1
                id = chance.choice([f"c{number}-{chance.randrange(8)}", f"shared-{chance.randrange(3)}"])
                deleted = chance.randrange(6) == 0 and client.store.winner(id) is not None
                files = {"own": f"{number} {rounds}".encode()} if chance.randrange(3) == 0 else {}
                client.store.put(id, {"channels": ["mine"], "by": number, "n": rounds}, files, deleted)
            client.push()
            client.pull("longpoll" if rounds == 0 else "normal")
    except Exception as error:
        failures.append(f"client {number}: {error!r}")


def differences(client):
    """Compares the store of a client with what its user may read."""
    rows = client.server.get("GET", "/_all_docs?include_docs=true")["rows"]
    expected = {row["id"]: row["doc"] for row in rows}
    store, found = client.store, []
    shown = set()
    for id in store.trees:
        winner = store.winner(id)
        if winner is not None and not store.trees[id][winner].deleted and "_removed" not in store.trees[id][winner].body:
            shown.add(id)
    for id in sorted(shown | set(expected)):
        if id not in shown or id not in expected:
            found.append(f"{client.user}: only {'the server' if id in expected else 'the client'} has {id}")
            continue
        winner, document = store.winner(id), expected[id]
        body = {key: value for key, value in document.items() if not key.startswith("_")}
        if winner != document["_rev"] or store.trees[id][winner].body != body:
            found.append(f"{client.user}: {id} is {winner} {store.trees[id][winner].body}, not {document['_rev']} {body}")
        files = {}
        for name in document.get("_attachments", {}):
            client.server.connection.request("GET", f"{client.server.url.path}/{id}/{name}", headers=client.server.headers)
            files[name] = client.server.connection.getresponse().read()
        if files != store.trees[id][winner].files:
            found.append(f"{client.user}: the attachments of {id} are {store.trees[id][winner].files}, not {files}")
    return found


def run(url, seed, rounds):
    failures, stop = [], threading.Event()
    counts = {"pulled": 0, "pushed": 0, "removed": 0, "refused": 0, "again": 0}
    clients = [Client(url, user, Store(), size, counts) for user, size in (("anna", 3), ("anna", 10), ("bert", 25))]
    writers = [threading.Thread(target=write, args=(url, rounds, seed, number, failures)) for number in range(2)]
    replicating = [threading.Thread(target=live, args=(client, rounds // 4, seed, number, stop, failures))
                   for number, client in enumerate(clients)]
    for thread in writers + replicating:
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in replicating:
        thread.join()
    try:
        for _ in range(2):
            for client in clients:
                client.drain()
        for client in clients:
            failures += differences(client)
            # A client that starts again goes on where it was.
            before = counts["pulled"]
            again = Client(url, client.user, client.store, client.size, counts)
            if str(again.since) != str(client.since) or again.since == 0:
                failures.append(f"{client.user}: the checkpoint is {again.since}, not {client.since}")
            again.drain()
            counts["again"] += counts["pulled"] - before
        for user in ("anna", "bert"):
            fresh = Client(url, user, Store(), 7, counts)
            fresh.drain()
            failures += [f"a new client of {text}" for text in differences(fresh)]
    except Exception as error:
        failures.append(repr(error))
    print(json.dumps({"failures": failures, **counts}))
    return 0 if not failures else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["live"])
    parser.add_argument("url")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=120)
    options = parser.parse_args()
    sys.exit(run(options.url, options.seed, options.rounds))
