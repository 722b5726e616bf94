import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hidePaths } from '../../../../daemon/base/text/hide-paths.ts';

const SHOWN: readonly (readonly [given: string, shown: string])[] = [
  [
    "ENOENT: no such file or directory, open '/var/lib/penstock/x.key'",
    "ENOENT: no such file or directory, open 'x.key'",
  ],
  ["EACCES: permission denied, mkdir '/srv/my data/trusted'", "EACCES: permission denied, mkdir 'trusted'"],
  [
    'Error: Permission denied, cannot open /dev/serial/by-id/usb-a',
    'Error: Permission denied, cannot open usb-a',
  ],
  ['/opt/none/x.mjs is not a file of the bundle', 'x.mjs is not a file of the bundle'],
  ['cannot load file:///opt/none/x.mjs:3:1', 'cannot load x.mjs:3:1'],
  ['(/a/b/c.js, /d/e)', '(c.js, e)'],
  ['cause:/a/b', 'cause:b'],
  ['the directory /var/lib/penstock/ is full', 'the directory  is full'],
  ['boom\n    at f (file:///opt/x/main.mjs:1:2)\n    at node:internal/y', 'boom'],
];

// Units, addresses of networks, NodeIds, and answers of devices.
const KEPT: readonly string[] = [
  '12 m/s and 3 1/min',
  'and / or',
  'https://example.org/a/b/c and http://[::1]/a/b',
  'opc.tcp://plc:4840/UA/Server does not answer',
  'no node ns=2;s=/Line/Speed/Set',
  '"/ISK5MT382-1000" came',
  'META-INF/MANIFEST.MF',
];

test('hidePaths leaves the last part of each absolute path, and no stack', () => {
  for (const [given, shown] of SHOWN) assert.equal(hidePaths(given), shown);
});

test('hidePaths leaves what only looks like a path', () => {
  for (const text of KEPT) assert.equal(hidePaths(text), text);
});
