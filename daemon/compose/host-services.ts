import { createDriverFactories } from '../../drivers/index.ts';
import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { listenOnMachine } from '../base/network/listen.ts';
import type { Listen } from '../base/network/listen.ts';
import { systemRandom } from '../base/random.ts';
import type { RandomSource } from '../base/random.ts';
import type { BundleLauncher } from '../software/bundle/process/bundle-launcher.ts';
import type { BundleLimits } from '../software/bundle/bundle-limits.ts';
import type { DriverFactory } from '../channel/driver.ts';
import type { Argon2Cost } from '../security/identity/password/argon2-phc.ts';
import type { HashThread } from '../security/identity/password/password-hash-thread.ts';
import { CONSOLE_DIRECTORIES } from './console.ts';
import type { RecordingHost } from './recording/recording-host.ts';

/** Host services other than files; the simulation injects its own. */
export interface HostServices {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Built-in drivers, with their access to devices. */
  readonly driverFactories: readonly DriverFactory[];
  /** Opens listening sockets. */
  readonly listen: Listen;
  /** Polling interval of the certificate files; a change is applied once two polls find the same content. */
  readonly certificateLookIntervalMs: number;
  /** Directories searched for the built console; the first with one is used. */
  readonly consoleDirectories: readonly string[];
  /** Launcher of bundles; default: units if the package has installed them. */
  readonly launcher?: BundleLauncher;
  /** Resource limits of bundles, and the interval of their check; default: as documented. */
  readonly bundleLimits?: BundleLimits;
  readonly recording?: RecordingHost;
  /** Default: a thread of this process. */
  readonly startHashThread?: () => HashThread;
  /** Parameters of new password hashes; default: those of the gateway. */
  readonly passwordCost?: Argon2Cost;
}

/** The services of the system. */
export const systemHostServices: HostServices = {
  clock: systemClock,
  random: systemRandom,
  driverFactories: createDriverFactories(),
  listen: listenOnMachine,
  certificateLookIntervalMs: 1000,
  consoleDirectories: CONSOLE_DIRECTORIES,
};
