import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { Ansible } from '../support/ansible.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../support/certificate-authority.ts';
import { buildExamplePackage } from '../support/example-package.ts';
import { findFreePort } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { describeMissing } from '../support/tools.ts';

const missing = describeMissing(['ansible-playbook']);
const options = missing === undefined ? {} : { skip: missing };
const missingLint = describeMissing(['ansible-lint']);

const SECRET = 'hydrant-secret-4711';
const DRIVER = { pid: 'plc', type: 'opcua', endpointUrl: 'opc.tcp://127.0.0.1:4840', userName: 'reader' };

let place = '';
let connection: object = {};
let ansible: Ansible;
let gateway: RunningGateway;

before(async (t) => {
  if (missing !== undefined) return;
  place = createTemporaryDirectory(t as never);
  mkdirSync(path.join(place, 'gateway'));
  const authority = await getCertificateAuthority();
  const client = await getClientCertificate('engineer');
  const server = await getServerCertificate();
  const files = {
    'ca.crt': authority.certificate,
    'engineer.crt': client.certificate,
    'engineer.key': client.privateKey,
    'gateway/server.crt': server.certificate,
    'gateway/server.key': server.privateKey,
    secret: `${SECRET}\n`,
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(place, name), content, { mode: 0o600 });
  }
  gateway = await startGateway(t as never, {
    directory: path.join(place, 'gateway'),
    config: {
      tls: {
        clientCertificateAuthoritiesFile: 'client-ca.pem',
        certificateFile: 'server.crt',
        privateKeyFile: 'server.key',
      },
      provision: {
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [{ name: 'engineer', permissions: ['rest.admin'] }],
      },
    },
  });
  connection = {
    url: `https://localhost:${gateway.clientAuthPorts[0] ?? 0}`,
    ca_file: path.join(place, 'ca.crt'),
    cert_file: path.join(place, 'engineer.crt'),
    key_file: path.join(place, 'engineer.key'),
  };
  ansible = new Ansible(t as never);
});

const configure = (parameters: object) => ({
  'penstock.gateway.configuration': { ...connection, ...parameters },
});

test(
  'a section is shown by check mode, applied once, and the second run changes nothing',
  options,
  async () => {
    const tasks = [
      configure({
        sections: { drivers: [DRIVER] },
        secret_files: { 'drivers/plc/password': path.join(place, 'secret') },
      }),
    ];
    const checked = await ansible.play(tasks, {}, ['--check', '--diff', '-vvv']);
    assert.equal(checked.status, 0, checked.output);
    assert.match(checked.output, /^\+ .*"endpointUrl": "opc\.tcp:\/\/127\.0\.0\.1:4840"/m);
    assert.match(checked.output, /changed=1/);
    const applied = await ansible.play(tasks, {}, ['-vvv']);
    // Check mode changed nothing.
    assert.match(applied.output, /"added": \[\s*"drivers\/plc"/);
    assert.match(applied.output, /changed=1/);
    const again = await ansible.play(tasks, {}, ['-vvv']);
    assert.match(again.output, /ok=1 .*changed=0/);
    for (const { output } of [checked, applied, again]) assert.doesNotMatch(output, new RegExp(SECRET));
  },
);

test(
  'the role of drivers keeps a secret that it does not have, and one from a vault is not printed',
  options,
  async () => {
    const role = [{ 'ansible.builtin.include_role': { name: 'penstock.gateway.drivers' } }];
    const variables = Object.fromEntries(
      Object.entries(connection).map(([name, value]) => [`penstock_${name}`, value as unknown]),
    );
    const kept = await ansible.play(role, { ...variables, drivers_items: [DRIVER] });
    assert.match(kept.output, /changed=0/);
    const other = await ansible.play(
      role,
      {
        ...variables,
        drivers_items: [DRIVER],
        drivers_secrets: { 'drivers/plc/password': 'valve-secret-0815' },
      },
      ['-vvv', '--diff'],
    );
    assert.match(other.output, /changed=1 .*failed=0/);
    assert.doesNotMatch(other.output, /valve-secret-0815/);
  },
);

test('a change whose probe fails is reverted', options, async () => {
  const asset = {
    pid: 'boiler',
    driver: 'gone',
    channels: [
      {
        name: 'flow',
        type: 'READ',
        valueType: 'INTEGER',
        address: { table: 'HOLDING_REGISTERS', offset: 1, dataType: 'INT16' },
      },
    ],
  };
  const driver = { pid: 'gone', type: 'modbus', host: '127.0.0.1', port: await findFreePort() };
  const sections = { drivers: [driver], assets: [asset] };
  const { status, output } = await ansible.play([
    configure({ sections, probe_assets: ['boiler'], probe_seconds: 0 }),
  ]);
  assert.equal(status, 2, output);
  assert.match(output, /the probe failed: channel flow of asset boiler: .+; the change was reverted/);
  const check = await ansible.play([configure({ sections })], {}, ['--check', '-v']);
  assert.match(
    check.output,
    /"added": \["assets\/boiler", "drivers\/gone"\]|"added": \["drivers\/gone", "assets\/boiler"\]/,
  );
});

test('an identity has its grants after the first run, and the second changes nothing', options, async () => {
  const grants = [{ assets: ['boiler'], channels: ['setpoint'], operations: ['WRITE', 'READ'] }];
  const tasks = [
    {
      'penstock.gateway.identity': {
        ...connection,
        name: 'scada',
        permissions: ['rest.assets.read'],
        grants,
        password: 'turbine-secret-77',
      },
    },
  ];
  const checked = await ansible.play(tasks, {}, ['--check', '--diff', '-vvv']);
  assert.match(checked.output, /^\+ .*"rest\.assets\.read"/m);
  const applied = await ansible.play(tasks, {}, ['-vvv']);
  assert.match(applied.output, /changed=1 .*failed=0/, applied.output);
  const again = await ansible.play(tasks, {}, ['-vvv']);
  assert.match(again.output, /changed=0 .*failed=0/, again.output);
  for (const { output } of [checked, applied, again]) assert.doesNotMatch(output, /turbine-secret-77/);
});

test('a package is installed once, and the second run changes nothing', options, async (t) => {
  const folder = createTemporaryDirectory(t);
  const src = path.join(folder, 'example.dp');
  writeFileSync(src, buildExamplePackage('level-watch'));
  const install = [{ 'penstock.gateway.package': { ...connection, src } }];
  assert.match((await ansible.play(install, {}, ['--check'])).output, /changed=1/);
  const { output } = await ansible.play(install, {}, ['-v']);
  assert.match(output, /changed=1 .*failed=0/, output);
  assert.match((await ansible.play(install)).output, /changed=0 .*failed=0/);
});

test('the roles of identities and packages change nothing in the second run', options, async (t) => {
  const src = path.join(createTemporaryDirectory(t), 'example.dp');
  writeFileSync(src, buildExamplePackage('level-watch'));
  const tasks = ['identities', 'packages', 'assets', 'recorders'].map((role) => ({
    'ansible.builtin.include_role': { name: `penstock.gateway.${role}` },
  }));
  const variables = {
    ...Object.fromEntries(
      Object.entries(connection).map(([name, value]) => [`penstock_${name}`, value as unknown]),
    ),
    identities_items: [{ name: 'historian', permissions: ['rest.assets.read'] }],
    packages_items: [{ src }],
    assets_items: [{ pid: 'tank', driver: 'plc' }],
    recorders_items: [{ pid: 'minute', intervalMs: 60_000, assets: [{ asset: 'tank' }] }],
  };
  const first = await ansible.play(tasks, variables);
  assert.match(first.output, /changed=[34] .*failed=0/, first.output);
  const second = await ansible.play(tasks, variables);
  assert.match(second.output, /changed=0 .*failed=0/, second.output);
});

for (const [name, parameters, message] of [
  ['an unknown key', { sections: { drivers: [{ ...DRIVER, pid: 'x', colour: 1 }] } }, /drivers\[1\].*colour/],
  [
    'a secret among settings',
    { sections: { drivers: [{ ...DRIVER, password: 'p' }] } },
    /drivers\/plc\/password is a secret/,
  ],
  [
    'a missing certificate',
    { sections: {}, cert_file: '/nowhere.crt' },
    /cert_file \/nowhere\.crt: cannot be read/,
  ],
  [
    'a gateway that is not there',
    { sections: {}, url: 'https://localhost:1' },
    /https:\/\/localhost:1: Connection refused/,
  ],
  [
    'a wrong authority',
    { sections: {}, ca_file: '/etc/ssl/certs/ca-certificates.crt' },
    /certificate|cannot|No such file/i,
  ],
  [
    'no local socket',
    { sections: {}, url: null, ca_file: null, cert_file: null, key_file: null, socket: '/nowhere.sock' },
    /\/nowhere\.sock: No such file/,
  ],
] as const) {
  test(`${name} is named by the failure`, options, async () => {
    const { status, output } = await ansible.play([configure(parameters)]);
    assert.equal(status, 2, output);
    assert.match(output, message);
    assert.doesNotMatch(output, /Traceback/);
  });
}

test('a client that cuts itself off leaves no change', options, async () => {
  const seen = gateway.lines.length;
  const { status, output } = await ansible.play([
    configure({ sections: { rest: { allowedPorts: [1] } }, confirm_within: 5 }),
  ]);
  assert.equal(status, 2, output);
  assert.match(
    output,
    /the probe failed: GET .+: 404 .+; the gateway goes back at most 5 s after the change/,
  );
  await gateway.line('configuration.reverted', seen);
  assert.match((await ansible.play([configure({ sections: {} })])).output, /changed=0 .*failed=0/);
});

test('ansible-lint finds nothing', missingLint === undefined ? {} : { skip: missingLint }, async (t) => {
  const { status, output } = await new Ansible(t).lint();
  assert.equal(status, 0, output);
});
