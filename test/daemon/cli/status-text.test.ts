import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatDrivers } from '../../../daemon/cli/driver/driver-text.ts';
import { formatLocalTime } from '../../../daemon/cli/terminal/local-time.ts';
import { describeStatus } from '../../../daemon/cli/status-text.ts';
import type { AssetStatus, UnitStatus } from '../../../daemon/interface/plant/asset-status.ts';
import type { DriverStatus } from '../../../daemon/interface/plant/drivers.ts';

const DRIVER: DriverStatus = {
  pid: 'line1',
  type: 'modbus',
  endpoint: '/dev/ttyS1',
  state: 'CONNECTED',
  since: 1_000_000,
  counters: { answers: 7, timeouts: 0 },
};
const UNIT: UnitStatus = { name: 'unit 7', state: 'ANSWERING', isUsed: true, counters: {} };

const [FIRST = '', SECOND = '', THIRD = ''] = [2_000_000, 3_000_000, 4_000_000].map(formatLocalTime);

function assertShows(text: string, parts: readonly string[]): void {
  for (const part of parts) assert.ok(text.includes(part), `${part} in\n${text}`);
}

function describe(status: Partial<AssetStatus>): string {
  return describeStatus({ driver: DRIVER, units: [], ...status });
}

test('a status without trouble has neither errors nor devices', () => {
  const names = describe({}).match(/^[A-Z][a-z ]+(?=:)/gm);
  assert.deepEqual(names, ['Driver', 'Endpoint', 'State', 'Counters']);
});

test('a status tells the labels of the asset, and since when the connection is lost', () => {
  const driver: DriverStatus = {
    ...DRIVER,
    state: 'BACKING_OFF',
    lostSince: 2_000_000,
    lastError: 'no route',
    lastErrorAt: 3_000_000,
    nextAttemptAt: 4_000_000,
    warnings: ['another driver has this address too'],
  };
  assertShows(describe({ driver, displayName: 'Pump', description: 'In the cellar' }), [
    'Pump',
    'In the cellar',
    `since ${FIRST}`,
    `no route (${SECOND})`,
    THIRD,
    'another driver has this address too',
  ]);
});

test('a status tells the channels that fail, and what clients follow', () => {
  const first = [{ name: 'level', since: 2_000_000, statusCode: 'X', message: 'illegal data address' }];
  const text = describe({
    failingChannels: { count: 3, since: 2_000_000, first },
    listening: { mode: 'POLL', isActive: true, listeners: 2, channels: 5, intervalMs: 1000 },
  });
  assertShows(text, [
    `3 since ${FIRST}; level: illegal data address; and 2 more`,
    '2 of 5 channels (POLL every 1000 ms)',
  ]);
});

test('a status shows the reason that a device which reports changes is polled', () => {
  const refusal = 'the server refused CreateSubscription: BadTooManySubscriptions';
  const text = describe({
    listening: { mode: 'POLL', isActive: true, refusal, listeners: 1, channels: 5, intervalMs: 1000 },
  });
  assertShows(text, [`1 of 5 channels (POLL every 1000 ms); polled because ${refusal}`]);
});

test('a status tells of a device since when it is silent, where, and which requests are shorter for it', () => {
  const units: readonly UnitStatus[] = [
    { ...UNIT, state: 'SUSPENDED', silentSince: 2_000_000, nextProbeAt: 3_000_000 },
    {
      ...UNIT,
      name: 'unit 8',
      isUsed: false,
      requestLimits: [{ kind: 'HOLDING_REGISTERS', maximumQuantity: 60 }],
      silentAddresses: [
        { address: 'COILS 5', operation: 'WRITE', since: 2_000_000, nextAttemptAt: 4_000_000 },
      ],
    },
  ];
  const [, devices = '', silent = ''] = describe({ units }).split('\n\n');
  assertShows(devices, ['NO RESPONSE SINCE', FIRST, SECOND, 'other assets', 'HOLDING_REGISTERS 60']);
  assert.match(silent, new RegExp(`^NOT RESPONDING .*\\nunit 8 COILS 5 +WRITE +${FIRST} +${THIRD}\\n$`));
});

test('the list of drivers tells since when, the time of errors, warnings and counters', () => {
  const drivers = [
    { ...DRIVER, assets: ['pump'] },
    {
      ...DRIVER,
      pid: 'line2',
      state: 'BACKING_OFF' as const,
      lostSince: 2_000_000,
      lastError: 'no route',
      lastErrorAt: 3_000_000,
      nextAttemptAt: 4_000_000,
      warnings: ['another driver has this address too'],
      counters: {},
      assets: [],
    },
  ];
  const [list = '', attempts = '', warnings = '', counters = ''] = formatDrivers(drivers).split('\n\n');
  assertShows(list, ['SINCE', formatLocalTime(1_000_000), 'no route']);
  assert.match(attempts, new RegExp(`line2 +${FIRST} +${SECOND} +${THIRD}`));
  assert.match(warnings, /line2 +another driver has this address too/);
  assert.match(counters, /line1 +answers 7\n$/);
});
