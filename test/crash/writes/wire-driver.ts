import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { z } from '../../../daemon/base/schema.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { DriverFactory } from '../../../daemon/channel/driver.ts';
import type { WriteStep } from '../../../daemon/channel/write-step.ts';

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
      prepareWrite(requests) {
        const values = requests.map((_, index) => ({ index, isSingle: false }));
        const steps = requests.map(({ channel }, index) => createStep(directory, channel.name, index));
        return Promise.resolve({ refused: [], values, steps });
      },
      unitStatus: () => [],
      counters: () => ({}),
    }),
  };
}

function createStep(directory: string, name: string, index: number): WriteStep {
  const step: WriteStep = {
    indices: [index],
    unknownCode: 'DRIVER_FAULT',
    async send({ throwIfCancelled, onSend }) {
      throwIfCancelled();
      try {
        appendFileSync(fileOf(directory), `${name}\n`);
      } catch (cause) {
        throw new ConnectionError({ code: 'CONNECT_FAILED', detail: 'the file cannot be written', cause });
      }
      onSend();
      // The device takes its time to confirm.
      await new Promise((resolve) => setImmediate(resolve));
      return { kind: 'ANSWERED', outcomes: [{ timestampMs: 0 }] };
    },
    only: () => [step],
  };
  return step;
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
