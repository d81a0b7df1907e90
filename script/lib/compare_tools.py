#!/usr/bin/env python3
"""Compares what two builds of the command-line tool print: one with all data of ICU, and the installed one, whose data is reduced.

    compare_tools.py FULL REDUCED [--show]

Runs the same commands with both: orders and comparisons of languages, case, dates and time zones, regular expressions, full-text indexes of languages
without spaces, and replication over TLS on this machine. Prints each difference; exits with 1 if there is one. --show also
prints the commands that end with an error in both.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

WORDS = """
a A á à ä å æ z Z ö ø o é e è ê ñ n nz ll l lz ch c cz ß ss s ś š ž z ź ż ı i İ I j Ä Ö Ü ü u y ÿ þ ð d đ dž lj nj
Ελλάδα Ελλαδα άλφα αλφα Ωμέγα σίγμα ΣΊΓΜΑΣ Москва москва ёлка елка ель йод ukraine їжак іній ґанок
中文 北京 上海 广州 天津 重庆 阿 啊 东京 東京 大阪 ひらがな カタカナ ひらかな カタガナ 日本 にほん ニホン 한국 서울 부산
ไทย กรุงเทพ เชียงใหม่ हिन्दी कखग नमस्ते עברית שלום العربية سلام ქართული հայերեն
ｆｕｌｌ full ﬁn fin Straße STRASSE straße co-op coop résumé resume Resume cote côte coté côté naïve naive 10 9 ２ 2 😀 👨‍👩‍👧
""".split()
LANGUAGES = """
sv de de@collation=phonebook es es@collation=traditional zh zh@collation=stroke zh_Hant ja ko da nb fi fr fr_CA cs sk pl hu hr tr az lt lv et is ro ru uk
bg el he ar fa hi th vi cy sq mt kl en en_US se xx
""".split()
TEXTS = {
    "zh": ["我们在北京大学学习计算机科学", "今天的天气非常好", "数据库管理系统", "北京欢迎你"],
    "ja": ["私は東京大学で日本語を勉強しています", "今日はとても良い天気です", "データベース管理システム", "東京へようこそ"],
    "th": ["ฉันกำลังเรียนภาษาไทยที่มหาวิทยาลัย", "วันนี้อากาศดีมาก", "ระบบจัดการฐานข้อมูล", "กรุงเทพยินดีต้อนรับ"],
    "de": ["Die Häuser der Straße sind schön", "Über den Flüssen"],
    "el": ["Οι δρόμοι της Αθήνας", "ΚΑΛΗΜΈΡΑ κόσμε"],
    "tr": ["İstanbul'un ışıkları", "KIRMIZI ılık"],
}
SEARCHES = {"zh": ["北京", "大学", "系统"], "ja": ["東京", "大学", "天気"], "th": ["มหาวิทยาลัย", "กรุงเทพ"], "de": ["haus", "fluss"], "el": ["δρόμος"], "tr": ["ışık"]}
EXPRESSIONS = [
    "upper(w)", "lower(w)", "length(w)", "trim(w)", "contains(w, 'S')", "regexp_contains(w, '^[A-ZÄ-Ü]')", "regexp_replace(w, '[^\\\\w]', '_')",
    "regexp_like(w, '[Ss]tr.*e')", "regexp_contains(w, '[\\\\u4e00-\\\\u9fff]')", "w LIKE '%S%'", "(w LIKE 'resum_') COLLATE NODIAC",
]  # fmt: skip
DATES = [
    "str_to_millis('2026-03-29T02:30:00')", "str_to_millis('1969-12-31')", "millis_to_str(1774745999000)", "millis_to_tz(1774745999000, 'Europe/Berlin')",
    "str_to_tz('2026-07-01T12:00:00Z', 'America/La_Paz')", "date_diff_str('2026-11-26T19:00:00+05:45', '2026-11-26T19:00:00Z', 'minute')", "str_to_utc('2026-10-25T02:30:00')",
    "date_add_str('2026-01-31T00:00:00Z', 1, 'month')", "date_diff_str('2026-03-30T00:00:00', '2026-03-28T00:00:00', 'hour')",
]  # fmt: skip
ZONES = ["UTC", "Europe/Berlin", "America/La_Paz", "Asia/Kathmandu", "Australia/Lord_Howe"]


class Run:
    """Runs the commands with one tool, and keeps what they print."""

    def __init__(self, tool, directory):
        self.tool = tool
        self.directory = directory
        self.results = {}

    def run(self, *arguments, name=None, text="", zone="UTC", language="C.UTF-8"):
        environment = {**os.environ, "CBLITE_SYNC_PASSWORD": "secret", "TZ": zone, "LANG": language, "LC_ALL": language}
        done = subprocess.run(
            [self.tool, *arguments], input=text, capture_output=True, text=True, cwd=self.directory, env=environment, timeout=120
        )
        key = name or " ".join(arguments) + f" [{zone} {language}]"
        self.results[key] = (done.returncode, done.stdout, done.stderr)

    def query(self, statement, **options):
        self.run("query", "db", statement, "--format", "jsonl", **options)

    def all(self):
        lines = [json.dumps({"_id": f"w{number}", "w": word}) for number, word in enumerate(WORDS)]
        self.run("import", "--create", "db", "-", text="\n".join(lines))
        for language in LANGUAGES:
            name = language.replace("@", "_").replace("=", "_")
            self.query(f"SELECT w FROM _ WHERE w IS VALUED ORDER BY w COLLATE UNICODE:`{name}`, meta().id")
            for options in ("NOCASE", "NODIAC", "NOCASE NODIAC"):
                self.query(f"SELECT w FROM _ WHERE w IS VALUED ORDER BY w COLLATE (UNICODE:`{name}` {options}), meta().id")
        self.query("SELECT a.w, b.w AS o FROM _ AS a JOIN _ AS b ON (a.w = b.w) COLLATE (UNICODE NOCASE NODIAC) ORDER BY meta(a).id, meta(b).id")
        for expression in EXPRESSIONS:
            for language in ("C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8"):
                self.query(f"SELECT w, {expression} AS x FROM _ WHERE w IS VALUED ORDER BY meta().id", language=language)
        for expression in DATES:
            for zone in ZONES:
                self.query(f"SELECT {expression} AS x FROM _ LIMIT 1", zone=zone)
        for zone in ZONES:
            for time in ("2031-03-30 02:30", "2031-10-26", "2031-07-01T12:00:00.250", "2031-07-01T12:00:00Z", "31.12.2031"):
                self.run("expire", "db", "w1", "--at", time, zone=zone)
                self.run("expire", "db", "w1", "--json", name=f"expiration at {time} {zone}", zone=zone)
            self.run("expire", "db", "w1", "--never", zone=zone)
        log = "".join(f"2026-11-26T19:00:{number:02}.000Z [Database] info: {word}\n" for number, word in enumerate(WORDS[:60]))
        with open(os.path.join(self.directory, "app.log"), "w", encoding="utf-8") as file:
            file.write(log)
        for pattern in (r"\p{Lu}$", r"(?i)STRASSE|ä$", r"\N{LATIN SMALL LETTER A WITH RING ABOVE}", r"\bll\b", r"[[:Greek:]]"):
            self.run("logs", "--grep", pattern, "app.log", zone="Europe/Berlin")
        self.texts()
        self.tls()

    def texts(self):
        """Indexes texts of languages whose words are not separated, and searches them."""
        for language, texts in TEXTS.items():
            lines = [json.dumps({"_id": f"{language}{number}", f"text_{language}": text}) for number, text in enumerate(texts)]
            self.run("import", "db", "-", text="\n".join(lines), name=f"import {language}")
            self.run("index", "db", "create", f"words_{language}", "--full-text", f"text_{language}", "--language", language)
            for word in SEARCHES[language]:
                self.query(f"SELECT meta().id FROM _ WHERE match(words_{language}, '{word}') ORDER BY meta().id")
        self.run("check", "db")

    def tls(self):
        """Pulls from a server with a certificate of its own over TLS."""
        server = subprocess.Popen(
            [self.tool, "serve", "--port", "0", "--tls", "--user", "anna", "db"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.directory,
            env={**os.environ, "CBLITE_SYNC_PASSWORD": "secret", "HOME": self.directory},
        )  # fmt: skip
        try:
            url = ""
            while not url and (line := server.stdout.readline()):
                found = re.search(r"wss://\S+", line)
                url = found.group(0) if found else ""
            self.run("pull", "copy", url, "--self-signed", "--user", "anna", "--attempts", "5", name="pull over TLS")
            self.run("query", "copy", "SELECT count(*) AS n FROM _", "--format", "jsonl", name="documents pulled over TLS")
        finally:
            server.terminate()
            server.communicate(timeout=30)


def main():
    tools = [argument for argument in sys.argv[1:] if argument != "--show"]
    if len(tools) != 2:
        sys.exit(__doc__)
    runs = []
    for tool in tools:
        with tempfile.TemporaryDirectory() as directory:
            run = Run(os.path.abspath(tool), directory)
            run.all()
            runs.append(run)
    full, reduced = (run.results for run in runs)
    differences = 0
    for key, expected in full.items():
        found = reduced.get(key)
        # Ports and durations differ in each run.
        if tuple(re.sub(r":\d{4,5}\b|\d+(\.\d+)? m?s\b", "", str(part)) for part in found) == tuple(
            re.sub(r":\d{4,5}\b|\d+(\.\d+)? m?s\b", "", str(part)) for part in expected
        ):
            continue
        differences += 1
        print(f"different: {key}\n  {str(expected)[:400]}\n  {str(found)[:400]}")
    failed = [key for key, result in full.items() if result[0] != 0]
    print(f"{len(full)} commands, {differences} differences; {len(failed)} end with an error in both tools")
    if "--show" in sys.argv:
        print("\n".join(f"{key}: {full[key]}" for key in failed))
    if full["documents pulled over TLS"][1].strip() in ("", '{"n":0}'):
        print("nothing was pulled over TLS: " + str(full["pull over TLS"]))
        sys.exit(1)
    sys.exit(1 if differences else 0)


main()
