import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import type { ErrorCode } from '../../daemon/base/error-codes.ts';
import { createReason, explain, ExplainedError } from '../../daemon/base/fault-reason.ts';
import { explainConnectFailure } from '../../daemon/base/network/connect-failure.ts';
import { findRefusedHost, lookupDevice } from '../../daemon/base/network/checked-lookup.ts';
import { toReasons } from '../../daemon/base/errors.ts';
import { raceWithAbort } from '../../daemon/base/sharing/race-with-abort.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { LINK_FAILURES } from './failure-sentences.ts';
import type { ByteLink, ByteLinkEvents } from './byte-link.ts';

export interface UdpLinkOptions {
  readonly host: string;
  readonly port: number;
}

/**
 * Datagrams to and from one address over UDP: each `send` is one datagram, and so is each `onChunk`. The socket has a
 * port of its own and receives nothing from other addresses.
 *
 * The link is lost when the far end reports that nothing listens there, or the network that it is unreachable.
 */
export class UdpLink implements ByteLink {
  readonly #options: UdpLinkOptions;
  #socket: Socket | undefined;
  #isClosed = false;

  constructor(options: UdpLinkOptions) {
    this.#options = options;
  }

  async open(signal: AbortSignal, events: ByteLinkEvents): Promise<void> {
    const { host, port } = this.#options;
    try {
      const { address, family } = await raceWithAbort(findAddress(host), signal);
      if (this.#isClosed) throw new Error('closed before it was open');
      const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
      this.#socket = socket;
      await raceWithAbort(connectSocket(socket, port, address), signal);
      socket.on('message', (bytes: Buffer) => {
        if (this.#socket === socket) events.onChunk(bytes);
      });
      socket.on('error', (error) => {
        if (this.#socket !== socket) return;
        this.close();
        events.onClose(new ExplainedError(explainConnectFailure(error, host), { cause: error }));
      });
    } catch (error) {
      const isAborted = signal.aborted || this.#isClosed;
      this.close();
      const reasons = isAborted ? toReasons(error) : explainConnectFailure(error, host);
      const target = createReason(LINK_FAILURES, 'LINK_NOT_OPENED', { host, port });
      throw new ConnectionError({
        code: isAborted ? 'CONNECT_ABORTED' : codeOf(error),
        ...explain(target, ...reasons),
        cause: error,
      });
    }
  }

  send(bytes: Uint8Array): void {
    this.#socket?.send(bytes);
  }

  close(): void {
    this.#isClosed = true;
    const socket = this.#socket;
    this.#socket = undefined;
    // Errors of datagrams that are still being sent.
    socket?.removeAllListeners('error').on('error', () => undefined);
    socket?.close();
  }
}

function findAddress(host: string): Promise<LookupAddress> {
  const refusal = findRefusedHost(host);
  if (refusal !== undefined) return Promise.reject(refusal);
  return new Promise((resolve, reject) => {
    lookupDevice(host, { all: false }, (error, address, family = 4) => {
      if (error !== null) reject(error);
      else resolve({ address: address as string, family });
    });
  });
}

function connectSocket(socket: Socket, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.connect(port, address, () => {
      socket.off('error', reject);
      resolve();
    });
  });
}

function codeOf(error: unknown): ErrorCode {
  const isRefused = (error as { readonly code?: unknown }).code === 'ADDRESS_REFUSED';
  return isRefused ? 'ADDRESS_REFUSED' : 'CONNECT_FAILED';
}
