import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { toBase32 } from '../../../../../daemon/security/identity/second-factor/base32.ts';
import {
  computeCode,
  findSteps,
  readCode,
  SECRET_BYTES,
  stepAt,
} from '../../../../../daemon/security/identity/second-factor/one-time-code.ts';
import { createRandom } from '../../../../support/random.ts';
import { needs } from '../../../../support/tests-that-need.ts';

const SECRET = Buffer.from('12345678901234567890');

// RFC 4226, appendix D.
test('computeCode computes the vectors of RFC 4226', () => {
  const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ');
  for (const [counter, code] of codes.entries()) assert.equal(computeCode(SECRET, counter), code);
});

// RFC 6238, appendix B, rows for SHA-1; its codes have eight digits; these are the last six.
test('computeCode and stepAt compute the vectors of RFC 6238', () => {
  const vectors = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const;
  for (const [seconds, code] of vectors) {
    assert.equal(computeCode(SECRET, stepAt(seconds * 1000)), code.slice(-6), String(seconds));
  }
});

test('a step begins with its first millisecond and lasts for thirty seconds', () => {
  assert.deepEqual([0, 29_999, 30_000, 59_999, 60_000].map(stepAt), [0, 0, 1, 1, 2]);
});

test('findSteps finds the current step and its neighbours', () => {
  const now = 37_037_036;
  for (const difference of [-1, 0, 1]) {
    assert.deepEqual(findSteps(SECRET, computeCode(SECRET, now + difference), now), [now + difference]);
  }
  for (const difference of [-2, 2]) {
    assert.deepEqual(findSteps(SECRET, computeCode(SECRET, now + difference), now), []);
  }
});

test('findSteps has no step before the epoch', () => {
  assert.deepEqual(findSteps(SECRET, computeCode(SECRET, 0), 0), [0]);
  assert.deepEqual(findSteps(SECRET, '755224', -5), []);
});

test('readCode takes six digits with white space anywhere, and nothing else', () => {
  for (const text of ['123456', '123 456', ' 123456\n', '1 2 3 4 5 6', '123\u00a0456']) {
    assert.equal(readCode(text), '123456', JSON.stringify(text));
  }
  for (const text of ['', '12345', '1234567', '12345a', '-12345', '1.2345', '١٢٣٤٥٦', '123456\u0000']) {
    assert.equal(readCode(text), undefined, JSON.stringify(text));
  }
});

test('codes are those of oathtool', needs('oathtool'), () => {
  const random = createRandom(6238);
  for (let run = 0; run < 20; run += 1) {
    const secret = Buffer.from(Array.from({ length: SECRET_BYTES }, () => Math.floor(random() * 256)));
    const seconds = Math.floor(random() * 4_000_000_000);
    const parameters = ['--totp=sha1', '--base32', '--window=2', `--now=@${seconds}`, '-'];
    const output = execFileSync('oathtool', parameters, { input: `${toBase32(secret)}\n`, encoding: 'utf8' });
    const step = stepAt(seconds * 1000);
    const codes = [step, step + 1, step + 2].map((each) => computeCode(secret, each));
    assert.deepEqual(output.trim().split('\n'), codes, `${toBase32(secret)} at ${seconds}`);
  }
});
