"""Options of every module of the collection: the way to the gateway."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  socket:
    description: Local socket of the gateway, on the host that runs the module. Used without O(url).
    type: path
    default: /run/penstock/penstock.sock
  url:
    description: HTTPS address of the gateway, such as V(https://gateway:4443), on a port of C(httpsClientAuthPorts).
    type: str
  ca_file:
    description: Certificates of the authorities of the gateway, PEM. Required with O(url).
    type: path
  cert_file:
    description: Client certificate, PEM. Required with O(url).
    type: path
  key_file:
    description: Private key of the client certificate, PEM without passphrase. Required with O(url).
    type: path
  timeout:
    description: Seconds without a response after which a request fails.
    type: int
    default: 30
"""
