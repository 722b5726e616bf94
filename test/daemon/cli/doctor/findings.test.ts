import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFindings, uniteFindings } from '../../../../daemon/cli/doctor/findings.ts';
import type { Finding } from '../../../../daemon/cli/machine-checks.ts';

const ADVICE = 'systemctl enable penstock.service penstock.socket penstock-launcher.socket';
const FINDINGS: readonly Finding[] = [
  { check: 'configuration', state: 'GOOD', detail: '/etc/penstock/penstock.yaml' },
  {
    check: 'services',
    state: 'WRONG',
    detail: 'penstock.service, penstock.socket, penstock-launcher.socket: disabled, so not started',
    advice: ADVICE.slice(0, 68),
  },
];

test('findings fit 80 columns, and a command that fits stands in one line', () => {
  const text = formatFindings(FINDINGS, { columns: 80, isColoured: false });
  assert.ok(
    text.split('\n').every(({ length }) => length <= 80),
    text,
  );
  assert.ok(text.includes(`\n         > ${ADVICE.slice(0, 68)}\n`), text);
});

test('findings are one line each where the page has no width', () => {
  const text = formatFindings(FINDINGS, { columns: undefined, isColoured: false });
  assert.equal(text.trimEnd().split('\n').length, 1 + FINDINGS.length);
});

test('one cause is found once: a fault of a file, and not the daemon that ended because of it', () => {
  const reason = '/etc/penstock/penstock.yaml:3: htp: is not a known key';
  const united = uniteFindings([
    { check: 'configuration', state: 'WRONG', detail: reason, advice: 'fix the file' },
    { check: 'daemon', state: 'WRONG', detail: `the daemon ended at 8: ${reason}`, advice: 'restart' },
    { check: 'gateway', state: 'WRONG', detail: 'no answer' },
    { check: 'clock', state: 'GOOD', detail: 'it can be right' },
  ]);
  assert.deepEqual(
    united.map(({ check, advice }) => [check, advice]),
    [
      ['configuration', 'restart'],
      ['clock', undefined],
    ],
  );
});

test('findings that say the same of several ports are one, which names every port', () => {
  const detail = 'it presents another certificate than /etc/penstock/tls/server.crt';
  const united = uniteFindings([
    { check: 'port 443', state: 'WRONG', detail, advice: 'first' },
    { check: 'clock', state: 'GOOD', detail: 'it can be right' },
    { check: 'port 8443', state: 'WRONG', detail, advice: 'first' },
    { check: 'port 4444', state: 'WRONG', detail: 'connection refused' },
    { check: 'port 9443', state: 'WRONG', detail, advice: 'first' },
    { check: 'port 9443', state: 'WRONG', detail, advice: 'first' },
  ]);
  assert.deepEqual(
    united.map(({ check }) => check),
    ['clock', 'port 4444', 'port 443, 8443, 9443'],
  );
});

test('what is said of different things with the same words stays one finding, of the last of them', () => {
  const detail = 'EACCES: /etc/penstock/tls/server.key cannot be read';
  const united = uniteFindings([
    { check: 'certificate', state: 'WRONG', detail },
    { check: 'port 443', state: 'WRONG', detail },
    { check: 'port 444', state: 'WRONG', detail },
  ]);
  assert.deepEqual(
    united.map(({ check }) => check),
    ['port 443, 444'],
  );
});
