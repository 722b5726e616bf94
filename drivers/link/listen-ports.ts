import type { Cancel, Clock } from '../../daemon/base/clock.ts';
import type { Logger } from '../../daemon/base/logger.ts';
import { describeBindFailure } from '../../daemon/base/network/bind-failure.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { recognizeCaller, showPacket } from './caller-identity.ts';
import type { CallerIdentity } from './caller-identity.ts';
import type { CallerWatch } from './caller-watch.ts';
import type { IncomingConnection, ListenForDevices, OpenPort } from './incoming-connection.ts';

/** Connections of one port that are not recognized yet; further ones are refused. */
const MAXIMUM_UNRECOGNIZED = 32;
/** Longest time until a connection must be recognized. */
const RECOGNITION_MS = 30_000;
/** Bytes of a connection that is not recognized yet. */
const MAXIMUM_PACKET_BYTES = 256;
/** Shortest time between two log lines about refused connections of a port. */
const LOG_PAUSE_MS = 600_000;

/** A device that may connect to a port. */
export interface PortUser {
  readonly port: number;
  readonly identity: CallerIdentity;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes a connection of the device. */
  accept(connection: IncomingConnection): void;
  /** Counts a connection to the port that was refused. */
  countRefused(): void;
}

/** A connection that was refused. */
export interface RefusedCaller {
  readonly address: string;
  /** Bytes that it sent first, as in the configuration; absent if it sent none. */
  readonly packet?: string | undefined;
}

/** Ports of the gateway to which devices connect, shared by all drivers. */
export class ListenPorts {
  readonly #listen: ListenForDevices;
  readonly #ports = new Map<number, ListenPort>();

  constructor(listen: ListenForDevices) {
    this.#listen = listen;
  }

  /**
   * Opens the port of a device, unless it is open, and expects the device there.
   *
   * @throws {ConnectionError} if the port cannot be opened
   */
  async expect(device: PortUser): Promise<void> {
    const port = this.#getPort(device.port);
    port.devices.add(device);
    await port.open(this.#listen);
    port.watch?.giveTo(device);
  }

  /** Stops expecting a device; closes its port if it serves no other one. */
  dismiss(device: PortUser): void {
    const port = this.#ports.get(device.port);
    port?.devices.delete(device);
    this.#closeUnused(device.port);
  }

  /**
   * Opens a port, unless it is open, and gives its connections that no device expects to a watch, in place of any other.
   *
   * @returns ends this
   * @throws {ConnectionError} if the port cannot be opened
   */
  async watch(number: number, watch: CallerWatch): Promise<() => void> {
    const port = this.#getPort(number);
    port.watch?.close();
    port.watch = watch;
    const leave = (): void => {
      if (port.watch !== watch) return;
      port.watch = undefined;
      this.#closeUnused(number);
    };
    try {
      await port.open(this.#listen);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  #getPort(number: number): ListenPort {
    const known = this.#ports.get(number);
    if (known !== undefined) return known;
    const port = new ListenPort(number);
    this.#ports.set(number, port);
    return port;
  }

  #closeUnused(number: number): void {
    const port = this.#ports.get(number);
    if (port === undefined || port.devices.size > 0 || port.watch !== undefined) return;
    this.#ports.delete(number);
    port.close();
  }

  /** Returns the newest connection to a port that was refused; undefined if there was none. */
  findRefused(port: number): RefusedCaller | undefined {
    return this.#ports.get(port)?.newestRefused;
  }
}

interface Unrecognized {
  readonly connection: IncomingConnection;
  readonly cancel: Cancel;
  received: Buffer;
}

class ListenPort {
  readonly #port: number;
  readonly devices = new Set<PortUser>();
  readonly #unrecognized = new Set<Unrecognized>();
  #opening: Promise<OpenPort> | undefined;
  #isClosed = false;
  #refusedUnlogged = 0;
  #nextLogMs = Number.NEGATIVE_INFINITY;
  newestRefused: RefusedCaller | undefined;
  /** Takes connections that no device expects; absent: they are refused. */
  watch: CallerWatch | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async open(listen: ListenForDevices): Promise<void> {
    this.#opening ??= listen(this.#port, (connection) => this.#onConnection(connection));
    const opening = this.#opening;
    try {
      const opened = await opening;
      if (this.#isClosed) opened.close();
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      const { text } = describeBindFailure({ host: 'the machine', port: this.#port }, error);
      throw new ConnectionError({ code: 'LISTEN_FAILED', detail: text, cause: error });
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const one of this.#unrecognized) this.#drop(one);
    // A failure to open is reported by `open`.
    void this.#opening?.then(
      (port) => port.close(),
      () => undefined,
    );
  }

  #onConnection(connection: IncomingConnection): void {
    const received = Buffer.alloc(0);
    const recognition = recognizeCaller(this.devices, connection.address, received);
    if (recognition === 'UNKNOWN') return this.#refuse(connection, 'its address is not expected', received);
    if (recognition !== 'WAIT') return recognition.device.accept(connection);
    if (this.#unrecognized.size >= MAXIMUM_UNRECOGNIZED) {
      return this.#refuse(connection, `${MAXIMUM_UNRECOGNIZED} others are not recognized yet`, received);
    }
    const [first] = this.devices;
    const one: Unrecognized = {
      connection,
      received,
      cancel: first?.clock.schedule(RECOGNITION_MS, () => this.#end(one, 'it sent no packet')) ?? nothing,
    };
    this.#unrecognized.add(one);
    connection.receive({
      onChunk: (bytes) => this.#onPacket(one, bytes),
      onClose: () => this.#drop(one),
    });
  }

  #onPacket(one: Unrecognized, bytes: Buffer): void {
    one.received = Buffer.concat([one.received, bytes]).subarray(0, MAXIMUM_PACKET_BYTES);
    const recognition = recognizeCaller(this.devices, one.connection.address, one.received);
    if (recognition === 'WAIT') return;
    if (recognition === 'UNKNOWN') return this.#end(one, 'its packet is not expected');
    this.#unrecognized.delete(one);
    one.cancel();
    recognition.device.accept(one.connection);
  }

  #end(one: Unrecognized, reason: string): void {
    this.#unrecognized.delete(one);
    one.cancel();
    this.#refuse(one.connection, reason, one.received);
  }

  #drop(one: Unrecognized): void {
    this.#unrecognized.delete(one);
    one.cancel();
    one.connection.close();
  }

  #refuse(connection: IncomingConnection, reason: string, received: Buffer): void {
    const { address } = connection;
    if (this.watch?.take(connection, received) === true) return;
    connection.close('TAKEN_BACK');
    const packet = received.length === 0 ? undefined : showPacket(received);
    this.newestRefused = { address, packet };
    const [first] = this.devices;
    for (const device of this.devices) device.countRefused();
    this.#refusedUnlogged += 1;
    if (first === undefined || first.clock.monotonicMs() < this.#nextLogMs) return;
    this.#nextLogMs = first.clock.monotonicMs() + LOG_PAUSE_MS;
    const count = this.#refusedUnlogged;
    this.#refusedUnlogged = 0;
    first.logger.warn('device.connectionRefused', { port: this.#port, address, reason, packet, count });
  }
}

const nothing: Cancel = () => undefined;
