import type { ByteLink } from '../../../drivers/link/byte-link.ts';
import type { IncomingConnection, OpenPort } from '../../../drivers/link/incoming-connection.ts';
import type { Links } from '../../../drivers/link/links.ts';

/** The links of a gateway for one of its lives: they end with it, and it does not hear of that. */
export class LifeLinks implements Links {
  readonly #links: Links;
  readonly #open = new Set<ByteLink>();
  readonly #ports = new Set<OpenPort>();
  readonly #incoming = new Set<IncomingConnection>();
  #isOver = false;

  constructor(links: Links) {
    this.#links = links;
  }

  /** Links that were opened and not closed. */
  get openLinks(): number {
    return this.#open.size;
  }

  createTcp(options: Parameters<Links['createTcp']>[0]): ByteLink {
    return this.#follow(this.#links.createTcp(options));
  }

  createTls(options: Parameters<Links['createTls']>[0]): ByteLink {
    return this.#follow(this.#links.createTls(options));
  }

  createUdp(options: Parameters<Links['createUdp']>[0]): ByteLink {
    return this.#follow(this.#links.createUdp(options));
  }

  /** Opens a port that closes with the life, and with it the connections to it. */
  readonly listenForDevices: Links['listenForDevices'] = async (port, onConnection) => {
    if (this.#isOver) return new Promise(() => undefined);
    const open = await this.#links.listenForDevices(port, (connection) => {
      if (this.#isOver) return connection.close();
      onConnection(this.#followIncoming(connection));
    });
    this.#ports.add(open);
    return {
      close: () => {
        this.#ports.delete(open);
        open.close();
      },
    };
  };

  createSerial(options: Parameters<Links['createSerial']>[0]): ByteLink {
    return this.#follow(this.#links.createSerial(options));
  }

  end(): void {
    this.#isOver = true;
    for (const link of this.#open) link.close();
    this.#open.clear();
    for (const port of this.#ports) port.close();
    for (const connection of this.#incoming) connection.close();
  }

  // A modem that is refused dials again every few seconds, for days.
  #followIncoming(connection: IncomingConnection): IncomingConnection {
    this.#incoming.add(connection);
    return {
      address: connection.address,
      receive: ({ onChunk, onClose }) =>
        connection.receive({
          onChunk,
          onClose: (cause) => {
            this.#incoming.delete(connection);
            onClose(cause);
          },
        }),
      send: (bytes) => connection.send(bytes),
      close: (undelivered) => {
        this.#incoming.delete(connection);
        connection.close(undelivered);
      },
    };
  }

  #follow(link: ByteLink): ByteLink {
    return {
      open: async (signal, events) => {
        if (this.#isOver) return new Promise(() => undefined);
        this.#open.add(link);
        try {
          await link.open(signal, {
            onChunk: (bytes) => {
              if (!this.#isOver) events.onChunk(bytes);
            },
            onClose: (cause) => {
              this.#open.delete(link);
              if (!this.#isOver) events.onClose(cause);
            },
          });
        } catch (error) {
          this.#open.delete(link);
          throw error;
        }
      },
      send: (bytes) => {
        if (!this.#isOver) link.send(bytes);
      },
      close: () => {
        this.#open.delete(link);
        link.close();
      },
    };
  }
}
