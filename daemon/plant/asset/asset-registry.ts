import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { Clock } from '../../base/clock.ts';
import { NotFound } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { RandomSource } from '../../base/random.ts';
import { runInSlices } from '../../base/slices.ts';
import type { Slices } from '../../base/slices.ts';
import type { Channel } from '../../channel/channel.ts';
import type { DriverContext, DriverFactory, UnitStatus } from '../../channel/driver.ts';
import { Asset } from './asset.ts';
import { findConnectionChange } from './connection/connection-change.ts';
import { DriverConnection } from './connection/driver-connection.ts';
import type { ConnectionStatus } from './connection/connection-status.ts';
import type { LastWrites } from './write/last-writes.ts';
import type { DriverConfig, Plant } from './plant-config.ts';
import { createFinding } from '../../interface/finding.ts';
import type { Finding } from '../../interface/finding.ts';
import { describeSharedDevice, listSharedDevices } from './connection/shared-devices.ts';
import type { SharedDevice } from './connection/shared-devices.ts';

/** A state change of a connection, or of a device on it. */
export interface PlantChange {
  /** Pid of the driver. */
  readonly driver: string;
  readonly endpoint: string;
  readonly status: ConnectionStatus;
  /** Absent if the connection itself changed. */
  readonly unit?: UnitStatus | undefined;
}

interface AssetRegistryOptions {
  readonly factories: () => readonly DriverFactory[];
  /** Parent of one directory for each driver type. */
  readonly driverDirectory: string;
  /** Called once for each state change of a connection or device. */
  readonly onChange: (change: PlantChange) => void;
  readonly lastWrites: LastWrites;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** A connection with its configuration. */
export interface ConfiguredConnection {
  readonly config: DriverConfig;
  readonly endpoint: string;
  readonly connection: DriverConnection;
}

/** Registry of assets by pid, and of the connections that serve them. */
export class AssetRegistry {
  readonly #options: AssetRegistryOptions;
  #connections: ReadonlyMap<string, ConfiguredConnection> = new Map();
  #assets: ReadonlyMap<string, Asset> = new Map();
  /** Assets and shared devices by driver pid; computed lazily, until the next change. */
  #served: ReadonlyMap<string, readonly Asset[]> | undefined;
  #shared: ReadonlyMap<string, readonly SharedDevice[]> | undefined;

  constructor(options: AssetRegistryOptions) {
    this.#options = options;
  }

  /** Lists the assets in configuration order. */
  list(): readonly Asset[] {
    return [...this.#assets.values()];
  }

  /** Returns an asset; undefined if the pid is unknown. */
  find(pid: string): Asset | undefined {
    return this.#assets.get(pid);
  }

  /**
   * Returns an asset.
   *
   * @throws {NotFound} `ASSET_UNKNOWN`
   */
  get(pid: string): Asset {
    const asset = this.find(pid);
    if (asset !== undefined) return asset;
    throw new NotFound({ code: 'ASSET_UNKNOWN', detail: describeUnknownAsset(pid) });
  }

  /** Lists the connections in configuration order. */
  listConnections(): readonly ConfiguredConnection[] {
    return [...this.#connections.values()];
  }

  /**
   * Returns the connection of a driver.
   *
   * @throws {NotFound} `DRIVER_UNKNOWN`
   */
  getConfigured(driverPid: string): ConfiguredConnection {
    const configured = this.#connections.get(driverPid);
    if (configured !== undefined) return configured;
    throw new NotFound({ code: 'DRIVER_UNKNOWN', detail: `unknown driver "${driverPid}"` });
  }

  /** Lists the assets that a connection serves, in configuration order. */
  listServed({ config }: ConfiguredConnection): readonly Asset[] {
    this.#served ??= Map.groupBy(this.#assets.values(), (asset) => asset.config.driver);
    return this.#served.get(config.pid) ?? [];
  }

  /** Returns the driver type of a connection; undefined if no bundle provides it any more. */
  findFactory({ config }: ConfiguredConnection): DriverFactory | undefined {
    return this.#options.factories().find(({ type }) => type === config.type);
  }

  /** Returns the connection that serves an asset of this registry. */
  getConnection(asset: Asset): ConfiguredConnection {
    const connection = this.#connections.get(asset.config.driver);
    if (connection === undefined)
      throw new RangeError(`asset ${asset.config.pid} belongs to another registry`);
    return connection;
  }

  /**
   * Lists possible mistakes in the configuration of a connection.
   *
   * @param mayKnow true if the reader may see another driver, by its pid; hidden ones are only counted
   */
  listWarnings(
    { config, endpoint }: ConfiguredConnection,
    mayKnow: (driverPid: string) => boolean = () => true,
  ): readonly Finding[] {
    this.#shared ??= this.#findShared();
    const shared = this.#shared.get(config.pid) ?? [];
    return shared.map((device) => describeSharedDevice(device, { pid: config.pid, endpoint, mayKnow }));
  }

  /**
   * Applies a checked plant. Unchanged assets and connections stay; a connection whose driver can
   * apply its new settings stays open. Resolves when the connections that are no longer configured are closed.
   */
  async apply(plant: Plant): Promise<void> {
    await this.#apply(plant);
    this.#options.lastWrites.prune(
      ({ asset, channel }) => this.#assets.get(asset)?.findChannel(channel) !== undefined,
    );
  }

  #findShared(): ReadonlyMap<string, readonly SharedDevice[]> {
    const drivers = this.listConnections().map((connection) => connection.config);
    const sharedOf = new Map<string, SharedDevice[]>();
    for (const device of listSharedDevices(this.#options.factories(), drivers)) {
      for (const pid of device.driverPids) sharedOf.set(pid, [...(sharedOf.get(pid) ?? []), device]);
    }
    return sharedOf;
  }

  async #apply(plant: Plant): Promise<void> {
    this.#served = undefined;
    this.#shared = undefined;
    const previous = this.#connections;
    const previousAssets = this.#assets;
    this.#connections = new Map(
      plant.drivers.map((config) => {
        const existing = previous.get(config.pid);
        return [config.pid, this.#keep(existing, config) ?? this.#createConnection(config)];
      }),
    );
    const findSource = (pid: string): Asset | undefined => this.#assets.get(pid);
    const runtime = { ...this.#options, findSource };
    this.#assets = new Map(
      plant.assets.map((config) => {
        const connection = this.#connections.get(config.driver)?.connection;
        if (connection === undefined) throw new RangeError(`the plant has no driver ${config.driver}`);
        const existing = previousAssets.get(config.pid);
        const isSame = existing?.connection === connection && isDeepStrictEqual(existing.config, config);
        return [config.pid, isSame ? existing : new Asset(config, connection, runtime)];
      }),
    );
    for (const [pid, asset] of previousAssets) {
      const present = this.#assets.get(pid);
      if (present !== asset) asset.endListening(present === undefined ? 'ASSET_REMOVED' : 'ASSET_CHANGED');
    }
    const dropped = [...previous.values()].filter(
      ({ config, connection }) => this.#connections.get(config.pid)?.connection !== connection,
    );
    await Promise.all([
      ...dropped.map(({ connection }) => connection.close()),
      runInSlices(this.#forgetRemoved(previous, previousAssets), this.#options.clock),
    ]);
  }

  // State for channels that are no longer configured would cause requests to the devices.
  *#forgetRemoved(
    previous: ReadonlyMap<string, ConfiguredConnection>,
    previousAssets: ReadonlyMap<string, Asset>,
  ): Slices<void> {
    const removed = [...previousAssets].filter(([pid, asset]) => this.#assets.get(pid) !== asset);
    for (const driverPid of new Set(removed.map(([, asset]) => asset.config.driver))) {
      yield;
      const present = this.#connections.get(driverPid);
      if (present === undefined || present.connection !== previous.get(driverPid)?.connection) continue;
      present.connection.retain(this.listServed(present).flatMap(({ config }) => config.channels));
    }
  }

  /** Closes every connection. */
  async stop(): Promise<void> {
    await this.#apply({ drivers: [], assets: [] });
  }

  #keep(existing: ConfiguredConnection | undefined, config: DriverConfig): ConfiguredConnection | undefined {
    if (existing === undefined) return undefined;
    const change = findConnectionChange(this.#options.factories(), existing.config, config);
    if (change === 'RESTARTED') return undefined;
    if (change === 'ADAPTED') existing.connection.adapt(config.settings);
    return { ...existing, config };
  }

  /** Creates a connection outside the plant: its state is not announced, and its user closes it. */
  createApart(config: DriverConfig): ConfiguredConnection {
    return this.#createConnection(config, () => undefined);
  }

  /** Creates an asset outside the plant: it can be read, and is not listed. */
  createAssetApart({ config, connection }: ConfiguredConnection, channels: readonly Channel[]): Asset {
    const { clock, lastWrites } = this.#options;
    const asset = { pid: 'trial', driver: config.pid, scaleOnWrite: true, channels };
    return new Asset(asset, connection, { clock, lastWrites, findSource: () => undefined });
  }

  /** Returns the context for a driver type without a configured connection. */
  createContext(type: string, logger: Logger, onUnitChange: DriverContext['onUnitChange']): DriverContext {
    const { driverDirectory, clock, random } = this.#options;
    const dataDirectory = path.join(driverDirectory, type);
    return { logger, clock, random: () => random.fraction(), dataDirectory, onUnitChange };
  }

  #createConnection(
    config: DriverConfig,
    onChange: AssetRegistryOptions['onChange'] = this.#options.onChange,
  ): ConfiguredConnection {
    const { factories, logger, clock, random } = this.#options;
    const factory = factories().find(({ type }) => type === config.type);
    if (factory === undefined) throw new RangeError(`no driver of type ${config.type}`);
    const driverLogger = logger.child({ driver: config.pid });
    const endpoint = factory.describe(config.settings);
    const report = (unit?: UnitStatus): void =>
      onChange({ driver: config.pid, endpoint, status: connection.status(), unit });
    const driver = factory.create(config.settings, this.createContext(factory.type, driverLogger, report));
    const { callDeadlineMs, unreadableSecrets } = config;
    const connection: DriverConnection = new DriverConnection({
      driver,
      endpoint,
      callDeadlineMs,
      ...(unreadableSecrets === undefined
        ? {}
        : { refusal: createFinding('SECRETS_UNREADABLE', { secrets: unreadableSecrets }).message }),
      onStateChange: () => report(),
      logger: driverLogger,
      clock,
      random: () => random.fraction(),
    });
    return { config, endpoint, connection };
  }
}

/** Returns the message for an asset that does not exist or is hidden from the client. */
export function describeUnknownAsset(pid: string): string {
  return `unknown asset "${pid}"`;
}
