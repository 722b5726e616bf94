import { setTimeout as wait } from 'node:timers/promises';

import { readPath } from '../../bench/plant.ts';
import { send } from '../../support/https-client.ts';
import type { Actor } from '../crew.ts';
import { expectStatus } from '../expect.ts';
import type { ShownRecord } from '../expect.ts';
import type { Ground } from '../ground.ts';

const GONE_MS = 3000;
const RETURN_MS = 60_000;

/** A device that is gone and returns, in turn without a connection and without an answer; it is read all the while. */
export async function createDisturbers(ground: Ground): Promise<readonly Actor[]> {
  const client = await ground.withCertificate('scada', true);
  const { cable } = ground.counterparts;
  let count = 0;
  return [
    {
      name: 'device that goes and returns',
      pauseMs: 8000,
      async step() {
        count += 1;
        const isPulled = count % 2 === 0;
        if (isPulled) await cable.pull();
        else cable.hold();
        try {
          const endMs = performance.now() + GONE_MS;
          while (performance.now() < endMs) {
            const [first] = await read();
            if (first?.channelStatus.channelFlag !== 'FAILURE')
              throw new Error('a device that is gone has values');
            await wait(200);
          }
        } finally {
          if (isPulled) await cable.mend();
          else cable.release();
        }
        await untilBack();
      },
    },
  ];

  async function read(): Promise<readonly ShownRecord[]> {
    return expectStatus(await send(client, 'GET', readPath('far')), 200).json as readonly ShownRecord[];
  }

  async function untilBack(): Promise<void> {
    const untilMs = performance.now() + RETURN_MS;
    while (performance.now() < untilMs) {
      const records = await read();
      if (records.every(({ channelStatus }) => channelStatus.channelFlag === 'SUCCESS')) return;
      await wait(200);
    }
    throw new Error('the device is back, and has no values');
  }
}
