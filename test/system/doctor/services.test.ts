import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { examine, startCertifiedGateway } from '../../support/doctor.ts';

const PENSTOCKD = path.resolve(import.meta.dirname, '../../../systemd/penstockd');

test('doctor asks the service manager for units and clock', async (t) => {
  const { running } = await startCertifiedGateway(t);
  const programs = path.join(running.directory, 'programs');
  mkdirSync(programs);
  const answer = (program: string, text: string): void => {
    const file = path.join(programs, program);
    writeFileSync(file, `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`);
    chmodSync(file, 0o755);
  };
  const command = `{ path=${PENSTOCKD} ; argv[]=${PENSTOCKD} --config ${running.configFile} ; }`;
  const showUnits = (launcher: string): string =>
    [
      `Id=penstock.service\nLoadState=loaded\nUnitFileState=enabled\nActiveState=active\nNRestarts=0\nExecStart=${command}`,
      'Id=penstock.socket\nLoadState=loaded\nUnitFileState=enabled\nActiveState=active',
      `Id=penstock-launcher.socket\nLoadState=loaded\nUnitFileState=enabled\nActiveState=${launcher}`,
    ].join('\n\n');
  answer('systemctl', showUnits('active'));
  answer('timedatectl', 'CanNTP=yes\nNTP=yes\nNTPSynchronized=yes');
  const PATH = `${programs}:${process.env['PATH'] ?? ''}`;
  const well = await examine(running, { PATH });
  const ofServices = ({ check }: { readonly check: string }): boolean => ['services', 'time'].includes(check);
  assert.deepEqual(well.findings.filter(ofServices), []);

  answer('systemctl', showUnits('inactive'));
  answer('timedatectl', 'CanNTP=yes\nNTP=no\nNTPSynchronized=no');
  const { status, findings } = await examine(running, { PATH });
  assert.equal(status, 1);
  assert.deepEqual(
    findings.filter(ofServices).map(({ check, advice }) => [check, advice]),
    [
      ['time', 'timedatectl set-ntp true'],
      ['services', 'systemctl start penstock-launcher.socket'],
    ],
  );
});
