import { createHash } from 'node:crypto';
import { chmod, mkdir, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';

import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import { raceWithAbort } from '../../../base/sharing/race-with-abort.ts';
import { openContent } from '../bundle-directory.ts';
import { BundleError } from '../bundle-error.ts';
import type { BundleLauncher, LaunchedBundle, LaunchPaths, LaunchRequest } from './bundle-launcher.ts';
import { DeviceWatch } from '../device-watch.ts';
import { LauncherConnection } from './launcher-connection.ts';
import type { StorageUsage } from '../storage/storage-usage.ts';

interface UnitLauncherOptions {
  /** Socket of `penstock-launcher.socket`. */
  readonly launcherSocket: string;
  /** Directory for the sockets over which the bundles reach the gateway; only the gateway can enter it. */
  readonly linkDirectory: string;
  readonly clock: Clock;
}

/** Directories of a bundle inside `penstock-bundle@.service`. */
const CONTENT = '/run/penstock-bundle/content';
const DATA = '/var/lib/private/penstock-bundles';

// The unit has 30 s to start, and a launcher that still runs the bundle has 30 s to release it.
const LAUNCH_LIMIT_MS = 75_000;
const REMOVAL_LIMIT_MS = 60_000;

/**
 * Starts each bundle as an instance of `penstock-bundle@.service`, with its own user, namespaces and limits.
 *
 * The service manager starts it at the request of `penstock-launcher@.service`, so that the gateway needs no privilege.
 */
export class UnitLauncher implements BundleLauncher {
  readonly #options: UnitLauncherOptions;

  constructor(options: UnitLauncherOptions) {
    this.#options = options;
  }

  async launch({ bundle, permissions, signal }: LaunchRequest): Promise<LaunchedBundle> {
    const { launcherSocket, linkDirectory, clock } = this.#options;
    const { name } = bundle.id;
    const main = path.join(CONTENT, path.relative(bundle.directory, await openContent(bundle)));
    const paths: LaunchPaths = { directory: CONTENT, dataDirectory: path.join(DATA, name), main };
    const devices = await DeviceWatch.begin(permissions.devices, clock);
    const key = hashName(name);
    await mkdir(linkDirectory, { recursive: true, mode: 0o700 });
    const socket = await LinkSocket.open(path.join(linkDirectory, `${key}.sock`));
    const connection = new LauncherConnection(launcherSocket);
    try {
      connection.send([
        `start ${name}`,
        `user ${key}`,
        `content ${bundle.directory}`,
        `link ${socket.file}`,
        ...(bundle.memoryMib === undefined ? [] : [`memory ${bundle.memoryMib}`]),
        ...(permissions.net ? ['net'] : []),
        ...(permissions.childProcess ? ['child-process'] : []),
        ...permissions.devices.map((device) => `device ${device}`),
        'end',
      ]);
      const within = <T>(pending: Promise<T>): Promise<T> =>
        raceWithAbort(limit(pending, LAUNCH_LIMIT_MS, clock), signal);
      const { pid } = await within(connection.started);
      const link = await within(Promise.race([socket.accepted, rejectWhenEnded(connection)]));
      return new UnitBundle({ pid, paths, link, connection, devices });
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      await socket.close();
    }
  }

  async removeData(name: string): Promise<void> {
    const connection = new LauncherConnection(this.#options.launcherSocket);
    try {
      connection.send([`remove ${name}`, 'end']);
      await limit(connection.removed, REMOVAL_LIMIT_MS, this.#options.clock);
    } finally {
      connection.close();
    }
  }
}

interface UnitBundleOptions {
  readonly pid: number;
  readonly paths: LaunchPaths;
  readonly link: Duplex;
  readonly connection: LauncherConnection;
  readonly devices: DeviceWatch;
}

/** Instance of the unit, controlled by a launcher. */
class UnitBundle implements LaunchedBundle {
  readonly pid: number;
  readonly paths: LaunchPaths;
  readonly link: Duplex;
  // The output of the unit goes to the journal.
  readonly output = [];
  readonly ended: Promise<BundleError>;
  readonly #connection: LauncherConnection;
  #reason: BundleError | undefined;

  constructor({ pid, paths, link, connection, devices }: UnitBundleOptions) {
    this.pid = pid;
    this.paths = paths;
    this.link = link;
    this.#connection = connection;
    // The exit of the unit is usually visible here first.
    link.once('close', () => connection.send(['check']));
    devices.follow((device) => {
      this.#reason = new BundleError('BUNDLE_DEVICE_CHANGED', `${device} was plugged in`);
      this.terminate();
    });
    this.ended = connection.ended.then((end) => {
      devices.end();
      connection.close();
      return this.#reason ?? end;
    });
  }

  // The unit has a limit as well, which the kernel enforces where it counts the memory of units.
  readResidentBytes(): Promise<number | undefined> {
    return Promise.resolve(this.#connection.memoryBytes);
  }

  measureStorage(): Promise<StorageUsage | undefined> {
    return Promise.resolve(this.#connection.storage);
  }

  setWritable(isWritable: boolean): Promise<void> {
    this.#connection.send([isWritable ? 'storage free' : 'storage full']);
    return Promise.resolve();
  }

  terminate(): void {
    this.#connection.send(['terminate']);
  }

  kill(): void {
    this.#connection.send(['kill']);
  }
}

/** Returns the part of the user name that is unique to a bundle; user names are too short for bundle names. */
function hashName(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 12);
}

async function rejectWhenEnded(connection: LauncherConnection): Promise<never> {
  throw await connection.ended;
}

async function limit<T>(pending: Promise<T>, limitMs: number, clock: Clock): Promise<T> {
  const over = new AbortController();
  const late = delay(clock, limitMs, over.signal).then(() => {
    throw new BundleError('BUNDLE_NOT_LAUNCHED', `the launcher did not respond within ${limitMs / 1000} s`);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}

/** Socket that accepts one connection, from any user that can access it. */
class LinkSocket {
  readonly file: string;
  /** The first connection; others are closed. */
  readonly accepted: Promise<Duplex>;
  readonly #server: net.Server;

  private constructor(file: string, server: net.Server) {
    this.file = file;
    this.#server = server;
    this.accepted = new Promise((resolve) => {
      server.once('connection', (link) => {
        server.on('connection', (other) => other.destroy());
        resolve(link);
      });
    });
  }

  /** Listens at a path, after removing an existing file. */
  static async open(file: string): Promise<LinkSocket> {
    await rm(file, { force: true });
    const server = net.createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(file, resolve);
    });
    // The user of the bundle does not exist yet. Only the gateway can enter the directory, and the unit sees only this file.
    await chmod(file, 0o666);
    return new LinkSocket(file, server);
  }

  /** Stops listening; the accepted connection stays open. */
  async close(): Promise<void> {
    this.#server.close();
    await rm(this.file, { force: true });
  }
}
