import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkClockSource, checkServices } from '../../../../daemon/cli/doctor/check-services.ts';
import type { UnitProperties } from '../../../../daemon/cli/doctor/service-status.ts';

const CONFIG = '/etc/penstock/penstock.yaml';
const NOW_MS = 1_800_000_000_000;
// A program that is there; the pattern of the daemon's name is in its words.
const COMMAND = '{ path=/bin/sh ; argv[]=/bin/sh -c exec penstockd ; ignore_errors=no }';

const WELL: Readonly<Record<string, UnitProperties>> = {
  'penstock.service': {
    LoadState: 'loaded',
    UnitFileState: 'enabled',
    ActiveState: 'active',
    NRestarts: '0',
    ActiveEnterTimestamp: `@${NOW_MS / 1000 - 60}`,
    NeedDaemonReload: 'no',
    DropInPaths: '',
    ExecStart: COMMAND,
  },
  'penstock.socket': { LoadState: 'loaded', UnitFileState: 'enabled', ActiveState: 'active' },
  'penstock-launcher.socket': { LoadState: 'loaded', UnitFileState: 'enabled', ActiveState: 'active' },
};

/** Checks units that are well but for the changes. */
function check(changes: Readonly<Record<string, UnitProperties>>, configFile = CONFIG) {
  const names = Object.keys(WELL);
  const units = new Map(names.map((name) => [name, { ...WELL[name], ...changes[name] }]));
  return checkServices({ units, clock: undefined }, configFile, NOW_MS);
}

test('units that are enabled and run are well', async () => {
  assert.deepEqual(
    (await check({})).map(({ state }) => state),
    ['GOOD'],
  );
  // A socket that was masked is one that an administrator does without.
  const masked = {
    'penstock.socket': { LoadState: 'masked', UnitFileState: 'masked', ActiveState: 'inactive' },
  };
  assert.deepEqual(
    (await check(masked)).map(({ state }) => state),
    ['GOOD'],
  );
});

for (const [what, changes, detail, advice] of [
  [
    'units that are disabled',
    { 'penstock.service': { UnitFileState: 'disabled' }, 'penstock.socket': { UnitFileState: 'disabled' } },
    /^penstock\.service, penstock\.socket: disabled/,
    'systemctl enable penstock.service penstock.socket',
  ],
  [
    'a drop-in with a second command',
    {
      'penstock.service': {
        LoadState: 'bad-setting',
        LoadError:
          'org.freedesktop.systemd1.BadUnitSetting "Unit penstock.service has a bad unit file setting."',
        DropInPaths: '/etc/systemd/system/penstock.service.d/override.conf',
      },
    },
    /does not start again: Unit penstock\.service has a bad unit file setting\. \(changed by .*override\.conf\)/,
    'systemctl revert penstock.service',
  ],
  [
    'a drop-in with a command that is not there',
    { 'penstock.service': { ExecStart: '{ path=/usr/sbin/absent ; argv[]=/usr/sbin/absent penstockd ; }' } },
    /\/usr\/sbin\/absent is no program/,
    'systemctl revert penstock.service',
  ],
  [
    'a drop-in with another program',
    { 'penstock.service': { ExecStart: '{ path=/bin/false ; argv[]=/bin/false ; }' } },
    /starts \/bin\/false in place of penstockd/,
    'systemctl revert penstock.service',
  ],
  [
    'a unit that was changed and not read',
    { 'penstock.service': { NeedDaemonReload: 'yes' } },
    /^penstock\.service: changed on disk/,
    'systemctl daemon-reload',
  ],
  [
    "a launcher's socket that is stopped",
    { 'penstock-launcher.socket': { ActiveState: 'inactive' } },
    /^penstock-launcher\.socket is inactive: no bundle can be started/,
    'systemctl start penstock-launcher.socket',
  ],
  [
    'ports that systemd does not hold',
    { 'penstock.socket': { ActiveState: 'inactive' } },
    /^penstock\.socket is inactive/,
    'systemctl restart penstock',
  ],
  [
    'restarts in a row',
    { 'penstock.service': { NRestarts: '3' } },
    /^the daemon exited unexpectedly 3 times in a row/,
    'journalctl -u penstock',
  ],
  [
    'a masked service',
    { 'penstock.service': { LoadState: 'masked', UnitFileState: 'masked' } },
    /is masked/,
    'systemctl unmask penstock.service',
  ],
] as const) {
  test(`the services are wrong with ${what}`, async () => {
    const findings = await check(changes);
    assert.equal(findings.length, 1, JSON.stringify(findings));
    const [finding] = findings;
    assert.equal(finding?.state, 'WRONG');
    assert.match(finding?.detail ?? '', detail);
    assert.ok(finding?.advice?.includes(advice), finding?.advice);
  });
}

test('one restart, and restarts of long ago, are a warning', async () => {
  const once = { 'penstock.service': { NRestarts: '1' } };
  assert.equal((await check(once))[0]?.state, 'WARNING');
  const longAgo = { NRestarts: '9', ActiveEnterTimestamp: `@${NOW_MS / 1000 - 86_400}` };
  assert.equal((await check({ 'penstock.service': longAgo }))[0]?.state, 'WARNING');
});

test('services are not checked without systemd, without the unit, and for another configuration', async () => {
  const disabled = { 'penstock.service': { UnitFileState: 'disabled' } };
  const findings = [
    await checkServices({ units: undefined, clock: undefined }, CONFIG, NOW_MS),
    await check({ 'penstock.service': { LoadState: 'not-found' } }),
    await check(disabled, '/tmp/other.yaml'),
  ];
  assert.deepEqual(
    findings.flat().map(({ state }) => state),
    ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'],
  );
});

for (const [clock, isContainer, uptimeSeconds, state, advice] of [
  [{ NTPSynchronized: 'yes', NTP: 'yes', CanNTP: 'yes' }, false, 9999, 'GOOD', undefined],
  [{ NTPSynchronized: 'no', NTP: 'no', CanNTP: 'yes' }, false, 9999, 'WRONG', 'timedatectl set-ntp true'],
  [
    { NTPSynchronized: 'no', NTP: 'no', CanNTP: 'no' },
    false,
    9999,
    'WRONG',
    'apt-get install systemd-timesyncd',
  ],
  [{ NTPSynchronized: 'no', NTP: 'yes', CanNTP: 'yes' }, false, 9999, 'WRONG', 'timedatectl timesync-status'],
  [{ NTPSynchronized: 'no', NTP: 'yes', CanNTP: 'yes' }, false, 60, 'WARNING', 'timedatectl timesync-status'],
  [{ NTPSynchronized: 'no', NTP: 'no', CanNTP: 'no' }, true, 9999, 'UNKNOWN', undefined],
  [undefined, false, 9999, 'UNKNOWN', undefined],
] as const) {
  const name = `${JSON.stringify(clock)}, container ${isContainer}, up ${uptimeSeconds} s`;
  test(`the source of the clock is ${state}: ${name}`, () => {
    const finding = checkClockSource({ units: undefined, clock }, { isContainer, uptimeSeconds });
    assert.equal(finding.state, state);
    if (advice === undefined) assert.equal(finding.advice, undefined);
    else assert.ok(finding.advice?.includes(advice), finding.advice);
  });
}
