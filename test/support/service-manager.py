"""Plays the service manager: prints each message on a datagram socket with the credentials of its sender."""
import json, socket, struct, sys

SO_PASSCRED = 16
SCM_CREDENTIALS = 2
CREDENTIALS = struct.Struct("3i")

channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
channel.setsockopt(socket.SOL_SOCKET, SO_PASSCRED, 1)
channel.bind(sys.argv[1])
print(json.dumps({"listening": True}), flush=True)
while True:
    message, ancillary, _, _ = channel.recvmsg(4096, socket.CMSG_SPACE(CREDENTIALS.size))
    pids = [CREDENTIALS.unpack(data)[0] for level, kind, data in ancillary
            if level == socket.SOL_SOCKET and kind == SCM_CREDENTIALS]
    print(json.dumps({"pid": pids[0] if pids else None, "assignments": message.decode().split("\n")}), flush=True)
