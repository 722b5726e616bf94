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
