import type { Clock } from '../../../daemon/base/clock.ts';
import type { ByteLinkEvents } from '../../../drivers/link/byte-link.ts';
import type {
  IncomingConnection,
  ListenForDevices,
  OpenPort,
} from '../../../drivers/link/incoming-connection.ts';
import type { Random } from '../world/random.ts';
import type { PathConditions } from './byte-pipe.ts';
import { TcpConnection } from './tcp-connection.ts';
import type { DeviceEnd, DeviceEvents } from './tcp-connection.ts';

interface DevicePortsOptions {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly random: Random;
}

/** A connection that a device opens. */
export interface DeviceCall {
  /** Address of the device. */
  readonly address: string;
  readonly path: PathConditions;
  /** Takes the device's end of the connection. */
  readonly accept: (end: DeviceEnd) => DeviceEvents;
}

/** The ports of the gateway to which devices connect. */
export class DevicePorts {
  readonly #options: DevicePortsOptions;
  readonly #open = new Map<number, (connection: IncomingConnection) => void>();

  constructor(options: DevicePortsOptions) {
    this.#options = options;
  }

  readonly listen: ListenForDevices = (port, onConnection): Promise<OpenPort> => {
    if (this.#open.has(port)) {
      return Promise.reject(Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' }));
    }
    this.#open.set(port, onConnection);
    return Promise.resolve({
      close: () => {
        if (this.#open.get(port) === onConnection) this.#open.delete(port);
      },
    });
  };

  /** Connects a device to a port; undefined when it is closed, or the way is interrupted. */
  connect(port: number, { address, path, accept }: DeviceCall): TcpConnection | undefined {
    const onConnection = this.#open.get(port);
    if (onConnection === undefined || path.isInterrupted) return undefined;
    const { time, random } = this.#options;
    const connection = new TcpConnection({ time, random, path, onGone: () => undefined });
    let events: ByteLinkEvents | undefined;
    connection.begin(accept(connection.deviceEnd()), {
      onChunk: (bytes) => events?.onChunk(bytes),
      onClose: (cause) => events?.onClose(new Error(cause)),
    });
    onConnection({
      address,
      receive: (next) => {
        events = next;
      },
      send: (bytes) => connection.sendFromGateway(Buffer.from(bytes)),
      close: () => {
        events = undefined;
        connection.closeByGateway();
      },
    });
    return connection;
  }
}

/** A device that keeps a connection to a port of the gateway. */
export interface DeviceDialler {
  /** It connects no more while it is away. */
  isAway: boolean;
  /** Opens another connection, and forgets the one that it has. */
  connectAgain(): void;
  /** Opens a connection that begins with these bytes, and ends it a minute later. */
  callWith(packet: Buffer): void;
  reset(): void;
  /** Forgets its connection without a word. */
  vanish(): void;
}

/** Lets a device connect to a port of the gateway whenever it has no connection. */
export function connectRepeatedly(options: {
  readonly network: { readonly ports: DevicePorts };
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly port: number;
  readonly pauseMs: number;
  readonly call: DeviceCall;
}): DeviceDialler {
  const { network, time, port, pauseMs, call } = options;
  let connection: TcpConnection | undefined;
  let isWaiting = false;
  const dialler: DeviceDialler = {
    isAway: false,
    connectAgain: () => {
      const former = connection;
      connection = undefined;
      dial();
      // Its end hears nothing of the former one any more.
      if (connection !== undefined) former?.vanish();
      else connection = former;
    },
    callWith: (packet) => {
      const other = network.ports.connect(port, {
        ...call,
        accept: (end) => {
          time.schedule(0, () => end.send(packet));
          return { onBytes: () => undefined, onEnd: () => undefined };
        },
      });
      time.schedule(60_000, () => other?.reset());
    },
    reset: () => connection?.reset(),
    vanish: () => connection?.vanish(),
  };
  const dial = (): void => {
    const own: TcpConnection | undefined = network.ports.connect(port, {
      ...call,
      accept: (end) => {
        const events = call.accept(end);
        return {
          onBytes: (bytes) => events.onBytes(bytes),
          onEnd: () => {
            events.onEnd();
            if (connection !== own) return;
            connection = undefined;
            waitForNext();
          },
        };
      },
    });
    connection = own;
  };
  const watch = (): void => {
    isWaiting = false;
    if (!dialler.isAway && connection === undefined) dial();
    waitForNext();
  };
  // It looks at even times, and not while it has a connection.
  const waitForNext = (): void => {
    if (isWaiting || connection !== undefined) return;
    isWaiting = true;
    time.schedule(pauseMs - (time.monotonicMs() % pauseMs), watch);
  };
  waitForNext();
  return dialler;
}
