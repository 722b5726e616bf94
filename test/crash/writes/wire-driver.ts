import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { z } from '../../../daemon/base/schema.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { DriverFactory, WriteOutcome } from '../../../daemon/channel/driver.ts';

/** Creates the driver of a device that is a file of a directory: each write that reaches it is a line. */
export function createWireFactory(directory: string): DriverFactory<object, object> {
  return {
    type: 'wire',
    configSchema: z.strictObject({}),
    addressSchema: z.strictObject({}),
    describe: () => 'a file',
    checkChannel: () => [],
    create: () => ({
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      prepareRead: () => ({ read: () => Promise.resolve([]) }),
      async write(requests): Promise<readonly WriteOutcome[]> {
        try {
          for (const { channel } of requests) appendFileSync(fileOf(directory), `${channel.name}\n`);
        } catch (cause) {
          throw new ConnectionError({ code: 'CONNECT_FAILED', detail: 'the file cannot be written', cause });
        }
        // The device takes its time to confirm.
        await new Promise((resolve) => setImmediate(resolve));
        return requests.map(() => ({ timestampMs: 0 }));
      },
      unitStatus: () => [],
      counters: () => ({}),
    }),
  };
}

/** Returns how many writes have reached the device. */
export function countWire(directory: string): number {
  try {
    return readFileSync(fileOf(directory), 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

function fileOf(directory: string): string {
  return path.join(directory, 'wire');
}
