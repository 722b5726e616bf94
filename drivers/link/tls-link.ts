import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { checkServerIdentity, connect } from 'node:tls';
import type { Clock } from '../../daemon/base/clock.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { ByteLink, ByteLinkEvents } from './byte-link.ts';
import { openSocket } from './open-socket.ts';

export interface TlsLinkOptions {
  readonly host: string;
  readonly port: number;
  /** Limits connection and handshake together. */
  readonly connectTimeoutMs: number;
  /** PEM file with the authorities that the far end is trusted by; no others are. */
  readonly certificateAuthoritiesFile: string;
  /** PEM files with the certificate shown to the far end and its key; both or none. */
  readonly certificateFile?: string | undefined;
  readonly privateKeyFile?: string | undefined;
  /** Name that the certificate of the far end has to have; the host unless given. */
  readonly serverName?: string | undefined;
  readonly clock: Clock;
}

/** Contents of the files that the options name. */
interface Credentials {
  readonly ca: Buffer;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

/**
 * A link over one TLS connection, 1.2 or newer; the certificate of the far end is always verified.
 *
 * The files are read with each attempt, so that renewed ones are used from the next connection on.
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
    if (this.#isClosed) throw this.#failure('CONNECT_ABORTED', 'closed meanwhile');
    if (signal.aborted) throw this.#failure('CONNECT_ABORTED', messageOf(signal.reason), signal.reason);
    const socket = this.#connect(credentials);
    this.#socket = socket;
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

  #connect(credentials: Credentials): Socket {
    const { host, port, serverName = host } = this.#options;
    try {
      return connect({
        ...credentials,
        host,
        port,
        // An address cannot be asked for by name (RFC 6066, 3), but is verified all the same.
        ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
        checkServerIdentity: (_, certificate) => checkServerIdentity(serverName, certificate),
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
      });
    } catch (error) {
      throw this.#failure('TLS_CREDENTIALS_INVALID', messageOf(error), error);
    }
  }

  async #readCredentials(): Promise<Credentials> {
    const { certificateAuthoritiesFile, certificateFile, privateKeyFile } = this.#options;
    try {
      return {
        ca: await readFile(certificateAuthoritiesFile),
        ...(certificateFile === undefined ? {} : { cert: await readFile(certificateFile) }),
        ...(privateKeyFile === undefined ? {} : { key: await readFile(privateKeyFile) }),
      };
    } catch (error) {
      throw this.#failure('TLS_FILE_UNREADABLE', messageOf(error), error);
    }
  }

  #failure(code: string, reason: string, cause?: unknown): ConnectionError {
    const { host, port } = this.#options;
    return new ConnectionError({ code, detail: `no connection to ${host}:${port}: ${reason}`, cause });
  }
}
