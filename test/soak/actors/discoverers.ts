import { execFile } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { OWN_PROGRAM } from '../../bench/program.ts';
import type { Actor } from '../crew.ts';
import { expectStatus } from '../expect.ts';
import { LastingSession } from '../ground.ts';
import type { Ground } from '../ground.ts';
import { IDENTITIES } from '../plant.ts';

const ROOT = '/services/drivers/v1';
const PATIENCE_MS = 60_000;
const run = promisify(execFile);

/** Those who look for devices, and collect information for support with the command. */
export function createDiscoverers(ground: Ground): readonly Actor[] {
  const session = new LastingSession(ground, IDENTITIES.engineer);
  return [
    {
      name: 'discovery',
      pauseMs: 10_000,
      async step() {
        const { steadyPort } = ground.counterparts;
        const settings = { host: '127.0.0.1', port: steadyPort };
        const body = { type: 'modbus', settings, options: { units: '1', ranges: false } };
        const { headers } = expectStatus(await session.send('POST', `${ROOT}/_scans`, { body }), 201);
        const place = headers.location ?? '';
        await untilEnded(place);
        expectStatus(await session.send('DELETE', place), 204);
      },
    },
    {
      name: 'browse and test',
      pauseMs: 5000,
      async step() {
        expectStatus(await session.send('GET', `${ROOT}/server/_browse`), 200);
        expectStatus(await session.send('POST', `${ROOT}/steady/_test`), 200);
        expectStatus(await session.send('GET', '/services/assets/plant/_plan'), 200);
      },
    },
    {
      name: 'support file',
      pauseMs: 60_000,
      async step() {
        const file = path.join(ground.gateway.directory, 'support.json');
        const socket = path.join(ground.gateway.dataDirectory, 'penstock.sock');
        const words = ['support', file, '--config', ground.gateway.configFile, '--socket', socket];
        await run(process.execPath, [...OWN_PROGRAM.command, ...words]);
        if (statSync(file).size < 1000) throw new Error('the file has nothing in it');
        rmSync(file);
      },
    },
  ];

  async function untilEnded(place: string): Promise<void> {
    const untilMs = performance.now() + PATIENCE_MS;
    while (performance.now() < untilMs) {
      const { state } = expectStatus(await session.send('GET', place), 200).json as {
        readonly state: string;
      };
      if (state === 'ENDED') return;
      if (state === 'FAILED') throw new Error('the scan failed');
      await wait(250);
    }
    throw new Error('the scan does not end');
  }
}
