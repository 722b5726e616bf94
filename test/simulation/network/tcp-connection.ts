import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { Random } from '../world/random.ts';
import { BytePipe } from './byte-pipe.ts';
import type { PathConditions } from './byte-pipe.ts';

// The gateway's keep-alive: the first probe 15 s after the newest byte, given up 10 s later.
const KEEP_ALIVE_IDLE_MS = 15_000;
const KEEP_ALIVE_PROBES_MS = 10_000;
// A connection with bytes on the way is not probed: they are sent again until Linux gives up (tcp_retries2 of 15).
const RETRANSMISSION_LIMIT_MS = 924_600;
// A pause between two retransmissions grows to this (TCP_RTO_MAX).
const LONGEST_RETRANSMISSION_PAUSE_MS = 120_000;

/** The device's end of a connection. */
export interface DeviceEnd {
  readonly isOpen: boolean;
  /** Sends bytes, `afterMs` from now at the earliest; nothing once the connection has ended. */
  send(bytes: Buffer, afterMs?: number): void;
  /** Ends the connection in order, after what was sent before. */
  close(): void;
  /** Ends the connection at once; what was sent and has not arrived is lost. */
  reset(): void;
}

/** What a device does with a connection. */
export interface DeviceEvents {
  onBytes(bytes: Buffer): void;
  /** The gateway ended the connection, or it broke. */
  onEnd(): void;
}

/** What the gateway's end hears. */
export interface GatewayEvents {
  onChunk(bytes: Buffer): void;
  /** @param cause `closed by the far end`, or a code of the system */
  onClose(cause: string): void;
}

export interface TcpConnectionOptions {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly random: Random;
  readonly path: PathConditions;
  /** Called once, when neither end has anything of the connection any more. */
  readonly onGone: (connection: TcpConnection) => void;
}

/** One established TCP connection between the gateway and a device. */
export class TcpConnection {
  readonly #options: TcpConnectionOptions;
  readonly #toDevice: BytePipe;
  readonly #toGateway: BytePipe;
  #device: DeviceEvents | undefined;
  #gateway: GatewayEvents | undefined;
  #isEnding = false;
  /** The device knows nothing of the connection any more, and has not said so. */
  #isForgotten = false;
  #interruptedMs = 0;
  #newestByteMs: number;
  #cancelTimeout: Cancel | undefined;

  constructor(options: TcpConnectionOptions) {
    this.#options = options;
    const { time, random, path } = options;
    this.#newestByteMs = time.monotonicMs();
    const shared = { time, random, path };
    this.#toDevice = new BytePipe({ ...shared, deliver: (bytes) => this.#arriveAtDevice(bytes) });
    this.#toGateway = new BytePipe({
      ...shared,
      deliver: (bytes) => {
        this.#newestByteMs = time.monotonicMs();
        this.#gateway?.onChunk(bytes);
      },
    });
  }

  /** Gives the ends their users; called once, when the connection is established. */
  begin(device: DeviceEvents | undefined, gateway: GatewayEvents): void {
    this.#device = device;
    this.#gateway = gateway;
  }

  /** Returns what the device holds of the connection. */
  deviceEnd(): DeviceEnd {
    // oxlint-disable-next-line typescript/no-this-alias -- the end has a getter of its own
    const connection = this;
    return {
      get isOpen() {
        return connection.#isDeviceOpen();
      },
      send: (bytes, afterMs) => {
        if (this.#isDeviceOpen()) this.#toGateway.send(bytes, afterMs);
      },
      close: () => {
        if (!this.#isDeviceOpen()) return;
        this.#isEnding = true;
        this.#toGateway.whenArrived(() => this.#endAtGateway('closed by the far end'));
      },
      reset: () => this.reset(),
    };
  }

  sendFromGateway(bytes: Buffer): void {
    const { path, time } = this.#options;
    this.#newestByteMs = time.monotonicMs();
    this.#toDevice.send(bytes);
    if (path.isInterrupted) this.#expectNothing(RETRANSMISSION_LIMIT_MS);
  }

  /** The gateway closes; the device hears of it behind the bytes that are on the way. */
  closeByGateway(): void {
    this.#gateway = undefined;
    this.#cancelTimeout?.();
    this.#toGateway.close();
    // Whatever was under way over a broken cable is given up together with the connection.
    this.#toDevice.dropHeld();
    if (this.#options.path.isInterrupted) return;
    this.#toDevice.whenArrived(() => this.#endAtDevice());
  }

  /** Breaks the connection: the gateway hears of it as soon as a packet can arrive. */
  reset(): void {
    this.#forget();
    const { time, path } = this.#options;
    if (path.isInterrupted) return;
    time.schedule(path.latencyMs, () => this.#endAtGateway('ECONNRESET'));
  }

  /** The device forgets the connection without a word, as when its power fails; an answer to what is sent is a reset. */
  vanish(): void {
    this.#forget();
    this.#expectKeepAlive();
  }

  /** The way was interrupted just now. */
  noteInterruption(): void {
    this.#interruptedMs = this.#options.time.monotonicMs();
    this.#expectKeepAlive();
  }

  /** The way is open again: what was sent meanwhile arrives with the next retransmission. */
  noteOpening(): void {
    this.#cancelTimeout?.();
    const { time, random } = this.#options;
    const elapsedMs = time.monotonicMs() - this.#interruptedMs;
    const pauseMs = random.fraction() * Math.min(elapsedMs, LONGEST_RETRANSMISSION_PAUSE_MS);
    this.#toDevice.release(pauseMs);
    this.#toGateway.release(pauseMs);
    if (this.#isForgotten) this.#expectKeepAlive();
    else if (this.#gateway === undefined) this.#toDevice.whenArrived(() => this.#endAtDevice());
  }

  #isDeviceOpen(): boolean {
    return this.#device !== undefined && !this.#isEnding && !this.#isForgotten;
  }

  #arriveAtDevice(bytes: Buffer): void {
    if (this.#isForgotten) return this.reset();
    if (!this.#isEnding) this.#device?.onBytes(bytes);
  }

  #forget(): void {
    this.#isForgotten = true;
    this.#toGateway.close();
    this.#endAtDevice();
  }

  #endAtDevice(): void {
    const device = this.#device;
    this.#device = undefined;
    device?.onEnd();
    this.#noteEnd();
  }

  #endAtGateway(cause: string): void {
    this.#cancelTimeout?.();
    this.#toGateway.close();
    this.#toDevice.close();
    const gateway = this.#gateway;
    this.#gateway = undefined;
    this.#endAtDevice();
    gateway?.onClose(cause);
  }

  #noteEnd(): void {
    if (this.#gateway === undefined && this.#device === undefined) this.#options.onGone(this);
  }

  #expectKeepAlive(): void {
    if (this.#toDevice.isHolding) return;
    const { time, random } = this.#options;
    const idleMs = time.monotonicMs() - this.#newestByteMs;
    // An idle connection has been probed all the time.
    const untilProbeMs =
      idleMs < KEEP_ALIVE_IDLE_MS ? KEEP_ALIVE_IDLE_MS - idleMs : random.fraction() * KEEP_ALIVE_IDLE_MS;
    this.#expectNothing(untilProbeMs + KEEP_ALIVE_PROBES_MS);
  }

  #expectNothing(limitMs: number): void {
    this.#cancelTimeout?.();
    this.#cancelTimeout = this.#options.time.schedule(limitMs, () => {
      // The device, if it is there, answers a probe for a connection that it does not know.
      const isHeard = this.#isForgotten && !this.#options.path.isInterrupted;
      this.#endAtGateway(isHeard ? 'ECONNRESET' : 'ETIMEDOUT');
    });
  }
}
