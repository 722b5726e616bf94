import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatResponse } from '../../../../bundles/penstock-mqtt/command/response.ts';

test('a response has the records with all digits, and what the command was labelled with', () => {
  const records = [
    {
      name: 'count',
      valueType: 'LONG',
      value: 2n ** 60n,
      timestampMs: 5,
      outcome: 'VERIFIED',
      readBack: 2n ** 60n,
    },
    {
      name: 'door',
      timestampMs: 6,
      outcome: 'REFUSED',
      failure: { code: 'READ_ONLY', message: 'read only' },
    },
  ];
  assert.equal(
    formatResponse({ gateway: 'north', asset: 'boiler', correlationData: '17' }, { records }),
    '{"gateway":"north","asset":"boiler","correlationData":"17","records":[' +
      '{"name":"count","valueType":"LONG","value":1152921504606846976,"readBack":1152921504606846976,"timestamp":5,"outcome":"VERIFIED"},' +
      '{"name":"door","timestamp":6,"outcome":"REFUSED","failure":{"code":"READ_ONLY","message":"read only"}}]}',
  );
});

test('a response to a command that was not carried out has the reason', () => {
  const error = { code: 'COMMAND_MALFORMED', message: 'not JSON' };
  assert.equal(
    formatResponse({ gateway: 'north' }, { error }),
    '{"gateway":"north","error":{"code":"COMMAND_MALFORMED","message":"not JSON"}}',
  );
});
