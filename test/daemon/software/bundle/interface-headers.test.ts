import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  INTERFACE_VERSION,
  parseInterfaceHeaders,
} from '../../../../daemon/software/bundle/interface-headers.ts';

const parse = (headers: Readonly<Record<string, string>>) => parseInterfaceHeaders((name) => headers[name]);

test('a manifest without these headers requests nothing', () => {
  assert.deepEqual(parse({}), {
    interfaceVersion: undefined,
    memoryMib: undefined,
    settingsPath: undefined,
  });
});

test('memory and version are whole numbers', () => {
  const headers = { 'Penstock-Memory': '256', 'Penstock-Interface': '2', 'Penstock-Settings': 'a.json' };
  assert.deepEqual(parse(headers), { interfaceVersion: 2, memoryMib: 256, settingsPath: 'a.json' });
});

test('a version that the gateway does not have is refused, and both versions are named', () => {
  const version = INTERFACE_VERSION + 1;
  assert.throws(() => parse({ 'Penstock-Interface': String(version) }), {
    code: 'BUNDLE_INTERFACE_UNSUPPORTED',
    detail: `Penstock-Interface: it needs version ${version}, and this gateway has versions 1 to ${INTERFACE_VERSION}`,
  });
});

for (const headers of [
  { 'Penstock-Memory': '1025' },
  { 'Penstock-Memory': '31' },
  { 'Penstock-Memory': '256M' },
  { 'Penstock-Memory': '-1' },
  { 'Penstock-Interface': '0' },
  { 'Penstock-Interface': 'two' },
])
  test(`refused: ${JSON.stringify(headers)}`, () => {
    assert.throws(() => parse(headers), { code: 'BUNDLE_INTERFACE_UNSUPPORTED' });
  });
