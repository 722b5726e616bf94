"""Client of the REST interface of a gateway: over its local socket, or by mutual TLS. Standard library only."""

import http.client
import json
import os
import socket
import ssl
import urllib.parse

CONNECTION_OPTIONS = {
    "socket": {"type": "path", "default": "/run/penstock/penstock.sock"},
    "url": {"type": "str"},
    "ca_file": {"type": "path"},
    "cert_file": {"type": "path"},
    "key_file": {"type": "path", "no_log": False},
    "timeout": {"type": "int", "default": 30},
}
CONNECTION_TOGETHER = [("url", "ca_file", "cert_file", "key_file")]


class GatewayError(Exception):
    """A request that failed; the message names the gateway and the reason.

    status is that of the response, None if there was none.
    """

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Gateway:
    """Sends each request on a connection of its own: a response proves that new connections work."""

    def __init__(self, params):
        self._timeout = params["timeout"]
        self._socket = params["socket"]
        self._context = None
        self.place = self._socket
        if params["url"]:
            self.place = params["url"]
            self._read_url(params)

    def _read_url(self, params):
        try:
            url = urllib.parse.urlsplit(params["url"])
            self._host, self._port = url.hostname, url.port or 443
        except ValueError as error:
            raise GatewayError("url %s: %s" % (params["url"], error)) from error
        if url.scheme != "https" or not self._host or url.path not in ("", "/") or url.username:
            raise GatewayError("url %s: expected https://HOST:PORT" % params["url"])
        try:
            self._context = ssl.create_default_context(cafile=params["ca_file"])
        except (OSError, ValueError) as error:
            raise GatewayError("ca_file %s: %s" % (params["ca_file"], _reason(error))) from error
        for option in ("cert_file", "key_file"):
            if not os.access(params[option], os.R_OK):
                raise GatewayError("%s %s: cannot be read" % (option, params[option]))
        try:
            self._context.load_cert_chain(params["cert_file"], params["key_file"], password=_refuse_passphrase)
        except (OSError, ValueError) as error:
            raise GatewayError(
                "cert_file %s with key_file %s: %s" % (params["cert_file"], params["key_file"], _reason(error))
            ) from error

    def send(self, method, path, body=None, headers=None):
        """Returns status, header fields and body of the response; the body is parsed if it is JSON.

        body: what is sent as JSON, or bytes as they are, whose Content-Type is in headers.
        Raises GatewayError if there is no response, and for each status from 400 on.
        """
        fields = {"Accept": "application/json"}
        if body is not None and not isinstance(body, bytes):
            fields["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        fields.update(headers or {})
        connection = self._connect()
        try:
            connection.request(method, path, body, fields)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise GatewayError("%s %s at %s: %s" % (method, path, self.place, _reason(error))) from error
        finally:
            connection.close()
        answer = _parse(response, content)
        if response.status >= 400:
            raise GatewayError(
                "%s %s at %s: %s %s" % (method, path, self.place, response.status, _describe(answer)), response.status
            )
        return response.status, response.headers, answer

    def get(self, path):
        """Returns the body of a response to GET."""
        return self.send("GET", path)[2]

    def _connect(self):
        if self._context is None:
            return _SocketConnection(self._socket, self._timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._context)


def _parse(response, content):
    if "json" in response.headers.get("Content-Type", ""):
        try:
            return json.loads(content)
        except ValueError:
            return None
    return None


def _describe(answer):
    if isinstance(answer, dict) and answer.get("faults"):
        return "; ".join("%s: %s" % (fault.get("path"), fault.get("message")) for fault in answer["faults"][:20])
    if isinstance(answer, dict) and "message" in answer:
        return answer["message"]
    return "without a reason"


def _refuse_passphrase():
    raise ValueError("the key has a passphrase")


def _reason(error):
    if isinstance(error, (socket.timeout, TimeoutError)):
        return "no response in time"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
