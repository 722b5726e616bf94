import type { FrameDirection } from '../../daemon/channel/trace/tracing-driver.ts';
import type { ByteLink, ByteLinkEvents } from './byte-link.ts';
import type { Links } from './links.ts';

/** Receives bytes as they pass a link; valid only during the call. */
export type OnBytes = (direction: FrameDirection, bytes: Uint8Array) => void;

/** Shows the bytes of all links of a driver to one listener; without one, they pass unseen. */
export class LinkTap {
  #listener: OnBytes | undefined;

  /** Replaces the listener; undefined: none. */
  listen(listener: OnBytes | undefined): void {
    this.#listener = listener;
  }

  /** Returns links whose bytes pass this tap. */
  tapAll(links: Links): Links {
    return {
      createTcp: (options) => this.tap(links.createTcp(options)),
      createTls: (options) => this.tap(links.createTls(options)),
      createUdp: (options) => this.tap(links.createUdp(options)),
      listenForDevices: links.listenForDevices,
      createSerial: (options) => this.tap(links.createSerial(options)),
    };
  }

  /** Returns a link whose bytes pass this tap. */
  tap(link: ByteLink): ByteLink {
    const onPass: OnBytes = (direction, bytes) => this.#listener?.(direction, bytes);
    return {
      open: (signal, events) => link.open(signal, tapEvents(events, onPass)),
      send(bytes) {
        onPass('SENT', bytes);
        link.send(bytes);
      },
      ...(link.changeSpeed === undefined
        ? {}
        : { changeSpeed: async (baudRate) => link.changeSpeed?.(baudRate) }),
      close: (undelivered) => link.close(undelivered),
    };
  }
}

function tapEvents(events: ByteLinkEvents, onPass: OnBytes): ByteLinkEvents {
  return {
    onChunk(bytes) {
      onPass('RECEIVED', bytes);
      events.onChunk(bytes);
    },
    onClose: (cause) => events.onClose(cause),
  };
}
