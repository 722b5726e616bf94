import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { describeDemo, listCommands } from '../../../../daemon/cli/demo/demo-commands.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const PORTS = {
  endpoints: { 'modbus-tcp': '127.0.0.1:1502', serial: '/dev/pts/77' },
  httpsPort: 8443,
  clientAuthPort: 4443,
};

for (const shell of ['sh', 'bash']) {
  test(`${shell} can read every command, wherever the directory is`, (t) => {
    for (const directory of ['/tmp/penstock-demo-a', `${createTemporaryDirectory(t)}/it's "here" $HOME`]) {
      for (const command of listCommands({ directory, ...PORTS })) {
        execFileSync(shell, ['-n', '-c', command]);
        const [first = ''] = command.split('\n');
        const shown = execFileSync(shell, ['-c', first.replace('(cd ', 'printf %s ').replace(' &&', '')]);
        assert.equal(shown.toString(), directory);
      }
    }
  });
}

test('describeDemo names ports and files and contains every command unchanged', () => {
  const places = { directory: '/tmp/penstock-demo-a', ...PORTS };
  const text = describeDemo({ ...places, password: 'a-password' });
  for (const command of listCommands(places)) assert.ok(text.includes(`\n\n${command}\n\n`));
  for (const part of [
    'boiler, meter',
    '127.0.0.1:1502',
    '/dev/pts/77',
    'https://localhost:8443',
    'https://localhost:4443',
    '/tmp/penstock-demo-a/daemon.log',
    'Password                    a-password\n',
  ]) {
    assert.ok(text.includes(part), part);
  }
});

test('every command verifies the certificate of the server and contains no password', () => {
  for (const command of listCommands({ directory: '/tmp/penstock-demo-a', ...PORTS })) {
    const calls = command.match(/curl /g)?.length ?? 0;
    assert.equal(command.match(/--cacert ca\.crt/g)?.length, calls);
    assert.doesNotMatch(command, /--insecure|-k |--user|password"/);
  }
});

test('describeDemo omits the assets that this machine does not support', () => {
  const endpoints = { 'modbus-tcp': '127.0.0.1:1502' };
  const text = describeDemo({
    ...PORTS,
    directory: '/tmp/penstock-demo-a',
    endpoints,
    password: 'a-password',
  });
  assert.ok(text.includes('boiler'));
  assert.doesNotMatch(text, /panel/);
});
