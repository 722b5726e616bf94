import type { ByteLink } from './byte-link.ts';
import { listenOnPort } from './incoming-connection.ts';
import type { ListenForDevices } from './incoming-connection.ts';
import { SerialLink } from './serial-link.ts';
import type { SerialLinkOptions } from './serial-link.ts';
import { TcpLink } from './tcp-link.ts';
import type { TcpLinkOptions } from './tcp-link.ts';
import { TlsLink } from './tls-link.ts';
import type { TlsLinkOptions } from './tls-link.ts';
import { UdpLink } from './udp-link.ts';
import type { UdpLinkOptions } from './udp-link.ts';

/** Creates links that were never opened; the simulation injects its own. */
export interface Links {
  createTcp(options: TcpLinkOptions): ByteLink;
  createTls(options: TlsLinkOptions): ByteLink;
  createUdp(options: UdpLinkOptions): ByteLink;
  readonly listenForDevices: ListenForDevices;
  createSerial(options: SerialLinkOptions): ByteLink;
}

/** Sockets and serial lines of the system. */
export const systemLinks: Links = {
  createTcp: (options) => new TcpLink(options),
  createTls: (options) => new TlsLink(options),
  createUdp: (options) => new UdpLink(options),
  listenForDevices: listenOnPort,
  createSerial: (options) => new SerialLink(options),
};
