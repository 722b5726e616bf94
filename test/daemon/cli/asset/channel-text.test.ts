import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeListened, formatResults } from '../../../../daemon/cli/asset/asset-text.ts';
import { formatChannels } from '../../../../daemon/cli/asset/channel-text.ts';
import type { ChannelRecord } from '../../../../daemon/interface/plant/assets.ts';

const CHANNEL: ChannelRecord = {
  name: 'setpoint',
  type: 'READ_WRITE',
  valueType: 'DOUBLE',
  scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
  valueScale: 0.1,
  valueOffset: 0,
  unit: '°C',
  isEnabled: true,
};

function format(channel: Partial<ChannelRecord>): string {
  // Two blanks or more separate columns.
  return formatChannels([{ ...CHANNEL, ...channel }]);
}

test('channels have one table while nothing depends on more than their scaling', () => {
  assert.equal(
    format({}),
    [
      'NAME      DIRECTION   TYPE    SCALE  OFFSET  UNIT  ENABLED',
      'setpoint  READ_WRITE  DOUBLE  0.1    0       °C    yes',
      '',
    ].join('\n'),
  );
});

test('the table shows labels, and results and changes have that of their value', () => {
  assert.match(
    format({ valueType: 'INTEGER', labels: { '0': 'Off', '1': 'Heating' } }),
    /LABELS\n.* {2}0 Off, 1 Heating\n$/,
  );
  const record = {
    channelStatus: { channelFlag: 'SUCCESS' },
    name: 'mode',
    value: 1,
    label: 'Heating',
    timestamp: 0,
  } as const;
  assert.match(formatResults([record]), /^NAME {2}VALUE {2}LABEL {4}UNIT {2}.*\nmode {2}1 {6}Heating /);
  assert.match(describeListened({ type: 'change', data: [record] }), / {2}mode {2}1 \(Heating\)\n$/);
});

test('the table shows arithmetic of its own, and what the device permits by its own word', () => {
  const text = format({ scaleOffsetType: 'LONG', deviceAccess: 'READ' });
  assert.match(text, /ARITHMETIC/);
  assert.match(text, /LONG/);
  assert.match(text, /DEVICE PERMITS\n.* READ\n$/);
});

test('limits and terms of writes stand in a table below the channels', () => {
  const text = format({
    write: {
      minimum: 10,
      maximum: 62.5,
      maximumStep: 5,
      maximumChangePerSecond: 0.5,
      verify: { tolerance: 0.1, withinMs: 2000 },
      onlyIf: [
        { channel: 'ready', operator: 'EQUALS', value: true },
        { asset: 'pump', channel: 'level', operator: 'GREATER_THAN', value: 2, maximumAgeMs: 5000 },
      ],
      hiddenConditions: 1,
    },
  });
  const [, terms = ''] = text.split('\n\n');
  assert.match(terms, /^WRITES TO +LIMITS +CHANGE +READ BACK +ONLY IF\nsetpoint /);
  for (const term of [
    '10 to 62.5 °C',
    'at most 5 °C; at most 0.5 °C per second',
    'within 2000 ms, at most 0.1 °C off',
    'ready equals true; pump/level greater than 2, at most 5000 ms old; 1 more on channels that you may not read',
  ]) {
    assert.ok(terms.includes(term), `${term} in\n${terms}`);
  }
});

test('a limit on one side is shown as that', () => {
  assert.match(format({ write: { minimum: -5 } }), /at least -5 °C/);
  assert.match(format({ write: { maximum: 7 } }), /at most 7 °C/);
});
