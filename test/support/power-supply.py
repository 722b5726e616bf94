"""A power supply that speaks lines of text over TCP; prints its port first and ends with its input."""

import os
import socketserver
import sys
import threading

setpoint = ["0.000"]


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write((answer(line.decode("latin-1").strip()) + "\r\n").encode("latin-1"))


def answer(line):
    if line == "MEAS:VOLT?":
        return "12.010"
    if line == "MEAS:CURR?":
        return "0.500"
    if line == "VOLT?":
        return setpoint[0]
    if line.startswith("VOLT "):
        setpoint[0] = "%.3f" % float(line[5:])
        return "OK"
    return "ERR -113"


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Connections that end are the point of some tests, not worth a line."""


server = Server(("127.0.0.1", 0), Connection)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
os._exit(0)
