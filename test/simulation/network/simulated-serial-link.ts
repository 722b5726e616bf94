import type { ErrorCode } from '../../../daemon/base/error-codes.ts';
import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import { messageOf } from '../../../daemon/base/errors.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { ByteLink, ByteLinkEvents } from '../../../drivers/link/byte-link.ts';
import { nameLine } from '../../../drivers/link/serial-device.ts';
import { explainMissing, explainOpenFailure } from '../../../drivers/link/serial-open-failure.ts';
import type { SerialLinkOptions } from '../../../drivers/link/serial-link.ts';
import type { Adapter, SerialBus } from './serial-bus.ts';

const OPENING_MS = 4;
const DEFAULT_OPEN_TIMEOUT_MS = 5000;
// As `SerialLink` tries again to open a line that is locked.
const BUSY_ATTEMPTS = 20;
const BUSY_PAUSE_MS = 50;

// The words of the system, from which `SerialLink` knows the cause.
const NOT_FOUND = new Error('Error: No such file or directory, cannot open');
const LOCKED = new Error('Error Resource temporarily unavailable Cannot lock port');

export interface SimulatedSerialLinkOptions extends SerialLinkOptions {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  /** The line with the path; undefined when there is none. */
  readonly bus: SerialBus | undefined;
  /** Names of the adapters that are plugged in. */
  readonly listAdapters: () => readonly string[];
}

/** What `SerialLink` is, over a simulated line. */
export class SimulatedSerialLink implements ByteLink {
  readonly #options: SimulatedSerialLinkOptions;
  #adapter: Adapter | undefined;
  #cancelOpen: (() => void) | undefined;

  constructor(options: SimulatedSerialLinkOptions) {
    this.#options = options;
  }

  open(signal: AbortSignal, events: ByteLinkEvents): Promise<void> {
    const { device, clock, time, openTimeoutMs = DEFAULT_OPEN_TIMEOUT_MS } = this.#options;
    return new Promise((resolve, reject) => {
      let cancelStep: Cancel = () => undefined;
      const end = (): void => {
        this.#cancelOpen = undefined;
        cancelStep();
        cancelTimeout();
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (code: ErrorCode, reason: string, cause?: unknown): void => {
        end();
        const detail = `cannot open serial line ${nameLine(device)}: ${reason}`;
        reject(new ConnectionError({ code, detail, cause: new Error(device, { cause }) }));
      };
      const onAbort = (): void => fail('CONNECT_ABORTED', messageOf(signal.reason), signal.reason);
      const cancelTimeout = clock.schedule(openTimeoutMs, () =>
        fail('CONNECT_TIMEOUT', `it did not open within ${openTimeoutMs} ms`),
      );
      this.#cancelOpen = () => fail('CONNECT_ABORTED', 'closed during the attempt');
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) return onAbort();
      const tryToOpen = (attempts: number): void => {
        const { bus } = this.#options;
        const state = bus?.state ?? 'UNPLUGGED';
        if (bus !== undefined && state === 'FREE') {
          this.#begin(bus, events);
          end();
          return resolve();
        }
        if (state !== 'UNPLUGGED' && attempts < BUSY_ATTEMPTS) {
          cancelStep = time.schedule(BUSY_PAUSE_MS, () => tryToOpen(attempts + 1));
          return;
        }
        const error = state === 'UNPLUGGED' ? NOT_FOUND : LOCKED;
        const { code, reason } = explainOpenFailure(error);
        const isMissing = state === 'UNPLUGGED';
        fail(code, (isMissing ? explainMissing(this.#options.listAdapters()) : reason).message, error);
      };
      cancelStep = time.schedule(OPENING_MS, () => tryToOpen(1));
    });
  }

  send(bytes: Uint8Array): void {
    const adapter = this.#adapter;
    if (adapter !== undefined) this.#options.bus?.sendFromGateway(adapter, Buffer.from(bytes));
  }

  close(): void {
    this.#cancelOpen?.();
    const adapter = this.#adapter;
    this.#adapter = undefined;
    if (adapter !== undefined) this.#options.bus?.close(adapter);
  }

  #begin(bus: SerialBus, events: ByteLinkEvents): void {
    const adapter: Adapter = {
      onChunk: (bytes) => {
        if (this.#adapter === adapter) events.onChunk(bytes);
      },
      onHangUp: () => {
        this.#adapter = undefined;
        events.onClose(new Error('it hung up, as when its adapter is pulled'));
      },
    };
    this.#adapter = adapter;
    bus.open(adapter, this.#options);
  }
}
