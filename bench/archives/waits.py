"""How often a process has waited for a disk: the kernel's delay accounting (Documentation/accounting/taskstats.rst), by netlink.

Unlike times it does not depend on what else the machine does. Root only; `kernel.task_delayacct` is switched on.
"""

import pathlib
import socket
import struct

GENERIC, CONTROLLER, REQUEST = 16, 16, 1
GET_FAMILY, FAMILY_ID, FAMILY_NAME = 3, 1, 2
GET_STATS, PID, STATS = 1, 1, 3
# `blkio_count` of `struct taskstats`.
COUNT_AT = 32


def attribute(kind, data):
    return struct.pack("HH", 4 + len(data), kind) + data + b"\0" * (-len(data) % 4)


def attributes(data):
    found, at = {}, 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("HH", data, at)
        if length < 4:
            break
        found[kind & 0x3FFF] = data[at + 4 : at + length]
        at += (length + 3) & ~3
    return found


class Waits:
    def __init__(self):
        """OSError if this kernel or user cannot have it."""
        pathlib.Path("/proc/sys/kernel/task_delayacct").write_text("1")
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, GENERIC)
        self.socket.bind((0, 0))
        answer = self.ask(CONTROLLER, GET_FAMILY, attribute(FAMILY_NAME, b"TASKSTATS\0"))
        self.family = struct.unpack_from("H", answer[FAMILY_ID])[0]

    def ask(self, family, command, body):
        message = struct.pack("BBH", command, 1, 0) + body
        self.socket.send(struct.pack("IHHII", 16 + len(message), family, REQUEST, 1, 0) + message)
        answer = self.socket.recv(65536)
        if struct.unpack_from("H", answer, 4)[0] == 2:
            raise OSError(-struct.unpack_from("i", answer, 16)[0], "taskstats")
        return attributes(answer[20:])

    def of(self, pid):
        """Waits of the main thread of a process that has ended and was not yet waited for."""
        for nested in self.ask(self.family, GET_STATS, attribute(PID, struct.pack("I", pid))).values():
            stats = attributes(nested).get(STATS)
            if stats:
                return struct.unpack_from("Q", stats, COUNT_AT)[0]
        return 0
