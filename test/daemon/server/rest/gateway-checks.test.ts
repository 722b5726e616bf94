import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DaemonStatus } from '../../../../daemon/base/process/daemon-status-file.ts';
import type { ExportStatus } from '../../../../daemon/security/audit/event-exporter.ts';
import { checkGateway } from '../../../../daemon/server/rest/gateway-checks.ts';

import type { CheckedGateway } from '../../../../daemon/server/rest/gateway-checks.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 5, 1);
const WELL: CheckedGateway = {
  nowMs: NOW_MS,
  disk: { freeBytes: 1e9, totalBytes: 2e9 },
  daemonStatus: { state: 'RELOADED', timeMs: NOW_MS },
  changedFiles: [],
  certificates: [],
  connections: [],
  failing: [],
  bundles: [],
  audit: { breaks: [], waitingEvents: 0, lostEvents: 0 },
  auditExports: [],
  recording: undefined,
};

type Checks = ReturnType<typeof checkGateway>;

const find = (changes: Partial<CheckedGateway>, kind: Checks[number]['check']): Checks =>
  checkGateway({ ...WELL, ...changes }).filter(({ check }) => check === kind);

const certificate = (daysLeft: number, refusal?: string) => ({
  role: 'CLIENT_AUTHORITY' as const,
  subject: 'CN=plant',
  fingerprint: 'AA',
  validFromMs: NOW_MS - DAY_MS,
  expiresAtMs: NOW_MS + daysLeft * DAY_MS,
  refusal,
});

const connection = (
  state: 'CONNECTED' | 'CONNECTING' | 'BACKING_OFF',
  units: readonly object[] = [],
  lost: { readonly lostSinceMs?: number } = {},
) =>
  ({
    connections: [
      {
        pid: 'line1',
        status: { state, sinceMs: 1, lastError: '/dev/a/b: no', counters: {}, units, ...lost },
      },
    ],
  }) as unknown as Partial<CheckedGateway>;

const bundle = (state: string) =>
  ({
    bundles: [
      { bundle: { id: { name: 'pumps', version: '1.0.0' } }, state, cause: 'it left', restartAtMs: 9 },
    ],
  }) as unknown as Partial<CheckedGateway>;

test('a gateway without faults is well', () => {
  assert.deepEqual(
    checkGateway(WELL).map(({ check, state }) => [check, state]),
    [
      ['clock', 'GOOD'],
      ['disk', 'GOOD'],
      ['reload', 'GOOD'],
      ['auditLog', 'GOOD'],
      ['auditLog', 'GOOD'],
    ],
  );
});

test('a file that is not in force is wrong, unless a reload failed: that is one cause', () => {
  const changedFiles = [{ name: 'plant.yaml', change: 'CHANGED' }] as const;
  const named = find({ changedFiles }, 'configuration').map(({ name, state }) => [name, state]);
  assert.deepEqual(named, [['plant.yaml', 'WRONG']]);
  const daemonStatus = { state: 'RELOAD_FAILED', timeMs: NOW_MS, reason: 'plant.yaml:1: no' } as const;
  assert.deepEqual(find({ changedFiles, daemonStatus }, 'configuration'), []);
  assert.equal(find({ changedFiles, daemonStatus }, 'reload')[0]?.state, 'WRONG');
});

test('a clock from before the first release, a full disk and a failed reload are wrong', () => {
  assert.equal(find({ nowMs: 0 }, 'clock')[0]?.state, 'WRONG');
  assert.equal(find({ disk: { freeBytes: 1000, totalBytes: 2000 } }, 'disk')[0]?.state, 'WRONG');
  assert.equal(find({ disk: undefined }, 'disk')[0]?.state, 'UNKNOWN');
  const words = {
    state: 'RELOAD_FAILED',
    timeMs: 5,
    reason: '/etc/penstock/penstock.yaml:1: wrong',
    code: 'SETTINGS_INVALID',
    reasons: [{ code: 'IN_FILE', parameters: { file: '/etc/penstock/penstock.yaml:1' } }],
  } satisfies DaemonStatus;
  const [reload] = find({ daemonStatus: words }, 'reload');
  assert.deepEqual([reload?.state, reload?.since], ['WRONG', 5]);
  const [{ code, reasons } = {}] = reload?.finding?.causes ?? [];
  assert.equal(code, 'SETTINGS_INVALID');
  assert.deepEqual(reasons, [{ code: 'IN_FILE', parameters: { file: 'penstock.yaml:1' } }]);
  assert.equal(reload?.detail, 'penstock.yaml:1: wrong; the previous configuration stays active');
});

test('a certificate near its end is a warning, an expired or refused one is wrong', () => {
  const states = [40, 29, -1].map(
    (days) => find({ certificates: [certificate(days)] }, 'certificate')[0]?.state,
  );
  assert.deepEqual(states, ['GOOD', 'WARNING', 'WRONG']);
  const [refused] = find({ certificates: [certificate(40, 'NO_REVOCATION_LIST')] }, 'certificate');
  assert.deepEqual([refused?.state, refused?.name], ['WRONG', 'CN=plant']);
});

test('a lost connection, a suspended unit and a silent address are wrong, and what nobody asked is unknown', () => {
  assert.deepEqual(
    find(connection('BACKING_OFF'), 'connection').map(({ state, detail }) => [state, detail]),
    [['WRONG', 'b: no']],
  );
  assert.equal(find(connection('CONNECTING'), 'connection')[0]?.state, 'UNKNOWN');
  // During an attempt it is as wrong as between two, and since the same time.
  const [trying] = find(connection('CONNECTING', [], { lostSinceMs: 4 }), 'connection');
  assert.deepEqual([trying?.state, trying?.since], ['WRONG', 4]);
  const units = [
    { name: 'unit 1', state: 'ANSWERING' },
    {
      name: 'unit 2',
      state: 'SUSPENDED',
      lastError: 'no answer',
      lastErrorAtMs: 6,
      silentSinceMs: 5,
      nextProbeAtMs: 7,
    },
    { name: 'unit 3', state: 'UNKNOWN' },
    { name: 'unit 4', state: 'ANSWERING', silentAddresses: [{ address: 'COILS 1', sinceMs: 3 }] },
  ];
  assert.deepEqual(
    find(connection('CONNECTED', units), 'unit').map((unit) => [
      unit.name,
      unit.state,
      unit.driver,
      unit.since,
    ]),
    [
      ['unit 1', 'GOOD', 'line1', undefined],
      ['unit 2', 'WRONG', 'line1', 5],
      ['unit 3', 'UNKNOWN', 'line1', undefined],
      ['unit 4', 'WRONG', 'line1', 3],
    ],
  );
});

test('a failed bundle is wrong, with its cause and the time of its next start', () => {
  const [failed] = find(bundle('FAILED'), 'bundle');
  assert.deepEqual([failed?.state, failed?.detail, failed?.nextAttemptAt], ['WRONG', 'it left', 9]);
  assert.equal(find(bundle('ACTIVE'), 'bundle')[0]?.state, 'GOOD');
});

test('channels that fail are wrong: one finding for each asset, with a count and the first of them', () => {
  const fail = (name: string, message: string, sinceMs: number) => ({
    name,
    failure: { code: 'MODBUS_ILLEGAL_DATA_ADDRESS' as const, message },
    sinceMs,
  });
  const look = (channels: readonly ReturnType<typeof fail>[]) =>
    find({ failing: [{ asset: 'boiler', channels }] }, 'channel');
  const absent = 'unit 1 returned exception 02 ILLEGAL DATA ADDRESS';
  const [one] = look([fail('flow', absent, 7)]);
  assert.deepEqual(one, {
    check: 'channel',
    name: 'boiler',
    state: 'WRONG',
    detail: `flow: ${absent}`,
    finding: {
      code: 'CHANNELS_FAILING',
      message: `flow: ${absent}`,
      parameters: {},
      causes: [{ code: 'MODBUS_ILLEGAL_DATA_ADDRESS', message: absent, names: ['flow'] }],
    },
    since: 7,
    channels: 1,
  });
  const [several] = look([
    fail('flow', absent, 7),
    fail('text', 'its bytes are no text', 9),
    fail('level', absent, 5),
    fail('pump', absent, 6),
    fail('speed', absent, 8),
  ]);
  assert.equal(several?.detail, `flow, level: ${absent}; text: its bytes are no text; and 2 more`);
  assert.deepEqual([several.since, several.channels], [5, 5]);
  const [hidden] = look([fail('flow', "cannot open '/var/lib/penstock/x'", 7)]);
  assert.doesNotMatch(JSON.stringify(hidden), /var/);
});

test('a break of the audit is wrong for good, and a store that takes no events tells what waits and what was lost', () => {
  const look = (changes: Partial<CheckedGateway['audit']>) =>
    find({ audit: { ...WELL.audit, ...changes } }, 'auditLog').map(({ name, state, detail, since }) => [
      name,
      state,
      detail,
      since,
    ]);
  assert.deepEqual(look({}), [
    ['chain', 'GOOD', 'intact', undefined],
    ['store', 'GOOD', 'storing events', undefined],
  ]);
  const breaks = [{ firstId: 41, fault: 'event 7 was changed', timeMs: 9 }];
  assert.deepEqual(look({ breaks, failingSinceMs: 8, waitingEvents: 3, lostEvents: 2 }), [
    ['chain', 'WRONG', 'broken before event 41: event 7 was changed', 9],
    [
      'store',
      'WRONG',
      'cannot store events: 3 waiting, writes are refused; events lost since the start: 2',
      8,
    ],
  ]);
  assert.equal(look({ lostEvents: 2 })[1]?.[1], 'WARNING');
  const reasons = [{ code: 'CHAIN_EVENT_CHANGED', parameters: { event: 7 } }];
  const [chain] = find(
    { audit: { ...WELL.audit, breaks: [{ firstId: 41, timeMs: 9, fault: 'changed', reasons }] } },
    'auditLog',
  );
  assert.deepEqual(chain?.finding, {
    code: 'AUDIT_BROKEN',
    message: 'broken before event 41: changed',
    parameters: { event: '41' },
    causes: [{ message: 'changed', reasons }],
  });
});

test('a place that does not take the audit is wrong, with the reason, what waits and no path', () => {
  const known = { place: 'syslog', lastEventId: 7, waitingEvents: 3, failures: 1 };
  const look = (status: Pick<ExportStatus, 'state' | 'lastError'>) =>
    find(
      { auditExports: [{ ...known, ...status, sinceMs: 5, lastTakenAtMs: 4, nextAttemptAtMs: 9 }] },
      'audit',
    );
  const [failing] = look({ state: 'FAILING', lastError: "ENOENT, open '/etc/penstock/tls/logs-ca.pem'" });
  assert.deepEqual(
    [failing?.name, failing?.state, failing?.since, failing?.nextAttemptAt, failing?.waitingEvents],
    ['syslog', 'WRONG', 5, 9, 3],
  );
  assert.match(failing?.detail ?? '', /^ENOENT.*; 3 events waiting$/);
  assert.doesNotMatch(failing?.detail ?? '', /etc/);
  const [taking] = look({ state: 'TAKING', lastError: 'earlier' });
  assert.deepEqual([taking?.state, taking?.lastEventId, taking?.lastTakenAt], ['GOOD', 7, 4]);
  assert.equal(look({ state: 'UNKNOWN' })[0]?.state, 'UNKNOWN');
});

test('a recording that stopped is wrong, with its reason', () => {
  const look = (recording: CheckedGateway['recording']) =>
    find({ recording }, 'recording').map(({ state, detail, since }) => [state, detail, since]);
  const stop = { reason: '/var/lib/penstock/x: the disk is full', sinceMs: 7 };
  const historyFault = { reason: '/var/lib/penstock/y: the disk is full', sinceMs: 8 };
  assert.deepEqual(look({ stop: undefined, historyFault: undefined }), [['GOOD', 'recording', undefined]]);
  for (const fault of [undefined, historyFault])
    assert.deepEqual(look({ stop, historyFault: fault }), [
      ['WRONG', 'nothing is recorded: x: the disk is full', 7],
    ]);
  assert.deepEqual(look({ stop: undefined, historyFault }), [
    ['WRONG', 'samples stay in the journal, the history stores none: y: the disk is full', 8],
  ]);
});
