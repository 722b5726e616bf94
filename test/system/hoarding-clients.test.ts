import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { findFreePort } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { startHoardingClients } from '../support/hoarding-clients.ts';
import { send, SessionClient } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { findProgram } from '../support/programs.ts';

// As the package starts it, with the memory limit of its unit (MemoryMax=).
const FLAGS = ['--max-semi-space-size=2', '--max-old-space-size=640'];
const MAXIMUM_RESIDENT_MIB = 1024;
const CHANNELS = 4000;
const PASSWORD = 'hoarding-password';

/** The requests of the clients. */
interface Shape {
  readonly name: string;
  /** Whose session they use; absent: none. */
  readonly as?: 'viewer' | 'engineer';
  readonly connections: number;
  readonly addresses: number;
  readonly method?: string;
  readonly path: string;
  /** Requests that each connection sends ahead. */
  readonly count: number;
  readonly isSlow?: boolean;
  /** Declared length of a body; one byte less is sent. */
  readonly bodyBytes?: number;
}

const DESCRIPTION = '/services/openapi.json';
const ASSET = '/services/assets/plant';
const CONFIGURATION = '/services/configuration/v1';
const SHEET = `${CONFIGURATION}/assets/plant/_tags`;

const SHAPES: readonly Shape[] = [
  { name: 'one network, 320 requests ahead', connections: 300, addresses: 1, path: DESCRIPTION, count: 320 },
  {
    name: 'four networks, 200 requests ahead',
    connections: 400,
    addresses: 4,
    path: DESCRIPTION,
    count: 200,
  },
  { name: 'four networks, one request each', connections: 400, addresses: 4, path: DESCRIPTION, count: 1 },
  { name: 'small answers', connections: 400, addresses: 4, path: '/healthz', count: 250 },
  { name: 'slow reading', connections: 60, addresses: 1, path: DESCRIPTION, count: 250, isSlow: true },
  { name: 'answers of an asset', as: 'viewer', connections: 300, addresses: 4, path: ASSET, count: 1 },
  {
    name: 'few connections, far ahead',
    as: 'viewer',
    connections: 40,
    addresses: 1,
    path: ASSET,
    count: 200,
  },
  {
    name: 'slow reading after login',
    as: 'viewer',
    connections: 100,
    addresses: 4,
    path: ASSET,
    count: 20,
    isSlow: true,
  },
  { name: 'streams', as: 'viewer', connections: 100, addresses: 1, path: `${ASSET}/_listen`, count: 1 },
  {
    name: 'bodies that never end',
    as: 'viewer',
    connections: 300,
    addresses: 4,
    method: 'POST',
    path: `${ASSET}/_read`,
    count: 1,
    bodyBytes: 2 ** 20,
  },
  {
    name: 'the whole configuration',
    as: 'engineer',
    connections: 100,
    addresses: 1,
    path: CONFIGURATION,
    count: 1,
  },
  { name: 'tag sheets', as: 'engineer', connections: 100, addresses: 1, path: SHEET, count: 1 },
];

describe('clients that occupy as much memory of the gateway as they can', () => {
  const cleanUps: (() => unknown)[] = [];
  const owner: Owner = { after: (cleanUp) => cleanUps.push(cleanUp) };
  const cookies = new Map<string, readonly string[]>();
  let gateway: RunningGateway;
  let port = 0;

  before(async () => {
    gateway = await startGateway(owner, {
      directory: createTemporaryDirectory(owner),
      program: [...FLAGS, findProgram('daemon/main')],
      config: { provision: createPlant(await findFreePort()) },
    });
    port = gateway.httpsPorts[0] ?? 0;
    for (const name of ['viewer', 'engineer']) {
      const client = new SessionClient({ port });
      assert.equal((await client.login(name, PASSWORD)).status, 200);
      cookies.set(name, [`Cookie: ${client.cookie ?? ''}`, `X-XSRF-Token: ${client.xsrfToken ?? ''}`]);
    }
  });

  after(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  function format({ as, method = 'GET', path: target, bodyBytes }: Shape): string {
    const fields = ['Host: localhost', ...(as === undefined ? [] : (cookies.get(as) ?? []))];
    if (bodyBytes === undefined) return `${[`${method} ${target} HTTP/1.1`, ...fields].join('\r\n')}\r\n\r\n`;
    fields.push('Content-Type: application/json', `Content-Length: ${bodyBytes}`);
    return `${[`${method} ${target} HTTP/1.1`, ...fields].join('\r\n')}\r\n\r\n${' '.repeat(bodyBytes - 1)}`;
  }

  /** Sends a request as a client with its own connection, and that of the viewer's session. */
  function ask(target: string): Promise<ClientAnswer> {
    const fields = (cookies.get('viewer') ?? []).map((line) => line.split(': ') as [string, string]);
    return send({ port }, 'GET', target, { headers: Object.fromEntries(fields) });
  }

  for (const shape of SHAPES) {
    test(`${shape.name}: the memory of the gateway stays bounded, and others are served`, async (t) => {
      resetPeak(gateway.process.pid ?? 0);
      const requests = Array.from({ length: shape.count }, () => format(shape));
      const { connections, addresses, count, isSlow = false } = shape;
      const stop = await startHoardingClients(t, {
        port,
        connections,
        addresses,
        requests,
        isPipelined: count > 1,
        reading: isSlow ? 'SLOWLY' : 'NEVER',
      });
      for (let round = 0; round < 5; round += 1) {
        assert.equal((await ask('/services/session/v1/currentIdentity')).status, 200);
        assert.equal((await ask('/services/assets')).status, 200);
      }
      const residentMiB = readPeakMiB(gateway.process.pid ?? 0);
      t.diagnostic(`peak ${residentMiB.toFixed(0)} MiB`);
      assert.ok(residentMiB < MAXIMUM_RESIDENT_MIB, `${residentMiB} MiB`);
      await stop();
      // The memory is free again: there is room for a large answer.
      assert.equal((await ask(ASSET)).status, 200);
    });
  }
});

function createPlant(devicePort: number) {
  const channels = Array.from({ length: CHANNELS }, (_, offset) => ({
    name: `channel${offset}`,
    type: 'READ_WRITE',
    valueType: 'INTEGER',
    address: { table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' },
  }));
  return {
    identities: [
      { name: 'viewer', permissions: ['rest.assets'], password: PASSWORD },
      { name: 'engineer', permissions: ['rest.configuration'], password: PASSWORD },
    ],
    drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: devicePort }],
    assets: [{ pid: 'plant', driver: 'line', channels }],
  };
}

/** Forgets how much memory a process has had at most (proc_pid_clear_refs(5)). */
function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Reads how much memory a process has had at most. */
function readPeakMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
