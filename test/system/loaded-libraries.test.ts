import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { openSerialPair } from '../support/serial-pair.ts';
import { needs } from '../support/tests-that-need.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { startFaultServer } from '../support/modbus-fault-server.ts';

const DAEMON = path.resolve(import.meta.dirname, '../../daemon');
const LIBRARIES = ['modbus-serial', 'serialport', 'node-opcua-client'];
const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Packages of drivers that a daemon may have loaded. */
interface Loaded {
  readonly packages: readonly string[];
  /** Whether the binary of the serial library is in the memory of the daemon. */
  readonly hasSerialBinary: boolean;
  /** Whether a module of journal, recorder or history was loaded. */
  readonly hasRecording: boolean;
}

/** Starts a daemon with these drivers, reads one channel of each, and returns what it has loaded by then. */
async function loadWith(
  t: TestContext,
  drivers: readonly Line[],
  recorders: readonly object[] = [],
): Promise<Loaded> {
  const directory = createTemporaryDirectory(t);
  const list = path.join(directory, 'loaded');
  const gateway = await startGateway(t, {
    directory,
    program: [watchModules(list), path.join(DAEMON, 'main.ts')],
    config: {
      provision: {
        recorders,
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [{ name: 'scada', permissions: ['rest.assets'] }],
        drivers: drivers.map(({ pid, settings }) => ({ pid, ...settings })),
        assets: drivers.map(({ pid, address }) => ({
          pid,
          driver: pid,
          channels: [{ name: 'value', type: 'READ', valueType: 'INTEGER', address }],
        })),
      },
    },
  });
  for (const { pid } of drivers) {
    const client = { port: gateway.clientAuthPorts[0] ?? 0, ...(await getClientCertificate('scada')) };
    const { status, text } = await send(client, 'GET', `/services/assets/${pid}/_read`);
    assert.equal(status, 200, text);
  }
  return {
    packages: listLibraries(list),
    hasSerialBinary: /@serialport\b.*\.node$/m.test(
      readFileSync(`/proc/${gateway.process.pid}/maps`, 'utf8'),
    ),
    hasRecording: /\/daemon\/plant\/(?:journal|recorder|history)\//.test(readModules(list)),
  };
}

interface Line {
  readonly pid: string;
  readonly settings: object;
  readonly address: object;
}

/** Returns the parameter of the runtime that makes it append the address of every module that it loads to a file. */
function watchModules(file: string): string {
  const program = `
    import { appendFileSync } from 'node:fs';
    import { registerHooks } from 'node:module';
    registerHooks({
      load(url, context, next) {
        if (/node_modules|daemon.plant/.test(url)) appendFileSync(${JSON.stringify(file)}, url + '\\n');
        return next(url, context);
      },
    });
  `;
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
}

function readModules(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function listLibraries(file: string): readonly string[] {
  const packages = new Set(
    readModules(file)
      .split('\n')
      .flatMap((url) => PACKAGE.exec(url)?.[1] ?? []),
  );
  return LIBRARIES.filter((name) => packages.has(name));
}

const nowhere: Line = {
  pid: 'nowhere',
  settings: { type: 'opcua', endpointUrl: 'opc.tcp://127.0.0.1:9' },
  address: { nodeId: 'i=2258' },
};

test('a gateway without drivers loads the library of none', async (t) => {
  assert.deepEqual(await loadWith(t, []), { packages: [], hasSerialBinary: false, hasRecording: false });
});

test('a gateway with OPC UA loads no library for Modbus or serial lines', async (t) => {
  assert.deepEqual(await loadWith(t, [nowhere]), {
    packages: ['node-opcua-client'],
    hasSerialBinary: false,
    hasRecording: false,
  });
});

test('a gateway with Modbus TCP loads no library for serial lines', async (t) => {
  await using server = await startFaultServer(() => undefined);
  const settings = { type: 'modbus', host: '127.0.0.1', port: server.port, responseTimeoutMs: 50 };
  const network: Line = {
    pid: 'network',
    settings,
    address: { table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' },
  };
  assert.deepEqual(await loadWith(t, [network]), {
    packages: ['modbus-serial'],
    hasSerialBinary: false,
    hasRecording: false,
  });
});

test('a gateway loads what records channels with the first recorder', async (t) => {
  await using server = await startFaultServer(() => undefined);
  const settings = { type: 'modbus', host: '127.0.0.1', port: server.port, responseTimeoutMs: 50 };
  const network: Line = {
    pid: 'network',
    settings,
    address: { table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' },
  };
  const recorder = { pid: 'fast', intervalMs: 100, assets: [{ asset: 'network' }] };
  assert.ok((await loadWith(t, [network], [recorder])).hasRecording);
});

test('a gateway with a serial instrument loads no library for Modbus', needs('socat'), async (t) => {
  await using pair = await openSerialPair();
  const framing = { type: 'delimiter', delimiter: '\\n' };
  const scale: Line = {
    pid: 'scale',
    settings: { type: 'serial', device: pair.gateway, framing, responseTimeoutMs: 50 },
    address: { request: 'W\\n', response: { pattern: '^(.*)$' } },
  };
  assert.deepEqual(await loadWith(t, [scale]), {
    packages: ['serialport'],
    hasSerialBinary: true,
    hasRecording: false,
  });
});

test('the command line loads no library of a driver', (t) => {
  const list = path.join(createTemporaryDirectory(t), 'loaded');
  execFileSync(process.execPath, [watchModules(list), path.join(DAEMON, 'cli/main.ts'), '--version']);
  assert.ok(existsSync(list));
  assert.deepEqual(listLibraries(list), []);
});
