"""Instruments of their own make, on a serial line: serial-instrument.py KIND DEVICE; ends with its input."""

import os
import select
import struct
import sys
import termios
import tty

SENTENCES = (
    "$WIMWV,214.8,R,{0}.5,M,A",
    "$WIXDR,C,2{0}.4,C,TEMP",
)


def checksum(sentence):
    total = 0
    for character in sentence[1:]:
        total ^= ord(character)
    return "%s*%02X\r\n" % (sentence, total)


class Scale:
    """Answers lines: W weighs, SP? and SP n read and write the setpoint, ID names the make, T sets to zero."""

    pause = None

    def __init__(self):
        self.setpoint = "10.00"
        self.tared = False
        self.buffer = b""

    def receive(self, data):
        self.buffer += data
        answers = b""
        while b"\r\n" in self.buffer:
            line, self.buffer = self.buffer.split(b"\r\n", 1)
            answers += self.answer(line.decode("ascii"))
        return answers

    def answer(self, line):
        if line == "W":
            weight = "0.00" if self.tared else "12.50"
            return ("ST,GS,+%8s kg\r\n" % weight).encode("ascii")
        if line == "ID":
            return b"EVEREST 3000\r\n"
        if line == "SP?":
            return ("SP %s\r\n" % self.setpoint).encode("ascii")
        if line == "T":
            self.tared = True
            return b""
        if line.startswith("SP "):
            if float(line[3:]) > 100:
                return b"ERR 2\r\n"
            self.setpoint = line[3:]
            return b"OK\r\n"
        return b"ERR 1\r\n"


class WeatherStation:
    """Sends NMEA sentences unasked."""

    pause = 0.02

    def __init__(self):
        self.count = 0

    def receive(self, data):
        return b""

    def idle(self):
        self.count += 1
        sentence = SENTENCES[self.count % 2].format(self.count // 2 % 10)
        return checksum(sentence).encode("ascii")


class FlowMeter:
    """Answers 02 52 with a frame: 02, length as 16 bits with the low byte first, INT16, FLOAT32, sum of the bytes."""

    pause = None

    def receive(self, data):
        if data != b"\x02\x52":
            return b""
        payload = struct.pack("<hf", -125, 1.5)
        return b"\x02" + struct.pack("<H", len(payload)) + payload + bytes([sum(payload) & 0xFF])


KINDS = {"scale": Scale, "weather": WeatherStation, "flow": FlowMeter}


def main():
    instrument = KINDS[sys.argv[1]]()
    line = os.open(sys.argv[2], os.O_RDWR | os.O_NOCTTY)
    tty.setraw(line, termios.TCSANOW)
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([line, sys.stdin], [], [], instrument.pause)
        if sys.stdin in ready:
            return
        if line in ready:
            try:
                os.write(line, instrument.receive(os.read(line, 4096)))
            except OSError:
                return
        elif not ready:
            os.write(line, instrument.idle())


main()
