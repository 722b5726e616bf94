import { stat } from 'node:fs/promises';

import { delay } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';

const INTERVAL_MS = 2000;

/**
 * Detects devices that are plugged in after the start of a bundle. A sandbox contains the device nodes that existed at its start,
 * so the bundle must be restarted to see a new one.
 */
export class DeviceWatch {
  readonly #seen: ReadonlyMap<string, number | undefined>;
  readonly #clock: Clock;
  readonly #ending = new AbortController();

  private constructor(seen: ReadonlyMap<string, number | undefined>, clock: Clock) {
    this.#seen = seen;
    this.#clock = clock;
  }

  /** Records the devices that are present now. */
  static async begin(devices: readonly string[], clock: Clock): Promise<DeviceWatch> {
    const seen = await Promise.all(
      devices.map(async (device) => [device, await readDeviceNumber(device)] as const),
    );
    return new DeviceWatch(new Map(seen), clock);
  }

  /** Polls until `end`, and calls back once, with the first device that was plugged in or replaced. */
  follow(onPlugged: (device: string) => void): void {
    if (this.#seen.size > 0) void this.#look(onPlugged);
  }

  end(): void {
    this.#ending.abort();
  }

  async #look(onPlugged: (device: string) => void): Promise<void> {
    const { signal } = this.#ending;
    for (;;) {
      await delay(this.#clock, INTERVAL_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      for (const [device, before] of this.#seen) {
        const now = await readDeviceNumber(device);
        if (now === undefined || now === before || signal.aborted) continue;
        this.end();
        onPlugged(device);
      }
    }
  }
}

async function readDeviceNumber(device: string): Promise<number | undefined> {
  try {
    return (await stat(device)).rdev;
  } catch {
    return undefined;
  }
}
