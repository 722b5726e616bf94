import { createPublicKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { checkServerIdentity, connect } from 'node:tls';
import type { DetailedPeerCertificate, PeerCertificate, TLSSocket } from 'node:tls';

import type { ErrorCode } from '../../daemon/base/error-codes.ts';
import { findRefusedHost, lookupDevice } from '../../daemon/base/network/checked-lookup.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { messageOf, toReasons } from '../../daemon/base/errors.ts';
import { createReason, explain } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { describeFileFault } from '../../daemon/base/file/file-fault.ts';
import { findKeyWeakness } from '../../daemon/base/key/key-weakness.ts';
import { readRegularFile } from '../../daemon/base/file/regular-file.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { LINK_FAILURES } from './failure-sentences.ts';
import type { ByteLink, ByteLinkEvents } from './byte-link.ts';
import { openSocket } from './open-socket.ts';

export interface TlsLinkOptions {
  readonly host: string;
  readonly port: number;
  /** Limits connection and handshake together. */
  readonly connectTimeoutMs: number;
  /** PEM file with the only CA certificates trusted for the far end. */
  readonly certificateAuthoritiesFile: string;
  /** PEM files with the client certificate and its key; both or none. */
  readonly certificateFile?: string | undefined;
  readonly privateKeyFile?: string | undefined;
  /** Name required in the certificate of the far end; default: the host. */
  readonly serverName?: string | undefined;
  readonly clock: Clock;
}

// Settings with file names.
const FILES = ['certificateAuthoritiesFile', 'certificateFile', 'privateKeyFile'] as const;

/** Contents of the configured files. */
interface Credentials {
  readonly ca: Buffer;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

/**
 * A link over one TLS connection, 1.2 or newer; the certificate of the far end is always verified.
 *
 * The files are read for each attempt, so that renewed ones are used from the next connection on.
 */
export class TlsLink implements ByteLink {
  readonly #options: TlsLinkOptions;
  #socket: Socket | undefined;
  #isClosed = false;

  constructor(options: TlsLinkOptions) {
    this.#options = options;
  }

  async open(signal: AbortSignal, events: ByteLinkEvents): Promise<void> {
    const { host, port, connectTimeoutMs, clock } = this.#options;
    const credentials = await this.#readCredentials();
    if (this.#isClosed)
      throw this.#fail('CONNECT_ABORTED', [createReason(LINK_FAILURES, 'LINK_CLOSED_DURING_ATTEMPT', {})]);
    if (signal.aborted) throw this.#fail('CONNECT_ABORTED', toReasons(signal.reason), signal.reason);
    const refusal = findRefusedHost(host);
    if (refusal !== undefined) throw this.#fail('ADDRESS_REFUSED', toReasons(refusal), refusal);
    const socket = this.#connect(credentials);
    this.#socket = socket;
    let peer: readonly FaultReason[] = [];
    // Before the library's own listener, which closes the socket if the certificate is rejected.
    socket.prependOnceListener('secure', () => {
      peer = explainPeer(socket.getPeerCertificate());
    });
    socket.on('data', (bytes: Buffer) => {
      if (this.#socket === socket) events.onChunk(bytes);
    });
    await openSocket(socket, {
      host,
      port,
      connectTimeoutMs,
      clock,
      signal,
      readyEvent: 'secureConnect',
      describePeer: () => peer,
      onClose: (cause) => {
        if (this.#socket !== socket) return;
        this.#socket = undefined;
        events.onClose(cause);
      },
    });
  }

  send(bytes: Uint8Array): void {
    this.#socket?.write(bytes);
  }

  close(): void {
    this.#isClosed = true;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  #connect(credentials: Credentials): TLSSocket {
    const { host, port, serverName = host } = this.#options;
    try {
      this.#refuseWeakKey(credentials);
      return connect({
        ...credentials,
        host,
        port,
        lookup: lookupDevice,
        // SNI does not support IP addresses (RFC 6066, 3); they are verified all the same.
        ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
        checkServerIdentity: (_, certificate) =>
          checkServerIdentity(serverName, certificate) ?? findWeakKey(certificate),
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
      });
    } catch (error) {
      const files = FILES.filter((setting) => this.#options[setting] !== undefined);
      const values = { settings: files, reason: messageOf(error) };
      const reason = createReason(LINK_FAILURES, 'LINK_FILES_UNUSABLE', values);
      throw this.#fail('TLS_CREDENTIALS_INVALID', [reason], error);
    }
  }

  async #readCredentials(): Promise<Credentials> {
    const { certificateAuthoritiesFile, certificateFile, privateKeyFile } = this.#options;
    return {
      ca: await this.#read('certificateAuthoritiesFile', certificateAuthoritiesFile),
      ...(certificateFile === undefined
        ? {}
        : { cert: await this.#read('certificateFile', certificateFile) }),
      ...(privateKeyFile === undefined ? {} : { key: await this.#read('privateKeyFile', privateKeyFile) }),
    };
  }

  // Clients see the setting; the path is in the cause, for the log.
  async #read(setting: (typeof FILES)[number], file: string): Promise<Buffer> {
    try {
      return await readRegularFile(file);
    } catch (error) {
      const values = { setting, reason: describeFileFault(error) };
      const reason = createReason(LINK_FAILURES, 'LINK_FILE_UNREADABLE', values);
      throw this.#fail('TLS_FILE_UNREADABLE', [reason], error);
    }
  }

  #refuseWeakKey({ key }: Credentials): void {
    if (key === undefined) return;
    const weakness = findKeyWeakness(createPublicKey(key));
    if (weakness !== undefined) throw new Error(`the private key ${weakness}`);
  }

  #fail(code: ErrorCode, reasons: readonly FaultReason[], cause?: unknown): ConnectionError {
    const { host, port } = this.#options;
    const target = createReason(LINK_FAILURES, 'LINK_NOT_OPENED', { host, port });
    return new ConnectionError({ code, ...explain(target, ...reasons), cause });
  }
}

/** Returns an error if a certificate of the chain has a weak key: OpenSSL checks only the key length. */
function findWeakKey(leaf: PeerCertificate): Error | undefined {
  let current: PeerCertificate | undefined = leaf;
  while (current !== undefined) {
    const weakness = findKeyWeakness(new X509Certificate(current.raw).publicKey);
    if (weakness !== undefined) {
      return new Error(`the key in the certificate of ${String(current.subject.CN)} ${weakness}`);
    }
    // Present although the callback type does not declare it; the last one is its own issuer.
    const { issuerCertificate: issuer } = current as Partial<DetailedPeerCertificate>;
    current = issuer === current ? undefined : issuer;
  }
  return undefined;
}

const MAXIMUM_NAME = 200;

function explainPeer({ subject, issuer }: Partial<PeerCertificate>): readonly FaultReason[] {
  if (subject === undefined || issuer === undefined) return [];
  const names = { subject: nameOf(subject), issuer: nameOf(issuer) };
  return [createReason(LINK_FAILURES, 'LINK_PEER', names)];
}

function nameOf(distinguishedName: object): string {
  const parts = Object.entries(distinguishedName).map(([type, value]) => `${type}=${String(value)}`);
  return parts.join(', ').slice(0, MAXIMUM_NAME);
}
