#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rows of methods_0_9_1.def against the XML specifications (Debian's amqp-specs).

A row holds: ids, fields with their order and types, who sends it, whether content follows. The
specification proper, RabbitMQ's extended one, and for class access the older 0-9 must all agree
with us, except where the differences are written down here."""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

SPECS = os.environ.get("AMQP_SPECS", "/usr/share/amqp/specs")
OFFICIAL = "0-9-1/amqp0-9-1.stripped.xml"
EXTENDED = "0-9-1-rabbit/amqp0-9-1.stripped.extended.xml"
OLDER = "0-9/amqp0-9.stripped.xml"

KINDS = {
    "octet": "OCTET", "short": "SHORT", "long": "LONG", "longlong": "LONG_LONG", "bit": "BIT",
    "shortstr": "SHORT_STRING", "longstr": "LONG_STRING", "table": "TABLE",
}

# Where 0-9-1 reserves a field that we use, it has the name that earlier versions gave it.
OUR_NAMES = {
    ("connection.open-ok", "reserved_1"): "known_hosts",
    ("channel.open-ok", "reserved_1"): "channel_id",
    ("exchange.declare", "reserved_2"): "auto_delete",
    ("exchange.declare", "reserved_3"): "internal",
    ("confirm.select", "nowait"): "no_wait",
}

# Who else sends it, by RabbitMQ's extension.
EXTENDED_SENDERS = {"basic.ack", "basic.cancel", "basic.cancel-ok"}

# RabbitMQ's methods that its published XML lacks.
UNPUBLISHED = {
    "connection.blocked": (10, 60, "FROM_BROKER", [("SHORT_STRING", "reason")]),
    "connection.unblocked": (10, 61, "FROM_BROKER", []),
    "connection.update-secret":
        (10, 70, "FROM_CLIENT", [("LONG_STRING", "new_secret"), ("SHORT_STRING", "reason")]),
    "connection.update-secret-ok": (10, 71, "FROM_BROKER", []),
}


def read_rows(path):
    """name -> (class id, method id, set of flags, [(kind, field)], struct, member, ID)"""
    with open(path, encoding="ascii") as table:
        text = re.sub(r"/\*.*?\*/", "", table.read(), flags=re.S)
    row = re.compile(
        r'METHOD \((\w+),\s+(\w+),\s+(\w+),\s+"([a-z.-]+)",\s+(\d+),\s+(\d+),\s+([A-Z_ |]+),'
        r"((?:\s*[A-Z_]+ \(\w+\))*)\)\n")
    rows = {}
    for match in row.finditer(text):
        struct, member, constant, name, class_id, method_id, flags, fields = match.groups()
        if name in rows:
            raise SystemExit("Bail out! two rows for " + name)
        rows[name] = (int(class_id), int(method_id), set(flags.split(" | ")),
                      re.findall(r"([A-Z_]+) \((\w+)\)", fields), struct, member, constant)
    if len(rows) != text.count("METHOD ("):
        raise SystemExit("Bail out! a row that cannot be read")
    return rows


def read_specification(path):
    """name -> (class id, method id, set of flags, [(kind, field)])"""
    root = ElementTree.parse(path).getroot()
    domains = {domain.get("name"): domain.get("type") for domain in root.iter("domain")}
    methods = {}
    for amqp_class in root.iter("class"):
        for method in amqp_class.findall("method"):
            name = amqp_class.get("name") + "." + method.get("name")
            flags = {{"server": "FROM_CLIENT", "client": "FROM_BROKER"}[chassis.get("name")]
                     for chassis in method.findall("chassis")}
            if method.get("content") == "1":
                flags.add("WITH_CONTENT")
            fields = []
            for field in method.findall("field"):
                kind = field.get("type") or field.get("domain")
                kind = KINDS[domains.get(kind, kind)] if amqp_class.get("name") in OURS else None
                field_name = field.get("name").replace("-", "_")
                fields.append((kind, OUR_NAMES.get((name, field_name), field_name)))
            methods[name] = (int(amqp_class.get("index")), int(method.get("index")), flags, fields)
    return methods


OURS = {"connection", "channel", "access", "exchange", "queue", "basic", "confirm", "tx"}


def compare(row, expected):
    for what, ours, theirs in zip(("class id", "method id", "sides and content", "fields"),
                                  row, expected):
        if ours != theirs:
            return "%s: %s here, %s there" % (what, ours, theirs)
    return None


def names_agree(name, row):
    """The four spellings of a method's name."""
    words = re.split(r"[.-]", name)
    if row[4] != "".join(word.capitalize() for word in words):
        return "struct " + row[4]
    if row[5] != "_".join(words):
        return "member " + row[5]
    if row[6] != "_".join(words).upper():
        return "constant " + row[6]
    return None


def main():
    missing = [path for path in (OFFICIAL, EXTENDED, OLDER)
               if not os.path.exists(os.path.join(SPECS, path))]
    if missing and os.environ.get("CI") == "true":
        print("Bail out! %s is missing: install amqp-specs" % os.path.join(SPECS, missing[0]))
        return 1
    if missing:
        print("1..0 # SKIP %s is missing (Debian: amqp-specs)" % os.path.join(SPECS, missing[0]))
        return 0

    rows = read_rows(os.path.join(os.environ.get("top_srcdir", "."),
                                  "core/amqp/methods_0_9_1.def"))
    official, extended, older = (read_specification(os.path.join(SPECS, path))
                                 for path in (OFFICIAL, EXTENDED, OLDER))
    claims = []
    for name, expected in official.items():
        if name in EXTENDED_SENDERS:
            expected[2].update({"FROM_CLIENT", "FROM_BROKER"})
        claims.append(("0-9-1 " + name, compare(rows.get(name, ()), expected)
                       if name in rows else "no row"))
    for name, expected in extended.items():
        claims.append(("extended 0-9-1 " + name, compare(rows[name], expected)
                       if name in rows else "no row"))
    for name in ("access.request", "access.request-ok"):
        claims.append(("0-9 " + name, compare(rows[name], older[name])))
    for name, (class_id, method_id, flag, fields) in UNPUBLISHED.items():
        claims.append(("unpublished " + name,
                       compare(rows[name], (class_id, method_id, {flag}, fields))))
    checked = {claim.split()[-1] for claim, _ in claims}
    for name, row in rows.items():
        claims.append(("names of " + name, names_agree(name, row)))
        if name not in checked:
            claims.append((name, "a row that no specification has"))

    print("1..%d" % len(claims))
    for number, (claim, difference) in enumerate(claims, 1):
        print("%sok %d - %s" % ("" if difference is None else "not ", number, claim))
        if difference is not None:
            print("# " + difference)
    return 0 if all(difference is None for _, difference in claims) else 1


if __name__ == "__main__":
    sys.exit(main())
