import { describeConnectFailure } from '../../../daemon/base/network/connect-failure.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { ByteLink, ByteLinkEvents } from '../../../drivers/link/byte-link.ts';
import type { UdpLinkOptions } from '../../../drivers/link/udp-link.ts';
import type { UdpHost } from './udp-host.ts';

export interface SimulatedUdpLinkOptions extends UdpLinkOptions {
  /** Returns the host when the name is known. */
  readonly findHost: () => UdpHost | undefined;
}

/** What `UdpLink` is, over a simulated network. */
export class SimulatedUdpLink implements ByteLink {
  readonly #options: SimulatedUdpLinkOptions;
  #host: UdpHost | undefined;
  #events: ByteLinkEvents | undefined;

  constructor(options: SimulatedUdpLinkOptions) {
    this.#options = options;
  }

  open(_signal: AbortSignal, events: ByteLinkEvents): Promise<void> {
    const { findHost, host, port } = this.#options;
    this.#host = findHost();
    if (this.#host === undefined) {
      const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
      const detail = `no connection to ${host}:${port}: ${describeConnectFailure(cause, host)}`;
      return Promise.reject(new ConnectionError({ code: 'CONNECT_FAILED', detail, cause }));
    }
    this.#events = events;
    this.#host.receive((answer) => {
      if (this.#events === events) events.onChunk(answer);
    });
    return Promise.resolve();
  }

  send(bytes: Uint8Array): void {
    const events = this.#events;
    if (events === undefined) return;
    this.#host?.send(Buffer.from(bytes), () => {
      if (this.#events !== events) return;
      this.close();
      const cause = Object.assign(new Error('recvmsg ECONNREFUSED'), { code: 'ECONNREFUSED' });
      events.onClose(new Error(describeConnectFailure(cause, this.#options.host), { cause }));
    });
  }

  close(): void {
    this.#events = undefined;
  }
}
