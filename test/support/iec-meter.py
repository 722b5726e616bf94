"""Meters by IEC 62056-21 on one line: iec-meter.py FILE; prints the path of the line, ends with its input.

The file is JSON: {"meters": [{"address", "identification", "lines", ...}], "echo": bool}. The line is a pseudo terminal whose speed the other side sets: what one side sends at a speed that the other one has not, arrives
as other bytes. Each message goes to stderr as one line, and
"silent" where nothing that can be understood follows.
"""

import json
import os
import select
import sys
import termios
import tty

SPEEDS = {
    termios.B300: 300,
    termios.B600: 600,
    termios.B1200: 1200,
    termios.B2400: 2400,
    termios.B4800: 4800,
    termios.B9600: 9600,
    termios.B19200: 19200,
}
BY_CHARACTER = {"0": 300, "1": 600, "2": 1200, "3": 2400, "4": 4800, "5": 9600, "6": 19200}
BY_LETTER = {"A": 600, "B": 1200, "C": 2400, "D": 4800, "E": 9600, "F": 19200}
INITIAL = 300
NULS_TO_WAKE = 60


def message_of(lines):
    block = "".join(line + "\r\n" for line in lines).encode("latin1") + b"!\r\n\x03"
    check = 0
    for byte in block:
        check ^= byte
    return b"\x02" + block + bytes([check])


class Line:
    def __init__(self, plant):
        self.meters = plant["meters"]
        self.echo = plant.get("echo", False)
        self.master, slave = os.openpty()
        tty.setraw(slave, termios.TCSANOW)
        self.slave = slave
        self.speed = INITIAL
        self.buffer = b""
        self.signed_on = None
        self.nuls = 0
        print(os.ttyname(slave), flush=True)

    def other_speed(self):
        return SPEEDS.get(termios.tcgetattr(self.master)[5], 0)

    def send(self, data):
        if self.other_speed() != self.speed:
            data = bytes(byte ^ 0xA5 for byte in data)
        os.write(self.master, data)

    def receive(self):
        data = os.read(self.master, 4096)
        if self.other_speed() != self.speed:
            print("deaf at %d" % self.speed, file=sys.stderr, flush=True)
            return
        if self.echo:
            self.send(data)
        nuls = data.count(0)
        if nuls > 0:
            self.nuls += nuls
            if self.nuls >= NULS_TO_WAKE > self.nuls - nuls:
                print("awake", file=sys.stderr, flush=True)
        self.buffer += data.replace(b"\x00", b"")
        while b"\r\n" in self.buffer:
            message, self.buffer = self.buffer.split(b"\r\n", 1)
            self.take(message.decode("latin1"))

    def take(self, message):
        print(repr(message), file=sys.stderr, flush=True)
        if message.startswith("/"):
            self.sign_on(message[1:2], message[2:].rstrip("!"))
        elif message.startswith("\x06") and self.signed_on is not None:
            self.read_out(message[1:])

    def sign_on(self, request, address):
        awake, self.nuls = self.nuls >= NULS_TO_WAKE, 0
        for meter in self.meters:
            if meter.get("request", "?") != request or (meter.get("sleeps", False) and not awake):
                continue
            if address in ("", meter.get("address", "")) and not meter.get("deaf", False):
                self.signed_on = meter
                self.send((meter["identification"] + "\r\n").encode("latin1"))
                letter = meter["identification"][4]
                if letter in BY_LETTER:
                    self.reply(BY_LETTER[letter])
                return
        print("silent", file=sys.stderr, flush=True)

    def read_out(self, selection):
        self.reply(BY_CHARACTER[selection[1]])

    def reply(self, speed):
        meter, self.signed_on = self.signed_on, None
        if not meter.get("waits", True):
            print("silent", file=sys.stderr, flush=True)
            os.write(self.master, bytes(byte ^ 0xA5 for byte in message_of(meter["lines"])))
            return
        self.speed = speed
        while self.other_speed() != speed:
            if select.select([self.master], [], [], 0.001)[0]:
                self.speed = INITIAL
                return
        data = message_of(meter["lines"])
        if meter.get("damage", 0) > 0:
            meter["damage"] -= 1
            data = data[:10] + bytes([data[10] ^ 0x02]) + data[11:]
        self.send(data)
        self.speed = INITIAL


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        line = Line(json.load(file))
    while True:
        ready, _, _ = select.select([line.master, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        line.receive()


main()
