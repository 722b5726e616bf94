import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { openModbusTcp } from '../../daemon/simulator/plant-modbus.ts';
import { SimulatedPlant } from '../../daemon/simulator/plant-memory.ts';
import { isShell, listPages, nameBlock, readBlocks } from '../support/documented-commands.ts';
import { DAMAGE_A_PACKAGE, prepareClient, startPlant } from '../support/documented-commands-field.ts';
import {
  startModbusDevice,
  startOpcuaDevice,
  startSerialDevice,
} from '../support/documented-commands-devices.ts';
import { isLeftOut, isMeant, LEFT_OUT_BLOCKS } from '../support/documented-commands-left-out.ts';
import { playPage } from '../support/documented-commands-page.ts';
import type { PlayedPage } from '../support/documented-commands-page.ts';
import { findFreePort } from '../support/free-ports.ts';
import { layTcpCable } from '../support/tcp-cable.ts';
import { needs } from '../support/tests-that-need.ts';
import { startVictoriaMetrics } from '../support/time-series-database.ts';
import { listTools } from '../support/tools.ts';

/** Pages whose commands this file runs. */
const PLAYED_PAGES: ReadonlySet<string> = new Set([
  'docs/reference/audit.md',
  'docs/reference/bundles.md',
  'docs/how-to/certificates.md',
  'docs/reference/command-line.md',
  'docs/how-to/commissioning.md',
  'docs/how-to/connect-modbus.md',
  'docs/how-to/connect-opcua.md',
  'docs/how-to/connect-serial.md',
  'docs/reference/configuration.md',
  'docs/explanation/control.md',
  'docs/tutorial/first-hour.md',
  'docs/how-to/hardening.md',
  'docs/how-to/historian.md',
  'docs/reference/history.md',
  'docs/how-to/importing.md',
  'docs/how-to/kura-migration.md',
  'docs/how-to/back-up-and-restore.md',
  'docs/how-to/monitor.md',
  'docs/how-to/troubleshoot.md',
  'docs/how-to/upgrade.md',
  'docs/reference/packages.md',
  'docs/how-to/recording.md',
  'docs/reference/rest-api.md',
  'docs/tutorial/simulator.md',
  'docs/how-to/templates.md',
  'docs/how-to/tokens.md',
]);

const PAUSE_MS = 50;

const EXAMPLES = path.resolve(import.meta.dirname, '../../docs/examples');

// The beginning of a command that a user would type; "penstock asset: …" is a message.
const COMMAND =
  /^\s*(?:\$ |(?:apt|apt-get|cat|cd|curl|journalctl|npm|npx|openssl|penstockd?|sudo|systemctl) (?!\w+:))/;

test('every block of commands is run by a test, or is listed here with the reason', () => {
  const blocks = listPages().flatMap((page) => readBlocks(page).filter(isShell));
  const loose = blocks.filter((block) => !PLAYED_PAGES.has(block.page) && !isLeftOut(block));
  assert.deepEqual(loose.map(nameBlock), []);
  const unused = LEFT_OUT_BLOCKS.filter((entry) => !blocks.some((block) => isMeant(block, entry)));
  assert.deepEqual(unused, []);
});

test('no block of commands is marked as anything else', () => {
  const blocks = listPages().flatMap((page) => readBlocks(page).filter((block) => !isShell(block)));
  assert.deepEqual(blocks.filter(({ text }) => COMMAND.test(text)).map(nameBlock), []);
});

describe('on their own gateway', { concurrency: 3 }, () => {
  test(
    'the commands of docs/how-to/tokens.md work, up to another issuer',
    toolsOf('docs/how-to/tokens.md'),
    async (t) => {
      const gateway = await play(t, {
        ...(await prepareClient('historian')),
        page: 'docs/how-to/tokens.md',
        hasDefinitions: true,
      });
      await gateway.stop();
      const replayed = gateway.lines.filter(({ auditEvent }) => auditEvent === 'TOKEN_REPLAYED');
      assert.deepEqual(
        replayed.map(({ level }) => level),
        ['warn'],
      );
      assert.equal(gateway.errors(), '');
    },
  );

  test('the commands of docs/reference/audit.md work', toolsOf('docs/reference/audit.md'), async (t) => {
    const { configuration, files } = await prepareClient('historian', {
      rest: { basicAuthenticationEnabled: true },
      identities: [{ name: 'operator', permissions: ['rest.admin'], password: 'turbine-password' }],
    });
    const netrc = 'machine localhost login operator password turbine-password\n';
    await play(t, {
      page: 'docs/reference/audit.md',
      configuration,
      files: { ...files, netrc },
      hasDefinitions: true,
    });
  });

  test('the commands of docs/reference/bundles.md work', toolsOf('docs/reference/bundles.md'), async (t) => {
    await play(t, { page: 'docs/reference/bundles.md', names: [['docs/examples', EXAMPLES]] });
  });

  test(
    'the commands of docs/how-to/certificates.md work',
    toolsOf('docs/how-to/certificates.md'),
    async (t) => {
      const { configuration, files } = await prepareClient('scada', {
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [{ name: 'scada', permissions: ['rest.assets'] }],
      });
      await play(t, {
        page: 'docs/how-to/certificates.md',
        configuration,
        files,
        typed: { pkcs12: 'sealed-with-this\nsealed-with-this\n' },
        before: {
          'curl --cacert':
            'cp server.crt gateway.crt && cp server.key gateway.key && systemctl reload penstock',
          '--format pkcs12': 'penstock certificate init',
        },
      });
    },
  );

  test(
    'the commands of docs/reference/command-line.md work',
    toolsOf('docs/reference/command-line.md'),
    async (t) => {
      const client = await prepareClient('admin', {
        ...(await startPlant(t)),
        rest: { basicAuthenticationEnabled: true, statelessCertificateAuthenticationEnabled: true },
        identities: [
          { name: 'admin', permissions: ['rest.admin'], password: 'boiler-password' },
          { name: 'operator', permissions: ['rest.assets'], password: 'turbine-password' },
        ],
      });
      await play(t, {
        ...client,
        page: 'docs/reference/command-line.md',
        typed: { 'reset-password': 'another-password\n', '--user operator': 'turbine-password\n' },
      });
    },
  );

  for (const page of ['docs/how-to/commissioning.md', 'docs/reference/rest-api.md']) {
    test(`the commands of ${page} work`, toolsOf(page), async (t) => {
      const login = { username: 'operator', password: 'turbine-password' };
      const { configuration, files } = await prepareClient('scada', {
        ...(await startPlant(t, page === 'docs/reference/rest-api.md')),
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [
          { name: 'scada', permissions: ['rest.assets'] },
          { name: login.username, permissions: ['rest.assets'], password: login.password },
        ],
      });
      await play(t, {
        page,
        configuration,
        files: { ...files, 'login.json': JSON.stringify(login) },
        until: { _listen: /^event: change\ndata: .*\n/m },
      });
    });
  }

  for (const { page, tools, start } of [
    { page: 'docs/how-to/connect-modbus.md', tools: [], start: startModbusDevice },
    { page: 'docs/how-to/connect-opcua.md', tools: ['asyncua', 'openssl'], start: startOpcuaDevice },
    { page: 'docs/how-to/connect-serial.md', tools: ['python3', 'socat'], start: startSerialDevice },
  ] as const) {
    test(`the commands of ${page} work`, needs(...tools), async (t) => {
      await play(t, { page, ...(await start(t)) });
    });
  }

  test('the commands of docs/how-to/recording.md work', toolsOf('docs/how-to/recording.md'), async (t) => {
    const plant = await openModbusTcp(new SimulatedPlant(), '127.0.0.1', 0);
    t.after(() => plant.close());
    const channels = ['flowTemperature', 'setpoint'].map((name) => ({
      name,
      type: 'READ',
      valueType: 'FLOAT',
      valueScale: 0.1,
      address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'INT16' },
    }));
    const port = Number(plant.endpoint.split(':')[1]);
    await play(t, {
      page: 'docs/how-to/recording.md',
      configuration: {
        provision: {
          drivers: [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port }],
          assets: [{ pid: 'heating', driver: 'plc', channels }],
        },
      },
    });
  });

  test('the commands of docs/reference/history.md work', toolsOf('docs/reference/history.md'), async (t) => {
    const { configuration, files } = await prepareClient('scada', {
      ...(await startPlant(t)),
      rest: { statelessCertificateAuthenticationEnabled: true },
      identities: [{ name: 'scada', permissions: ['rest.assets'] }],
      recorders: [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'boiler' }] }],
    });
    await play(t, {
      page: 'docs/reference/history.md',
      configuration,
      files,
      before: { 'curl --cacert': 'until penstock history read boiler | grep -q GOOD; do sleep 0.2; done' },
    });
  });

  test('the commands of docs/how-to/historian.md work', needs('victoria-metrics'), async (t) => {
    const database = await startVictoriaMetrics(t);
    await play(t, {
      page: 'docs/how-to/historian.md',
      configuration: { provision: await startPlant(t) },
      names: [
        ['/usr/share/doc/penstock/examples', EXAMPLES],
        ['127.0.0.1:8428', `127.0.0.1:${database.port}`],
        ['--intervalMs 60000', '--intervalMs 100'],
      ],
    });
    while ((await database.read('boiler', 'flowTemperature')).length === 0) await wait(PAUSE_MS);
  });

  test(
    'the commands of docs/reference/configuration.md work',
    toolsOf('docs/reference/configuration.md'),
    async (t) => {
      await play(t, { page: 'docs/reference/configuration.md', names: [[' --config FILE', '']] });
    },
  );

  test(
    'the commands of docs/tutorial/first-hour.md work',
    toolsOf('docs/tutorial/first-hour.md'),
    async (t) => {
      const plant = await openModbusTcp(new SimulatedPlant(), '127.0.0.1', 0);
      t.after(() => plant.close());
      const cable = await layTcpCable(Number(plant.endpoint.split(':')[1]));
      t.after(() => cable.pull());
      await play(t, {
        page: 'docs/tutorial/first-hour.md',
        typed: { 'setup --client scada\n': 'a password of its own\n' },
        names: [
          ['--host 192.0.2.20', `--host 127.0.0.1 --port ${cable.port}`],
          ['192.0.2.20:502', `127.0.0.1:${cable.port}`],
        ],
        before: {
          '\'{"channels":["setpoint"]}\'': () => cable.hold(),
          'until penstock asset read': () => cable.release(),
        },
      });
    },
  );

  test(
    'the commands of docs/explanation/control.md work',
    toolsOf('docs/explanation/control.md'),
    async (t) => {
      await play(t, { page: 'docs/explanation/control.md' });
    },
  );

  test('the commands of docs/how-to/hardening.md work', toolsOf('docs/how-to/hardening.md'), async (t) => {
    const operator = { name: 'operator', permissions: ['rest.assets'], password: 'turbine-password' };
    await play(t, {
      page: 'docs/how-to/hardening.md',
      configuration: { provision: { identities: [operator] } },
      typed: { 'create panel': 'a password of its own\n' },
      before: { 'revoke scada': 'penstock certificate init && penstock certificate issue scada' },
    });
  });

  test('the commands of docs/how-to/importing.md work', toolsOf('docs/how-to/importing.md'), async (t) => {
    await play(t, { page: 'docs/how-to/importing.md' });
  });

  test(
    'the commands of docs/how-to/kura-migration.md work',
    toolsOf('docs/how-to/kura-migration.md'),
    async (t) => {
      const plant = await openModbusTcp(new SimulatedPlant(), '127.0.0.1', 0);
      t.after(() => plant.close());
      const { configuration, files } = await prepareClient('scada');
      const password = 'turbine-password-1';
      await play(t, {
        page: 'docs/how-to/kura-migration.md',
        configuration,
        files: { ...files, 'dashboard-password': password, 'keystore-password': 'changeit' },
        names: [
          ['--host 192.0.2.20 --port 502', plant.endpoint.replace(/(.*):(.*)/, '--host $1 --port $2')],
          ['machine gateway', 'machine localhost'],
        ],
        typed: { 'create dashboard': `${password}\n` },
        before: {
          'openssl pkcs12 -in':
            'openssl pkcs12 -export -nokeys -in ca.crt -caname clients -passout file:keystore-password -out keystore.p12',
        },
      });
    },
  );

  test(
    'the commands of docs/how-to/back-up-and-restore.md work',
    toolsOf('docs/how-to/back-up-and-restore.md'),
    async (t) => {
      await play(t, {
        page: 'docs/how-to/back-up-and-restore.md',
        ...(await prepareClient('scada', { ...(await startPlant(t)) })),
        before: {
          'penstock backup': 'penstock identity create scada --permission rest.assets',
          'penstock restore': 'penstock identity delete scada',
        },
      });
    },
  );

  test('the commands of docs/how-to/upgrade.md work', toolsOf('docs/how-to/upgrade.md'), async (t) => {
    await play(t, { page: 'docs/how-to/upgrade.md' });
  });

  test('the commands of docs/how-to/monitor.md work', toolsOf('docs/how-to/monitor.md'), async (t) => {
    const metricsPort = await findFreePort();
    const { configuration, files } = await prepareClient('scada', { ...(await startPlant(t)) });
    await play(t, {
      page: 'docs/how-to/monitor.md',
      configuration: { ...configuration, metrics: { port: metricsPort } },
      files,
      names: [['9464', String(metricsPort)]],
      before: { journalctl: DAMAGE_A_PACKAGE },
    });
  });

  test(
    'the commands of docs/how-to/troubleshoot.md work',
    toolsOf('docs/how-to/troubleshoot.md'),
    async (t) => {
      await play(t, {
        page: 'docs/how-to/troubleshoot.md',
        ...(await prepareClient('scada', { ...(await startPlant(t)) })),
        typed: { 'reset-password': 'another-password\n' },
        before: {
          'certificate server gateway':
            'penstock certificate init && penstock certificate issue scada --output /root/scada',
          'penstock bundle list': DAMAGE_A_PACKAGE,
        },
      });
    },
  );

  test(
    'the commands of docs/reference/packages.md work',
    toolsOf('docs/reference/packages.md'),
    async (t) => {
      await play(t, { page: 'docs/reference/packages.md' });
    },
  );

  test('the commands of docs/how-to/templates.md work', toolsOf('docs/how-to/templates.md'), async (t) => {
    const drivers = [{ pid: 'line1', type: 'modbus', host: '127.0.0.1', port: await findFreePort() }];
    await play(t, { page: 'docs/how-to/templates.md', configuration: { provision: { drivers } } });
  });

  test(
    'the commands of docs/tutorial/simulator.md work',
    toolsOf('docs/tutorial/simulator.md'),
    async (t) => {
      await play(t, {
        page: 'docs/tutorial/simulator.md',
        names: [['--port 1502', '--port 0']],
        until: { simulate: /^ready$/m },
      });
    },
  );
});

function play(t: Parameters<typeof playPage>[0], played: PlayedPage): ReturnType<typeof playPage> {
  assert.ok(PLAYED_PAGES.has(played.page));
  return playPage(t, { leftOut: isLeftOut, ...played });
}

/** Skips where a tool is missing that the commands of a page use. */
function toolsOf(page: string): ReturnType<typeof needs> {
  const text = readBlocks(page)
    .filter((block) => isShell(block) && !isLeftOut(block))
    .map((block) => block.text)
    .join('');
  return needs(...listTools().filter((tool) => new RegExp(`(?<![\\w./-])${tool} `).test(text)));
}
