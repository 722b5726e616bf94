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

/** What the gateway uses of the machine on which it runs, besides its files: a simulated world hands in its own. */
export interface HostServices {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** The drivers of the gateway itself, with their way to the devices. */
  readonly driverFactories: readonly DriverFactory[];
  /** How connections of clients reach the gateway. */
  readonly listen: Listen;
  /** How often the certificate files are looked at; a change comes into force when two looks in a row find the same. */
  readonly certificateLookIntervalMs: number;
  /** Where the built console is looked for; the first folder that has one counts. */
  readonly consoleDirectories: readonly string[];
  /** What starts bundles; absent: chosen by what the package of the gateway has installed. */
  readonly launcher?: BundleLauncher;
  /** What bundles may use, and how often that is checked; absent: as documented. */
  readonly bundleLimits?: BundleLimits;
  /** Absent: a thread of the machine. */
  readonly startHashThread?: () => HashThread;
  /** Parameters of new password hashes; absent: those of the gateway. */
  readonly passwordCost?: Argon2Cost;
}

/** The machine itself. */
export const systemHostServices: HostServices = {
  clock: systemClock,
  random: systemRandom,
  driverFactories: createDriverFactories(),
  listen: listenOnMachine,
  certificateLookIntervalMs: 1000,
  consoleDirectories: CONSOLE_DIRECTORIES,
};
