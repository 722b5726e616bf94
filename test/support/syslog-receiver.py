"""A syslog server over TLS (RFC 5425), written from the standard alone: prints its port, then each message that it has taken.

Usage: syslog-receiver.py CERTIFICATE KEY AUTHORITY|- PORT MODE
MODE: take; silent (accepts and never reads); drop (resets after the first bytes); once (takes one connection and ends)
"""

import re
import signal
import socket
import ssl
import struct
import sys

certificate, key, authority, port, mode = sys.argv[1:6]
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(certificate, key)
if authority != "-":
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority)

HEADER = re.compile(rb"<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) (-|\[audit@32473 hash=\"[0-9a-f]{64}\"\]) ")


def take(stream):
    """Returns the messages of a stream that frames them by their length; raises when it breaks off within one."""
    messages = []
    while stream:
        length, _, rest = stream.partition(b" ")
        size = int(length)
        if len(rest) < size or length.startswith(b"0"):
            raise ValueError("a frame is cut off")
        message, stream = rest[:size], rest[size:]
        header = HEADER.match(message)
        if header is None:
            raise ValueError("no header of RFC 5424")
        content = message[header.end() :]
        if not content.startswith(b"\xef\xbb\xbf{"):
            raise ValueError("no text in UTF-8")
        messages.append(content[3:].decode())
    return messages


with socket.create_server(("127.0.0.1", int(port))) as listener:
    print(listener.getsockname()[1], flush=True)
    while True:
        plain, _ = listener.accept()
        plain.settimeout(60)
        try:
            connection = context.wrap_socket(plain, server_side=True)
        except (ssl.SSLError, OSError) as error:
            print(f"refused {type(error).__name__}", flush=True)
            plain.close()
            continue
        if mode == "silent":
            print("silent", flush=True)
            signal.pause()
        try:
            received = b""
            while chunk := connection.recv(65536):
                received += chunk
                if mode == "drop":
                    break
            if mode == "drop":
                print("dropped", flush=True)
                # Not like one that has taken all: by a reset.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
                continue
            for text in take(received):
                print(text, flush=True)
            connection.unwrap().close()
        except (ssl.SSLError, OSError) as error:
            print(f"broken {type(error).__name__}", flush=True)
        if mode == "once":
            break
