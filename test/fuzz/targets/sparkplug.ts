import assert from 'node:assert/strict';

import { readDeviceCommand } from '../../../bundles/penstock-sparkplug/command/device-command.ts';
import { HostState, parseState } from '../../../bundles/penstock-sparkplug/node/host-state.ts';
import { AliasBook, defineNode } from '../../../bundles/penstock-sparkplug/node/node-definition.ts';
import { decodePayload } from '../../../bundles/penstock-sparkplug/payload/payload-reader.ts';
import { encodeSparkplug } from '../../support/sparkplug-payload.ts';
import { show } from '../fuzz-target.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const NOW = 1_700_000_000_000;
const channels = ['BOOLEAN', 'INTEGER', 'LONG', 'FLOAT', 'STRING', 'BYTE_ARRAY'].map((valueType) => ({
  asset: 'pump',
  channel: valueType,
  valueType,
  isWritable: true,
}));
const device = defineNode(channels, new AliasBook()).get('pump');

const command: FuzzTarget = {
  name: 'sparkplug-command',
  seeds: [
    encodeSparkplug({
      timestamp: NOW,
      metrics: [{ name: 'LONG', alias: 3, timestamp: NOW, datatype: 4, longValue: '18446744073709551615' }],
    }),
    encodeSparkplug({
      timestamp: NOW,
      metrics: [
        { alias: 4, floatValue: 1.5 },
        { name: 'BOOLEAN', booleanValue: true },
      ],
    }),
    encodeSparkplug({ metrics: [{ name: 'STRING', stringValue: 'ä', isHistorical: true }] }),
  ],
  words: ['STRING', 'BYTE_ARRAY', Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]), Buffer.from([0x12, 0x00])],
  run(input) {
    const payload = decodePayload(input);
    if ('fault' in payload) return payload.fault;
    assert.ok(payload.metrics.length <= 1000);
    const read = readDeviceCommand(payload, device, { nowMs: NOW, maximumAgeMs: 60_000 });
    if ('refusal' in read) return 'refused';
    assert.equal(read.writes.length, payload.metrics.length);
    return show(read.writes.map(({ type, value }) => [type, typeof value]));
  },
};

const state: FuzzTarget = {
  name: 'sparkplug-state',
  seeds: ['{"online":true,"timestamp":1700000000000}', '{"online":false,"timestamp":-1}'],
  words: ['true', 'false', '1e400', 'null', '"online"', '"timestamp"'],
  run(input) {
    const message = parseState(input);
    if (message === undefined) return 'none';
    const host = new HostState();
    assert.ok(host.accept(message));
    assert.equal(host.isOnline, message.isOnline);
    return String(message.isOnline);
  },
};

export const SPARKPLUG: readonly FuzzTarget[] = [command, state];
