import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';

import type { BrokerAddress } from './broker-address.ts';

export interface TlsSettings {
  /** PEM; empty: the authorities of the runtime. */
  readonly certificateAuthorities: readonly string[];
  /** PEM, the client certificate first; empty: none. */
  readonly certificate: readonly string[];
  readonly key?: string | undefined;
  /** Name in the certificate of the broker; undefined: the host. */
  readonly serverName?: string | undefined;
}

/** Opens a connection to a broker; errors, such as those of the certificate, are events of the socket. */
export function openSocket({ host, port, isSecure }: BrokerAddress, tls: TlsSettings): Socket {
  if (!isSecure) return connectTcp({ host, port, noDelay: true });
  const { certificateAuthorities, certificate, key, serverName = host } = tls;
  const socket = connectTls({
    host,
    port,
    minVersion: 'TLSv1.2',
    ...(certificateAuthorities.length === 0 ? {} : { ca: [...certificateAuthorities] }),
    ...(certificate.length === 0 ? {} : { cert: certificate.join('\n') }),
    ...(key === undefined ? {} : { key }),
    // An address is no server name (RFC 6066, 3).
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    checkServerIdentity: (_host, peer) => checkServerIdentity(serverName, peer),
  });
  socket.setNoDelay(true);
  return socket;
}
