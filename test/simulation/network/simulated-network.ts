import path from 'node:path';

import type { Clock } from '../../../daemon/base/clock.ts';
import type { ByteLink } from '../../../drivers/link/byte-link.ts';
import type { ListenForDevices } from '../../../drivers/link/incoming-connection.ts';
import type { Links } from '../../../drivers/link/links.ts';
import type { SerialLinkOptions } from '../../../drivers/link/serial-link.ts';
import type { TcpLinkOptions } from '../../../drivers/link/tcp-link.ts';
import type { UdpLinkOptions } from '../../../drivers/link/udp-link.ts';
import type { Random } from '../world/random.ts';
import { SerialBus } from './serial-bus.ts';
import type { SerialBusOptions } from './serial-bus.ts';
import { SimulatedSerialLink } from './simulated-serial-link.ts';
import { SimulatedTcpLink } from './simulated-tcp-link.ts';
import { DevicePorts } from './device-ports.ts';
import { SimulatedUdpLink } from './simulated-udp-link.ts';
import { TcpHost } from './tcp-host.ts';
import type { TcpHostOptions } from './tcp-host.ts';
import { UdpHost } from './udp-host.ts';
import type { UdpHostOptions } from './udp-host.ts';

const TCP_TRAVELS = 2;
// A full handshake of TLS 1.3 needs one more round.
const TLS_TRAVELS = 4;

export interface SimulatedNetworkOptions {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly random: Random;
}

/** The network and the serial lines of a world. */
export class SimulatedNetwork implements Links {
  readonly #options: SimulatedNetworkOptions;
  readonly #hosts = new Map<string, TcpHost>();
  readonly #udpHosts = new Map<string, UdpHost>();
  readonly #lines = new Map<string, SerialBus>();

  /** Ports of the gateway to which devices connect. */
  readonly ports: DevicePorts;

  constructor(options: SimulatedNetworkOptions) {
    this.#options = options;
    const { time, random } = options;
    this.ports = new DevicePorts({ time, random: random.branch('ports') });
  }

  /** Adds a device that takes TCP connections; TLS ones as well. */
  addHost(name: string, port: number, options: TcpHostOptions): TcpHost {
    const { time, random } = this.#options;
    const key = `${name}:${port}`;
    const host = new TcpHost(options, { time, random: random.branch(`tcp/${key}`) });
    this.#hosts.set(key, host);
    return host;
  }

  /** Adds a device that takes datagrams. */
  addUdpHost(name: string, port: number, options: Omit<UdpHostOptions, 'time' | 'random'>): UdpHost {
    const { time, random } = this.#options;
    const key = `${name}:${port}`;
    const host = new UdpHost({ ...options, time, random: random.branch(`udp/${key}`) });
    this.#udpHosts.set(key, host);
    return host;
  }

  /** Adds a serial line with its adapter, which is plugged in. */
  addLine(device: string, options: Omit<SerialBusOptions, 'time' | 'random'>): SerialBus {
    const { time, random } = this.#options;
    const bus = new SerialBus({ ...options, time, random: random.branch(`line/${device}`) });
    this.#lines.set(device, bus);
    return bus;
  }

  createTcp(options: TcpLinkOptions): ByteLink {
    return this.#createTcp(options, TCP_TRAVELS);
  }

  createTls(options: TcpLinkOptions): ByteLink {
    return this.#createTcp(options, TLS_TRAVELS);
  }

  get listenForDevices(): ListenForDevices {
    return this.ports.listen;
  }

  createUdp(options: UdpLinkOptions): ByteLink {
    const findHost = (): UdpHost | undefined => this.#udpHosts.get(`${options.host}:${options.port}`);
    return new SimulatedUdpLink({ ...options, findHost });
  }

  createSerial(options: SerialLinkOptions): ByteLink {
    const { time } = this.#options;
    const listAdapters = (): readonly string[] =>
      [...this.#lines]
        .filter(([, bus]) => bus.state !== 'UNPLUGGED')
        .map(([device]) => path.posix.basename(device));
    return new SimulatedSerialLink({
      ...options,
      time,
      bus: this.#lines.get(options.device),
      listAdapters,
    });
  }

  #createTcp(options: TcpLinkOptions, travels: number): ByteLink {
    const { time } = this.#options;
    const findHost = (): TcpHost | undefined => this.#hosts.get(`${options.host}:${options.port}`);
    return new SimulatedTcpLink({ ...options, time, findHost, travels });
  }
}
