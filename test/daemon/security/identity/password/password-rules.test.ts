import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findPasswordFaults } from '../../../../../daemon/security/identity/password/password-rules.ts';
import { passwordStrengthSchema } from '../../../../../daemon/settings/rest-settings.ts';

const lax = passwordStrengthSchema.parse({ minimumLength: 1 });

async function codesOf(
  password: string,
  changes: object = {},
  identityName = 'scada',
): Promise<readonly string[]> {
  const faults = await findPasswordFaults(password, { strength: { ...lax, ...changes }, identityName });
  return faults.map(({ code }) => code);
}

test('findPasswordFaults refuses common passwords in any case', async () => {
  for (const password of ['password', 'PassWord', '12345678', 'qwertyuiop', 'Letmein1', 'P@ssw0rd']) {
    assert.deepEqual(await codesOf(password), ['PASSWORD_COMMON'], password);
  }
  assert.deepEqual(await codesOf('password of a turbine'), []);
});

test('findPasswordFaults refuses the name of the product and of the identity in any case', async () => {
  for (const password of ['penstock1', 'my-PenStock-4711'])
    assert.deepEqual(await codesOf(password), ['PASSWORD_WITH_PRODUCT'], password);
  for (const password of ['scada-4711', '4711 SCADA'])
    assert.deepEqual(await codesOf(password), ['PASSWORD_WITH_NAME'], password);
  assert.deepEqual(await codesOf('Müller Müller', {}, 'MÜLLER'), ['PASSWORD_WITH_NAME']);
});

test('findPasswordFaults accepts the name of an identity of less than four characters', async () => {
  assert.deepEqual(await codesOf('a plc password', {}, 'plc'), []);
  assert.deepEqual(await codesOf('a plc1 password', {}, 'plc1'), ['PASSWORD_WITH_NAME']);
});

test('findPasswordFaults names each reason in addition to those of the settings', async () => {
  assert.deepEqual(await codesOf('admin', { minimumLength: 8 }, 'admin'), [
    'PASSWORD_TOO_SHORT',
    'PASSWORD_WITH_NAME',
    'PASSWORD_COMMON',
  ]);
});

test('findPasswordFaults counts code points', async () => {
  assert.deepEqual(await codesOf('😀😀😀😀', { minimumLength: 4 }), []);
  assert.deepEqual(await codesOf('😀😀😀', { minimumLength: 4 }), ['PASSWORD_TOO_SHORT']);
});

test('findPasswordFaults refuses more than 255 characters', async () => {
  assert.deepEqual(await codesOf('😀'.repeat(255)), []);
  assert.deepEqual(await codesOf('a'.repeat(256)), ['PASSWORD_TOO_LONG']);
  assert.deepEqual(await codesOf('a'.repeat(90_000)), ['PASSWORD_TOO_LONG']);
});

test('findPasswordFaults lists every broken rule in the order of the settings', async () => {
  const all = {
    minimumLength: 8,
    requireDigits: true,
    requireSpecialCharacters: true,
    requireBothCases: true,
  };
  assert.deepEqual(await codesOf('abc', all), [
    'PASSWORD_TOO_SHORT',
    'PASSWORD_WITHOUT_DIGIT',
    'PASSWORD_WITHOUT_SPECIAL_CHARACTER',
    'PASSWORD_WITHOUT_BOTH_CASES',
  ]);
  assert.deepEqual(await codesOf('Abcdef1!', all), []);
});

test('findPasswordFaults recognizes letters and digits of every script', async () => {
  assert.deepEqual(await codesOf('Пароль', { requireBothCases: true }), []);
  assert.deepEqual(await codesOf('٣', { requireDigits: true }), []);
  assert.deepEqual(await codesOf('Größe1', { requireSpecialCharacters: true }), [
    'PASSWORD_WITHOUT_SPECIAL_CHARACTER',
  ]);
});

test('findPasswordFaults refuses control characters, and nothing else that is not seen', async () => {
  for (const character of ['\0', '\t', '\n', '\u001b', '\u007f', '\u0085']) {
    assert.deepEqual(await codesOf(`abcdefgh${character}`), ['PASSWORD_WITH_CONTROL_CHARACTER']);
  }
  assert.deepEqual(await codesOf('abcdefgh\u200d\u202e'), []);
});

test('findPasswordFaults refuses text without a UTF-8 form', async () => {
  assert.deepEqual(await codesOf('abcdefgh\ud800'), ['PASSWORD_NOT_TEXT']);
});
